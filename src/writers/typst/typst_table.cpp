#include <algorithm>

#include "base/text.h"
#include "writers/align.h"
#include "writers/paper_choice.h"
#include "writers/typst/typst_source.h"
#include "writers/typst/typst_text.h"

namespace labreport {
namespace {

constexpr std::size_t kRowsOfOnePage = 24;

constexpr double kUsualSize = 8;     // The size of the type in points.
constexpr double kSmallestSize = 6;  // The size of the type in points.
constexpr double kLettersOfALine = 125;
constexpr double kHalf = 0.485;  // The width of one of two columns over that of a line.

/// Letters of a remark beside its row; a longer one would make a narrow, high column and is below.
constexpr std::size_t kLongestRemark = 24;

bool has_remark_beside(const RowView& row) {
  return !row.flags.empty() && letter_count(row.joined_flags()) <= kLongestRemark;
}

bool is_flagged(const TableView& table) {
  return std::ranges::any_of(table.rows, has_remark_beside);
}

/// Cuts a text of more than 600 bytes, because a row cannot break across pages.
std::string cut_to_fit(const std::string& text) { return cut_short(text, 600); }

std::string hidden(const std::string& padding) {
  return padding.empty() ? "" : "#hide[" + typst_text(padding) + "]";
}

/// Aligns decimals with invisible padding.
std::string number(const AlignedCell& cell) {
  return typst_text(cut_to_fit(cell.text.value)) + hidden(cell.after_value) +
         typst_text(cell.text.tail()) + hidden(cell.at_end);
}

class TableWriter {
 public:
  TableWriter(const TableView& table, TableWidth width)
      : table_(table), width_(width), flagged_(is_flagged(table)) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      aligned_.push_back(align_decimals(table, c));
    }
  }

  std::string write() const {
    // The size of the type is chosen so that all columns fit side by side.
    const bool half = width_ == TableWidth::kHalf;
    const double line = kLettersOfALine * (half ? kHalf : 1);
    const double size = std::clamp(kUsualSize * line / static_cast<double>(letters_across(table_)),
                                   kSmallestSize, half ? kUsualSize - 0.5 : kUsualSize);
    const int tenths = static_cast<int>(size * 10);
    std::string text =
        "text(size: " + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) +
        "pt, table(\n  columns: " + std::to_string(table_.columns.size() + (flagged_ ? 1 : 0)) +
        ",\n  align: (" + aligns() + "),\n  stroke: none,\n  inset: (x: 0.45em, y: 0.27em),\n  " +
        head();
    for (std::size_t r = 0; r < table_.rows.size(); ++r) text += "  " + row(r) + "\n";
    return text + "  table.hline(stroke: 0.8pt),\n))";
  }

 private:
  std::string aligns() const {
    std::string text;
    for (const ColumnView& column : table_.columns) {
      text += column.align == Align::kRight ? "right, " : "left, ";
    }
    return text + (flagged_ ? "left" : "");
  }

  std::string head() const {
    std::string cells;
    for (const ColumnView& column : table_.columns) {
      const std::string unit =
          column.unit.empty() ? ""
                              : " #text(fill: luma(90))[\\(" + typst_text(column.unit) + "\\)]";
      cells += "[" + typst_text(column.title) + unit + "], ";
    }
    if (flagged_) cells += "[Remarks], ";
    return "table.header(table.hline(stroke: 0.8pt), " + cells + "table.hline(stroke: 0.4pt)),\n";
  }

  std::string row(std::size_t r) const {
    const RowView& row = table_.rows[r];
    const std::size_t count = std::min(row.cells.size(), table_.columns.size());
    std::string cells;
    for (std::size_t c = 0; c < count; ++c) cells += "[" + cell(r, c) + "], ";
    if (const std::size_t rest = table_.columns.size() - count; rest > 0) {
      cells += "table.cell(colspan: " + std::to_string(rest) + ", align: left)[" +
               typst_text(cut_to_fit(row.missing_words())) + "], ";
    }
    const std::string words = typst_text(cut_to_fit(row.joined_flags()));
    if (flagged_) cells += "[" + (has_remark_beside(row) ? words : "") + "], ";
    return row.flags.empty() || has_remark_beside(row) ? cells : cells + below(words);
  }

  std::string below(const std::string& words) const {
    return "\n  table.cell(colspan: " + std::to_string(table_.columns.size() + (flagged_ ? 1 : 0)) +
           ", align: left, inset: (left: 1.6em, top: 0.1em, bottom: 0.35em))[#text(fill: "
           "luma(90))[" +
           words + "]], ";
  }

  std::string cell(std::size_t r, std::size_t c) const {
    const ColumnView& column = table_.columns[c];
    const AlignedCell& aligned = aligned_[c][r];
    const std::string text = cut_to_fit(aligned.text.joined());
    const std::string markup = column.code                     ? typst_code(text)
                               : column.align == Align::kRight ? number(aligned)
                                                               : typst_text(text);
    const bool muted = table_.rows[r].cells[c].is_missing();
    return muted ? "#text(fill: luma(90))[" + markup + "]" : markup;
  }

  const TableView& table_;
  TableWidth width_;
  bool flagged_;
  std::vector<std::vector<AlignedCell>> aligned_;
};

}  // namespace

std::size_t letters_across(const TableView& table) {
  constexpr std::size_t kMostOfTitle = 10;
  constexpr std::size_t kMostOfWords = 22;  // Letters of a column of text; longer text wraps.
  std::size_t across = is_flagged(table) ? kLongestRemark - 8 : 0;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const bool number = table.columns[c].align == Align::kRight;
    std::size_t widest = std::min(letter_count(table.columns[c].title), kMostOfTitle);
    for (const RowView& row : table.rows) {
      const std::size_t letters = letter_count(table.text(row, c));
      widest = std::max(widest, number ? letters : std::min(letters, kMostOfWords));
    }
    across += widest + 2;
  }
  return across;
}

std::string typst_table(const TableView& table, TableWidth width, const std::string& label) {
  if (table.columns.empty()) return "";
  const std::string caption =
      table.title.empty() ? "" : "  caption: [" + typst_text(table.title) + "],\n";
  const std::string figure = "#figure(\n  kind: table,\n" + caption + "  " +
                             TableWriter(table, width).write() + ",\n)" + typst_label(label);
  if (table.rows.size() <= kRowsOfOnePage) return figure + "\n\n";
  return "#[\n#show figure: set block(breakable: true)\n" + figure + "\n]\n\n";
}

}  // namespace labreport
