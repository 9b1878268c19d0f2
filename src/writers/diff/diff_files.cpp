// A comparison through the writers of reports.
#include "base/printable.h"
#include "writers/diff/diff_writers.h"
#include "writers/html/html.h"
#include "writers/markdown/markdown.h"

namespace labreport {

std::string diff_markdown(const Document& document, const Drawings& drawings) {
  return printable(report_markdown(document, drawings, Answers::kFull), "\n");
}

std::string diff_html(const Document& document, const Drawings& drawings,
                      const DiffPageOptions& options) {
  const PageOptions linked{.root = options.root, .interactive = options.interactive};
  return printable(options.alone ? single_page_html(document, drawings, Answers::kFull, "")
                                 : page_html(document, drawings, linked),
                   kLinesAndTabs);
}

}  // namespace labreport
