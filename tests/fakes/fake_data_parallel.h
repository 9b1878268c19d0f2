// Calculates the fake worker's data-parallel steps by the formulas of plan/gradients.h.
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "plan/gradients.h"
#include "results/metric_names.h"
#include "results/run.h"
#include "results/table_shapes.h"

namespace labreport {

/// The times of a step's parts in ns.
struct FakeStep {
  double forward, backward, communication;
  double exposed;  ///< Communication that does not overlap the backward pass.
  double hidden() const { return communication - exposed; }
  double optimizer() const { return 0.3 * forward; }
  double total() const { return forward + backward + exposed + optimizer(); }
};

/// Returns the ns from the end of backward to the end of the last all-reduce. All-reduces run one
/// after the other. With overlap, one starts as soon as backward has done the share of its bytes.
inline double fake_exposed_ns(const CellSpec& spec, double backward_ns, double latency_s,
                              double bytes_per_second) {
  const bool overlaps = spec.scheme >= Scheme::kOverlapped;
  const std::vector<std::int64_t> calls = all_reduce_bytes(spec);
  const auto total =
      static_cast<double>(std::accumulate(calls.begin(), calls.end(), std::int64_t{0}));
  double computed_bytes = 0, end_ns = overlaps ? 0 : backward_ns;
  for (const std::int64_t bytes : calls) {
    computed_bytes += static_cast<double>(bytes);
    const double ready_ns = overlaps ? backward_ns * computed_bytes / total : backward_ns;
    end_ns = std::max(end_ns, ready_ns) +
             1e9 * (latency_s + static_cast<double>(bytes) / bytes_per_second);
  }
  return std::max(0.0, end_ns - backward_ns);
}

/// The backward pass takes 5 % longer in schemes that overlap it with communication.
inline FakeStep fake_step(const CellSpec& spec, double forward_ns) {
  const bool is_nccl = spec.ranks->collectives == Collectives::kNccl;
  const double latency_s = is_nccl ? 2e-5 : 2e-4, bytes_per_second = is_nccl ? 300e9 : 2e9;
  const bool overlaps = spec.scheme >= Scheme::kOverlapped;
  const double backward = 2 * forward_ns * (overlaps ? 1.05 : 1);
  double communication = 0;
  for (const std::int64_t bytes : all_reduce_bytes(spec)) {
    communication += 1e9 * (latency_s + static_cast<double>(bytes) / bytes_per_second);
  }
  const double exposed = fake_exposed_ns(spec, backward, latency_s, bytes_per_second);
  return {forward_ns, backward, communication, exposed};
}

inline std::vector<Scalar> fake_rank_row(const FakeStep& step, std::int64_t rank,
                                         std::int64_t step_count) {
  const auto integer = [](double ns) { return static_cast<std::int64_t>(ns); };
  const std::int64_t total = integer(step.total()) - 40'000 * rank;
  return {rank,
          step_count,
          total,
          total / 200,
          total - total / 100,
          total,
          total + total / 100,
          12'000 * rank,
          integer(step.forward),
          integer(step.forward / 50),
          integer(step.backward),
          integer(step.exposed),
          integer(step.optimizer()),
          total,
          integer(step.communication),
          integer(step.hidden())};
}

inline Table fake_lanes(const FakeStep& step) {
  Table table = empty_table(metric::kLanes);
  std::int64_t start_ns = 0;
  const auto add = [&](std::string_view lane, std::string_view phase, double ns) {
    table.rows.push_back(
        {std::string(lane), std::string(phase), start_ns, static_cast<std::int64_t>(ns)});
    start_ns += static_cast<std::int64_t>(ns);
  };
  add(metric::kCompute, metric::kForward, step.forward);
  add(metric::kCompute, metric::kBackward, step.backward);
  const std::int64_t backward_end_ns = start_ns;
  start_ns += static_cast<std::int64_t>(step.exposed);
  add(metric::kCompute, metric::kOptimizer, step.optimizer());
  start_ns = backward_end_ns - static_cast<std::int64_t>(step.hidden());
  if (step.communication > 0) add(metric::kCommunication, "", step.communication);
  return table;
}

inline void measure_data_parallel(Launch& launch, const CellSpec& spec, double forward_ns,
                                  std::vector<std::int64_t> (*make_samples)(double, std::int64_t,
                                                                            bool)) {
  const FakeStep step = fake_step(spec, forward_ns);
  const std::int64_t timed_steps = spec.steps.value_or(1);
  const std::int64_t all_steps = spec.warmup.value_or(0) + timed_steps;
  const auto add_samples = [&](std::string_view tag, std::string_view name, double ns) {
    launch.metrics.push_back(sample_metric(tag, name, "ns", make_samples(ns, all_steps, false)));
  };
  add_samples(metric::kStep, metric::kTotal, step.total());
  add_samples(metric::kSkew, metric::kStep, 40'000);
  add_samples(metric::kEvent, metric::kForward, step.forward);
  add_samples(metric::kEvent, metric::kBackward, step.backward);
  add_samples(metric::kEvent, metric::kExchange, step.exposed);
  add_samples(metric::kEvent, metric::kOptimizer, step.optimizer());
  const std::vector<std::int64_t> call_bytes = all_reduce_bytes(spec);
  launch.metrics.push_back(
      integer_metric(metric::kAllReduceCalls, metric::kCalls, "1", std::ssize(call_bytes)));
  if (!call_bytes.empty()) {
    const std::int64_t largest = *std::ranges::max_element(call_bytes);
    append(launch.metrics, {integer_metric(metric::kAllReduceCalls, metric::kLargest, "B", largest),
                            real_metric(metric::kEquality, metric::kGradients, "1", 6.3e-7),
                            real_metric(metric::kEquality, metric::kWeights, "1", 1.2e-7),
                            real_metric(metric::kEquality, metric::kTolerance, "1", 2e-5),
                            integer_metric(metric::kEquality, metric::kEqualitySteps, "1", 3),
                            integer_metric(metric::kEquality, metric::kDivergedRanks, "1", 0)});
  }
  Table ranks = empty_table(metric::kRankSteps);
  for (std::int64_t rank = 0; rank < spec.ranks->count; ++rank) {
    ranks.rows.push_back(fake_rank_row(step, rank, timed_steps));
  }
  launch.tables = {std::move(ranks), fake_lanes(step)};
  launch.conditions.push_back(
      text_metric(metric::kCollectives, metric::kLibrary,
                  spec.ranks->collectives == Collectives::kNccl ? "NCCL 2.28.9" : "Gloo"));
}

}  // namespace labreport
