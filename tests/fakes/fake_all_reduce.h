// Calculates the fake worker's results for all-reduces: α + S/β.
#pragma once

#include <string>

#include "plan/collectives.h"
#include "results/metric_names.h"
#include "results/run.h"
#include "results/table_shapes.h"

namespace labreport {

inline void measure_all_reduce(Launch& body, const CellSpec& spec) {
  const bool nccl = spec.ranks->collectives == Collectives::kNccl;
  const double latency = nccl ? 2e4 : 2e5, bandwidth = nccl ? 300e9 : 2e9;  // ns; B/s of a link
  Table table = shape::all_reduce();
  for (const std::int64_t bytes : all_reduce_sizes(*spec.largest_bytes)) {
    const double ns =
        latency + static_cast<double>(bytes) * bus_factor(spec.ranks->count) / bandwidth * 1e9;
    for (const auto method : {metric::kSynced, metric::kInPlace, metric::kOutOfPlace}) {
      if (!nccl && method != metric::kSynced) continue;
      for (std::int64_t rank = 0; rank < spec.ranks->count; ++rank) {
        const auto time = static_cast<std::int64_t>(ns) + 10 * rank;
        const bool synced = method == metric::kSynced;
        const auto or_null = [&](std::int64_t value) { return synced ? Scalar(value) : Scalar(); };
        table.rows.push_back({bytes, std::string(method), rank, spec.steps.value_or(1), time,
                              or_null(time / 100), or_null(time), or_null(time), or_null(time),
                              100 * rank, std::int64_t{0}});
        if (!synced || !is_handout_size(bytes)) continue;
        body.metrics.push_back(sample_metric(metric::kAllReduce,
                                             std::to_string(bytes) + "." + std::to_string(rank),
                                             "ns", {time, time + 1, time + 2}));
      }
    }
  }
  body.tables.push_back(std::move(table));
  body.conditions.push_back(
      text_metric(metric::kCollectives, metric::kLibrary, nccl ? "NCCL 2.28.9" : "Gloo"));
}

}  // namespace labreport
