#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "writers/align.h"
#include "writers/pandoc/pandoc_nodes.h"

namespace labreport {
namespace {

using nlohmann::json;

/// Letters in a line of a table with free column widths, and in the smaller type that the template
/// gives a table with fixed ones. The gap between columns is as wide as `kBetween` letters.
constexpr std::size_t kLine = 88;
constexpr std::size_t kSmallLine = 110;
constexpr std::size_t kBetween = 2;
constexpr double kSmallBetween = 1.2;
/// Letters of a word that are kept on one line; a longer word may break.
constexpr std::size_t kWordOfACell = 22;

struct Cell {
  json words;
  std::size_t letters = 0;
  std::size_t longest_word = 0;
};

using Row = std::vector<Cell>;

/// The last cell of a row that is shorter than the head spans the remaining columns.
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

/// Replaces the padding of a number by spaces that are as wide as its digits and its point.
std::string unseen(const std::string& padding) {
  std::string spaces;
  for (const char sign : padding) spaces += sign == '.' ? "\u2008" : "\u2007";
  return spaces;
}

/// Makes a cell with text or with a number whose decimals are aligned in the column.
Cell cell_in(const ColumnView& column, const AlignedCell& aligned) {
  if (column.align == Align::kLeft) {
    const std::string text = aligned.text.joined();
    Cell cell = cell_of(column.code ? pandoc_code(text) : pandoc_words(text), text);
    if (!text.empty()) cell.longest_word += 2;  // Letters are wider than digits: "GPU-bound".
    return cell;
  }
  const std::string value = aligned.text.value + unseen(aligned.after_value);
  if (aligned.text.deviation.empty())
    return cell_of(pandoc_words(value + unseen(aligned.at_end)), value);
  const std::string deviation = "±\u00a0" + aligned.text.deviation + unseen(aligned.at_end);
  return cell_of(
      json::array({pandoc_node("Str", value), json{{"t", "Space"}}, pandoc_node("Str", deviation)}),
      value + " " + deviation);
}

/// Returns each column's width in letters. A cell for which `wraps(row, column)` is true needs the
/// width of its longest word, any other the width of its whole text.
template <typename Wraps>
std::vector<std::size_t> letters(const Grid& grid, Wraps wraps) {
  std::vector<std::size_t> widths(grid.aligns.size());
  for (const Row& row : grid.rows) {
    const std::size_t unspanned = grid.ends_short(row) ? row.size() - 1 : row.size();
    for (std::size_t c = 0; c < unspanned; ++c) {
      const bool broken = wraps(row, c);
      widths[c] = std::max(widths[c], broken ? row[c].longest_word : row[c].letters);
    }
  }
  return widths;
}

std::size_t sum(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), std::size_t{0});
}

/// Widens columns by one letter in turns, up to their `preferred` widths, until they sum to `room`.
void widen(std::vector<std::size_t>& widths, const std::vector<std::size_t>& preferred,
           std::size_t room) {
  for (bool given = true; given;) {
    given = false;
    for (std::size_t c = 0; c < widths.size() && sum(widths) < room; ++c) {
      if (widths[c] >= preferred[c]) continue;
      ++widths[c];
      given = true;
    }
  }
}

/// Returns each column's share of the line's width; empty if all cells fit on one line unwrapped.
/// Heads and text wrap first, and numbers wrap at their ± only if that does not suffice.
std::vector<double> shares(const Grid& grid) {
  const auto whole = letters(grid, [](const Row&, std::size_t) { return false; });
  const auto fits = [](const Row& row) {
    std::size_t line = 0;
    for (const Cell& cell : row) line += cell.letters + kBetween;
    return line <= kLine;
  };
  const bool columns_fit = sum(whole) + kBetween * whole.size() <= kLine;
  if (columns_fit && std::ranges::all_of(grid.rows, fits)) return {};
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

json table_node(const Grid& grid) {
  const std::vector<double> widths = shares(grid);
  json columns = json::array();
  for (std::size_t c = 0; c < grid.aligns.size(); ++c) {
    const json width =
        widths.empty() ? json{{"t", "ColWidthDefault"}} : pandoc_node("ColWidth", widths[c]);
    columns.push_back(json::array({alignment(grid.aligns[c]), width}));
  }
  json rows = json::array();
  for (const Row& row : grid.rows) {
    json cells = json::array();
    for (std::size_t c = 0; c < row.size(); ++c) {
      const bool rest = grid.ends_short(row) && c + 1 == row.size();
      cells.push_back(
          json::array({pandoc_attributes(), alignment(rest ? Align::kLeft : grid.aligns[c]), 1,
                       rest ? grid.aligns.size() - c : 1, plain(row[c].words)}));
    }
    rows.push_back(json::array({pandoc_attributes(), cells}));
  }
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
  Grid grid{.id = id,
            .title = table.title,
            .aligns = {},
            .rows = std::vector<Row>(table.rows.size() + 1)};
  const auto add_head = [&](const std::string& words, Align align) {
    grid.aligns.push_back(align);
    grid.rows[0].push_back(cell_of(pandoc_words(words), words));
  };
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    add_head(table.columns[c].head(), table.columns[c].align);
    const std::vector<AlignedCell> aligned = align_decimals(table, c);
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const bool noted = c >= table.rows[r].cells.size() && !table.rows[r].missing_reason.empty();
      if (!noted) grid.rows[r + 1].push_back(cell_in(table.columns[c], aligned[r]));
    }
  }
  const bool flagged =
      std::ranges::any_of(table.rows, [](const RowView& row) { return !row.flags.empty(); });
  if (flagged) add_head("Remarks", Align::kLeft);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const bool noted = grid.rows[r + 1].size() < table.columns.size();
    const std::string words = noted ? table.rows[r].missing_reason : table.rows[r].joined_flags();
    if (noted || flagged) grid.rows[r + 1].push_back(cell_of(pandoc_words(words), words));
  }
  return table_node(grid);
}

json pandoc_table(const Block& table) {
  Grid grid{.id = "", .title = "", .aligns = table.aligns, .rows = {}};
  for (const auto& cells : table.rows) {
    Row& row = grid.rows.emplace_back();
    for (const Inlines& cell : cells)
      row.push_back(cell_of(pandoc_inlines(cell), plain_text(cell)));
  }
  return table_node(grid);
}

}  // namespace labreport
