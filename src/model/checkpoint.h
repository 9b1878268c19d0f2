// Activation checkpointing: part of the network keeps only its input for backward, which runs the
// part again.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

namespace labreport {

/// Maps the part's input to its output; called in forward and again in backward.
using CheckpointedFunction = std::function<at::Tensor(const at::Tensor&)>;

/// Works like PyTorch's reentrant `torch.utils.checkpoint`: runs the function without a graph and
/// saves its input. Backward runs it again with a graph, under forward's autocast, and accumulates
/// the gradients of its parameters. The function must compute the same both times. Throws `Error`
/// if grad mode is on and the input requires no gradient, because the parameters would get none.
at::Tensor checkpoint(CheckpointedFunction function, const at::Tensor& input);

}  // namespace labreport
