// The variants of labreport's network as a PyTorch module, which ships with the model worker. Cells
// name them as implementations.
#pragma once

#include <string>

#include "results/cell.h"

namespace labreport {

struct ShippedVariant {
  bool compiled = false;  ///< torch.compile compiles the network.
  bool loss = false;      ///< torch.compile compiles the loss, too.
  bool graphs = false;    ///< Compiled code replays CUDA graphs (mode "reduce-overhead").
  bool sdpa = false;      ///< `scaled_dot_product_attention` instead of explicit attention.
  bool fused = false;     ///< PyTorch's fused AdamW instead of the explicit one.
};

/// Returns a name that src/python/labreport_worker.py parses: "pytorch-eager",
/// "pytorch-compiled-loss-sdpa-fused".
std::string implementation_of(const ShippedVariant& variant);

/// True for a shipped variant, false for labreport's network in C++ and for the user's model.
bool is_shipped(const CellSpec& spec);

/// True if torch.compile compiles the network, which may be shipped or the user's.
bool is_compiled(const CellSpec& spec);

}  // namespace labreport
