// A comparison through the writers of reports.
#include "base/printable.h"
#include "writers/diff/diff_writers.h"
#include "writers/markdown/markdown.h"

namespace labreport {

std::string diff_markdown(const Document& document, const Drawings& drawings) {
  return printable(report_markdown(document, drawings, Answers::kFull), "\n");
}

std::string diff_html(const Document& document, const Drawings& drawings,
                      const PageOptions& options) {
  return printable(page_html(document, drawings, options), kLinesAndTabs);
}

std::string single_diff_html(const Document& document, const Drawings& drawings) {
  return printable(single_page_html(document, drawings, Answers::kFull, ""), kLinesAndTabs);
}

}  // namespace labreport
