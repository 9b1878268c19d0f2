#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "writers/align.h"
#include "writers/pandoc/pandoc_nodes.h"

namespace labreport {
namespace {

using nlohmann::json;

/// Letters in a line at the template's sizes, for a table that fits and for one that is fitted.
constexpr std::size_t kLine = 88;
constexpr std::size_t kSmallLine = 110;
constexpr std::size_t kBetween = 2;
constexpr double kSmallBetween = 1.2;
/// A longer word may break.
constexpr std::size_t kWordOfACell = 22;

struct Cell {
  json words;
  std::size_t letters = 0;
  std::size_t longest_word = 0;
};

using Row = std::vector<Cell>;

/// The last cell of a row that is shorter than the head spans the rest.
struct Grid {
  std::string id, title;
  std::vector<Align> aligns;
  std::vector<Row> rows;  ///< The first row is the head.

  bool ends_short(const Row& row) const { return row.size() < aligns.size(); }
};

Cell cell_of(json words, std::string_view plain) {
  Cell cell{std::move(words), letter_count(plain), 0};
  for (const std::string& word : split(plain, ' ')) {
    cell.longest_word = std::max(cell.longest_word, std::min(letter_count(word), kWordOfACell));
  }
  return cell;
}

/// Invisible padding of a number: a figure space is as wide as a digit.
std::string unseen(const std::string& padding) {
  std::string spaces;
  for (const char sign : padding) spaces += sign == '.' ? "\u2008" : "\u2007";
  return spaces;
}

/// Aligns decimals.
Cell aligned_number(const AlignedCell& cell) {
  const std::string value = cell.shown.value + unseen(cell.after_value);
  if (cell.shown.deviation.empty())
    return cell_of(pandoc_words(value + unseen(cell.at_end)), value);
  const std::string deviation = "±\u00a0" + cell.shown.deviation + unseen(cell.at_end);
  return cell_of(
      json::array({pandoc_node("Str", value), json{{"t", "Space"}}, pandoc_node("Str", deviation)}),
      value + " " + deviation);
}

Cell cell_in(const ColumnView& column, const AlignedCell& aligned) {
  if (column.align == Align::kRight) return aligned_number(aligned);
  const std::string text = aligned.shown.joined();
  Cell cell = cell_of(column.code ? pandoc_code(text) : pandoc_words(text), text);
  if (!text.empty()) cell.longest_word += 2;  // Letters are wider than digits: "GPU-bound".
  return cell;
}

void add_column(Grid& grid, const TableView& table, std::size_t c) {
  const ColumnView& column = table.columns[c];
  const std::string head = column.head();
  grid.aligns.push_back(column.align);
  grid.rows[0].push_back(cell_of(pandoc_words(head), head));
  const std::vector<AlignedCell> aligned = align_decimals(table, c);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const RowView& row = table.rows[r];
    const bool noted = c >= row.cells.size() && !row.note.empty();
    if (!noted) grid.rows[r + 1].push_back(cell_in(column, aligned[r]));
  }
}

/// Adds columns for notes and remarks, if there are any.
void add_remarks(Grid& grid, const TableView& table) {
  const auto is_flagged = [](const RowView& row) { return !row.flags.empty(); };
  const bool flagged = std::ranges::any_of(table.rows, is_flagged);
  if (flagged) {
    grid.aligns.push_back(Align::kLeft);
    grid.rows[0].push_back(cell_of(pandoc_words("Remarks"), "Remarks"));
  }
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const bool noted = grid.rows[r + 1].size() < table.columns.size();
    const std::string words = noted ? table.rows[r].note : table.rows[r].remarks();
    if (noted || flagged) grid.rows[r + 1].push_back(cell_of(pandoc_words(words), words));
  }
}

/// Letters of each column in one line, or after wrapping if it `wraps`.
template <typename Wraps>
std::vector<std::size_t> letters(const Grid& grid, Wraps wraps) {
  std::vector<std::size_t> widths(grid.aligns.size());
  for (const Row& row : grid.rows) {
    const std::size_t own = grid.ends_short(row) ? row.size() - 1 : row.size();
    for (std::size_t c = 0; c < own; ++c) {
      const bool broken = wraps(row, c);
      widths[c] = std::max(widths[c], broken ? row[c].longest_word : row[c].letters);
    }
  }
  return widths;
}

std::size_t sum(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), std::size_t{0});
}

bool fits_as_it_is(const Grid& grid, const std::vector<std::size_t>& whole) {
  const auto fits = [](const Row& row) {
    std::size_t line = 0;
    for (const Cell& cell : row) line += cell.letters + kBetween;
    return line <= kLine;
  };
  return sum(whole) + kBetween * whole.size() <= kLine && std::ranges::all_of(grid.rows, fits);
}

/// Distributes the room that is left, in turns, to the columns that want more.
void widen(std::vector<std::size_t>& widths, const std::vector<std::size_t>& wanted,
           std::size_t room) {
  for (bool given = true; given;) {
    given = false;
    for (std::size_t c = 0; c < widths.size() && sum(widths) < room; ++c) {
      if (widths[c] >= wanted[c]) continue;
      ++widths[c];
      given = true;
    }
  }
}

/// The columns' shares of the line; none if the table fits unchanged. Heads and words break first,
/// numbers at their ± if they must.
std::vector<double> shares(const Grid& grid) {
  const auto whole = letters(grid, [](const Row&, std::size_t) { return false; });
  if (fits_as_it_is(grid, whole)) return {};
  const auto count = static_cast<double>(whole.size());
  const auto room = static_cast<std::size_t>(
      std::max(kSmallLine - kSmallBetween * count, static_cast<double>(kWordOfACell)));
  auto widths = letters(grid, [&](const Row& row, std::size_t c) {
    return &row == &grid.rows[0] || grid.aligns[c] == Align::kLeft;
  });
  if (sum(widths) > room) {
    widths = letters(grid, [](const Row&, std::size_t) { return true; });
  }
  widen(widths, whole, room);
  std::vector<double> shares;
  for (const std::size_t width : widths) {
    shares.push_back(static_cast<double>(width) / static_cast<double>(std::max(room, sum(widths))));
  }
  return shares;
}

json alignment(Align align) { return {{"t", align == Align::kRight ? "AlignRight" : "AlignLeft"}}; }

json plain(const json& words) { return json::array({pandoc_node("Plain", words)}); }

json row_node(const Grid& grid, const Row& row) {
  json cells = json::array();
  for (std::size_t c = 0; c < row.size(); ++c) {
    const bool rest = grid.ends_short(row) && c + 1 == row.size();
    cells.push_back(
        json::array({pandoc_attributes(), alignment(rest ? Align::kLeft : grid.aligns[c]), 1,
                     rest ? grid.aligns.size() - c : 1, plain(row[c].words)}));
  }
  return json::array({pandoc_attributes(), cells});
}

json table_node(const Grid& grid) {
  const std::vector<double> widths = shares(grid);
  json columns = json::array();
  for (std::size_t c = 0; c < grid.aligns.size(); ++c) {
    const json width =
        widths.empty() ? json{{"t", "ColWidthDefault"}} : pandoc_node("ColWidth", widths[c]);
    columns.push_back(json::array({alignment(grid.aligns[c]), width}));
  }
  json rows = json::array();
  for (const Row& row : grid.rows) rows.push_back(row_node(grid, row));
  const json head = json::array({rows[0]});
  rows.erase(0);
  const json caption = grid.title.empty() ? json::array() : plain(pandoc_title(grid.title));
  return pandoc_node(
      "Table",
      json::array({pandoc_attributes(grid.id), json::array({nullptr, caption}), columns,
                   json::array({pandoc_attributes(), head}),
                   json::array({json::array({pandoc_attributes(), 0, json::array(), rows})}),
                   json::array({pandoc_attributes(), json::array()})}));
}

}  // namespace

json pandoc_table(const TableView& table, const std::string& id) {
  Grid grid{id, table.title, {}, std::vector<Row>(table.rows.size() + 1)};
  for (std::size_t c = 0; c < table.columns.size(); ++c) add_column(grid, table, c);
  add_remarks(grid, table);
  return table_node(grid);
}

json pandoc_table(const Block& table) {
  Grid grid{"", "", table.aligns, {}};
  for (const auto& cells : table.rows) {
    Row& row = grid.rows.emplace_back();
    for (const Inlines& cell : cells)
      row.push_back(cell_of(pandoc_inlines(cell), plain_text(cell)));
  }
  return table_node(grid);
}

}  // namespace labreport
