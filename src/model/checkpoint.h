// Activation checkpointing: a stretch of the network keeps its input alone for backward, which runs
// it again.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

namespace labreport {

/// From its input to its output; called in forward, and again in backward.
using Stretch = std::function<at::Tensor(const at::Tensor&)>;

/// As PyTorch's reentrant `torch.utils.checkpoint`: runs the stretch without a graph and saves its
/// input; backward runs it again with one, under the autocast that forward ran under, and the
/// gradients of its parameters accumulate on them. The stretch has to compute the same both times.
/// Throws `Error` where grad mode is on and the input requires no gradient: parameters would get
/// none.
at::Tensor checkpoint(Stretch stretch, const at::Tensor& input);

}  // namespace labreport
