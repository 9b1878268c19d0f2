#include "imports/column.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"
#include "plan/editions.h"

namespace labreport {
namespace {

/// Its values, none of them empty, all pass.
bool all_values(const TextTable& table, std::size_t column, bool (*test)(std::string_view)) {
  return !table.rows.empty() && std::ranges::all_of(table.rows, [&](const TableRow& row) {
    return column < row.cells.size() && test(plain_cell(row.cells[column]));
  });
}

bool is_yes_no(std::string_view text) { return parse_yes_no(text).has_value(); }

bool is_whole(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](unsigned char letter) { return std::isdigit(letter) != 0; });
}

bool is_size(std::string_view text) {
  const std::string wanted = lower_case(text);
  return std::ranges::any_of(editions(), [&](const Edition& edition) {
    return std::ranges::any_of(edition.sizes,
                               [&](const Size& size) { return lower_case(size.name) == wanted; });
  });
}

/// "Mixed precision BF16" above True and False.
std::optional<ImportColumn> autocast_column(const TextTable& table, std::size_t index,
                                      const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 7> kAbout{"mixed", "precision", "autocast", "amp",
                                                   "use",   "bf16",      "fp16"};
  const bool about = !words.empty() && std::ranges::all_of(words, [&](const std::string& word) {
    return std::ranges::find(kAbout, word) != kAbout.end();
  });
  if (!about || !all_values(table, index, is_yes_no)) return std::nullopt;
  ImportColumn column{.name = table.header[index], .role = Role::kAutocast};
  const bool half = std::ranges::find(words, "fp16") != words.end();
  column.assumed = !half && std::ranges::find(words, "bf16") == words.end();
  column.meaning.precision = half ? Precision::kFp16 : Precision::kBf16;
  return column;
}

ImportColumn nameless_column(const TextTable& table, std::size_t index) {
  ImportColumn column{.name = table.header[index]};
  const bool sizes = std::ranges::any_of(table.rows, [&](const TableRow& row) {
    return index < row.cells.size() && is_size(plain_cell(row.cells[index]));
  });
  if (sizes) column.role = Role::kSize;
  if (!sizes && !all_values(table, index, is_whole)) column.why = "it has no name";
  return column;
}

ImportColumn value_column(const std::string& name, const std::vector<std::string>& words) {
  ImportColumn column{.name = name, .role = Role::kValue, .meaning = meaning_of(words)};
  if (!column.meaning.refusal.empty()) {
    column.role = Role::kIgnored;
    column.why = column.meaning.refusal;
  }
  return column;
}

ImportColumn column_at(const TextTable& table, std::size_t index) {
  const std::string& name = table.header[index];
  const std::vector<std::string> words = words_of(name);
  if (words.empty()) return nameless_column(table, index);
  if (auto autocast = autocast_column(table, index, words)) return *autocast;
  if (const auto role = role_named(words)) return {.name = name, .role = *role};
  return value_column(name, words);
}

bool is_deviation(const ImportColumn& column) {
  return column.role == Role::kValue && column.meaning.statistic == Statistic::kStddev;
}

/// A mean of times; what a deviation's name leaves open may be anything.
bool may_belong(const ImportColumn& deviation, const ImportColumn& mean) {
  if (mean.role != Role::kValue || is_deviation(mean)) return false;
  if (mean.meaning.subject && mean.meaning.subject->kind == CellKind::kMemory) return false;
  const Meaning& wanted = deviation.meaning;
  return (!wanted.subject || wanted.subject == mean.meaning.subject) &&
         (!wanted.precision || wanted.precision == mean.meaning.precision);
}

/// The column of means with the very same subject and precision, else the only one that may be
/// meant; null where there is none, or several.
const ImportColumn* mean_of(const ImportColumn& deviation, const std::vector<ImportColumn>& columns) {
  const ImportColumn* found = nullptr;
  std::size_t candidates = 0;
  for (const ImportColumn& column : columns) {
    if (!may_belong(deviation, column)) continue;
    const bool same = column.meaning.subject == deviation.meaning.subject &&
                      column.meaning.precision == deviation.meaning.precision;
    if (same) return &column;
    found = &column;
    ++candidates;
  }
  return candidates == 1 ? found : nullptr;
}

/// A deviation is understood with the mean it is kept beside, or left out and told.
void settle_deviations(std::vector<ImportColumn>& columns) {
  for (ImportColumn& column : columns) {
    if (!is_deviation(column)) continue;
    const ImportColumn* mean = mean_of(column, columns);
    if (mean == nullptr) {
      column.role = Role::kIgnored;
      column.why = "it does not say of which column of times it is the deviation";
    } else {
      column.meaning.subject = mean->meaning.subject;
      column.meaning.precision = mean->meaning.precision;
    }
  }
}

std::string describe_value(const Meaning& meaning) {
  std::vector<std::string> parts;
  parts.push_back(meaning.subject ? describe(*meaning.subject) : "the row's value");
  if (meaning.precision) parts.emplace_back(describe(*meaning.precision));
  const bool deviation = meaning.statistic == Statistic::kStddev;
  const bool peak = meaning.subject && meaning.subject->kind == CellKind::kMemory;
  if (!peak) parts.emplace_back(deviation ? "standard deviation" : "mean");
  if (meaning.unit) parts.emplace_back(name(*meaning.unit));
  return join(parts, ", ");
}

}  // namespace

std::vector<ImportColumn> columns_of(const TextTable& table) {
  std::vector<ImportColumn> columns;
  for (std::size_t i = 0; i < table.header.size(); ++i) columns.push_back(column_at(table, i));
  settle_deviations(columns);
  return columns;
}

std::string describe(const ImportColumn& column) {
  if (column.role == Role::kValue) return describe_value(column.meaning);
  if (column.role == Role::kIgnored) {
    return column.why.empty() ? "index" : "left out: " + column.why;
  }
  return std::string(describe(column.role));
}

const ImportColumn* find_column(const std::vector<ImportColumn>& columns, Role role) {
  const auto found = std::ranges::find(columns, role, &ImportColumn::role);
  return found == columns.end() ? nullptr : &*found;
}

bool holds_measurements(const std::vector<ImportColumn>& columns) {
  return find_column(columns, Role::kSize) != nullptr &&
         find_column(columns, Role::kValue) != nullptr;
}

}  // namespace labreport
