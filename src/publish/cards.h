// Makes the pictures that link previews show of the site's pages, and sets the pages' addresses.
#pragma once

#include <string>
#include <vector>

#include "document/document.h"
#include "document/drawings.h"
#include "publish/site.h"
#include "writers/html/html.h"

namespace labreport {

/// The picture that link previews show of a page: its first chart.
struct Card {
  std::string png;  ///< Empty if nothing was drawn.
  std::string alt;
};

/// Makes one card for each document in one start of `tool`. `drawings` has the documents' order.
/// Throws `Error` with a remedy if the tool fails.
std::vector<Card> make_cards(const std::vector<const Document*>& documents,
                             const std::vector<const Drawings*>& drawings, ChartTool& tool);

/// Sets the web address and the card of the page in `folder`, which ends in '/' or is empty, and
/// adds the card to the files. Does nothing if `site_url` is empty.
void place_card(const std::string& site_url, const std::string& folder, const Card& card,
                PageOptions& page, std::vector<SiteFile>& files);

}  // namespace labreport
