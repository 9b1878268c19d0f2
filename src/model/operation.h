// An operation of several kernels that is one node of autograd's graph.
#pragma once

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "engine/torch_versions.h"

namespace labreport {

/// What an operation keeps for its backward, which runs once.
class Kept {
 public:
  static constexpr std::size_t kMost = 4;

  void keep(const at::Tensor& tensor) { saved_.at(count_++) = {tensor, /*is_output=*/false}; }
  /// The tensor that was kept as number `index`: it is freed when its taker lets it go.
  at::Tensor take(std::size_t index);
  void clear() { saved_ = {}; }

 private:
  std::array<torch::autograd::SavedVariable, kMost> saved_;
  std::size_t count_ = 0;
};

/// While it lives, autograd sees nothing of what its thread does; `finish` shows it the whole as
/// one node. Recording each of a few small kernels costs the host more than launching them does.
/// The kernels, forward and backward, and what is kept are those of the single operations.
class Operation {
 public:
  /// From the output's gradient to one of each input, in any dtype: autograd casts them back.
  using Backward = std::function<std::vector<at::Tensor>(at::Tensor gradient, Kept& kept)>;

  /// Profilers see `name` with the sequence number of the node that will do the backward.
  template <typename... Inputs>
  explicit Operation(const char* name, const Inputs&... inputs) {
    begin(name, {&inputs...});
  }

  /// Never the output itself, which would hold its own node: keep `alias(output)`.
  template <typename... Tensors>
  void keep(const Tensors&... tensors) {
    if (node_) (keep_one(tensors), ...);
  }

  at::Tensor finish(at::Tensor output, Backward backward);

  static at::Tensor alias(const at::Tensor& output) { return output.tensor_data(); }

 private:
  class Node;
  void begin(const char* name, std::initializer_list<const at::Tensor*> inputs);
  void keep_one(const at::Tensor& tensor);
  Node& node() const;

  NodePointer<torch::autograd::Node> node_;
  std::optional<at::RecordFunction> recorded_;
  at::AutoDispatchBelowADInplaceOrView unseen_;
};

}  // namespace labreport
