// Writes the head and the foot of every page: the description for browsers, search engines and link
// previews, and the origin of the page.
#pragma once

#include <string>

#include "document/document.h"
#include "writers/html/assets.h"
#include "writers/html/html.h"

namespace labreport {

struct HeadWords {
  std::string title;
  std::string description;  ///< Plain text.
  std::string type;         ///< Open Graph's: "article" or "website".
};

/// `enclosed` goes into a page that is one file; null if the page loads the site's assets.
std::string head_html(const HeadWords& words, const PageOptions& options,
                      const Enclosed* enclosed = nullptr);

/// The page's first finding, in as many whole sentences as a link preview shows; without findings
/// or generated answers, it says what was measured.
std::string description_of(const Document& document, Answers answers);

std::string foot_html(const Document& document);

}  // namespace labreport
