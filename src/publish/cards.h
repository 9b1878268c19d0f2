// Makes the pictures that link previews show of the site's pages, and the pages' addresses on the
// web.
#pragma once

#include <string>
#include <vector>

#include "document/document.h"
#include "document/drawings.h"
#include "publish/site.h"
#include "writers/html/html.h"

namespace labreport {

/// A page's first chart.
struct Card {
  std::string png;  ///< Empty if nothing was drawn.
  std::string alt;
};

/// Makes one card a document, in one start of the tool. Throws `Error` with the remedy.
std::vector<Card> make_cards(const std::vector<const Document*>& documents,
                             const std::vector<const Drawings*>& drawings, ChartTool& tool);

/// Tells the page in `folder`, "<folder>/" or empty, its address and its card, and adds the card to
/// the files. Without a site's address the page has neither.
void place_card(const std::string& site_url, const std::string& folder, const Card& card,
                PageOptions& page, std::vector<SiteFile>& files);

}  // namespace labreport
