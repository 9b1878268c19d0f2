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
constexpr std::int64_t kPatternPeriod = 61;        // smaller whole numbers have exact FP32 sums
constexpr std::int64_t kCheckedAtOnce = 1 << 24;   // elements; bounds the extra memory of checking
constexpr std::int64_t kRounds = 5;                // each measures all sizes
constexpr std::int64_t kLeastCalls = 5;            // synchronized calls for a size, at most `steps`
constexpr std::int64_t kBudgetNs = 2'000'000'000;  // for one size by one method

std::int64_t whole(double value) { return static_cast<std::int64_t>(std::llround(value)); }

/// Returns how many of `count` calls a round makes, rounded up.
std::int64_t per_round(std::int64_t count) { return (count + kRounds - 1) / kRounds; }

/// Times of one method on this rank at one size.
struct Timed {
  std::string_view method;
  std::vector<std::int64_t> starts = {};  ///< By the host's clock, which all ranks share.
  std::vector<std::int64_t> durations = {};
  std::int64_t calls_averaged = 0;  ///< Calls in a duration's mean; 0 if it is one call's.
};

/// Results of this rank at one size.
struct Measured {
  std::int64_t bytes;
  std::int64_t wrong = 0;
  std::optional<std::int64_t> call_ns = {};  ///< Time of a warm-up call on the slowest rank.
  Timed synced{metric::kSynced}, in_place{metric::kInPlace}, out_of_place{metric::kOutOfPlace};

  std::int64_t elements() const { return bytes / kFloatBytes; }
};

class AllReduce {
 public:
  AllReduce(RankGroup& group, const CellSpec& spec)
      : group_(group), warmup_(spec.warmup.value_or(0)), steps_(spec.steps.value_or(1)) {
    for (const std::int64_t bytes : all_reduce_sizes(*spec.largest_bytes)) sizes_.push_back({bytes});
    whole_ = at::empty({*spec.largest_bytes / kFloatBytes}, at::TensorOptions().device(group_.device()));
  }

  /// Adds one row for each rank and method of each size.
  void measure(Table& table, std::vector<Metric>& metrics) {
    for (Measured& size : sizes_) {
      take(size);
      size.wrong = count_wrong();
    }
    whole_.zero_();  // repeated sums would exceed FP32's range
    if (group_.why_no_sum_into().empty()) output_ = at::empty_like(whole_);
    // A disturbance of the machine affects only one round, which the median over rounds ignores.
    for (std::int64_t round = 0; round < kRounds; ++round) {
      for (Measured& size : sizes_) take_turn(size);
    }
    for (const Measured& size : sizes_) {
      for (const Timed* timed : {&size.synced, &size.in_place, &size.out_of_place}) {
        if (!timed->starts.empty()) add_rows(size, *timed, table);
      }
      if (is_handout_size(size.bytes)) add_samples(size, metrics);
    }
  }

 private:
  void take(const Measured& size) { data_ = whole_.slice(0, 0, size.elements()); }

  /// Returns the elements of the rank's input from `begin` up to, but without, `end`.
  at::Tensor pattern(std::int64_t rank, std::int64_t begin, std::int64_t end) const {
    const auto options = at::TensorOptions().dtype(at::kFloat).device(group_.device());
    return at::remainder(at::arange(begin, end, options.dtype(at::kLong)) + 7 * rank,
                         kPatternPeriod)
        .to(at::kFloat);
  }

  template <typename Chunk>
  void by_chunks(const Chunk& chunk) const {
    for (std::int64_t begin = 0; begin < data_.numel(); begin += kCheckedAtOnce) {
      chunk(begin, std::min(begin + kCheckedAtOnce, data_.numel()));
    }
  }

  std::int64_t count_wrong() {
    by_chunks([&](std::int64_t begin, std::int64_t end) {
      data_.slice(0, begin, end).copy_(pattern(group_.rank(), begin, end));
    });
    group_.sum(data_).finish();
    std::int64_t wrong = 0;
    by_chunks([&](std::int64_t begin, std::int64_t end) {
      at::Tensor expected = pattern(0, begin, end);
      for (std::int64_t rank = 1; rank < group_.size(); ++rank) {
        expected.add_(pattern(rank, begin, end));
      }
      wrong += at::ne(data_.slice(0, begin, end), expected).sum().item<std::int64_t>();
    });
    return wrong;
  }

  /// Returns how many calls fit into the budget, from `least` to `steps_`; equal on all ranks.
  std::int64_t calls_within(std::int64_t budget_ns, const Measured& size,
                            std::int64_t least) const {
    return std::clamp(budget_ns / *size.call_ns, std::min(least, steps_), steps_);
  }

  /// Times one call: its start and duration. A barrier lets all ranks start nearly together.
  std::pair<std::int64_t, std::int64_t> one_synced() {
    group_.barrier();
    const std::int64_t start = host_now_ns();
    group_.sum(data_).finish();
    synchronize(group_.device());
    return {start, host_now_ns() - start};
  }

  /// Runs one round's calls at one size.
  void take_turn(Measured& size) {
    take(size);
    time_synced(size);
    if (group_.device().is_cpu()) return;
    time_back_to_back(size, size.in_place, [&] { group_.sum(data_).finish(); });
    if (!output_.defined()) return;
    at::Tensor output = output_.slice(0, 0, size.elements());
    time_back_to_back(size, size.out_of_place, [&] { group_.sum_into(data_, output); });
  }

  void time_synced(Measured& size) {
    std::int64_t last = 1;
    for (std::int64_t i = 0; i < per_round(warmup_); ++i) last = one_synced().second;
    if (!size.call_ns) size.call_ns = std::max<std::int64_t>(1, group_.largest(last));
    const std::int64_t calls = calls_within(kBudgetNs, size, kLeastCalls);
    const std::int64_t left = calls - std::ssize(size.synced.starts);
    for (std::int64_t i = 0; i < std::min(per_round(calls), left); ++i) {
      const auto [start, duration] = one_synced();
      size.synced.starts.push_back(start);
      size.synced.durations.push_back(duration);
    }
  }

  /// Times many calls enqueued back to back and keeps their mean. Each round has its own budget of
  /// calls, since with few calls the single synchronization would weigh more than in nccl-tests.
  template <typename Call>
  void time_back_to_back(const Measured& size, Timed& timed, const Call& call) {
    for (std::int64_t i = 0; i < std::max<std::int64_t>(1, per_round(warmup_)); ++i) call();
    timed.calls_averaged = calls_within(kBudgetNs / kRounds, size, 1);
    group_.barrier();
    const std::int64_t start = host_now_ns();
    for (std::int64_t i = 0; i < timed.calls_averaged; ++i) call();
    synchronize(group_.device());
    timed.starts.push_back(start);
    timed.durations.push_back((host_now_ns() - start) / timed.calls_averaged);
  }

  void add_rows(const Measured& size, const Timed& timed, Table& table) {
    const auto starts = group_.gather(timed.starts);
    const auto durations = group_.gather(timed.durations);
    const auto wrong = group_.gather({size.wrong});
    if (group_.rank() != 0) return;
    for (std::size_t rank = 0; rank < durations.size(); ++rank) {
      const std::vector<double> samples(durations[rank].begin(), durations[rank].end());
      const Summary summary = summarize(samples);
      const bool means = timed.calls_averaged > 0;
      std::vector<Scalar> row{
          size.bytes, std::string(timed.method), static_cast<std::int64_t>(rank),
          means ? timed.calls_averaged : static_cast<std::int64_t>(summary.count),
          whole(means ? summary.median : summary.mean)};
      for (const double value : {summary.stddev, summary.min, summary.median, summary.max}) {
        row.push_back(means ? Scalar() : Scalar(whole(value)));
      }
      row.emplace_back(median_lag(starts, rank));
      row.emplace_back(wrong[rank].front());
      table.rows.push_back(std::move(row));
    }
  }

  static std::int64_t median_lag(const std::vector<std::vector<std::int64_t>>& starts,
                                 std::size_t rank) {
    std::vector<double> lags;
    for (std::size_t call = 0; call < starts.front().size(); ++call) {
      std::int64_t first = starts.front()[call];
      for (const auto& of_rank : starts) first = std::min(first, of_rank[call]);
      lags.push_back(static_cast<double>(starts[rank][call] - first));
    }
    return whole(median(lags));
  }

  void add_samples(const Measured& size, std::vector<Metric>& metrics) {
    const auto durations = group_.gather(size.synced.durations);
    if (group_.rank() != 0) return;
    for (std::size_t rank = 0; rank < durations.size(); ++rank) {
      metrics.push_back(sample_metric(metric::kAllReduce, fmt::format("{}.{}", size.bytes, rank),
                                      "ns", durations[rank]));
    }
  }

  RankGroup& group_;
  std::int64_t warmup_, steps_;
  std::vector<Measured> sizes_;  ///< Smallest size first.
  at::Tensor whole_, output_;    ///< Large enough for the largest size.
  at::Tensor data_;              ///< The first elements of `whole_`, for the current size.
};

}  // namespace

Launch measure_all_reduce(const LaunchRequest& request) {
  if (!request.spec.largest_bytes)
    throw InputError("an all_reduce cell needs its largest tensor's bytes");
  RankGroup& group = RankGroup::join(request);
  Launch launch;
  Table table = shape::all_reduce();
  Conditions conditions(request.spec.device);
  conditions.begin();
  AllReduce(group, request.spec).measure(table, launch.metrics);
  conditions.end();
  launch.conditions = conditions.metrics();
  launch.conditions.push_back(text_metric(metric::kCollectives, metric::kLibrary, group.library()));
  launch.conditions.push_back(integer_metric(metric::kCollectives, metric::kRounds, "1", kRounds));
  if (const std::string why = group.why_no_sum_into(); !why.empty()) {
    launch.conditions.push_back(text_metric(metric::kCollectives, metric::kOutOfPlace, why));
  }
  if (group.rank() == 0) launch.tables.push_back(std::move(table));
  group.leave();
  return launch;
}

}  // namespace labreport
