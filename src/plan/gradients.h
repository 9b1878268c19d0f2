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
/// computes gradients. A bucket is closed before it would hold more than `cap` bytes. A larger
/// gradient gets its own bucket.
std::vector<Bucket> fill_buckets(const std::vector<std::int64_t>& bytes, std::int64_t cap);

/// Returns the number of all-reduces in each step. Buckets of `kReducer` are closed once they hold
/// `spec.bucket` bytes, the first at 1 MiB, as in PyTorch.
std::int64_t all_reduce_count(const CellSpec& spec);

/// Returns the bytes of each of these all-reduces, in order.
std::vector<std::int64_t> all_reduce_bytes(const CellSpec& spec);

/// Returns the seconds by which all-reduces extend a step if each takes α + size/β and they run one
/// after the other. Schemes without overlap expose all of them; others expose the part that remains
/// when backward ends. A gradient is ready when backward has spent the share of its time that the
/// gradient's bytes, and those before it, have in the total. α is in seconds, β in bytes per
/// second.
double exposed_seconds(const CellSpec& spec, double backward_seconds, double alpha, double beta);

/// The handout's model of `n` all-reduces of `total` bytes, each taking α + size/β. At best,
/// backward hides the sizes of all but the last. The exposed time is then the last one's size and
/// every α: T(n) = total/(n β) + n α. Units are seconds and bytes per second.
struct BucketModel {
  double alpha = 0;
  double beta = 0;
  double total = 0;

  double exposed(double buckets) const { return total / (buckets * beta) + buckets * alpha; }
  double best_count() const;  ///< √(total / (β α))
  double best_bytes() const;  ///< √(total β α)
};

}  // namespace labreport
