// Makes the nodes of pandoc's tree that a report uses.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"
#include "document/rich_text.h"

namespace labreport {

nlohmann::json pandoc_node(const char* type, nlohmann::json content);
nlohmann::json pandoc_attributes(const std::string& id = "");

// The functions up to `pandoc_inlines` return lists of inlines.

/// Long words may break, and line ends become spaces.
nlohmann::json pandoc_words(std::string_view text);
nlohmann::json pandoc_emph(std::string_view text);
/// Cuts a title after 400 bytes: TeX writes titles to files whose lines must fit its buffer.
nlohmann::json pandoc_title(std::string_view text);
nlohmann::json pandoc_code(std::string_view text);
/// Joins the inlines of all paragraphs of Markdown by spaces.
nlohmann::json pandoc_line(std::string_view markdown);
nlohmann::json pandoc_inlines(const Inlines& inlines);

/// Returns one inline.
nlohmann::json pandoc_picture(const std::string& path, const char* width);

nlohmann::json pandoc_paragraph(nlohmann::json inlines);
nlohmann::json pandoc_heading(int level, nlohmann::json inlines, const std::string& id = "");
/// Writes lines in a typewriter face; long ones may break.
nlohmann::json pandoc_listing(std::string_view text);

/// Returns a list of blocks. `formulas` holds formulas of the author's notes; those of the report
/// itself are built in.
nlohmann::json pandoc_blocks(std::string_view markdown, const Formulas& formulas = {});

/// Writes a table of the author's Markdown, without a title. In a table that is wider than a line,
/// columns get fixed widths, in which text wraps.
nlohmann::json pandoc_table(const Block& table);
/// Writes a table of the report with title and number, and wraps text as in Markdown's tables.
nlohmann::json pandoc_table(const TableView& table, const std::string& id);

void append(nlohmann::json& blocks, const nlohmann::json& more);

}  // namespace labreport
