// The site's first page.
#pragma once

#include <string>
#include <vector>

#include "document/document.h"
#include "document/drawings.h"

namespace labreport {

/// A page of the site that compares two runs.
struct ComparedPair {
  std::string link;  ///< Relative to the index.
  std::string title;
  std::string edition;
  std::string words;  ///< "different hardware: 90 cells match, …"
};

/// `document` is `index_document`'s, or one without sections where no run has been recorded.
std::string index_html(const Document& document, const Drawings& drawings, bool interactive,
                       const std::vector<ComparedPair>& pairs = {});

}  // namespace labreport
