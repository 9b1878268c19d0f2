#include "writers/latex/latex_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "writers/latex/latex_text.h"
#include "writers/latex/latex_words.h"

namespace labreport {
namespace {

/// Letters of a line of A4 in the document's sizes, the space between columns counted as letters.
struct LetterSize {
  const char* command;
  std::size_t capacity;
};
constexpr LetterSize kSizes[] = {{"\\small", 88}, {"\\footnotesize", 98}, {"\\scriptsize", 112}};
constexpr std::size_t kBetween = 2;

LetterSize on_line(const LetterSize& size, double line) {
  return {size.command, static_cast<std::size_t>(line * static_cast<double>(size.capacity))};
}

std::size_t total(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), kBetween * widths.size());
}

/// Widths that fit the capacity; empty where they cannot.
std::vector<std::size_t> fitted(const std::vector<ColumnNeed>& needs, std::size_t capacity) {
  std::vector<std::size_t> widths;
  for (const ColumnNeed& need : needs) widths.push_back(need.widest);
  // The widest wrapping column gives first, so that the others stay on one line.
  while (total(widths) > capacity) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < needs.size(); ++i) {
      if (!needs[i].wraps || widths[i] <= needs[i].longest) continue;
      if (widest == nullptr || widths[i] > *widest) widest = &widths[i];
    }
    if (widest == nullptr) return {};
    --*widest;
  }
  return widths;
}

ColumnGroup group_of(const std::vector<ColumnNeed>& needs, const std::vector<std::size_t>& columns,
                     const std::vector<std::size_t>& widths, const LetterSize& size) {
  ColumnGroup group{size.command, columns, {}, widths, size.capacity};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const ColumnNeed& need = needs[columns[i]];
    const bool whole = widths[i] >= need.widest;
    group.formats.push_back(!whole       ? wrapping_format(widths[i], size.capacity)
                            : need.right ? "r"
                                         : "l");
  }
  return group;
}

std::vector<ColumnNeed> picked(const std::vector<ColumnNeed>& needs,
                               const std::vector<std::size_t>& columns) {
  std::vector<ColumnNeed> some;
  for (const std::size_t column : columns) some.push_back(needs[column]);
  return some;
}

/// As many columns as fit behind the first, again and again.
std::vector<ColumnGroup> cut(const std::vector<ColumnNeed>& needs, const LetterSize& size) {
  std::vector<ColumnGroup> groups;
  for (std::size_t next = 1; next < needs.size();) {
    std::vector<std::size_t> columns = {0, next++};
    while (next < needs.size()) {
      columns.push_back(next);
      if (fitted(picked(needs, columns), size.capacity).empty()) {
        columns.pop_back();
        break;
      }
      ++next;
    }
    auto widths = fitted(picked(needs, columns), size.capacity);
    if (widths.empty()) widths = {size.capacity / 4, size.capacity / 2};
    groups.push_back(group_of(needs, columns, widths, size));
  }
  return groups;
}

ColumnNeed need_of(const Block& table, std::size_t column) {
  ColumnNeed need{
      .widest = 1, .longest = 1, .right = table.aligns[column] == Align::kRight, .wraps = true};
  for (const auto& row : table.rows) {
    const std::string text = plain_text(row[column]);
    need.widest = std::max(need.widest, letter_count(text));
    for (const std::string& word : split(text, ' ')) {
      need.longest = std::max(need.longest, std::min<std::size_t>(letter_count(word), 16));
    }
  }
  return need;
}

std::string rich_row(const std::vector<Inlines>& cells, const ColumnGroup& group, bool head) {
  std::string line;
  for (std::size_t i = 0; i < group.columns.size(); ++i) {
    const std::string words = latex_inlines(cells[group.columns[i]]);
    line += (i == 0 ? "" : " & ") + (head ? "\\textbf{" + words + "}" : words);
  }
  return line + " \\tabularnewline\n";
}

}  // namespace

std::vector<ColumnGroup> fit_columns(const std::vector<ColumnNeed>& needs, double line) {
  std::vector<std::size_t> all(needs.size());
  std::iota(all.begin(), all.end(), 0);
  for (const LetterSize& of_report : kSizes) {
    const LetterSize size = on_line(of_report, line);
    const auto widths = fitted(needs, size.capacity);
    if (!widths.empty()) return {group_of(needs, all, widths, size)};
  }
  const LetterSize smallest = on_line(kSizes[std::size(kSizes) - 1], line);
  if (needs.size() > 1) return cut(needs, smallest);
  return {group_of(needs, all, {smallest.capacity - kBetween}, smallest)};
}

std::string wrapping_format(std::size_t letters, std::size_t capacity) {
  const double share = static_cast<double>(letters) / static_cast<double>(capacity);
  return fmt::format(">{{\\raggedright\\arraybackslash}}p{{{:.3f}\\linewidth}}", share);
}

std::vector<std::string> head_lines(const std::string& title, std::size_t width) {
  std::vector<std::string> lines;
  for (const std::string& word : split(title, ' ')) {
    if (!lines.empty() && letter_count(lines.back()) + 1 + letter_count(word) <= width) {
      lines.back() += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

std::string rich_table(const Block& table) {
  std::vector<ColumnNeed> needs;
  for (std::size_t c = 0; c < table.aligns.size(); ++c) needs.push_back(need_of(table, c));
  std::string text;
  for (const ColumnGroup& group : fit_columns(needs)) {
    text += "{" + group.size + "\\begin{tabular}{" + join(group.formats, "") + "}\n\\toprule\n";
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      text += rich_row(table.rows[r], group, r == 0) + (r == 0 ? "\\midrule\n" : "");
    }
    text += "\\bottomrule\n\\end{tabular}}\n\n";
  }
  return text;
}

}  // namespace labreport
