#include "measure/catalog.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/remainder.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/statistics.h"
#include "engine/conditions.h"
#include "engine/device.h"
#include "engine/host_clock.h"
#include "engine/rank_group.h"
#include "plan/collectives.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

constexpr std::int64_t kFloatBytes = 4;
constexpr std::int64_t kPatternPeriod = 61;       // FP32 sums integers below it exactly
constexpr std::int64_t kChunkElements = 1 << 24;  // of the check, which needs memory for one chunk
constexpr std::int64_t kRounds = 5;               // each round measures all sizes
constexpr std::int64_t kMinCalls = 5;  // synchronized calls of a size, unless `steps` is less
constexpr std::int64_t kBudgetNs = 2'000'000'000;  // time for the calls of one size by one method

std::int64_t rounded(double value) { return static_cast<std::int64_t>(std::llround(value)); }

std::int64_t per_round(std::int64_t calls) { return (calls + kRounds - 1) / kRounds; }

/// Times of one method on this rank at one size.
struct CallTimes {
  std::string_view method;
  std::vector<std::int64_t> starts_ns = {};  ///< By the host's clock, which all ranks share.
  std::vector<std::int64_t> durations_ns = {};
  std::int64_t calls_averaged = 0;  ///< Calls in each mean; 0 if a duration is of one call.
};

/// Results of this rank at one size.
struct SizeResults {
  std::int64_t bytes;
  std::int64_t wrong_elements = 0;
  std::optional<std::int64_t> call_ns = {};  ///< Time of a warm-up call on the slowest rank.
  CallTimes synced{metric::kSynced}, in_place{metric::kInPlace}, out_of_place{metric::kOutOfPlace};

  std::int64_t elements() const { return bytes / kFloatBytes; }
};

class AllReduceMeasurement {
 public:
  AllReduceMeasurement(RankGroup& group, const CellSpec& spec)
      : group_(group), warmup_(spec.warmup.value_or(0)), steps_(spec.steps.value_or(1)) {
    for (const std::int64_t bytes : all_reduce_sizes(*spec.largest_bytes))
      sizes_.push_back({bytes});
    buffer_ =
        at::empty({*spec.largest_bytes / kFloatBytes}, at::TensorOptions().device(group_.device()));
  }

  /// Adds one row for each rank, method and size, and the samples of the handout's sizes.
  void measure(Table& table, std::vector<Metric>& metrics) {
    for (SizeResults& size : sizes_) {
      select_size(size);
      size.wrong_elements = count_wrong_elements();
    }
    buffer_.zero_();  // repeated sums would exceed FP32's range
    if (group_.why_no_all_reduce_into().empty()) output_buffer_ = at::empty_like(buffer_);
    // A disturbance of the machine affects only one round, which the median over rounds ignores.
    for (std::int64_t round = 0; round < kRounds; ++round) {
      for (SizeResults& size : sizes_) run_round(size);
    }
    for (const SizeResults& size : sizes_) {
      for (const CallTimes* times : {&size.synced, &size.in_place, &size.out_of_place}) {
        if (!times->starts_ns.empty()) add_rows(size, *times, table);
      }
      if (is_handout_size(size.bytes)) add_samples(size, metrics);
    }
  }

 private:
  void select_size(const SizeResults& size) { input_ = buffer_.slice(0, 0, size.elements()); }

  /// Returns elements [begin, end) of the rank's input, whose values differ between ranks.
  at::Tensor pattern(std::int64_t rank, std::int64_t begin, std::int64_t end) const {
    const auto options = at::TensorOptions().dtype(at::kFloat).device(group_.device());
    return at::remainder(at::arange(begin, end, options.dtype(at::kLong)) + 7 * rank,
                         kPatternPeriod)
        .to(at::kFloat);
  }

  template <typename Chunk>
  void for_each_chunk(const Chunk& visit) const {
    for (std::int64_t begin = 0; begin < input_.numel(); begin += kChunkElements) {
      visit(begin, std::min(begin + kChunkElements, input_.numel()));
    }
  }

  std::int64_t count_wrong_elements() {
    for_each_chunk([&](std::int64_t begin, std::int64_t end) {
      input_.slice(0, begin, end).copy_(pattern(group_.rank(), begin, end));
    });
    group_.all_reduce_sum(input_).finish();
    std::int64_t wrong_elements = 0;
    for_each_chunk([&](std::int64_t begin, std::int64_t end) {
      at::Tensor expected = pattern(0, begin, end);
      for (std::int64_t rank = 1; rank < group_.size(); ++rank) {
        expected.add_(pattern(rank, begin, end));
      }
      wrong_elements += at::ne(input_.slice(0, begin, end), expected).sum().item<std::int64_t>();
    });
    return wrong_elements;
  }

  /// Returns how many calls fit into the budget, at least `min_calls`, at most `steps_`.
  std::int64_t calls_within(std::int64_t budget_ns, const SizeResults& size,
                            std::int64_t min_calls) const {
    return std::clamp(budget_ns / *size.call_ns, std::min(min_calls, steps_), steps_);
  }

  /// Returns start and duration of one call, which all ranks start nearly together.
  std::pair<std::int64_t, std::int64_t> time_one_synced_call() {
    group_.barrier();
    const std::int64_t start_ns = host_now_ns();
    group_.all_reduce_sum(input_).finish();
    synchronize(group_.device());
    return {start_ns, host_now_ns() - start_ns};
  }

  void run_round(SizeResults& size) {
    select_size(size);
    time_synced(size);
    if (group_.device().is_cpu()) return;  // There each call waits for its result.
    time_back_to_back(size, size.in_place, [&] { group_.all_reduce_sum(input_).finish(); });
    if (!output_buffer_.defined()) return;
    at::Tensor output = output_buffer_.slice(0, 0, size.elements());
    time_back_to_back(size, size.out_of_place, [&] { group_.all_reduce_into(input_, output); });
  }

  void time_synced(SizeResults& size) {
    std::int64_t last_ns = 1;
    for (std::int64_t i = 0; i < per_round(warmup_); ++i) last_ns = time_one_synced_call().second;
    if (!size.call_ns) size.call_ns = std::max<std::int64_t>(1, group_.max_over_ranks(last_ns));
    const std::int64_t calls = calls_within(kBudgetNs, size, kMinCalls);
    const std::int64_t remaining_calls = calls - std::ssize(size.synced.starts_ns);
    for (std::int64_t i = 0; i < std::min(per_round(calls), remaining_calls); ++i) {
      const auto [start_ns, duration_ns] = time_one_synced_call();
      size.synced.starts_ns.push_back(start_ns);
      size.synced.durations_ns.push_back(duration_ns);
    }
  }

  /// Times many calls enqueued back to back and keeps their mean. Each round has its own budget of
  /// calls, since with few calls the single synchronization would weigh more than in nccl-tests.
  template <typename Call>
  void time_back_to_back(const SizeResults& size, CallTimes& times, const Call& call) {
    for (std::int64_t i = 0; i < std::max<std::int64_t>(1, per_round(warmup_)); ++i) call();
    times.calls_averaged = calls_within(kBudgetNs / kRounds, size, 1);
    group_.barrier();
    const std::int64_t start_ns = host_now_ns();
    for (std::int64_t i = 0; i < times.calls_averaged; ++i) call();
    synchronize(group_.device());
    times.starts_ns.push_back(start_ns);
    times.durations_ns.push_back((host_now_ns() - start_ns) / times.calls_averaged);
  }

  void add_rows(const SizeResults& size, const CallTimes& times, Table& table) {
    const auto starts_ns = group_.all_gather(times.starts_ns);
    const auto durations_ns = group_.all_gather(times.durations_ns);
    const auto wrong_elements = group_.all_gather({size.wrong_elements});
    if (group_.rank() != 0) return;
    for (std::size_t rank = 0; rank < durations_ns.size(); ++rank) {
      const std::vector<double> samples(durations_ns[rank].begin(), durations_ns[rank].end());
      const Summary summary = summarize(samples);
      const bool averages_calls = times.calls_averaged > 0;
      std::vector<Scalar> row{
          size.bytes, std::string(times.method), static_cast<std::int64_t>(rank),
          averages_calls ? times.calls_averaged : static_cast<std::int64_t>(summary.count),
          rounded(averages_calls ? summary.median : summary.mean)};
      for (const double value : {summary.stddev, summary.min, summary.median, summary.max}) {
        row.push_back(averages_calls ? Scalar() : Scalar(rounded(value)));
      }
      row.emplace_back(median_lag(starts_ns, rank));
      row.emplace_back(wrong_elements[rank].front());
      table.rows.push_back(std::move(row));
    }
  }

  /// Returns the median nanoseconds by which the rank starts its calls after the earliest rank.
  static std::int64_t median_lag(const std::vector<std::vector<std::int64_t>>& starts_ns,
                                 std::size_t rank) {
    std::vector<double> lags_ns;
    for (std::size_t call = 0; call < starts_ns.front().size(); ++call) {
      std::int64_t earliest_ns = starts_ns.front()[call];
      for (const auto& starts : starts_ns) earliest_ns = std::min(earliest_ns, starts[call]);
      lags_ns.push_back(static_cast<double>(starts_ns[rank][call] - earliest_ns));
    }
    return rounded(median(lags_ns));
  }

  void add_samples(const SizeResults& size, std::vector<Metric>& metrics) {
    const auto durations_ns = group_.all_gather(size.synced.durations_ns);
    if (group_.rank() != 0) return;
    for (std::size_t rank = 0; rank < durations_ns.size(); ++rank) {
      metrics.push_back(sample_metric(metric::kAllReduce, fmt::format("{}.{}", size.bytes, rank),
                                      "ns", durations_ns[rank]));
    }
  }

  RankGroup& group_;
  std::int64_t warmup_, steps_;
  std::vector<SizeResults> sizes_;     ///< Smallest size first.
  at::Tensor buffer_, output_buffer_;  ///< Both have the largest size.
  at::Tensor input_;  ///< The first elements of `buffer_`, as many as the current size has.
};

}  // namespace

Launch measure_all_reduce(const LaunchRequest& request) {
  if (!request.spec.largest_bytes)
    throw InputError("an all_reduce cell needs its largest tensor's bytes");
  RankGroup& group = RankGroup::join(request);
  Launch launch;
  Table table = empty_table(metric::kAllReduce);
  Conditions conditions(request.spec.device);
  conditions.begin();
  AllReduceMeasurement(group, request.spec).measure(table, launch.metrics);
  conditions.end();
  launch.conditions = conditions.metrics();
  launch.conditions.push_back(text_metric(metric::kCollectives, metric::kLibrary, group.library()));
  launch.conditions.push_back(integer_metric(metric::kCollectives, metric::kRounds, "1", kRounds));
  if (const std::string why = group.why_no_all_reduce_into(); !why.empty()) {
    launch.conditions.push_back(text_metric(metric::kCollectives, metric::kOutOfPlace, why));
  }
  if (group.rank() == 0) launch.tables.push_back(std::move(table));
  group.wait_until_all_leave();
  return launch;
}

}  // namespace labreport
