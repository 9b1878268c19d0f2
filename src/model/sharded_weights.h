// Weights of which each rank holds a shard: gathered for as long as a layer computes with them.
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

/// How long a layer's pass waited for its weights: by the device's events, or a CPU's clock.
struct GatherWait {
  std::size_t layer = 0;
  bool backward = false;
  std::int64_t ns = 0;
};

/// Fully sharded data parallelism, layer by layer. A layer is one weight matrix; layers are
/// numbered in the order in which forward uses them, and backward uses them in reverse. Weights are
/// cast to the compute dtype before they are gathered and gradients are scattered in it; shards and
/// their gradients are FP32. Ranks make the same calls in the same order.
///
/// When a layer begins, the next one's gather is started, which is when the one before it has
/// finished; weights are freed when their layer has computed, and gathered again in backward.
class ShardedWeights : public std::enable_shared_from_this<ShardedWeights> {
 public:
  /// `group` has to outlive it.
  ShardedWeights(RankGroup& group, at::ScalarType compute);

  /// Cuts a matrix: the layer's number.
  std::size_t add(const at::Tensor& whole);
  std::size_t size() const { return layers_.size(); }
  /// What this rank keeps: a trainable vector, padded with zeros at the end of the last rank's.
  const at::Tensor& shard(std::size_t layer) const { return layers_[layer].shard; }

  /// `at::linear` of that layer in the compute dtype, which it returns.
  at::Tensor linear(std::size_t layer, const at::Tensor& x);
  /// Rows of that layer's matrix, FP32.
  at::Tensor embedding(std::size_t layer, const at::Tensor& ids);

  /// After backward: shards have the mean of their gradients over the ranks.
  void finish_gradients();

  /// Of all parameters those that are whole on each rank.
  Parameters replicated(const Parameters& parameters) const;
  /// A layer's whole matrix, FP32; for who checks.
  at::Tensor whole(std::size_t layer);

  /// Since the last call; the device has been synchronized.
  std::vector<GatherWait> take_waits();
  /// One gather by itself, the device synchronized around it.
  std::int64_t time_gather(std::size_t layer);
  std::int64_t gathered_bytes(std::size_t layer) const;
  /// The most matrices that were there, or under way, at once.
  std::size_t most_at_once() const { return most_at_once_; }

 private:
  friend struct GatheredLinear;
  friend struct GatheredEmbedding;

  struct Layer {
    at::Tensor shard;
    std::vector<std::int64_t> shape;
  };
  struct Gather {
    at::Tensor whole;
    Collective work;
  };
  struct Scatter {
    std::size_t layer;
    at::Tensor shard;
    Collective work;
  };

  Gather start(std::size_t layer, at::ScalarType dtype);
  void prefetch(std::size_t layer);
  at::Tensor take(std::size_t layer, bool backward);
  void release() { --at_once_; }
  void scatter(std::size_t layer, const at::Tensor& gradient);
  void scatter_rows(std::size_t layer, const at::Tensor& ids, const at::Tensor& gradient);
  void finish_oldest();
  at::Tensor shaped(std::size_t layer, const at::Tensor& whole) const;
  PhaseMarks& marks(std::size_t layer, bool backward);

  RankGroup& group_;
  at::ScalarType compute_;
  std::vector<Layer> layers_;
  std::map<std::size_t, Gather> ahead_;
  std::deque<Scatter> scatters_;
  std::map<std::pair<std::size_t, bool>, std::unique_ptr<PhaseMarks>> marks_;
  std::vector<std::pair<std::size_t, bool>> waited_;
  std::size_t at_once_ = 0, most_at_once_ = 0;
};

}  // namespace labreport
