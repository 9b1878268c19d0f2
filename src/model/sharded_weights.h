// Weights that are sharded over the ranks and gathered while a layer computes.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/phase_marks.h"
#include "engine/rank_group.h"
#include "model/parameter.h"

namespace labreport {

/// The time that a layer waited for its weights in forward or backward, by events or a CPU's clock.
struct GatherWait {
  std::size_t layer = 0;
  bool in_backward = false;
  std::int64_t wait_ns = 0;
};

/// Fully sharded data parallelism, layer by layer. A layer is one weight matrix. Layers are
/// numbered in the order in which forward uses them; backward uses them in reverse. Weights are
/// cast to the compute dtype before they are gathered, and gradients are summed over the ranks in
/// the compute dtype. Shards and their gradients are FP32. All ranks must make the same calls in
/// the same order.
///
/// Once a layer has its own weights, it starts the gather for the next layer; the previous layer
/// has finished by then. Weights are freed when their layer has computed, and are gathered again in
/// backward.
class ShardedWeights : public std::enable_shared_from_this<ShardedWeights> {
 public:
  /// `group` must outlive the object.
  ShardedWeights(RankGroup& group, at::ScalarType compute_dtype);

  /// Shards a matrix and returns the layer's number.
  std::size_t add_layer(const at::Tensor& matrix);
  std::size_t size() const { return layers_.size(); }
  /// Returns this rank's shard: a trainable vector, which zeros extend so that all ranks' shards
  /// have equal sizes.
  const at::Tensor& shard(std::size_t layer) const { return layers_[layer].shard; }

  /// Computes `at::linear` with the layer's matrix; the output has the compute dtype.
  at::Tensor linear(std::size_t layer, const at::Tensor& x);
  /// Returns the rows `ids` of the matrix as FP32; the matrix is gathered in the compute dtype.
  at::Tensor embedding(std::size_t layer, const at::Tensor& ids);

  /// Call this after backward; then the gradient of each shard is the mean over the ranks.
  void finish_gradients();

  /// Returns the parameters that are not sharded.
  Parameters replicated_parameters(const Parameters& parameters) const;
  /// Returns a layer's whole matrix in FP32, for checks.
  at::Tensor whole_matrix(std::size_t layer);

  /// Returns the waits since the last call; the device must have been synchronized after them.
  std::vector<GatherWait> take_waits();
  /// Returns the nanoseconds of one gather that overlaps with no other work.
  std::int64_t time_gather(std::size_t layer);
  std::int64_t gathered_bytes(std::size_t layer) const;
  /// Returns the largest number of gathered matrices at one time, including unfinished gathers.
  std::size_t most_gathered() const { return most_gathered_; }

 private:
  friend struct GatheredLinear;
  friend struct GatheredEmbedding;

  struct Layer {
    at::Tensor shard;
    std::vector<std::int64_t> shape;
  };
  struct Gather {
    at::Tensor whole;
    Collective collective;
  };
  struct Scatter {
    std::size_t layer;
    at::Tensor shard;
    Collective collective;
  };

  Gather start_gather(std::size_t layer, at::ScalarType dtype);
  void prefetch(std::size_t layer);
  at::Tensor finish_gather(std::size_t layer, bool in_backward);
  void note_matrix_freed() { --gathered_; }
  void start_scatter(std::size_t layer, const at::Tensor& gradient);
  void reduce_scatter_rows(std::size_t layer, const at::Tensor& ids, const at::Tensor& gradient);
  void finish_oldest_scatter();
  at::Tensor as_matrix(std::size_t layer, const at::Tensor& whole) const;
  PhaseMarks& wait_marks(std::size_t layer, bool in_backward);

  RankGroup& group_;
  at::ScalarType dtype_;
  std::vector<Layer> layers_;
  std::map<std::size_t, Gather> prefetched_;
  std::deque<Scatter> scatters_;
  std::map<std::pair<std::size_t, bool>, std::unique_ptr<PhaseMarks>> wait_marks_;
  std::vector<std::pair<std::size_t, bool>> recorded_waits_;  ///< Layer, and true in backward.
  std::size_t gathered_ = 0, most_gathered_ = 0;  ///< Numbers of matrices, now and at most.
};

}  // namespace labreport
