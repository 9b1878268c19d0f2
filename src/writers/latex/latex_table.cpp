#include "writers/latex/latex_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "writers/align.h"
#include "writers/latex/latex_columns.h"
#include "writers/latex/latex_text.h"

namespace labreport {
namespace {

/// Rows that fit below a heading; more go on over pages.
constexpr std::size_t kRowsOfAPage = 36;
constexpr std::size_t kLeastHead = 9;
constexpr std::size_t kShortText = 22;
constexpr std::string_view kRow = " \\tabularnewline\n";
constexpr std::string_view kDeviationSign = " ± ";

std::string joined_flags(const RowView& row) { return join(row.flags, ", "); }

/// The columns as the page shows them: remarks have one of their own where there are some.
std::vector<ColumnView> shown_columns(const TableView& table) {
  std::vector<ColumnView> columns = table.columns;
  if (std::ranges::any_of(table.rows, [](const RowView& row) { return !row.flags.empty(); })) {
    columns.push_back({"Remarks", "", Align::kLeft});
  }
  return columns;
}

class LatexTableWriter {
 public:
  LatexTableWriter(const TableView& table, std::string label, std::string placement, double line)
      : table_(table),
        columns_(shown_columns(table)),
        label_(std::move(label)),
        placement_(std::move(placement)),
        line_(line) {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      paddings_.push_back(align_decimals(texts(c)));
      needs_.push_back(need(c));
    }
  }

  std::string write() const {
    std::string text;
    const std::vector<ColumnGroup> groups = fit_columns(needs_, line_);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      text += table_.rows.size() > kRowsOfAPage ? long_table(groups[i], i == 0)
                                                : floating(groups[i], i == 0);
    }
    return text;
  }

 private:
  bool is_remarks(std::size_t column) const { return column >= table_.columns.size(); }

  std::string text(const RowView& row, std::size_t column) const {
    if (is_remarks(column)) return joined_flags(row);
    return column < row.cells.size() ? row.cells[column].text : "";
  }

  std::vector<std::string> texts(std::size_t column) const {
    std::vector<std::string> found;
    for (const RowView& row : table_.rows) found.push_back(text(row, column));
    return found;
  }

  static std::string head(const ColumnView& column) {
    return column.title + (column.unit.empty() ? "" : " (" + column.unit + ")");
  }

  ColumnNeed need(std::size_t column) const {
    const ColumnView& view = columns_[column];
    ColumnNeed need{
        .widest = 1, .longest = 1, .right = view.align == Align::kRight, .wraps = false};
    for (const RowView& row : table_.rows) {
      const std::string cell = text(row, column);
      // A typewriter's letters are wider.
      const std::size_t width = view.code ? letter_count(cell) * 5 / 4 : letter_count(cell);
      need.widest = std::max(need.widest, width);
      need.longest = std::max(need.longest, std::min(width, kShortText));
    }
    need.wraps = !need.right && need.widest > kShortText;
    for (const std::string& line : head_lines(head(view), std::max(need.widest, kLeastHead))) {
      need.widest = std::max(need.widest, letter_count(line));
    }
    return need;
  }

  std::string caption(bool first) const {
    if (table_.title.empty()) return "";
    return "\\caption{" + latex_title(table_.title) + (first ? "" : " (continued)") + "}" +
           (first ? "\\label{" + label_ + "}" : "");
  }

  std::string floating(const ColumnGroup& group, bool first) const {
    return "\\begin{table}[" + placement_ + "]\n\\centering" + group.size +
           "\\setlength{\\tabcolsep}{4pt}\n" + caption(first) + "\n\\begin{tabular}{" +
           join(group.formats, "") + "}\n\\toprule\n" + head_row(group) + "\\midrule\n" +
           body(group) + "\\bottomrule\n\\end{tabular}\n\\end{table}\n\n";
  }

  std::string long_table(const ColumnGroup& group, bool first) const {
    const std::string head = "\\toprule\n" + head_row(group) + "\\midrule\n";
    const std::string title = caption(first);
    return "{" + group.size + "\\setlength{\\tabcolsep}{4pt}\n\\begin{longtable}{" +
           join(group.formats, "") + "}\n" + (title.empty() ? "" : title + "\\tabularnewline\n") +
           head + "\\endfirsthead\n" + head + "\\endhead\n\\bottomrule\n\\endfoot\n" + body(group) +
           "\\end{longtable}}\n\n";
  }

  std::string head_row(const ColumnGroup& group) const {
    std::string line;
    for (std::size_t i = 0; i < group.columns.size(); ++i) {
      const ColumnView& column = columns_[group.columns[i]];
      std::string stacked;
      for (const std::string& part : head_lines(head(column), group.widths[i])) {
        stacked += (stacked.empty() ? "" : "\\\\") + latex_text(part);
      }
      const char* side = column.align == Align::kRight ? "r" : "l";
      line += (i == 0 ? "" : " & ") +
              fmt::format("\\begin{{tabular}}[b]{{@{{}}{}@{{}}}}{}\\end{{tabular}}", side, stacked);
    }
    return line + std::string(kRow);
  }

  std::string body(const ColumnGroup& group) const {
    std::string text;
    for (std::size_t r = 0; r < table_.rows.size(); ++r) text += row(group, r);
    return text;
  }

  std::string row(const ColumnGroup& group, std::size_t r) const {
    const RowView& row = table_.rows[r];
    std::string line;
    for (std::size_t i = 0; i < group.columns.size(); ++i) {
      const std::size_t column = group.columns[i];
      if (i > 0) line += " & ";
      if (!row.note.empty() && column >= row.cells.size()) {
        return line + note(group, i, row.note) + std::string(kRow);
      }
      line += cell(r, column);
    }
    return line + std::string(kRow);
  }

  /// The reason in place of the columns that are left.
  static std::string note(const ColumnGroup& group, std::size_t from, const std::string& reason) {
    std::size_t used = 0;
    std::size_t left = 0;
    for (std::size_t i = 0; i < group.widths.size(); ++i) {
      (i < from ? used : left) += group.widths[i] + 2;
    }
    const std::size_t room = group.capacity > used + 12 ? group.capacity - used : 12;
    const std::size_t wanted = letter_count(reason) + 2;
    const std::string format =
        wanted <= left
            ? "l"
            : wrapping_format(std::max(left, std::min(wanted, room)) - 2, group.capacity);
    return fmt::format("\\multicolumn{{{}}}{{{}}}{{{}}}", group.columns.size() - from, format,
                       latex_text(reason));
  }

  /// Unseen digits line the decimals up.
  static std::string phantom(const std::string& digits) {
    return digits.empty() ? "" : "\\phantom{" + digits + "}";
  }

  std::string cell(std::size_t r, std::size_t column) const {
    const std::string words = text(table_.rows[r], column);
    if (columns_[column].code) return words.empty() ? "" : latex_code(words);
    if (columns_[column].align != Align::kRight) return latex_text(words);
    const Padding& padding = paddings_[column][r];
    const std::size_t sign = words.find(kDeviationSign);
    if (sign == std::string::npos) return latex_text(words) + phantom(padding.end);
    return latex_text(words.substr(0, sign)) + phantom(padding.middle) + "~" + latex_text("±") +
           "~" + latex_text(words.substr(sign + kDeviationSign.size())) + phantom(padding.end);
  }

  const TableView& table_;
  std::vector<ColumnView> columns_;
  std::string label_;
  std::string placement_;
  double line_;
  std::vector<ColumnNeed> needs_;
  std::vector<std::vector<Padding>> paddings_;
};

}  // namespace

std::string table_latex(const TableView& table, const std::string& label,
                        const std::string& placement, double line) {
  return LatexTableWriter(table, label, placement, line).write();
}

}  // namespace labreport
