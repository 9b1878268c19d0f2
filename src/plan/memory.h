// Calculates the bytes that the network and its training step request from the allocator. Each
// formula follows from the operations in src/model. B is the batch, S the context, d the width
// d_model, h the number of heads, L the number of layers and V the vocabulary.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "results/cell.h"

namespace labreport {

/// A tensor that one block's forward saves for its backward.
struct SavedTensor {
  std::string module;    ///< "attn/softmax"
  std::string contents;  ///< "exponentials"
  std::string formula;   ///< "4 B h S²"
  std::int64_t bytes = 0;
};

/// Lists the tensors that the operations of src/model save. `RmsNorm` saves its input, 1/rms and
/// their product. `Linear` saves its input, under autocast as its own 16-bit copy. `masked_scores`
/// saves the rotated queries, the rotated keys and the mask. `softmax` saves exponentials, their
/// sums and the indices of the maxima. The product of probabilities and values saves both. `SwiGlu`
/// saves five tensors of the inner width. A residual sum is saved once, by the norm that reads it.
std::vector<SavedTensor> tensors_saved_by_block(const CellSpec& spec);

/// Returns the sum of the bytes of tensors_saved_by_block().
std::int64_t saved_block_bytes(const CellSpec& spec);

/// Returns the bytes that the forward pass and, if the mode has a loss, the loss save for backward:
/// the blocks' tensors, the final norm's three tensors and 1/rms, the logits, and the exponentials,
/// sums and indices of `cross_entropy`. Returns 0 for inference, which saves nothing.
std::int64_t saved_bytes(const CellSpec& spec);

/// Returns the bytes of autocast's 16-bit copies of the weights of all linear layers: 2 bytes for
/// each of L (4 d² + 3 d d_ff) + V d elements. Returns 0 without autocast.
std::int64_t weight_copy_bytes(const CellSpec& spec);

/// Returns the bytes of all parameters in FP32. Their gradients have the same number of bytes.
std::int64_t parameter_bytes(const ModelShape& shape);
/// Returns the bytes of AdamW's two moments of each parameter.
std::int64_t moment_bytes(const ModelShape& shape);

/// Returns the bytes of the gradients of one block: 4 (4 d² + 3 d d_ff + 2 d).
std::int64_t block_gradient_bytes(const ModelShape& shape);

/// Returns the bytes of one tensor of the residual stream: 4 B S d. It stays FP32 under autocast.
std::int64_t residual_bytes(const CellSpec& spec);

/// Returns the bytes of one block's tensor of attention scores: w B h S², where w is 4, or 2 under
/// autocast.
std::int64_t score_bytes(const CellSpec& spec);

/// The calculated bytes at one instant of a step, without inputs and the workspaces of libraries.
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
/// of backward, and AdamW at the largest parameter. Each member is a linear combination of 1, B S,
/// B S² and S². With checkpoints, the instants before the end of backward are the loss and, for
/// each group that can have the peak, the backward of its last softmax. Empty if the cell does not
/// measure labreport's network in C++.
std::vector<ExpectedPeak> possible_peaks(const CellSpec& spec);

/// Returns the element of possible_peaks() with the largest total; all zero if there is none.
ExpectedPeak expected_peak(const CellSpec& spec);

/// Returns the formula of the network's tensors that have this many bytes: "B · h · S² · 4". Empty
/// if no tensor has.
std::string size_formula(const CellSpec& spec, std::int64_t bytes);

}  // namespace labreport
