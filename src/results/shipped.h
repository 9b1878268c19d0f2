// labreport's network as a PyTorch module, which comes with the worker for models: its variants as
// implementations of a cell.
#pragma once

#include <string>

#include "results/cell.h"

namespace labreport {

struct ShippedVariant {
  bool compiled = false;  ///< The network by torch.compile …
  bool loss = false;      ///< … and the loss, too.
  bool graphs = false;    ///< What is compiled replays CUDA graphs (mode "reduce-overhead").
  bool sdpa = false;      ///< `scaled_dot_product_attention` in place of attention written out.
  bool fused = false;     ///< PyTorch's fused AdamW in place of the one written out.
};

/// "pytorch-eager", "pytorch-compiled-loss-sdpa-fused": what src/python/labreport_worker.py reads.
std::string implementation_of(const ShippedVariant& variant);

/// A variant of it, neither labreport's network in C++ nor a model of the user's.
bool is_shipped(const CellSpec& spec);

/// Wrapped in torch.compile, whoever wrote it.
bool is_compiled(const CellSpec& spec);

}  // namespace labreport
