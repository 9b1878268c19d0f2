// The nodes of pandoc's tree that a report is made of.
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

/// Lists of inlines. Long words may break, and line ends are spaces.
nlohmann::json pandoc_words(std::string_view text);
nlohmann::json pandoc_emph(std::string_view text);
/// Text of a title, cut: TeX writes titles to files whose lines must fit its buffer.
nlohmann::json pandoc_title(std::string_view text);
nlohmann::json pandoc_code(std::string_view text);
/// Inline content of Markdown in one run.
nlohmann::json pandoc_line(std::string_view markdown);
nlohmann::json pandoc_inlines(const Inlines& inlines);

/// Blocks.
nlohmann::json pandoc_paragraph(nlohmann::json inlines);
nlohmann::json pandoc_heading(int level, nlohmann::json inlines, const std::string& id = "");
/// Lines in a typewriter face, the long ones broken.
nlohmann::json pandoc_listing(std::string_view text);
nlohmann::json pandoc_picture(const std::string& path, const char* width);

/// Lists of blocks, to be added to another. `formulas` adds those that no section has.
nlohmann::json pandoc_blocks(std::string_view markdown, const Formulas& formulas = {});

/// A table of the author's, without a title, or of the report, with title and number. The columns
/// of a table that is wider than the sheet are fitted.
nlohmann::json pandoc_table(const Block& table);
nlohmann::json pandoc_table(const TableView& table, const std::string& id);

void append(nlohmann::json& blocks, const nlohmann::json& more);

}  // namespace labreport
