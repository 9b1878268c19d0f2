#include "experiments/common/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/format.h"
#include "experiments/common/command.h"
#include "experiments/common/selection.h"
#include "experiments/common/timing.h"
#include "results/metric_names.h"
#include "results/shipped_variant.h"
#include "results/table_shapes.h"

namespace labreport {

std::vector<std::int64_t> attention_head_dims(const PlanInput& input) {
  if (input.preset == Preset::kDemo) return {16, 64};
  return {16, 32, 64, 128};
}

std::vector<Precision> attention_precisions(const PlanInput& input) {
  const auto& chosen = input.selection.precisions;
  return chosen.empty() ? std::vector{Precision::kFp32, input.half_precision} : chosen;
}

CellSpec attention_cell(const PlanInput& input, AttentionSweep sweep) {
  if (!input.selection.contexts.empty()) sweep.lengths = input.selection.contexts;
  if (sweep.lengths.size() > kMaxLengths) {
    throw InputError(fmt::format("--contexts names {} lengths", sweep.lengths.size()),
                     fmt::format("an attention cell takes at most {}", kMaxLengths));
  }
  std::ranges::sort(sweep.lengths);
  const auto duplicates = std::ranges::unique(sweep.lengths);
  sweep.lengths.erase(duplicates.begin(), duplicates.end());
  CellSpec spec = bare_cell(input.device, CellKind::kAttention);
  spec.attention = std::move(sweep);
  return spec;
}

bool timed_by(const CellSpec& spec, AttentionMethod method) {
  return spec.attention && spec.attention->method == method && !is_shipped(spec);
}

AttentionRow::AttentionRow(const CellSpec& spec, const MeasuredRow& row)
    : reason(row.text(column::kReason)),
      spec_(&spec),
      length_(static_cast<std::int64_t>(row.number(column::kLength).value_or(0))),
      measured_(row) {
  if (!ran_out_of_memory()) return;
  // Earlier workers worded the reason differently, so it is rebuilt from the row's numbers.
  const auto whole_number = [&](std::string_view column) -> std::optional<std::int64_t> {
    const auto value = row.number(column);
    return value ? std::optional(std::llround(*value)) : std::nullopt;
  };
  reason = describe(Outcome(OutOfMemory{.phase = failed_phase(),
                                        .requested_bytes = whole_number(column::kRequestedBytes),
                                        .in_use_bytes = whole_number(column::kInUseBytes),
                                        .peak_bytes = std::nullopt}));
}

bool AttentionRow::ran() const { return outcome() == metric::kRan; }
bool AttentionRow::ran_out_of_memory() const { return outcome() == metric::kOutOfMemory; }
bool AttentionRow::not_tried() const { return outcome() == metric::kNotTried; }
bool AttentionRow::not_offered() const { return outcome() == metric::kNotOffered; }
bool AttentionRow::is_incomplete() const {
  return outcome() == metric::kInaccurate || outcome() == metric::kFailed;
}
std::string AttentionRow::failed_phase() const {
  return measured_ ? measured_->text(column::kPhase) : "";
}

std::optional<double> AttentionRow::number(std::string_view column) const {
  return measured_ ? measured_->number(column) : std::nullopt;
}

std::optional<double> AttentionRow::ms(std::string_view pass, std::string_view statistic) const {
  const auto ns = number(attention_column(pass, statistic));
  return ns ? std::optional(*ns / kNanosecondsPerMillisecond) : std::nullopt;
}

std::optional<double> AttentionRow::saved_bytes() const {
  const auto before = number(column::kBeforeBackwardBytes);
  const auto inputs = number(column::kBeforeForwardBytes);
  return before && inputs && *before >= *inputs ? std::optional(*before - *inputs) : std::nullopt;
}

double AttentionRow::score_bytes() const {
  const double element_bytes = under_autocast(*spec_) ? 2 : 4;
  const auto length = static_cast<double>(length_);
  return element_bytes * static_cast<double>(spec_->batch.value_or(1) * sweep().heads) * length *
         length;
}

bool AttentionRow::saves_two_tensors_of_scores() const {
  constexpr double tolerance = 0.05;
  return std::abs(saved_bytes().value_or(0) / score_bytes() / 2 - 1) < tolerance;
}

std::vector<std::optional<Bound>> bounds_by_length(const std::vector<AttentionRow>& rows,
                                                   std::string_view pass) {
  std::vector<std::optional<Bound>> bounds(rows.size());
  std::optional<Bound> last;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto time_ms = rows[i].ms(pass);
    if (!time_ms || *time_ms <= 0) continue;
    LaunchCosts costs{.launches = 1, .kernels_ms = *time_ms, .time_ms = *time_ms};
    bool is_longest = true;
    for (std::size_t j = i + 1; j < rows.size(); ++j) {
      const auto longer_ms = rows[j].ms(pass);
      if (!longer_ms) continue;
      is_longest = false;
      const double lengths =
          static_cast<double>(rows[j].length()) / static_cast<double>(rows[i].length());
      costs.kernels_ms = std::min(costs.kernels_ms, *longer_ms / lengths);
    }
    bounds[i] = is_longest ? last : std::optional(costs.bound());
    last = bounds[i];
  }
  return bounds;
}

bool passes_agree(const AttentionRow& row) {
  constexpr double kMostTimes = 5;
  const auto both = row.ms(metric::kEndToEnd);
  const auto forward = row.ms(metric::kForward), backward = row.ms(metric::kBackward);
  if (!both || !forward || !backward) return false;
  const double apart = *forward + *backward;
  return *both <= kMostTimes * apart && apart <= kMostTimes * *both;
}

bool clearly_faster(const AttentionRow& row, const AttentionRow& other, std::string_view pass,
                    std::string_view statistic) {
  const auto ms = row.ms(pass, statistic), other_ms = other.ms(pass, statistic);
  const auto deviation = row.ms(pass, "stddev_ns"), other_deviation = other.ms(pass, "stddev_ns");
  if (!ms || !other_ms || !deviation || !other_deviation) return false;
  return *other_ms - *ms > *deviation + *other_deviation;
}

Value mean_time(const AttentionRow& row, std::string_view pass) {
  const auto mean = row.ms(pass, "mean_ns"), stddev = row.ms(pass, "stddev_ns");
  if (!mean) return Value::missing(row.reason);
  return stddev ? Value(*mean, *stddev) : Value(*mean);
}

std::string first_reason(const std::vector<AttentionRow>& rows) {
  for (const AttentionRow& row : rows) {
    if (!row.reason.empty()) return row.reason;
  }
  return "not measured yet";
}

std::vector<AttentionRow> attention_rows(const Cell& cell) {
  std::vector<AttentionRow> rows;
  const Launch* launch = ok_launch(cell);
  if (launch == nullptr) {
    for (const std::int64_t length : cell.spec.attention->lengths) {
      rows.emplace_back(cell.spec, length).reason = reason_missing(cell);
    }
    return rows;
  }
  for (const MeasuredRow& row : measured_rows(*launch, metric::kAttention)) {
    if (!row.number(column::kLength)) continue;
    AttentionRow& known = rows.emplace_back(cell.spec, row);
    known.has_forward_peak =
        launch->find(metric::kForwardPeak, std::to_string(known.length())) != nullptr;
    known.first_pass_ms =
        single_milliseconds(*launch, metric::kCompile, std::to_string(known.length()));
    known.refused_reserved_bytes =
        single_number(*launch, metric::kRefusedReserved, std::to_string(known.length()));
  }
  const auto first_out_of_memory = std::ranges::find_if(rows, &AttentionRow::ran_out_of_memory);
  for (auto row = first_out_of_memory; row != rows.end(); ++row) {
    if (!row->not_tried()) continue;
    row->shorter_ran_out_of_memory = true;
    // Wording the reason here keeps it independent of the worker's version.
    row->reason = "not run: " + format_count(first_out_of_memory->length()) + " ran out of memory";
  }
  return rows;
}

std::vector<AttentionRow> attention_rows(const RunView& view, AttentionMethod method) {
  std::vector<AttentionRow> rows;
  for (const Cell* cell : view.cells(CellKind::kAttention)) {
    if (!timed_by(cell->spec, method)) continue;
    std::ranges::copy(attention_rows(*cell), std::back_inserter(rows));
  }
  return rows;
}

TableView attention_commands(const RunView& view, const std::string& problem,
                             AttentionMethod method) {
  return command_table(view.run(), problem,
                       view.cells(CellKind::kAttention,
                                  [&](const CellSpec& spec) { return timed_by(spec, method); }));
}

}  // namespace labreport
