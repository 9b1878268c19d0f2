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

struct FakeSweepRow {
  double forward_ns = 0;
  std::int64_t score_bytes = 0;  ///< One tensor of scores.
  std::int64_t input_bytes = 0, before_backward_bytes = 0, peak_bytes = 0;
  std::int64_t forward_peak_bytes = 0;
};

/// Eager attention has four tensors of scores at forward's peak. It keeps two of them for backward
/// and has four more at that one's peak.
inline FakeSweepRow fake_sweep_row(const CellSpec& spec, std::int64_t length) {
  const AttentionSweep& sweep = *spec.attention;
  const bool is_eager = sweep.backend == AttentionBackend::kEager;
  const std::int64_t element_bytes = under_autocast(spec) ? 2 : 4;
  const std::int64_t rows = *spec.batch * sweep.heads * length;
  const std::int64_t score_tensor_bytes = rows * length * element_bytes;
  FakeSweepRow row;
  row.score_bytes = score_tensor_bytes;
  row.input_bytes = 4 * rows * sweep.head_dim * element_bytes;
  row.before_backward_bytes = row.input_bytes + (is_eager ? 2 * score_tensor_bytes : 0) +
                              rows * sweep.head_dim * element_bytes + 12 * rows;
  row.peak_bytes =
      row.before_backward_bytes + (is_eager ? 4 * score_tensor_bytes : row.input_bytes);
  row.forward_peak_bytes = row.input_bytes + (is_eager ? 4 * score_tensor_bytes : 0);
  const double time_factor = sweep.backend == AttentionBackend::kFlash   ? 0.8
                             : sweep.backend == AttentionBackend::kCudnn ? 0.9
                                                                         : 1;
  row.forward_ns =
      time_factor * (2e4 + attention_flops(spec, length) / (is_eager ? 1e13 : 2e14) * 1e9);
  return row;
}

inline void append_fake_pass(std::vector<Scalar>& row, double mean_ns, bool is_timed) {
  const auto ns = static_cast<std::int64_t>(mean_ns);
  if (!is_timed) return row.resize(row.size() + kTimeStatistics.size());
  const std::vector<std::int64_t> statistics{100, ns, ns / 100, ns, ns, ns};
  row.insert(row.end(), statistics.begin(), statistics.end());
}

inline void measure_attention(Launch& body, const CellSpec& spec, std::int64_t memory_bytes) {
  const AttentionSweep& sweep = *spec.attention;
  const bool needs_16_bits =
      sweep.backend == AttentionBackend::kFlash || sweep.backend == AttentionBackend::kCudnn;
  Table table = empty_table(metric::kAttention);
  std::string outcome(needs_16_bits && !under_autocast(spec) ? metric::kNotOffered : metric::kRan);
  std::string reason = outcome == metric::kRan ? "" : "Expected half or bfloat16, got float.";
  for (const std::int64_t length : sweep.lengths) {
    const FakeSweepRow fake = fake_sweep_row(spec, length);
    const bool fits = fake.peak_bytes <= memory_bytes;
    const bool runs_out = outcome == metric::kRan && !fits;
    const bool ran = outcome == metric::kRan && fits;
    if (runs_out) outcome = metric::kOutOfMemory, reason = "out of memory in backward";
    std::vector<Scalar> row{length, outcome, std::string(runs_out ? "backward" : ""), reason};
    const bool times_passes = sweep.method != AttentionMethod::kLeaderboard;
    append_fake_pass(row, fake.forward_ns, (ran || runs_out) && times_passes);
    append_fake_pass(row, 2.5 * fake.forward_ns, ran && times_passes);
    append_fake_pass(row, 3.5 * fake.forward_ns, ran && sweep.method != AttentionMethod::kSynced);
    const auto append_bytes = [&](bool is_known, std::int64_t value) {
      row.push_back(is_known ? Scalar(value) : Scalar());
    };
    append_bytes(ran || runs_out, fake.input_bytes);
    append_bytes(ran || runs_out, fake.before_backward_bytes);
    append_bytes(ran, fake.peak_bytes);
    append_bytes(runs_out, fake.score_bytes);
    append_bytes(runs_out, fake.before_backward_bytes);
    table.rows.push_back(std::move(row));
    const auto add_bytes = [&](bool is_known, std::string_view tag, std::int64_t value) {
      if (!is_known || sweep.method != AttentionMethod::kSynced) return;
      body.metrics.push_back(integer_metric(tag, std::to_string(length), "B", value));
    };
    add_bytes(ran || runs_out, metric::kForwardPeak, fake.forward_peak_bytes);
    add_bytes(ran, metric::kBackwardPeak, fake.peak_bytes);
    add_bytes(runs_out, metric::kRefusedReserved, 4 * fake.score_bytes);
    if (runs_out)
      outcome = metric::kNotTried, reason = std::to_string(length) + " ran out of memory";
  }
  body.tables.push_back(std::move(table));
  body.metrics.push_back(real_metric(metric::kAttentionError, metric::kOutput, "1", 1e-6));
}

}  // namespace labreport
