// Calculates the fake worker's steps of the leaderboard: each rung is faster than the one before.
#pragma once

#include <utility>
#include <vector>

#include "results/leaderboard_rung.h"
#include "results/metric_names.h"
#include "results/run.h"
#include "results/table_shapes.h"

namespace labreport {

inline void measure_leaderboard(Launch& launch, const CellSpec& spec,
                                std::vector<std::int64_t> (*make_samples)(double, std::int64_t,
                                                                          bool)) {
  const bool on_gpu = spec.device == DeviceKind::kCuda;
  const auto rung = leaderboard_rung(spec).value_or(LeaderboardRung::kCompiled);
  if (on_gpu && rung < LeaderboardRung::kCheckpointed) {
    launch.outcome = OutOfMemory{"forward", 2LL << 30, 139LL << 30, 139LL << 30};
    return;
  }
  const double rungs_above =
      static_cast<double>(LeaderboardRung::kSavedProducts) - static_cast<double>(rung);
  const double step_ns = (on_gpu ? 4.8e9 : 5e7) * (1 + 0.1 * rungs_above);
  const std::int64_t timed_steps = spec.steps.value_or(1);
  const std::int64_t all_steps = spec.warmup.value_or(0) + timed_steps;
  std::vector<double> losses;
  for (std::int64_t i = 0; i < all_steps; ++i) losses.push_back(12 / static_cast<double>(1 + i));
  launch.metrics = {
      sample_metric(metric::kStep, metric::kTotal, "ns", make_samples(step_ns, all_steps, false)),
      {std::string(metric::kLosses), std::string(metric::kTotal), "1", Samples(losses), ""},
      integer_metric(metric::kMemory, metric::kPeakAllocated, "B",
                     (50 + 10 * static_cast<std::int64_t>(rung)) << 30)};
  if (spec.repeats) {
    launch.metrics.push_back(sample_metric(metric::kDoBench, metric::kTotal, "ns",
                                           make_samples(step_ns, *spec.repeats, true)));
  }
  const auto part = [step_ns](double share) { return static_cast<std::int64_t>(share * step_ns); };
  Table ranks = empty_table(metric::kRankSteps), classes = empty_table(metric::kStepClasses);
  for (std::int64_t rank = 0; rank < spec.ranks->count; ++rank) {
    ranks.rows.push_back({rank, timed_steps, part(1), part(0.01), part(0.99), part(1), part(1.01),
                          std::int64_t{0}, part(0.3), part(0), part(0.6), Scalar(), part(0.01),
                          part(1), part(0.03), part(0.02)});
    for (const auto& [kind, share] : {std::pair{metric::kGemms, 0.5},
                                      {metric::kAttention, 0.4},
                                      {metric::kFused, 0.04},
                                      {metric::kOther, 0.02},
                                      {metric::kOptimizer, 0.01},
                                      {metric::kCommunication, 0.03}}) {
      if (on_gpu) classes.rows.push_back({rank, std::string(kind), std::int64_t{100}, part(share)});
    }
  }
  launch.tables = {std::move(ranks)};
  if (on_gpu) launch.tables.push_back(std::move(classes));
}

}  // namespace labreport
