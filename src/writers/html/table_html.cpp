#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "writers/align.h"
#include "writers/html/html.h"
#include "writers/html/template.h"
#include "writers/remarks.h"

namespace labreport {
namespace {

std::string pad_html(const std::string& padding) {
  return padding.empty() ? "" : "<i data-pad=\"" + padding + "\"></i>";
}

/// Lets a command break only before " --", so that a flag stays with its value.
std::string code_html(const std::string& text) {
  constexpr std::string_view kFlag = " --";
  std::string html;
  std::size_t begin = 0;
  for (std::size_t next = text.find(kFlag); begin < text.size(); next = text.find(kFlag, begin)) {
    const std::size_t end = std::min(next, text.size());
    const std::string gap = begin == 0 ? "" : " ";
    html += gap + "<span>" + escape_html(text.substr(begin, end - begin)) + "</span>";
    begin = end + 1;
  }
  return html;
}

/// Returns true for a few letters and for one word of at most `kLongestBytes`: "10 MB" and a short
/// word with a hyphen, "GPU-bound", read badly in two lines, but a long path or hash may need two.
bool stays_whole(const std::string& text) {
  constexpr std::size_t kFewBytes = 16, kLongestBytes = 20;
  return text.size() <= kFewBytes ||
         (text.size() <= kLongestBytes && text.find(' ') == std::string::npos);
}

/// Lets a line end after each underscore, and after `kLongestBytes` where the first word after a
/// possible line end is longer. A text that stays whole gets no line ends.
std::string words_html(const std::string& text) {
  constexpr std::size_t kLongestBytes = 60;
  std::string html;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = std::min(text.find('_', begin), text.size() - 1) + 1;
    if (std::min(end, text.find(' ', begin)) - begin > kLongestBytes) {
      end = begin + kLongestBytes;
      while (end < text.size() && is_utf8_continuation(text[end])) ++end;
    }
    html += escape_html(text.substr(begin, end - begin));
    if (end < text.size() && !stays_whole(text)) html += "<wbr>";
    begin = end;
  }
  return html;
}

/// Keeps the number of a network's parameters on one line: "xl (3.4 B)".
std::string with_whole_counts(const std::string& text) {
  return replaced(replaced(text, " B)", "\u00a0B)"), " M)", "\u00a0M)");
}

TemplateObject cell_object(const TableView& table, std::size_t column, const RowView& row,
                           const AlignedCell& aligned) {
  const ColumnView& view = table.columns[column];
  const Value& cell = row.cells[column];
  const bool is_number = view.align == Align::kRight;
  const std::string text = aligned.text.joined();
  const bool is_whole = !is_number && stays_whole(text);
  std::string style = is_number ? "number" : is_whole ? "words whole" : "words";
  if (cell.is_missing()) style += " muted";
  std::string html = is_number ? escape_html(aligned.text.value) + pad_html(aligned.after_value) +
                                     escape_html(aligned.text.tail()) + pad_html(aligned.at_end)
                     : view.is_code ? code_html(text)
                                    : words_html(with_whole_counts(text));
  if (!cell.link.empty()) html = "<a href=\"" + escape_html(cell.link) + "\">" + html + "</a>";
  // Readers sort by the unrounded number.
  const std::optional<double> number = number_in_unit(cell, view.notation);
  const bool is_sortable = number && std::isfinite(*number);
  return {{"is_row_head", column == 0 && !view.is_code},
          {"is_code", view.is_code},
          {"is_number", is_number},
          {"is_whole", is_whole},
          {"has_remark_below", has_remark_below(row)},
          {"style", style},
          {"number_attributes",
           (is_sortable ? fmt::format(" data-sort=\"{}\"", *number) : "") +
               (cell.key.empty() ? "" : " data-key=\"" + escape_html(cell.key) + "\"")},
          {"html", html}};
}

TemplateList heading_list(const TableView& table) {
  constexpr std::size_t kLongestFormula = 40;
  TemplateList columns;
  for (const ColumnView& column : table.columns) {
    const std::string& title = column.title;
    const bool numeric = column.align == Align::kRight;
    // A formula, "7 L + 1", stays on one line.
    const bool is_whole = title.size() <= kLongestFormula && title.find(" + ") != std::string::npos;
    const std::string style = numeric && is_whole ? "number whole" : numeric ? "number" : "whole";
    columns.push_back(TemplateObject{{"title", title},
                                     {"has_unit", !column.unit.empty()},
                                     {"unit", column.unit},
                                     {"has_style", numeric || is_whole},
                                     {"style", style}});
  }
  return columns;
}

}  // namespace

std::string table_html(const TableView& table, const std::string& id, bool is_printed) {
  const bool has_remarks_column = needs_remarks_column(table);
  std::vector<std::vector<AlignedCell>> aligned;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    aligned.push_back(align_decimals(table, c));
  }
  TemplateList rows;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const RowView& row = table.rows[r];
    const std::size_t count = std::min(row.cells.size(), table.columns.size());
    TemplateList cells;
    for (std::size_t c = 0; c < count; ++c) {
      cells.push_back(cell_object(table, c, row, aligned[c][r]));
    }
    const std::size_t spanned_columns = table.columns.size() - count;
    rows.push_back(TemplateObject{
        {"has_id", !row.id.empty()},
        {"id", row.id},
        {"cells", cells},
        {"has_reason", spanned_columns > 0},
        {"reason_width", std::to_string(spanned_columns)},
        {"reason", row.reason_or_dash()},
        {"remark_beside", has_remark_beside(row) ? row.joined_flags() : ""},
        {"has_remark_below", has_remark_below(row)},
        {"below_width", std::to_string(table.columns.size() - 1 + has_remarks_column)},
        {"remark_below", row.joined_flags()}});
  }
  return fill_template("table.html", {{"id", id},
                                      {"is_wide", !fits_column(table)},
                                      {"is_on_screen_only", !is_printed},
                                      {"title", table.title},
                                      {"columns", heading_list(table)},
                                      {"has_remarks_column", has_remarks_column},
                                      {"rows", rows}});
}

}  // namespace labreport
