// First-principles arithmetic of memory: requested bytes that the network and its training step
// hold. Each formula follows from the operations in src/model; T = batch · context tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "results/cell.h"

namespace labreport {

/// A tensor that one block's forward saves for its backward.
struct SavedTensor {
  std::string module;   ///< "attn/softmax"
  std::string what;     ///< "exponentials"
  std::string formula;  ///< "4 B h S²"
  std::int64_t bytes = 0;
};

/// Lists the tensors that the operations of src/model save. `RmsNorm` saves its input, 1/rms and
/// their product; `Linear` its input, under autocast as a 16-bit copy of its own; `masked_scores`
/// the rotated queries, keys and the mask; `softmax` exponentials, sums and the maxima's indices;
/// `mixed_values` probabilities and values; `SwiGlu` five tensors of the inner width. A residual
/// sum is saved once, by the norm that reads it.
std::vector<SavedTensor> saved_by_block(const CellSpec& spec);

/// Returns the sum of the bytes of saved_by_block().
std::int64_t saved_block_bytes(const CellSpec& spec);

/// Returns the bytes that the forward pass and, if the mode has one, the loss save for backward:
/// the blocks, the final norm's three tensors and 1/rms, the logits, and the loss's
/// (`cross_entropy`) exponentials, sums and indices. Returns 0 for a mode without a graph.
std::int64_t saved_bytes(const CellSpec& spec);

/// Returns the bytes of autocast's copies of the weights of all linear layers (`Linear`): 2 bytes
/// for each of L (4 d² + 3 d d_ff) + V d elements. Returns 0 outside autocast.
std::int64_t weight_copy_bytes(const CellSpec& spec);

/// Returns the bytes of all parameters in FP32. Their gradients have the same number of bytes.
std::int64_t parameter_bytes(const ModelShape& shape);
/// Returns the bytes of AdamW's two moments of each parameter.
std::int64_t moment_bytes(const ModelShape& shape);

/// Returns the bytes of the gradients of one block: 4 (4 d² + 3 d d_ff + 2 d).
std::int64_t block_gradient_bytes(const ModelShape& shape);

/// Returns the bytes of one tensor of the residual stream, which stays FP32 under autocast: 4 B S
/// d.
std::int64_t residual_bytes(const CellSpec& spec);

/// Returns the bytes of one block's tensor of attention scores: w B h S², where w is 4, or 2 under
/// autocast.
std::int64_t score_bytes(const CellSpec& spec);

/// The calculated bytes at one instant of a step, without workspaces of libraries and inputs.
struct ExpectedPeak {
  std::string_view phase;  ///< A phase of results/metric_names.h.
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

/// Returns the instants at which a step can have its peak, in order: the last block's softmax (in
/// inference also its FFN), the logits, the loss, the backward of the last block's softmax, the end
/// of backward, and AdamW at the largest parameter. Each member is linear in 1, B S, B S² and S².
/// With checkpoints, the instants before the end of backward are the loss and, for each group that
/// can have the peak, the backward of its last softmax. Empty unless the network is labreport's in
/// C++.
std::vector<ExpectedPeak> possible_peaks(const CellSpec& spec);

/// Returns the element of possible_peaks() with the largest total.
ExpectedPeak expected_peak(const CellSpec& spec);

/// Returns a formula for the size of the network's tensors that have `bytes` bytes, such as "B · h
/// · S² · 4"; empty if no tensor has.
std::string size_formula(const CellSpec& spec, std::int64_t bytes);

}  // namespace labreport
