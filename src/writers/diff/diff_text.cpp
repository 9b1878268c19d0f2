// The terminal's table: columns under each other.
#include <algorithm>

#include "base/printable.h"
#include "document/rich_text.h"
#include "writers/diff/diff_writers.h"

namespace labreport {
namespace {

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// Code points: near enough to columns for what stands in these tables.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return !continues(c); }));
}

/// A name of a thousand letters would push every other column off the screen; JSON has it whole.
std::string fitting(const std::string& text) {
  constexpr std::size_t kMost = 100;
  std::string shown = printable(text);
  if (width(shown) <= kMost) return shown;
  std::size_t letters = 0;
  const auto end = std::ranges::find_if(
      shown, [&](char byte) { return !continues(byte) && ++letters == kMost; });
  return std::string(shown.begin(), end) + "…";
}

std::string padded(const std::string& text, std::size_t room, Align align) {
  const std::string space(room - std::min(room, width(text)), ' ');
  return align == Align::kRight ? space + text : text + space;
}

std::string head_of(const ColumnView& column) {
  return column.unit.empty() ? column.title : column.title + " (" + column.unit + ")";
}

std::string flags_line(const RowView& row) {
  std::string text;
  for (const std::string& flag : row.flags) text += (text.empty() ? "" : ", ") + fitting(flag);
  return text;
}

std::string without_trailing_space(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string table_text(const TableView& table) {
  std::vector<std::size_t> room;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t widest = width(head_of(table.columns[c]));
    for (const RowView& row : table.rows) {
      if (c < row.cells.size()) widest = std::max(widest, width(fitting(row.cells[c].text)));
    }
    room.push_back(widest);
  }
  const auto line = [&](const auto& text_of, const std::string& end) {
    std::string text;
    for (std::size_t c = 0; c < room.size(); ++c) {
      text += padded(text_of(c), room[c], table.columns[c].align) + "  ";
    }
    return without_trailing_space(text + end);
  };
  std::string text = table.title + "\n";
  text += line([&](std::size_t c) { return head_of(table.columns[c]); }, "");
  for (const RowView& row : table.rows) {
    text += line(
        [&](std::size_t c) {
          return c < row.cells.size() ? fitting(row.cells[c].text) : std::string();
        },
        flags_line(row));
  }
  return text + "\n";
}

std::string words_text(const std::string& markdown) {
  std::string text;
  for (const Block& block : rich_text(markdown))
    text += printable(plain_text(block.inlines)) + "\n";
  return text;
}

}  // namespace

std::string diff_text(const Document& document) {
  std::string text = fitting(document.title) + "\n" + printable(document.provenance) + "\n\n";
  for (const Section& section : document.sections) {
    text += "== " + section.title + "\n";
    for (const Part& part : section.parts) {
      text += words_text(part.answer) + "\n";
      for (const TableView& table : part.tables) text += table_text(table);
    }
  }
  return text;
}

}  // namespace labreport
