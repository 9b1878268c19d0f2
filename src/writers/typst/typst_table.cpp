#include <algorithm>

#include "base/text.h"
#include "writers/align.h"
#include "writers/paper_choice.h"
#include "writers/remarks.h"
#include "writers/typst/typst_source.h"
#include "writers/typst/typst_text.h"

namespace labreport {
namespace {

constexpr std::size_t kMostRowsOnOnePage = 24;

constexpr double kUsualPoints = 8;         // The type has this size if the table is narrow enough.
constexpr double kSmallestPoints = 6;      // The type of the widest tables has this size.
constexpr double kTypstLineLetters = 125;  // A line of kUsualPoints has this length.
constexpr double kColumnOverLine = 0.485;  // The ratio of a column's width to a line's.

/// Cuts a text of more than 600 bytes, because a row cannot break across pages.
std::string cut_to_fit(const std::string& text) { return cut_short(text, 600); }

std::string hidden_markup(const std::string& padding) {
  return padding.empty() ? "" : "#hide[" + typst_text(padding) + "]";
}

std::string aligned_number(const AlignedCell& cell) {
  return typst_text(cut_to_fit(cell.text.value)) + hidden_markup(cell.after_value) +
         typst_text(cell.text.tail()) + hidden_markup(cell.at_end);
}

class TableWriter {
 public:
  TableWriter(const TableView& table, TableWidth width)
      : table_(table), width_(width), has_remarks_column_(needs_remarks_column(table)) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      aligned_.push_back(align_decimals(table, c));
    }
  }

  std::string write() const {
    // The size of the type is chosen so that all columns fit side by side.
    const bool is_half = width_ == TableWidth::kHalf;
    const double line_letters = kTypstLineLetters * (is_half ? kColumnOverLine : 1);
    const double points =
        std::clamp(kUsualPoints * line_letters / static_cast<double>(width_in_letters(table_)),
                   kSmallestPoints, is_half ? kUsualPoints - 0.5 : kUsualPoints);
    const int tenths = static_cast<int>(points * 10);
    std::string text = "text(size: " + std::to_string(tenths / 10) + "." +
                       std::to_string(tenths % 10) + "pt, table(\n  columns: " +
                       std::to_string(table_.columns.size() + (has_remarks_column_ ? 1 : 0)) +
                       ",\n  align: (" + aligns() +
                       "),\n  stroke: none,\n  inset: (x: 0.45em, y: 0.27em),\n  " + headings();
    for (std::size_t r = 0; r < table_.rows.size(); ++r) text += "  " + row(r) + "\n";
    return text + "  table.hline(stroke: 0.8pt),\n))";
  }

 private:
  std::string aligns() const {
    std::string text;
    for (const ColumnView& column : table_.columns) {
      text += column.align == Align::kRight ? "right, " : "left, ";
    }
    return text + (has_remarks_column_ ? "left" : "");
  }

  std::string headings() const {
    std::string cells;
    for (const ColumnView& column : table_.columns) {
      const std::string unit =
          column.unit.empty() ? ""
                              : " #text(fill: luma(90))[\\(" + typst_text(column.unit) + "\\)]";
      cells += "[" + typst_text(column.title) + unit + "], ";
    }
    if (has_remarks_column_) cells += "[Remarks], ";
    return "table.header(table.hline(stroke: 0.8pt), " + cells + "table.hline(stroke: 0.4pt)),\n";
  }

  std::string row(std::size_t r) const {
    const RowView& row = table_.rows[r];
    const std::size_t count = std::min(row.cells.size(), table_.columns.size());
    std::string cells;
    for (std::size_t c = 0; c < count; ++c) cells += "[" + cell(r, c) + "], ";
    if (const std::size_t spanned_columns = table_.columns.size() - count; spanned_columns > 0) {
      cells += "table.cell(colspan: " + std::to_string(spanned_columns) + ", align: left)[" +
               typst_text(cut_to_fit(row.reason_or_dash())) + "], ";
    }
    const std::string remarks = typst_text(cut_to_fit(row.joined_flags()));
    if (has_remarks_column_) cells += "[" + (has_remark_beside(row) ? remarks : "") + "], ";
    return has_remark_below(row) ? cells + remarks_below(remarks) : cells;
  }

  std::string remarks_below(const std::string& remarks) const {
    return "\n  table.cell(colspan: " +
           std::to_string(table_.columns.size() + (has_remarks_column_ ? 1 : 0)) +
           ", align: left, inset: (left: 1.6em, top: 0.1em, bottom: 0.35em))[#text(fill: "
           "luma(90))[" +
           remarks + "]], ";
  }

  std::string cell(std::size_t r, std::size_t c) const {
    const ColumnView& column = table_.columns[c];
    const AlignedCell& aligned = aligned_[c][r];
    const std::string text = cut_to_fit(aligned.text.joined());
    const std::string markup = column.is_code                  ? typst_code(text)
                               : column.align == Align::kRight ? aligned_number(aligned)
                                                               : typst_text(text);
    const bool is_muted = table_.rows[r].cells[c].is_missing();
    return is_muted ? "#text(fill: luma(90))[" + markup + "]" : markup;
  }

  const TableView& table_;
  TableWidth width_;
  bool has_remarks_column_;
  std::vector<std::vector<AlignedCell>> aligned_;
};

}  // namespace

std::size_t width_in_letters(const TableView& table) {
  constexpr std::size_t kMostTitleLetters = 10;
  constexpr std::size_t kMostTextLetters = 22;  // Longer text wraps.
  constexpr std::size_t kMostNameLetters = 40;  // A kernel's name has no spaces to wrap at.
  std::size_t total = needs_remarks_column(table) ? kRemarksColumnLetters : 0;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const bool is_number = table.columns[c].align == Align::kRight;
    std::size_t widest = std::min(letter_count(table.columns[c].title), kMostTitleLetters);
    for (const RowView& row : table.rows) {
      const std::string text = table.text(row, c);
      const std::size_t letters = letter_count(text);
      const std::size_t most =
          text.find(' ') == std::string::npos ? kMostNameLetters : kMostTextLetters;
      widest = std::max(widest, is_number ? letters : std::min(letters, most));
    }
    total += widest + 2;
  }
  return total;
}

std::string typst_table(const TableView& table, TableWidth width, const std::string& label) {
  if (table.columns.empty()) return "";
  const std::string caption =
      table.title.empty() ? "" : "  caption: [" + typst_text(table.title) + "],\n";
  const std::string figure = "#figure(\n  kind: table,\n" + caption + "  " +
                             TableWriter(table, width).write() + ",\n)" + typst_label(label);
  if (table.rows.size() <= kMostRowsOnOnePage) return figure + "\n\n";
  return "#[\n#show figure: set block(breakable: true)\n" + figure + "\n]\n\n";
}

}  // namespace labreport
