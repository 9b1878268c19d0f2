// Calculates data-parallel steps by the arithmetic of plan/gradients, at given rates.
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

struct FakeStep {
  double forward, backward, exposed, communication;  ///< ns
  double hidden() const { return communication - exposed; }
  double optimizer() const { return 0.3 * forward; }
  double whole() const { return forward + backward + exposed + optimizer(); }
};

/// Backward of schemes that overlap takes a twentieth longer.
inline FakeStep fake_step(const CellSpec& spec, double forward_ns) {
  const bool nccl = spec.ranks->collectives == Collectives::kNccl;
  const double alpha = nccl ? 2e-5 : 2e-4, beta = nccl ? 300e9 : 2e9;
  const bool overlaps = spec.scheme >= Scheme::kOverlapped;
  const double backward = 2 * forward_ns * (overlaps ? 1.05 : 1);
  double communication = 0;
  for (const std::int64_t bytes : all_reduce_bytes(spec)) {
    communication += 1e9 * (alpha + static_cast<double>(bytes) / beta);
  }
  const double exposed = 1e9 * exposed_seconds(spec, backward / 1e9, alpha, beta);
  return {forward_ns, backward, exposed, communication};
}

inline std::vector<Scalar> fake_rank_row(const FakeStep& step, std::int64_t rank,
                                         std::int64_t count) {
  const auto whole = [](double ns) { return static_cast<std::int64_t>(ns); };
  const std::int64_t total = whole(step.whole()) - 40'000 * rank;
  return {rank,
          count,
          total,
          total / 200,
          total - total / 100,
          total,
          total + total / 100,
          12'000 * rank,
          whole(step.forward),
          whole(step.forward / 50),
          whole(step.backward),
          whole(step.exposed),
          whole(step.optimizer()),
          total,
          whole(step.communication),
          whole(step.hidden())};
}

inline Table fake_lanes(const FakeStep& step) {
  Table table = shape::lanes();
  std::int64_t at = 0;
  const auto add = [&](std::string_view lane, std::string_view phase, double ns) {
    table.rows.push_back(
        {std::string(lane), std::string(phase), at, static_cast<std::int64_t>(ns)});
    at += static_cast<std::int64_t>(ns);
  };
  add(metric::kCompute, metric::kForward, step.forward);
  add(metric::kCompute, metric::kBackward, step.backward);
  const std::int64_t backward_end = at;
  at += static_cast<std::int64_t>(step.exposed);
  add(metric::kCompute, metric::kOptimizer, step.optimizer());
  at = backward_end - static_cast<std::int64_t>(step.hidden());
  if (step.communication > 0) add(metric::kCommunication, "", step.communication);
  return table;
}

inline void measure_data_parallel(Launch& body, const CellSpec& spec, double forward_ns,
                                  std::vector<std::int64_t> (*steps)(double, std::int64_t, bool)) {
  const FakeStep step = fake_step(spec, forward_ns);
  const std::int64_t counted = spec.steps.value_or(1), all = spec.warmup.value_or(0) + counted;
  const auto samples = [&](std::string_view tag, std::string_view name, double ns) {
    body.metrics.push_back(sample_metric(tag, name, "ns", steps(ns, all, false)));
  };
  samples(metric::kStep, metric::kTotal, step.whole());
  samples(metric::kSkew, metric::kStep, 40'000);
  samples(metric::kEvent, metric::kForward, step.forward);
  samples(metric::kEvent, metric::kBackward, step.backward);
  samples(metric::kEvent, metric::kExchange, step.exposed);
  samples(metric::kEvent, metric::kOptimizer, step.optimizer());
  const std::vector<std::int64_t> calls = all_reduce_bytes(spec);
  body.metrics.push_back(
      integer_metric(metric::kAllReduces, metric::kCalls, "1", std::ssize(calls)));
  if (!calls.empty()) {
    const std::int64_t most = *std::ranges::max_element(calls);
    append(body.metrics, {integer_metric(metric::kAllReduces, metric::kLargest, "B", most),
                          real_metric(metric::kEquality, metric::kGradients, "1", 6.3e-7),
                          real_metric(metric::kEquality, metric::kWeights, "1", 1.2e-7),
                          real_metric(metric::kEquality, metric::kTolerance, "1", 2e-5),
                          integer_metric(metric::kEquality, metric::kSteps, "1", 3),
                          integer_metric(metric::kEquality, metric::kDivergedRanks, "1", 0)});
  }
  Table ranks = shape::rank_steps();
  for (std::int64_t rank = 0; rank < spec.ranks->count; ++rank) {
    ranks.rows.push_back(fake_rank_row(step, rank, counted));
  }
  body.tables = {std::move(ranks), fake_lanes(step)};
  body.conditions.push_back(
      text_metric(metric::kCollectives, metric::kLibrary,
                  spec.ranks->collectives == Collectives::kNccl ? "NCCL 2.28.9" : "Gloo"));
}

}  // namespace labreport
