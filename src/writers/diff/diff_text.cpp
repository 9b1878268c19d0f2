// Writes a comparison for the terminal with aligned columns, and through the writers of reports.
#include <algorithm>

#include "base/printable.h"
#include "base/text.h"
#include "document/rich_text.h"
#include "writers/diff/diff_writers.h"
#include "writers/html/html.h"
#include "writers/markdown/markdown.h"

namespace labreport {
namespace {

/// Cuts a text after `kMostLetters`: a longer one would push other columns off the screen.
std::string cut_text(const std::string& text) {
  constexpr std::size_t kMostLetters = 100;
  std::string visible = printable(text);
  if (letter_count(visible) <= kMostLetters) return visible;
  std::size_t letters = 0;
  const auto end = std::ranges::find_if(
      visible, [&](char byte) { return !is_utf8_continuation(byte) && ++letters == kMostLetters; });
  return std::string(visible.begin(), end) + "…";
}

std::string table_text(const TableView& table) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t widest = letter_count(table.columns[c].head());
    for (const RowView& row : table.rows) {
      widest = std::max(widest, letter_count(cut_text(table.text(row, c))));
    }
    widths.push_back(widest);
  }
  const auto line = [&](const auto& text_of, const std::string& flags) {
    std::string text;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      text += padded(text_of(c), widths[c],
                     table.columns[c].align == Align::kRight ? Pad::kLeft : Pad::kRight) +
              "  ";
    }
    text += flags;
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  std::string text = table.title + "\n";
  text += line([&](std::size_t c) { return table.columns[c].head(); }, "");
  for (const RowView& row : table.rows) {
    std::string flags;
    for (const std::string& flag : row.flags) flags += (flags.empty() ? "" : ", ") + cut_text(flag);
    text += line([&](std::size_t c) { return cut_text(table.text(row, c)); }, flags);
  }
  return text + "\n";
}

/// Writes a line for each paragraph and each item of a list.
std::string answer_text(const std::string& markdown) {
  std::string text;
  for (const Block& block : rich_text(markdown)) {
    for (const Blocks& item : block.items) {
      for (const Block& line : item) text += printable(plain_text(line.inlines)) + "\n";
    }
    if (block.items.empty()) text += printable(plain_text(block.inlines)) + "\n";
  }
  return text;
}

std::string head_text(const Document& document) {
  return cut_text(document.title) + "\n" + printable(document.provenance) + "\n\n";
}

}  // namespace

std::string diff_text(const Document& document) {
  return head_text(document) + answer_text(document.sections.front().parts.front().answer);
}

std::string diff_tables(const Document& document) {
  std::string text = head_text(document);
  for (const Section& section : document.sections) {
    text += "== " + section.title + "\n";
    for (const Part& part : section.parts) {
      text += answer_text(part.answer) + "\n";
      for (const TableView& table : part.tables) text += table_text(table);
      for (const TableView& table : part.details.tables) text += table_text(table);
    }
  }
  return text;
}

std::string diff_markdown(const Document& document, const Drawings& drawings) {
  return printable(report_markdown(document, drawings, Answers::kFull), "\n");
}

std::string single_diff_html(const Document& document, const Drawings& drawings) {
  return printable(single_page_html(document, drawings, Answers::kFull, ""), kLinesAndTabs);
}

}  // namespace labreport
