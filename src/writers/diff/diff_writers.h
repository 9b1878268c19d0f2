// A comparison in each of its formats. All that comes from runs is text in every one of them,
// control characters are shown as U+FFFD.
#pragma once

#include <string>
#include <string_view>

#include "analysis/comparison.h"
#include "document/document.h"
#include "document/drawings.h"

namespace labreport {

/// For a terminal: columns aligned.
std::string diff_text(const Document& document);

std::string diff_markdown(const Document& document, const Drawings& drawings = {});

/// The page. `root` leads from it to the site's root; `interactive`: the chart bundle lies there.
/// With an empty root and `alone` it needs no other file.
struct DiffPageOptions {
  std::string root;
  bool interactive = false;
  bool alone = false;
};
std::string diff_html(const Document& document, const Drawings& drawings,
                      const DiffPageOptions& options);

/// As diff.schema.json says; ratios and values unrounded.
std::string diff_json(const Comparison& comparison);

/// The schema as this program carries it.
std::string_view diff_schema();

}  // namespace labreport
