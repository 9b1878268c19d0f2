// What a data-parallel step all-reduces, by arithmetic: gradients, and the buckets they go into.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "results/cell.h"

namespace labreport {

/// FP32 bytes of each parameter's gradient, in the order in which the network lists its parameters:
/// embedding; of each block the norm's scale, four projections, the norm's scale, three matrices of
/// the FFN; the final norm's scale; the output.
std::vector<std::int64_t> gradient_bytes(const ModelShape& shape);

/// Which gradients are all-reduced together, by their index.
using Bucket = std::vector<std::size_t>;

/// Filled from the last parameter to the first, because backward makes gradients about in that
/// order. A bucket is closed before it would hold more than `cap` bytes; what is larger by itself
/// goes alone.
std::vector<Bucket> fill_buckets(const std::vector<std::int64_t>& bytes, std::int64_t cap);

/// How many all-reduces a scheme makes each step: of `kReducer` those of buckets that are closed
/// once they hold `spec.bucket` bytes, the first at 1 MiB, as PyTorch does it.
std::int64_t all_reduce_count(const CellSpec& spec);

/// Bytes of each all-reduce of a step, in order, as `all_reduce_count` counts them.
std::vector<std::int64_t> all_reduce_bytes(const CellSpec& spec);

/// Seconds for which all-reduces of α + size/β hold up a step, one after the other. Of schemes that
/// wait for the end of backward all of them; of others what is left when backward ends, a gradient
/// being there when backward has done the share of its time that its bytes and those before it have
/// of all. α in seconds, β in bytes a second.
double exposed_seconds(const CellSpec& spec, double backward_seconds, double alpha, double beta);

/// Of `n` all-reduces of `total` bytes, each taking α + size/β, those before the last are hidden
/// behind backward at best: exposed are the last one's bytes and every α, T(n) = total/(n β) + n α.
/// The handout's model. Seconds, bytes a second.
struct BucketModel {
  double alpha = 0;
  double beta = 0;
  double total = 0;

  double exposed(double buckets) const { return total / (buckets * beta) + buckets * alpha; }
  double best_count() const;  ///< √(total / (β α))
  double best_bytes() const;  ///< √(total β α)
};

}  // namespace labreport
