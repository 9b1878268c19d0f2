#include "experiments/common/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "base/format.h"
#include "experiments/common/command.h"
#include "experiments/common/selection.h"
#include "results/metric_names.h"
#include "results/shipped.h"
#include "results/table_shapes.h"

namespace labreport {

std::vector<std::int64_t> attention_dims(const PlanInput& input) {
  if (input.preset == Preset::kDemo) return {16, 64};
  return {16, 32, 64, 128};
}

std::vector<Precision> attention_precisions(const PlanInput& input) {
  const auto& chosen = input.selection.precisions;
  return chosen.empty() ? std::vector{Precision::kFp32, input.half} : chosen;
}

CellSpec attention_cell(const PlanInput& input, AttentionSweep sweep) {
  if (!input.selection.contexts.empty()) sweep.lengths = input.selection.contexts;
  if (sweep.lengths.size() > kMostLengths) {
    throw InputError(fmt::format("--contexts names {} lengths", sweep.lengths.size()),
                     fmt::format("an attention cell takes at most {}", kMostLengths));
  }
  std::ranges::sort(sweep.lengths);
  const auto again = std::ranges::unique(sweep.lengths);
  sweep.lengths.erase(again.begin(), again.end());
  CellSpec spec = bare_cell(input.device, CellKind::kAttention);
  spec.attention = std::move(sweep);
  return spec;
}

bool is_of(const CellSpec& spec, AttentionMethod method) {
  return spec.attention && spec.attention->method == method && !is_shipped(spec);
}

namespace {

/// Rebuilds the outcome from the row's numbers, because earlier workers worded it differently.
OutOfMemory refusal(const MeasuredRow& row) {
  const auto bytes = [&](std::string_view column) -> std::optional<std::int64_t> {
    const auto number = row.number(column);
    return number ? std::optional(std::llround(*number)) : std::nullopt;
  };
  return {row.text(column::kPhase), bytes(column::kRequestedBytes), bytes(column::kInUseBytes), {}};
}

}  // namespace

AttentionRow::AttentionRow(const CellSpec& spec, const MeasuredRow& row)
    : reason(row.text(column::kReason)),
      spec_(&spec),
      length_(static_cast<std::int64_t>(row.number(column::kLength).value_or(0))),
      measured_(row) {
  if (ran_out()) reason = describe(Outcome(refusal(row)));
}

bool AttentionRow::ran() const { return outcome() == metric::kRan; }
bool AttentionRow::ran_out() const { return outcome() == metric::kRanOut; }
bool AttentionRow::not_tried() const { return outcome() == metric::kNotTried; }
bool AttentionRow::not_offered() const { return outcome() == metric::kNotOffered; }
bool AttentionRow::inaccurate() const { return outcome() == metric::kInaccurate; }
std::string AttentionRow::phase() const { return measured_ ? measured_->text(column::kPhase) : ""; }

std::optional<double> AttentionRow::bytes(std::string_view column) const {
  return measured_ ? measured_->number(column) : std::nullopt;
}

std::optional<double> AttentionRow::ms(std::string_view pass, std::string_view statistic) const {
  const auto ns = bytes(attention_column(pass, statistic));
  return ns ? std::optional(*ns / kNanosecondsPerMillisecond) : std::nullopt;
}

std::optional<double> AttentionRow::saved() const {
  const auto before = bytes(column::kBeforeBackwardBytes);
  const auto inputs = bytes(column::kInputBytes);
  return before && inputs ? std::optional(*before - *inputs) : std::nullopt;
}

double AttentionRow::score_bytes() const {
  const double width = under_autocast(*spec_) ? 2 : 4;
  const auto length = static_cast<double>(length_);
  return width * static_cast<double>(spec_->batch.value_or(1) * sweep().heads) * length * length;
}

bool clearly_faster(const AttentionRow& row, const AttentionRow& other, std::string_view pass,
                    std::string_view statistic) {
  const auto own = row.ms(pass, statistic), others = other.ms(pass, statistic);
  const auto spread = row.ms(pass, "stddev_ns"), other_spread = other.ms(pass, "stddev_ns");
  if (!own || !others || !spread || !other_spread) return false;
  return *others - *own > *spread + *other_spread;
}

namespace {

/// Words the reason here, so that it does not depend on the worker's version.
void name_the_end(std::vector<AttentionRow>& rows) {
  const auto end = std::ranges::find_if(rows, &AttentionRow::ran_out);
  if (end == rows.end()) return;
  for (auto row = end + 1; row != rows.end(); ++row) {
    if (row->not_tried())
      row->reason = "not run: " + format_count(end->length()) + " ran out of memory";
  }
}

}  // namespace

std::vector<AttentionRow> attention_rows(const Cell& cell) {
  std::vector<AttentionRow> rows;
  if (const Launch* launch = ok_launch(cell)) {
    for (const MeasuredRow& row : measured_rows(*launch, metric::kAttention)) {
      if (row.number(column::kLength)) rows.emplace_back(cell.spec, row);
    }
    name_the_end(rows);
    return rows;
  }
  for (const std::int64_t length : cell.spec.attention->lengths) {
    rows.emplace_back(cell.spec, length).reason = reason_missing(cell);
  }
  return rows;
}

std::vector<AttentionRow> attention_rows(const RunView& view, AttentionMethod method) {
  std::vector<AttentionRow> rows;
  for (const Cell* cell : view.cells(CellKind::kAttention)) {
    if (!is_of(cell->spec, method)) continue;
    std::ranges::copy(attention_rows(*cell), std::back_inserter(rows));
  }
  return rows;
}

TableView attention_commands(const RunView& view, const std::string& problem,
                             AttentionMethod method) {
  return command_table(
      view.run(), problem,
      view.cells(CellKind::kAttention, [&](const CellSpec& spec) { return is_of(spec, method); }));
}

}  // namespace labreport
