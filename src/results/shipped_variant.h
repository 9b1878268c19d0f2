// Names the variants of the PyTorch module that ships with the model worker and has the same
// network as labreport in C++. A cell has such a name as its implementation.
#pragma once

#include <string>

#include "results/cell.h"

namespace labreport {

struct ShippedVariant {
  bool compiled = false;     ///< torch.compile compiles the network.
  bool loss = false;         ///< torch.compile compiles the loss, too.
  bool cuda_graphs = false;  ///< Compiled code replays CUDA graphs (mode "reduce-overhead").
  bool sdpa = false;         ///< `scaled_dot_product_attention` instead of explicit attention.
  bool fused_adamw = false;  ///< PyTorch's fused AdamW instead of the explicit one.
};

/// Returns a name that src/python/labreport_worker.py parses: "pytorch-eager",
/// "pytorch-compiled-loss-sdpa-fused".
std::string implementation_of(const ShippedVariant& variant);

/// True if the cell measures a shipped variant, not labreport's network in C++ or the user's model.
bool is_shipped(const CellSpec& spec);

/// True if torch.compile compiles the cell's network, which may be a shipped variant or the user's.
bool is_compiled(const CellSpec& spec);

}  // namespace labreport
