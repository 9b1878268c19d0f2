// Calculates the fake worker's all-reduce times: latency + bytes / bandwidth.
#pragma once

#include <string>

#include "plan/collectives.h"
#include "results/metric_names.h"
#include "results/run.h"
#include "results/table_shapes.h"

namespace labreport {

inline void measure_all_reduce(Launch& body, const CellSpec& spec) {
  const bool is_nccl = spec.ranks->collectives == Collectives::kNccl;
  const double latency_ns = is_nccl ? 2e4 : 2e5;
  const double link_bandwidth = is_nccl ? 300e9 : 2e9;  // B/s
  Table table = empty_table(metric::kAllReduce);
  for (const std::int64_t bytes : all_reduce_sizes(*spec.largest_bytes)) {
    const double ns = latency_ns + static_cast<double>(bytes) * bus_factor(spec.ranks->count) /
                                       link_bandwidth * 1e9;
    for (const auto method : {metric::kSynced, metric::kInPlace, metric::kOutOfPlace}) {
      if (!is_nccl && method != metric::kSynced) continue;
      for (std::int64_t rank = 0; rank < spec.ranks->count; ++rank) {
        const auto rank_ns = static_cast<std::int64_t>(ns) + 10 * rank;
        const bool is_synced = method == metric::kSynced;
        const auto or_null = [&](std::int64_t value) {
          return is_synced ? Scalar(value) : Scalar();
        };
        table.rows.push_back({bytes, std::string(method), rank, spec.steps.value_or(1), rank_ns,
                              or_null(rank_ns / 100), or_null(rank_ns), or_null(rank_ns),
                              or_null(rank_ns), 100 * rank, std::int64_t{0}});
        if (!is_synced || !is_handout_size(bytes)) continue;
        body.metrics.push_back(sample_metric(metric::kAllReduce,
                                             std::to_string(bytes) + "." + std::to_string(rank),
                                             "ns", {rank_ns, rank_ns + 1, rank_ns + 2}));
      }
    }
  }
  body.tables.push_back(std::move(table));
  body.conditions.push_back(
      text_metric(metric::kCollectives, metric::kLibrary, is_nccl ? "NCCL 2.28.9" : "Gloo"));
}

}  // namespace labreport
