// Activation checkpointing: forward keeps only the input of a part of the network, and backward
// runs that part's forward again.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

namespace labreport {

/// Maps a part's input to its output; called in forward and again in backward.
using CheckpointedFunction = std::function<at::Tensor(const at::Tensor&)>;

/// Works like PyTorch's reentrant `torch.utils.checkpoint`: runs the function without a graph and
/// saves its input. Backward runs the function again with a graph, under forward's autocast
/// settings, and accumulates the gradients of the function's parameters. The function must compute
/// the same both times. Throws `Error` if grad mode is on and the input requires no gradient,
/// because the parameters would get none.
at::Tensor checkpoint(CheckpointedFunction function, const at::Tensor& input);

}  // namespace labreport
