// The HTML pages: one a run, and the index of all runs.
#pragma once

#include <string>
#include <vector>

#include "document/document.h"
#include "document/drawings.h"
#include "writers/html/html_parts.h"

namespace labreport {

/// What lies beside a page in another form.
struct FormatLink {
  std::string name;  ///< "PDF"
  std::string file;  ///< "report.pdf"
};

/// How a page reaches the rest of the site and what there is to reach.
struct PageOptions {
  std::string root;          ///< From the page to the site's root: "../../../", or empty.
  bool interactive = false;  ///< The chart bundle lies in assets/.
  Answers answers = Answers::kFull;
  std::vector<FormatLink> formats = {};
};

/// A run's whole page as one file that fetches nothing: style, scripts and pictures stand in it.
/// `bundle` is the chart bundle, empty where there is none.
std::string single_page_html(const Document& document, const Drawings& drawings, Answers answers,
                             const std::string& bundle);

/// A run's whole page. Everything that comes from the run is escaped.
std::string page_html(const Document& document, const Drawings& drawings,
                      const PageOptions& options);

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
