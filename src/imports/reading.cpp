#include "imports/reading.h"

#include <fmt/format.h>

#include <array>

#include "base/error.h"
#include "imports/row_reader.h"

namespace labreport {
namespace {

void refuse_twice(const Declared& declared, const TextTable& table, const ImportColumn* column,
                  const char* flag) {
  if (column == nullptr) return;
  refuse_line(declared.file, table.line,
              fmt::format("the column {} says it already", in_quotes(column->name)),
              fmt::format("leave {} out", flag));
}

void check_declared(const TextTable& table, const std::vector<ImportColumn>& columns,
                    const Declared& said) {
  const auto refuse = [&](bool given, Role role, const char* flag) {
    if (given) refuse_twice(said, table, find_column(columns, role), flag);
  };
  refuse(said.gpu.has_value(), Role::kGpu, "--gpu");
  refuse(said.edition.has_value(), Role::kEdition, "--edition");
  refuse(said.unit.has_value(), Role::kUnit, "--unit");
  refuse(said.context.has_value(), Role::kContext, "--context");
  refuse(said.batch.has_value(), Role::kBatch, "--batch");
  refuse(said.warmup.has_value(), Role::kWarmup, "--warmup");
  refuse(said.steps.has_value(), Role::kSteps, "--steps");
  refuse(said.precision.has_value(), Role::kPrecision, "--precision");
  refuse(said.precision.has_value(), Role::kAutocast, "--precision");
  refuse(!said.source.empty(), Role::kSource, "--source-url");
}

/// Two columns for one thing: which of them counts?
void check_columns(const TextTable& table, const std::vector<ImportColumn>& columns,
                   const std::string& file) {
  const auto same = [](const ImportColumn& a, const ImportColumn& b) {
    if (a.role != b.role || a.role == Role::kIgnored) return false;
    if (a.role != Role::kValue) return true;
    const auto statistic = [](const ImportColumn& column) {
      return column.meaning.statistic.value_or(Statistic::kMean);
    };
    return a.meaning.subject == b.meaning.subject && a.meaning.precision == b.meaning.precision &&
           statistic(a) == statistic(b);
  };
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t k = i + 1; k < columns.size(); ++k) {
      if (!same(columns[i], columns[k])) continue;
      refuse_line(file, table.line,
                  fmt::format("{} and {} both say: {}", in_quotes(columns[i].name),
                              in_quotes(columns[k].name), describe(columns[i])),
                  "keep one of them, or name them apart");
    }
  }
}

}  // namespace

Readings read_table(const TextTable& table, const std::vector<ImportColumn>& columns,
                    const Declared& declared, const std::string& edition) {
  check_columns(table, columns, declared.file);
  check_declared(table, columns, declared);
  Readings readings;
  RowReader reader(table, columns, declared, edition, readings);
  for (const TableRow& row : table.rows) reader.read(row);
  return readings;
}

}  // namespace labreport
