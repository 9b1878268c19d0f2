// Calculates the gradients and the buckets that a data-parallel step all-reduces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "results/cell.h"

namespace labreport {

/// Returns the FP32 bytes of each parameter's gradient, in the order of the network: the embedding,
/// the parameters of each block, the final norm's scale and the output layer. A block has a norm's
/// scale, four projections, a norm's scale and the three matrices of the FFN.
std::vector<std::int64_t> gradient_bytes(const ModelShape& shape);

/// Indices of the gradients that are all-reduced together.
using Bucket = std::vector<std::size_t>;

/// Fills buckets from the last parameter to the first, which is about the order in which backward
/// computes gradients. `bytes` has the size of each gradient. A bucket holds at most `max_bytes`,
/// or a single gradient that is larger.
std::vector<Bucket> fill_buckets(const std::vector<std::int64_t>& bytes, std::int64_t max_bytes);

/// Returns the number of all-reduces in each step. As in PyTorch, `kReducer` closes its first
/// bucket once it holds 1 MiB, and later buckets once they hold `spec.bucket_bytes`.
std::int64_t all_reduce_count(const CellSpec& spec);

/// Returns the bytes of each all-reduce in a step, from the last parameters to the first.
std::vector<std::int64_t> all_reduce_bytes(const CellSpec& spec);

/// The course handout's formula for the time of n all-reduces of equal buckets that backward does
/// not hide. Each all-reduce takes α + bytes/β, with the latency α and the bandwidth β. At best,
/// backward hides the term bytes/β of all buckets but the last, and no α. The exposed time is
/// total/(n β) + n α.
struct BucketFormula {
  double latency_seconds = 0;   ///< α
  double bytes_per_second = 0;  ///< β
  double total_bytes = 0;       ///< The bytes of all buckets together.

  double exposed_seconds(double bucket_count) const {
    return total_bytes / (bucket_count * bytes_per_second) + bucket_count * latency_seconds;
  }
  double optimal_bucket_bytes() const;  ///< √(total β α)
};

}  // namespace labreport
