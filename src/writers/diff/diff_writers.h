// A diff in each of its formats. All that comes from runs is text in every one of them.
#pragma once

#include <string>
#include <string_view>

#include "analysis/comparison.h"
#include "document/comparison/diff_document.h"
#include "document/drawings.h"

namespace labreport {

/// For a terminal: columns aligned, control characters shown as U+FFFD.
std::string diff_text(const DiffDocument& document);

/// GitHub-flavoured, without pictures. Control characters are U+FFFD, here and in the page.
std::string diff_markdown(const DiffDocument& document);

/// The page. `root` leads from it to the site's root; `interactive`: the chart bundle lies there.
/// With an empty root and `alone` it needs no other file.
struct DiffPageOptions {
  std::string root;
  bool interactive = false;
  bool alone = false;
};
std::string diff_html(const DiffDocument& document, const Drawings& drawings,
                      const DiffPageOptions& options);

/// As diff.schema.json says; ratios and values unrounded.
std::string diff_json(const Comparison& comparison);

/// The schema as this program carries it.
std::string_view diff_schema();

/// The figures alone, for what draws documents.
Document figures_document(const DiffDocument& document);

}  // namespace labreport
