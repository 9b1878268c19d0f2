// The gradients and buckets that a data-parallel step all-reduces, by arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "results/cell.h"

namespace labreport {

/// Returns the FP32 bytes of each parameter's gradient, in the network's order: the embedding; for
/// each block the norm's scale, four projections, the norm's scale, three matrices of the FFN; the
/// final norm's scale; the output.
std::vector<std::int64_t> gradient_bytes(const ModelShape& shape);

/// Indices of the gradients that are all-reduced together.
using Bucket = std::vector<std::size_t>;

/// Fills buckets from the last parameter to the first, which is about the order in which backward
/// computes gradients. A bucket holds at most `cap` bytes, or one gradient that is larger.
std::vector<Bucket> fill_buckets(const std::vector<std::int64_t>& bytes, std::int64_t cap);

/// Returns the number of all-reduces in each step. As in PyTorch, `kReducer` closes its first
/// bucket once it holds 1 MiB, and later buckets once they hold `spec.bucket_bytes` bytes.
std::int64_t all_reduce_count(const CellSpec& spec);

/// Returns the bytes of each all-reduce in a step, from the last parameters to the first.
std::vector<std::int64_t> all_reduce_bytes(const CellSpec& spec);

/// Returns the seconds from the end of backward to the end of the last all-reduce. The all-reduces
/// run one after the other, each in α seconds + size/β, with β in bytes per second. Without
/// overlap, all of them start after backward. With overlap, backward is assumed to compute the
/// bytes of gradients at a constant rate, and an all-reduce starts as soon as its gradients are
/// computed.
double exposed_seconds(const CellSpec& spec, double backward_seconds, double alpha, double beta);

/// The handout's formula for `n` equal all-reduces that have `total` bytes together and take α +
/// size/β each. At best, backward hides every size/β but the last, and no α. The exposed time is
/// then T(n) = total/(n β) + n α, with α in seconds and β in bytes per second.
struct BucketModel {
  double alpha = 0;
  double beta = 0;
  double total = 0;

  double exposed(double buckets) const { return total / (buckets * beta) + buckets * alpha; }
  double best_count() const;  ///< √(total / (β α))
  double best_bytes() const;  ///< √(total β α)
};

}  // namespace labreport
