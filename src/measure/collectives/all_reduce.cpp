#include "measure/collectives/all_reduce.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/remainder.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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
constexpr std::int64_t kPatternPeriod = 61;       // small whole numbers: FP32 sums are exact
constexpr std::int64_t kCheckedAtOnce = 1 << 24;  // elements, so that checking takes no second GB
constexpr std::int64_t kLeastCalls = 5;
constexpr std::int64_t kBudgetNs = 2'000'000'000;  // of one size by one method

std::int64_t whole(double value) { return static_cast<std::int64_t>(std::llround(value)); }

/// One method's numbers of this rank at one size.
struct Timed {
  std::string_view method;
  std::vector<std::int64_t> starts = {};  ///< By the host's clock, the same for all ranks.
  std::vector<std::int64_t> durations = {};
  std::int64_t count = 0;  ///< Calls, where `durations` are means of many.
};

class AllReduce {
 public:
  AllReduce(RankGroup& group, const CellSpec& spec)
      : group_(group), warmup_(spec.warmup.value_or(0)), steps_(spec.steps.value_or(1)) {}

  /// A row for each rank and method.
  void measure(std::int64_t bytes, Table& table, std::vector<Metric>& metrics) {
    const std::int64_t elements = bytes / kFloatBytes;
    data_ = at::empty({elements}, at::TensorOptions().device(group_.device()));
    wrong_ = count_wrong();
    const Timed synced = time_synced();
    add(bytes, synced, table);
    if (is_handout_size(bytes)) add_samples(bytes, synced, metrics);
    if (!group_.device().is_cpu()) measure_back_to_back(bytes, table);
    data_.reset();
  }

 private:
  /// At `begin` … of what the rank gives.
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

  void fill() {
    by_chunks([&](std::int64_t begin, std::int64_t end) {
      data_.slice(0, begin, end).copy_(pattern(group_.rank(), begin, end));
    });
  }

  std::int64_t count_wrong() {
    fill();
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

  /// As many as the budget has room for; the same at all ranks.
  std::int64_t calls_for(std::int64_t one_ns) {
    const std::int64_t slowest = std::max<std::int64_t>(1, group_.largest(one_ns));
    return std::clamp(kBudgetNs / slowest, std::min(kLeastCalls, steps_), steps_);
  }

  /// All ranks begin together, as far as a barrier can make them.
  std::pair<std::int64_t, std::int64_t> one_synced() {
    group_.barrier();
    const std::int64_t start = host_now_ns();
    group_.sum(data_).finish();
    synchronize(group_.device());
    return {start, host_now_ns() - start};
  }

  Timed time_synced() {
    data_.zero_();  // sums of sums would grow beyond FP32's largest number
    std::int64_t last = 1;
    for (std::int64_t i = 0; i < warmup_; ++i) last = one_synced().second;
    Timed timed{metric::kSynced};
    const std::int64_t calls = calls_for(last);
    for (std::int64_t i = 0; i < calls; ++i) {
      const auto [start, duration] = one_synced();
      timed.starts.push_back(start);
      timed.durations.push_back(duration);
    }
    return timed;
  }

  /// The mean of many calls, enqueued one behind the other.
  template <typename Call>
  Timed time_back_to_back(std::string_view method, const Call& call) {
    for (std::int64_t i = 0; i < std::max<std::int64_t>(1, warmup_); ++i) call();
    group_.barrier();
    std::int64_t start = host_now_ns();
    call();
    synchronize(group_.device());
    const std::int64_t calls = calls_for(host_now_ns() - start);
    group_.barrier();
    start = host_now_ns();
    for (std::int64_t i = 0; i < calls; ++i) call();
    synchronize(group_.device());
    return {method, {start}, {(host_now_ns() - start) / calls}, calls};
  }

  void measure_back_to_back(std::int64_t bytes, Table& table) {
    add(bytes, time_back_to_back(metric::kInPlace, [&] { group_.sum(data_).finish(); }), table);
    if (!group_.why_no_sum_into().empty()) return;
    at::Tensor output = at::empty_like(data_);
    add(bytes, time_back_to_back(metric::kOutOfPlace, [&] { group_.sum_into(data_, output); }),
        table);
  }

  void add(std::int64_t bytes, const Timed& timed, Table& table) {
    const auto starts = group_.gather(timed.starts);
    const auto durations = group_.gather(timed.durations);
    const auto wrong = group_.gather({wrong_});
    if (group_.rank() != 0) return;
    for (std::size_t rank = 0; rank < durations.size(); ++rank) {
      const std::vector<double> samples(durations[rank].begin(), durations[rank].end());
      const Summary summary = summarize(samples);
      const bool mean_alone = timed.count > 0;
      std::vector<Scalar> row{bytes, std::string(timed.method), static_cast<std::int64_t>(rank),
                              mean_alone ? timed.count : static_cast<std::int64_t>(summary.count),
                              whole(summary.mean)};
      for (const double value : {summary.stddev, summary.min, summary.median, summary.max}) {
        row.push_back(mean_alone ? Scalar() : Scalar(whole(value)));
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

  void add_samples(std::int64_t bytes, const Timed& timed, std::vector<Metric>& metrics) {
    const auto durations = group_.gather(timed.durations);
    if (group_.rank() != 0) return;
    for (std::size_t rank = 0; rank < durations.size(); ++rank) {
      metrics.push_back(sample_metric(metric::kAllReduce, fmt::format("{}.{}", bytes, rank), "ns",
                                      durations[rank]));
    }
  }

  RankGroup& group_;
  std::int64_t warmup_, steps_;
  at::Tensor data_;
  std::int64_t wrong_ = 0;
};

}  // namespace

Launch measure_all_reduce(const LaunchRequest& request) {
  if (!request.spec.largest)
    throw InputError("an all_reduce cell needs its largest tensor's bytes");
  RankGroup& group = RankGroup::join(request);
  Launch launch;
  Table table = shape::all_reduce();
  Conditions conditions(request.spec.device);
  conditions.begin();
  AllReduce all_reduce(group, request.spec);
  for (const std::int64_t bytes : all_reduce_sizes(*request.spec.largest)) {
    all_reduce.measure(bytes, table, launch.metrics);
  }
  conditions.end();
  launch.conditions = conditions.metrics();
  launch.conditions.push_back(text_metric(metric::kCollectives, metric::kLibrary, group.library()));
  if (const std::string why = group.why_no_sum_into(); !why.empty()) {
    launch.conditions.push_back(text_metric(metric::kCollectives, metric::kOutOfPlace, why));
  }
  if (group.rank() == 0) launch.tables.push_back(std::move(table));
  group.leave();
  return launch;
}

}  // namespace labreport
