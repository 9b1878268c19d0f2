// Writes a comparison in each of its formats. Every writer escapes the text from runs and replaces
// control characters by U+FFFD, except JSON, which escapes them.
#pragma once

#include <string>
#include <string_view>

#include "analysis/comparison.h"
#include "document/document.h"
#include "document/drawings.h"

namespace labreport {

/// Writes title, provenance and the summary's sentences for a terminal, without tables.
std::string diff_text(const Document& document);

/// Writes every section with its tables for a terminal.
std::string diff_tables(const Document& document);

std::string diff_markdown(const Document& document, const Drawings& drawings = {});

/// Writes a page that needs no other file.
std::string single_diff_html(const Document& document, const Drawings& drawings);

/// Writes JSON that follows diff.schema.json; numbers are unrounded.
std::string diff_json(const Comparison& comparison);

std::string_view diff_schema();

}  // namespace labreport
