#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "writers/align.h"
#include "writers/pandoc/pandoc_nodes.h"

namespace labreport {
namespace {

using nlohmann::json;

/// Lengths of a line and of the gap between two columns are in letters. The template sets a table
/// with fixed column widths in a smaller type, which has the `kSmall` lengths.
constexpr std::size_t kLineLetters = 88;
constexpr std::size_t kSmallLineLetters = 110;
constexpr std::size_t kGapLetters = 2;
constexpr double kSmallGapLetters = 1.2;
/// A longer word may break.
constexpr std::size_t kMostWordLetters = 22;

struct GridCell {
  json words;
  std::size_t letters = 0;
  std::size_t min_letters = 0;  ///< If the words wrap.
};

using GridRow = std::vector<GridCell>;

/// The last cell of a row that is shorter than the first spans the remaining columns.
struct Grid {
  std::string id, title;
  std::vector<Align> aligns;
  std::vector<GridRow> rows;  ///< The first row has the headings.

  bool has_spanning_cell(const GridRow& row) const { return row.size() < aligns.size(); }
};

GridCell cell_of(json words, std::string_view text) {
  GridCell cell{std::move(words), letter_count(text), 0};
  for (const std::string& word : split(text, ' ')) {
    cell.min_letters = std::max(cell.min_letters, std::min(letter_count(word), kMostWordLetters));
  }
  return cell;
}

/// Replaces the padding of a number by spaces that are as wide as its digits and its point.
std::string padding_spaces(const std::string& padding) {
  std::string spaces;
  for (const char letter : padding) spaces += letter == '.' ? "\u2008" : "\u2007";
  return spaces;
}

/// Makes a cell with text or with a number whose decimals are aligned in the column.
GridCell column_cell(const ColumnView& column, const AlignedCell& aligned) {
  if (column.align == Align::kLeft) {
    const std::string text = aligned.text.joined();
    GridCell cell = cell_of(column.is_code ? pandoc_code(text) : pandoc_words(text), text);
    if (!text.empty()) cell.min_letters += 2;  // Letters are wider than digits: "GPU-bound".
    return cell;
  }
  const std::string value = aligned.text.value + padding_spaces(aligned.after_value);
  if (aligned.text.deviation.empty())
    return cell_of(pandoc_words(value + padding_spaces(aligned.at_end)), value);
  const std::string deviation = "±\u00a0" + aligned.text.deviation + padding_spaces(aligned.at_end);
  return cell_of(
      json::array({pandoc_node("Str", value), json{{"t", "Space"}}, pandoc_node("Str", deviation)}),
      value + " " + deviation);
}

/// Returns each column's width in letters. A cell for which `wraps(row, column)` is true needs the
/// width of its longest word, any other the width of its whole text.
template <typename Wraps>
std::vector<std::size_t> column_letters(const Grid& grid, Wraps wraps) {
  std::vector<std::size_t> widths(grid.aligns.size());
  for (const GridRow& row : grid.rows) {
    const std::size_t unspanned = grid.has_spanning_cell(row) ? row.size() - 1 : row.size();
    for (std::size_t c = 0; c < unspanned; ++c) {
      const bool is_wrapped = wraps(row, c);
      widths[c] = std::max(widths[c], is_wrapped ? row[c].min_letters : row[c].letters);
    }
  }
  return widths;
}

std::size_t sum(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), std::size_t{0});
}

/// Widens columns by one letter in turns, up to `preferred`, until their sum is `line_letters`.
void widen(std::vector<std::size_t>& widths, const std::vector<std::size_t>& preferred,
           std::size_t line_letters) {
  for (bool has_widened = true; has_widened;) {
    has_widened = false;
    for (std::size_t c = 0; c < widths.size() && sum(widths) < line_letters; ++c) {
      if (widths[c] >= preferred[c]) continue;
      ++widths[c];
      has_widened = true;
    }
  }
}

/// Returns the ratio of each column's width to the line's; empty if all cells fit without wrapping.
/// Headings and text wrap first, and numbers wrap at their ± only if that does not suffice.
std::vector<double> width_ratios(const Grid& grid) {
  const auto unwrapped = column_letters(grid, [](const GridRow&, std::size_t) { return false; });
  const auto fits = [](const GridRow& row) {
    std::size_t row_letters = 0;
    for (const GridCell& cell : row) row_letters += cell.letters + kGapLetters;
    return row_letters <= kLineLetters;
  };
  const bool columns_fit = sum(unwrapped) + kGapLetters * unwrapped.size() <= kLineLetters;
  if (columns_fit && std::ranges::all_of(grid.rows, fits)) return {};
  const auto column_count = static_cast<double>(unwrapped.size());
  const auto line_letters = static_cast<std::size_t>(std::max(
      kSmallLineLetters - kSmallGapLetters * column_count, static_cast<double>(kMostWordLetters)));
  auto widths = column_letters(grid, [&](const GridRow& row, std::size_t c) {
    return &row == &grid.rows[0] || grid.aligns[c] == Align::kLeft;
  });
  if (sum(widths) > line_letters) {
    widths = column_letters(grid, [](const GridRow&, std::size_t) { return true; });
  }
  widen(widths, unwrapped, line_letters);
  std::vector<double> ratios;
  for (const std::size_t width : widths) {
    ratios.push_back(static_cast<double>(width) /
                     static_cast<double>(std::max(line_letters, sum(widths))));
  }
  return ratios;
}

json alignment(Align align) { return {{"t", align == Align::kRight ? "AlignRight" : "AlignLeft"}}; }

json plain_block(const json& words) { return json::array({pandoc_node("Plain", words)}); }

json table_node(const Grid& grid) {
  const std::vector<double> widths = width_ratios(grid);
  json columns = json::array();
  for (std::size_t c = 0; c < grid.aligns.size(); ++c) {
    const json width =
        widths.empty() ? json{{"t", "ColWidthDefault"}} : pandoc_node("ColWidth", widths[c]);
    columns.push_back(json::array({alignment(grid.aligns[c]), width}));
  }
  json rows = json::array();
  for (const GridRow& row : grid.rows) {
    json cells = json::array();
    for (std::size_t c = 0; c < row.size(); ++c) {
      const bool is_spanning = grid.has_spanning_cell(row) && c + 1 == row.size();
      cells.push_back(
          json::array({pandoc_attributes(), alignment(is_spanning ? Align::kLeft : grid.aligns[c]),
                       1, is_spanning ? grid.aligns.size() - c : 1, plain_block(row[c].words)}));
    }
    rows.push_back(json::array({pandoc_attributes(), cells}));
  }
  const json headings = json::array({rows[0]});
  rows.erase(0);
  const json caption = grid.title.empty() ? json::array() : plain_block(pandoc_title(grid.title));
  return pandoc_node(
      "Table",
      json::array({pandoc_attributes(grid.id), json::array({nullptr, caption}), columns,
                   json::array({pandoc_attributes(), headings}),
                   json::array({json::array({pandoc_attributes(), 0, json::array(), rows})}),
                   json::array({pandoc_attributes(), json::array()})}));
}

}  // namespace

json pandoc_table(const TableView& table, const std::string& id) {
  Grid grid{.id = id,
            .title = table.title,
            .aligns = {},
            .rows = std::vector<GridRow>(table.rows.size() + 1)};
  const auto add_heading = [&](const std::string& words, Align align) {
    grid.aligns.push_back(align);
    grid.rows[0].push_back(cell_of(pandoc_words(words), words));
  };
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    add_heading(table.columns[c].head(), table.columns[c].align);
    const std::vector<AlignedCell> aligned = align_decimals(table, c);
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const bool is_spanned =
          c >= table.rows[r].cells.size() && !table.rows[r].missing_reason.empty();
      if (!is_spanned) grid.rows[r + 1].push_back(column_cell(table.columns[c], aligned[r]));
    }
  }
  const bool has_remarks =
      std::ranges::any_of(table.rows, [](const RowView& row) { return !row.flags.empty(); });
  if (has_remarks) add_heading("Remarks", Align::kLeft);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const bool has_reason = grid.rows[r + 1].size() < table.columns.size();
    const std::string words =
        has_reason ? table.rows[r].missing_reason : table.rows[r].joined_flags();
    if (has_reason || has_remarks) grid.rows[r + 1].push_back(cell_of(pandoc_words(words), words));
  }
  return table_node(grid);
}

json pandoc_table(const Block& table) {
  Grid grid{.id = "", .title = "", .aligns = table.aligns, .rows = {}};
  for (const auto& cells : table.rows) {
    GridRow& row = grid.rows.emplace_back();
    for (const Inlines& cell : cells)
      row.push_back(cell_of(pandoc_inlines(cell), plain_text(cell)));
  }
  return table_node(grid);
}

}  // namespace labreport
