// How ranks average their gradients: a scheme at work on one network.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/rank_group.h"
#include "results/cell.h"

namespace labreport {

/// Called in this order, once a step, by all ranks alike.
class Averaging {
 public:
  virtual ~Averaging() = default;

  virtual void before_forward() {}
  virtual void before_backward(const at::Tensor& /*loss*/) {}
  /// From here on gradients are means over the ranks; on a GPU later kernels wait for them.
  virtual void after_backward() {}

  /// Bytes of each all-reduce of a step, in the order in which they begin; nothing where PyTorch
  /// decides.
  virtual std::optional<std::vector<std::int64_t>> all_reduces() const = 0;
};

/// `parameters` in the order in which the network lists them. `bucket`: bytes, of schemes with
/// buckets. Both have to outlive what is made.
std::unique_ptr<Averaging> make_averaging(Scheme scheme, std::int64_t bucket, RankGroup& group,
                                          const std::vector<at::Tensor>& parameters);

}  // namespace labreport
