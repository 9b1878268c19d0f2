#include "experiments/data_parallel/schemes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/format.h"
#include "base/lists.h"
#include "base/outliers.h"
#include "base/statistics.h"
#include "base/text.h"
#include "experiments/common/code_name.h"
#include "experiments/common/timing.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::data_parallel {
namespace {

constexpr double kBytesPerMegabyte = 1e6;
// A trace is not used if its step took longer than this multiple of the mean timed step.
constexpr double kMaxTracedSlowdown = 1.05;

/// Reads the times of the traced step, or only sets `traced_slowdown` if that step took too long.
void read_trace(SchemeResult& result, const Launch& launch) {
  const std::vector<MeasuredRow> ranks = measured_rows(launch, metric::kRankSteps);
  double longest_ns = 0;
  for (const MeasuredRow& row : ranks) {
    longest_ns = std::max(longest_ns, row.number(column::kTracedNs).value_or(0));
  }
  if (!result.step_ms()) return;
  const double slowdown = longest_ns / kNanosecondsPerMillisecond / *result.step_ms();
  if (slowdown > kMaxTracedSlowdown) {
    result.traced_slowdown = slowdown;
    return;
  }
  for (const MeasuredRow& row : ranks) {
    const auto communication = row.number(column::kCommunicationNs);
    const auto overlap_ms =
        result.tells_overlap() ? milliseconds_in(row, column::kOverlapNs) : std::nullopt;
    if (!communication || (result.tells_overlap() && !overlap_ms)) continue;
    const double communication_ms = *communication / kNanosecondsPerMillisecond;
    if (result.overlaps() && row.number(column::kRank) != 0) continue;
    if (result.communication_ms.value_or(communication_ms) < communication_ms) continue;
    result.communication_ms = communication_ms;
    result.overlap_ms = overlap_ms;
  }
  for (const MeasuredRow& row : measured_rows(launch, metric::kLanes)) {
    const auto duration = row.number(column::kDurationNs);
    const bool copies = row.text(column::kLane) == metric::kCompute &&
                        row.text(column::kPhase) == metric::kExchange;
    if (copies && duration)
      result.copies_ms = result.copies_ms.value_or(0) + *duration / kNanosecondsPerMillisecond;
  }
}

/// Names rank 0's collectives by their kinds, if the lanes hold each of them by itself.
std::string collective_words(const SchemeResult& result, const Launch& launch) {
  const auto all = static_cast<std::int64_t>(result.all_reduce_count);
  if (all == 0) return "none";
  if (result.scheme() != Scheme::kOwnStep) return format_plural(all, "all-reduce");
  std::map<std::string, std::int64_t> counts;
  std::int64_t drawn = 0;
  for (const MeasuredRow& row : measured_rows(launch, metric::kLanes)) {
    const bool is_rank_0 = row.number(column::kRank).value_or(0) == 0;
    if (row.text(column::kLane) != metric::kCommunication || !is_rank_0) continue;
    ++counts[row.text(column::kPhase)];
    ++drawn;
  }
  if (drawn != all || counts.contains("")) return format_plural(all, "collective");
  std::vector<std::string> words;
  for (const auto& [kind, count] : counts) words.push_back(format_plural(count, kind));
  return join_words(words);
}

SchemeResult scheme_result(const Cell& cell) {
  SchemeResult result{&cell, reason_missing(cell)};
  const Launch* launch = ok_launch(cell);
  if (launch == nullptr) return result;
  result.ranks_differ =
      single_number(*launch, metric::kEquality, metric::kDivergedRanks).value_or(0) > 0;
  if (result.ranks_differ && result.scheme() != Scheme::kOwnStep) {
    result.reason = "ranks hold different weights after the last step";
    return result;
  }
  const TimedLaunch timed{&cell.spec, launch};
  result.steps_ms = timed.ms_after_warmup(metric::kStep, metric::kTotal);
  for (const MeasuredRow& row : measured_rows(*launch, metric::kRankSteps)) {
    // A missing time is less than any other.
    result.backward_ms =
        std::max(result.backward_ms, milliseconds_in(row, phase_column(metric::kBackward)));
    if (row.number(column::kRank) != 0) continue;
    result.rank0_ms = milliseconds_in(row, column::kMeanNs);
    result.exchange_ms = milliseconds_in(row, phase_column(metric::kExchange));
  }
  result.peak_bytes = single_number(*launch, metric::kMemory, metric::kPeakAllocated);
  result.all_reduce_count = single_number(*launch, metric::kAllReduceCalls, metric::kCalls)
                                .value_or(static_cast<double>(all_reduce_count(cell.spec)));
  result.collectives = collective_words(result, *launch);
  const auto gradients = single_number(*launch, metric::kEquality, metric::kGradients);
  const auto weights = single_number(*launch, metric::kEquality, metric::kWeights);
  if (gradients && weights) result.largest_relative_error = std::max(*gradients, *weights);
  read_trace(result, *launch);
  return result;
}

/// Fits a line to the all-reduces that the run timed without training, on the ranks of `spec`.
std::optional<FittedLine> fitted_line(const RunView& view, const CellSpec& spec) {
  for (const AllReduceGroup& group : all_reduce_groups(view)) {
    const CellSpec& other = group.cell->spec;
    if (other.ranks == spec.ranks && other.device == spec.device) {
      return line_through(group.fitted_timings());
    }
  }
  return std::nullopt;
}

/// True if the user's part is a container for data parallelism, around labreport's network.
bool is_container(const RunView& view, const CellSpec& spec) {
  const Session* session = session_of(view.run(), spec.implementation);
  return session != nullptr && session->model->part == "ddp";
}

}  // namespace

std::string cap_words(double cap_bytes) {
  return format_value(cap_bytes / kBytesPerMegabyte, {Notation::kNoTrailingZeros});
}

std::string SchemeResult::words() const {
  const std::string cap =
      cap_words(static_cast<double>(cell->spec.bucket_bytes.value_or(0))) + " MB";
  if (scheme() == Scheme::kOwnStep) {
    return code_name(cell->spec) + (cell->spec.bucket_bytes ? " with " + cap : "");
  }
  return scheme() == Scheme::kBucketed ? "buckets of " + cap : std::string(describe(scheme()));
}

Value SchemeResult::step_or_reason() const {
  return steps_ms.empty() ? Value::missing(reason) : Value::mean_of(steps_ms);
}

Value SchemeResult::value_or_reason(const std::optional<double>& value) const {
  return value ? Value(*value) : Value::missing(reason);
}

Value SchemeResult::traced_value_or_reason(const std::optional<double>& value) const {
  return traced_slowdown ? Value() : value_or_reason(value);
}

std::vector<std::string> SchemeResult::flags() const {
  std::vector<std::string> flags;
  if (const Launch* launch = ok_launch(*cell)) {
    flags = only(launch->warnings, [](const std::string& warning) {
      return warning.starts_with("the loss is not finite");
    });
  }
  if (ranks_differ && reason.empty())
    flags.emplace_back("ranks hold different weights after the last step");
  if (traced_slowdown) {
    flags.push_back("the traced step took " + format_ratio(*traced_slowdown) +
                    "× as long as the timed ones");
  }
  return flags;
}

bool SchemeResult::tells_overlap() const {
  return scheme() != Scheme::kOwnStep || cell->spec.device == DeviceKind::kCuda;
}

bool SchemeResult::overlaps() const {
  return scheme() == Scheme::kOverlapped || scheme() == Scheme::kBucketed ||
         scheme() == Scheme::kReducer;
}

std::optional<double> SchemeResult::step_ms() const {
  return steps_ms.empty() ? std::nullopt : std::optional(typical_time(steps_ms));
}

std::optional<double> SchemeResult::exposed_ms() const {
  if (!communication_ms || !overlap_ms) return std::nullopt;
  return *communication_ms - *overlap_ms;
}

std::optional<double> SchemeResult::overlapped_fraction() const {
  if (!communication_ms || !overlap_ms || *communication_ms <= 0) return std::nullopt;
  return *overlap_ms / *communication_ms;
}

const SchemeResult* MeasuredNetwork::find(Scheme scheme) const {
  const auto found = std::ranges::find(schemes, scheme, &SchemeResult::scheme);
  return found == schemes.end() ? nullptr : &*found;
}

const SchemeResult* MeasuredNetwork::find_timed(Scheme scheme) const {
  const SchemeResult* result = find(scheme);
  return result != nullptr && result->step_ms() ? result : nullptr;
}

double MeasuredNetwork::total_gradient_bytes() const {
  const std::vector<std::int64_t> bytes = bytes_of_each_gradient();
  return static_cast<double>(std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0}));
}

std::optional<double> MeasuredNetwork::added_ms(const SchemeResult& result) const {
  const SchemeResult* baseline = find_timed(Scheme::kNone);
  if (baseline == nullptr || &result == baseline || !result.step_ms()) return std::nullopt;
  return *result.step_ms() - *baseline->step_ms();
}

std::optional<double> MeasuredNetwork::longer_backward_ms(const SchemeResult& result) const {
  const SchemeResult* baseline = find_timed(Scheme::kNone);
  if (baseline == nullptr || !result.overlaps() || !result.backward_ms) return std::nullopt;
  if (!baseline->backward_ms || *baseline->backward_ms <= 0) return std::nullopt;
  return *result.backward_ms - *baseline->backward_ms;
}

std::optional<double> MeasuredNetwork::added_in_backward_ms(const SchemeResult& result) const {
  const auto longer_ms = longer_backward_ms(result), step_longer_ms = added_ms(result);
  if (!longer_ms || !step_longer_ms || *step_longer_ms <= 0) return std::nullopt;
  return explains(*longer_ms, *step_longer_ms) ? longer_ms : std::nullopt;
}

std::optional<double> MeasuredNetwork::least_contention_ms(const SchemeResult& result) const {
  const auto longer_ms = added_in_backward_ms(result), exposed_ms = result.exposed_ms();
  if (!longer_ms || !exposed_ms) return std::nullopt;
  const double contention_ms = std::min(*longer_ms, *added_ms(result)) - *exposed_ms;
  const bool fits = contention_ms > 0 && contention_ms <= *result.overlap_ms;
  return fits ? std::optional(contention_ms) : std::nullopt;
}

std::optional<Contention> MeasuredNetwork::traced_contention(const SchemeResult& result) const {
  const SchemeResult* baseline = find_timed(Scheme::kNone);
  if (baseline == nullptr || !result.step_ms()) return std::nullopt;
  if (baseline->traced_slowdown || result.traced_slowdown) return std::nullopt;
  return contention(*ok_launch(*result.cell), *ok_launch(*baseline->cell));
}

std::optional<double> MeasuredNetwork::backward_stretch(const SchemeResult& result) const {
  const auto longer_ms = longer_backward_ms(result);
  if (!longer_ms) return std::nullopt;
  return *longer_ms / *find_timed(Scheme::kNone)->backward_ms;
}

std::optional<BucketFormula> MeasuredNetwork::bucket_formula() const {
  if (!all_reduce_line) return std::nullopt;
  return BucketFormula{all_reduce_line->latency_ns / 1e9, all_reduce_line->bytes_per_second,
                       total_gradient_bytes()};
}

std::optional<double> milliseconds_in(const MeasuredRow& row, std::string_view name) {
  const auto ns = row.number(name);
  return ns ? std::optional(*ns / kNanosecondsPerMillisecond) : std::nullopt;
}

bool explains(double part_ms, double difference_ms) {
  constexpr double kMinRatio = 0.7;
  const double ratio = part_ms / difference_ms;
  return ratio >= kMinRatio && ratio <= 1 / kMinRatio;
}

MeasuredNetworks measured_networks(const RunView& view) {
  MeasuredNetworks networks;
  for (const Cell* cell : view.cells(CellKind::kDataParallel)) {
    CellSpec spec = cell->spec;
    const bool is_of_container = is_container(view, spec);
    if (is_of_container) spec.implementation.clear();
    auto network = std::ranges::find_if(networks, [&](const MeasuredNetwork& known) {
      return same_setting(known.spec, spec) && known.spec.ranks == spec.ranks &&
             known.spec.device == spec.device;
    });
    if (network == networks.end()) {
      spec.scheme.reset();
      spec.bucket_bytes.reset();
      const bool beside_users =
          spec.implementation.empty() && measured_model(view.run()) != nullptr;
      const std::string words =
          fmt::format("{}{} at context {} in {}", beside_users ? "labreport's " : "", spec.size,
                      format_count(spec.context.value_or(0)),
                      describe(spec.precision.value_or(Precision::kFp32)));
      network = networks.insert(network, {.spec = spec,
                                          .words = words,
                                          .schemes = {},
                                          .all_reduce_line = fitted_line(view, spec)});
    }
    const auto first_of_labreport = std::ranges::find_if(
        network->schemes,
        [](const SchemeResult& result) { return result.scheme() != Scheme::kOwnStep; });
    network->schemes.insert(is_of_container ? first_of_labreport : network->schemes.end(),
                            scheme_result(*cell));
  }
  // Networks without labreport's first scheme belong to the problem that scales one to more ranks.
  return only(networks, [](const MeasuredNetwork& network) {
    return network.is_of_own_step() || network.find(Scheme::kPerParameter) != nullptr;
  });
}

MeasuredNetworks beside_containers(const MeasuredNetworks& networks, bool takes_caps) {
  MeasuredNetworks kept = only(networks, std::not_fn(&MeasuredNetwork::is_of_own_step));
  for (MeasuredNetwork& network : kept) {
    std::erase_if(network.schemes, [&](const SchemeResult& result) {
      return result.scheme() == Scheme::kOwnStep &&
             result.cell->spec.bucket_bytes.has_value() != takes_caps;
    });
  }
  return kept;
}

}  // namespace labreport::data_parallel
