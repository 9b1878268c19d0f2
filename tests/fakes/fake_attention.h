// Calculates the fake worker's results for attention.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "plan/arithmetic.h"
#include "results/metric_names.h"
#include "results/run.h"
#include "results/table_shapes.h"

namespace labreport {

/// Eager attention holds four tensors of scores and keeps two of them for backward.
struct FakeSweepRow {
  double forward_ns = 0;
  std::int64_t inputs = 0, before = 0, peak = 0;
};

inline FakeSweepRow fake_sweep_row(const CellSpec& spec, std::int64_t length) {
  const AttentionSweep& sweep = *spec.attention;
  const bool eager = sweep.backend == AttentionBackend::kEager;
  const std::int64_t width = under_autocast(spec) ? 2 : 4;
  const std::int64_t rows = *spec.batch * sweep.heads * length;
  const std::int64_t scores = rows * length * width;
  FakeSweepRow row;
  row.inputs = 4 * rows * sweep.head_dim * width;
  row.before = row.inputs + (eager ? 2 * scores : 0) + rows * sweep.head_dim * width + 12 * rows;
  row.peak = row.before + (eager ? 4 * scores : row.inputs);
  const double faster = sweep.backend == AttentionBackend::kFlash   ? 0.8
                        : sweep.backend == AttentionBackend::kCudnn ? 0.9
                                                                    : 1;
  row.forward_ns = faster * (2e4 + attention_flops(spec, length) / (eager ? 1e13 : 2e14) * 1e9);
  return row;
}

inline void append_fake_pass(std::vector<Scalar>& row, double ns, bool timed) {
  const auto time = static_cast<std::int64_t>(ns);
  if (!timed) return row.resize(row.size() + kAttentionStatistics.size());
  const std::vector<std::int64_t> statistics{100, time, time / 100, time, time, time};
  row.insert(row.end(), statistics.begin(), statistics.end());
}

inline void measure_attention(Launch& body, const CellSpec& spec, std::int64_t memory) {
  const AttentionSweep& sweep = *spec.attention;
  const bool half_only =
      sweep.backend == AttentionBackend::kFlash || sweep.backend == AttentionBackend::kCudnn;
  Table table = shape::attention();
  std::string outcome(half_only && !under_autocast(spec) ? metric::kNotOffered : metric::kRan);
  std::string reason = outcome == metric::kRan ? "" : "Expected half or bfloat16, got float.";
  for (const std::int64_t length : sweep.lengths) {
    const FakeSweepRow fake = fake_sweep_row(spec, length);
    const bool fits = fake.peak <= memory;
    const bool out = outcome == metric::kRan && !fits;
    const bool ran = outcome == metric::kRan && fits;
    if (out) outcome = metric::kRanOut, reason = "out of memory in backward";
    std::vector<Scalar> row{length, outcome, std::string(out ? "backward" : ""), reason};
    const bool apart = sweep.method != AttentionMethod::kLeaderboard;
    append_fake_pass(row, fake.forward_ns, (ran || out) && apart);
    append_fake_pass(row, 2.5 * fake.forward_ns, ran && apart);
    append_fake_pass(row, 3.5 * fake.forward_ns, ran && sweep.method != AttentionMethod::kSynced);
    const auto bytes = [&](bool known, std::int64_t value) {
      row.push_back(known ? Scalar(value) : Scalar());
    };
    bytes(ran || out, fake.inputs);
    bytes(ran || out, fake.before);
    bytes(ran, fake.peak);
    bytes(out, (fake.before - fake.inputs) / 2);
    bytes(out, fake.before);
    table.rows.push_back(std::move(row));
    if (out) outcome = metric::kNotTried, reason = std::to_string(length) + " ran out of memory";
  }
  body.tables.push_back(std::move(table));
  body.metrics.push_back(real_metric(metric::kAttentionError, metric::kOutput, "1", 1e-6));
}

}  // namespace labreport
