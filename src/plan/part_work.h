// Calculates floating-point operations and bytes of parts of the network: those of the eager
// kernels, for rooflines, and those that a training step needs at least.
#pragma once

#include "results/cell.h"

namespace labreport {

enum class NetworkPart {
  kScores,         ///< QKᵀ
  kScaleMask,      ///< Scores divided by √(d/h), then masked.
  kSoftmax,        ///< Maximum, subtraction, exponential, sum, division.
  kValues,         ///< A·V
  kProjections,    ///< Q, K, V and output.
  kFeedForward,    ///< The three products of SwiGLU.
  kHead,           ///< The product with the LM head.
  kRope,           ///< The rotations of Q and K.
  kSwiGlu,         ///< gate · sigmoid(gate) · up, between the products.
  kNormalization,  ///< RMSNorm: square, mean, two products; twice for each layer and once at the
                   ///< end. In `needed_work`, also the sums of the residual stream before it.
  kCasts,          ///< Autocast's casts of the weights, and of their gradients back to FP32.
  kLoss,           ///< The cross-entropy of the logits.
  kEmbedding,      ///< The look-up of the tokens' embeddings.
  kOptimizer,      ///< AdamW, unfused, over all parameters.
};

/// A multiply-add counts as two operations.
struct PartWork {
  double flops = 0;
  double bytes = 0;

  double intensity() const { return bytes > 0 ? flops / bytes : 0; }  ///< FLOP/B
};

/// The bytes that AdamW must move for each parameter: it reads four FP32 values and writes three.
/// The 14 kernels a tensor of the written-out AdamW (model/adamw.cpp) read 19 and write 14.
inline constexpr double kFusedAdamWBytes = 28, kUnfusedAdamWBytes = 132;

/// Returns the work of all layers in one forward pass, or of the optimizer in one step; zeros
/// unless the cell measures the C++ network. The bytes are all that the eager network's kernels
/// read and write, even if a cache serves them. A part has the forward work of `needed_work`, but
/// these have more bytes:
///
///   Part                 Operations      Bytes
///   Scale and mask       BhS²            4wBhS²
///   Softmax              5BhS²           32BhS²; under autocast, too, which casts to FP32 halfway
///   Each RMSNorm         4BSd            28BSd; under autocast, too, which leaves it in FP32
///   AdamW, a parameter   14              132
PartWork part_work(NetworkPart part, const CellSpec& spec);

/// Returns the work that one training step needs of a part in all layers, forward and backward, if
/// one kernel for each pass reads the part's inputs once and writes its results once. Zeros unless
/// the cell measures the C++ network. Parts that exchange tensors do so in memory, so a kernel that
/// fuses two parts needs fewer bytes. The formulas are for one layer, in which a batch has B
/// sequences of S tokens, the width is d, the inner width f, the number of heads h, the vocabulary
/// V, and an element has w bytes: 4, or 2 under autocast. The residual stream, weights and their
/// gradients are in FP32. They count the operands in the definitions of the network
/// (src/model) and of the derivatives: a product Y = XW has the gradients dX = dY·Wᵀ and
/// dW = Xᵀ·dY, which read dY, X and W, and softmax has dx = P∘(dP − Σ P∘dP).
///
///   Part            Forward: operations, bytes    Backward: operations, bytes
///   QKᵀ             2BS²d    w(2BSd + BhS²)       4BS²d    w(4BSd + BhS²)
///   A·V             2BS²d    w(2BSd + BhS²)       4BS²d    w(3BSd + 2BhS²)
///   Scale and mask  BhS²     2wBhS²               BhS²     2wBhS²
///   Softmax         5BhS²    2wBhS²               4BhS²    3wBhS²
///   Projections     8BSd²    4w(2BSd + d²)        16BSd²   4w(3BSd + 2d²)
///   Feed-forward    6BSdf    3w(BS(d + f) + df)   12BSdf   w(BS(5d + 4f) + 6df)
///   LM head, once   2BSdV    w(BS(d + V) + dV)    4BSdV    w(BS(2d + V) + 2dV)
///   RoPE            6BSd     4wBSd                6BSd     4wBSd
///   SwiGLU          5BSf     3wBSf                8BSf     5wBSf
///   Each RMSNorm    4BSd     (4 + w)BSd           8BSd     (8 + w)BSd
///   Residual sum    BSd      (4 + w)BSd           BSd      4BSd
///   Casts, a weight 0        4 + w; 0 in FP32     0        4 + w; 0 in FP32
///   Loss, once      5BSV     wBSV                 3BSV     2wBSV
///   Embedding, once 0        8BSd                 BSd      4(BSd + Vd)
///   AdamW           14 and 28 for each parameter
PartWork needed_work(NetworkPart part, const CellSpec& spec);

}  // namespace labreport
