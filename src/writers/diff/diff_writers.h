// Writes a comparison in each of its formats. Text from runs is escaped in all of them, and control
// characters are shown as U+FFFD.
#pragma once

#include <string>
#include <string_view>

#include "analysis/comparison.h"
#include "document/document.h"
#include "document/drawings.h"
#include "writers/html/html.h"

namespace labreport {

/// Writes the card for a terminal.
std::string diff_text(const Document& document);

/// Writes every section with its tables for a terminal, columns aligned.
std::string diff_tables(const Document& document);

std::string diff_markdown(const Document& document, const Drawings& drawings = {});

/// A page of a site.
std::string diff_html(const Document& document, const Drawings& drawings,
                      const PageOptions& options);

/// A page that needs no other file.
std::string single_diff_html(const Document& document, const Drawings& drawings);

/// Follows diff.schema.json; ratios and values are unrounded.
std::string diff_json(const Comparison& comparison);

/// diff.schema.json.
std::string_view diff_schema();

}  // namespace labreport
