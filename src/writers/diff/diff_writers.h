// A comparison in each of its formats. All that comes from runs is text in every one of them,
// control characters are shown as U+FFFD.
#pragma once

#include <string>
#include <string_view>

#include "analysis/comparison.h"
#include "document/document.h"
#include "document/drawings.h"
#include "writers/html/html.h"

namespace labreport {

/// For a terminal: the card alone.
std::string diff_text(const Document& document);

/// For a terminal: every section with its tables, columns aligned.
std::string diff_tables(const Document& document);

std::string diff_markdown(const Document& document, const Drawings& drawings = {});

/// A page of a site.
std::string diff_html(const Document& document, const Drawings& drawings,
                      const PageOptions& options);

/// A page that needs no other file.
std::string single_diff_html(const Document& document, const Drawings& drawings);

/// As diff.schema.json says; ratios and values unrounded.
std::string diff_json(const Comparison& comparison);

/// The schema as this program carries it.
std::string_view diff_schema();

}  // namespace labreport
