// First-principles arithmetic of memory: what the network and its training step hold, in requested
// bytes. Each formula follows from the operations in src/model; T = batch · context tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "results/cell.h"

namespace labreport {

/// A tensor that one block's forward leaves for its backward.
struct KeptTensor {
  std::string module;   ///< "attn/softmax"
  std::string what;     ///< "exponentials"
  std::string formula;  ///< "4 B h S²"
  std::int64_t bytes = 0;
};

/// Tensor by tensor, from what each operation of src/model keeps: `RmsNorm` its input, 1/rms and
/// their product; `Linear` its input, as a 16-bit copy of its own under autocast; `masked_scores`
/// the rotated queries, keys and the mask; `softmax` exponentials, sums and the maxima's indices;
/// `mixed_values` probabilities and values; `SwiGlu` five tensors of the inner width. A residual
/// sum is kept once, by the norm that reads it.
std::vector<KeptTensor> kept_by_block(const CellSpec& spec);

/// Their sum.
std::int64_t kept_block_bytes(const CellSpec& spec);

/// All that the forward pass, and where the mode has one the loss, leave for backward: the blocks,
/// the final norm's three tensors and 1/rms, the logits, and of the loss (`cross_entropy`)
/// exponentials, sums and indices. Nothing in a mode without a graph.
std::int64_t kept_bytes(const CellSpec& spec);

/// Autocast's copies of the weights of all linear layers (`Linear`): 2 bytes each for
/// L (4 d² + 3 d d_ff) + V d elements. Nothing outside autocast.
std::int64_t weight_copy_bytes(const CellSpec& spec);

/// FP32 parameters, and their gradients: 4 bytes each.
std::int64_t parameter_bytes(const ModelShape& shape);
/// AdamW's two moments of each parameter.
std::int64_t moment_bytes(const ModelShape& shape);

/// Gradients of one block's parameters: 4 (4 d² + 3 d d_ff + 2 d).
std::int64_t block_gradient_bytes(const ModelShape& shape);

/// One tensor of the residual stream, FP32 under autocast too: 4 B S d.
std::int64_t residual_bytes(const CellSpec& spec);

/// Tensors of attention scores of one block: w B h S², w being 4, or 2 under autocast.
std::int64_t score_bytes(const CellSpec& spec);

/// What by arithmetic lives at one instant of a step. Workspaces of libraries and inputs are not in
/// it.
struct ExpectedPeak {
  std::string_view phase;  ///< As in results/metric_names.h.
  std::int64_t parameters = 0;
  std::int64_t gradients = 0;
  std::int64_t moments = 0;
  std::int64_t activations = 0;
  std::int64_t weight_copies = 0;
  std::int64_t temporaries = 0;

  std::int64_t total() const {
    return parameters + gradients + moments + activations + weight_copies + temporaries;
  }
};

/// The instants of a step among which its peak lies, in their order: the last block's softmax (in
/// inference its FFN too), the logits, the loss, that softmax's backward, the end of backward, and
/// AdamW at the largest parameter. Each part is linear in 1, B S, B S² and S². With checkpoints:
/// the loss, the last softmax in backward of those groups that can have the peak, and the ends
/// alike. Empty without a network, and for one that is not labreport's.
std::vector<ExpectedPeak> possible_peaks(const CellSpec& spec);

/// The largest of them.
ExpectedPeak expected_peak(const CellSpec& spec);

/// Which tensors of the network have `bytes`: "B · h · S² · 4"; empty where none has.
std::string size_formula(const CellSpec& spec, std::int64_t bytes);

}  // namespace labreport
