// Calculates floating-point operations and bytes of parts of the network, for rooflines.
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
  kNormalization,  ///< RMSNorm: square, mean, two products; twice for each layer and once at the
                   ///< end.
  kOptimizer,      ///< AdamW, unfused, over all parameters.
};

/// A multiply-add counts as two operations. Bytes are all that the eager network's kernels read and
/// write, even if a cache serves them.
struct PartWork {
  double flops = 0;
  double bytes = 0;

  double intensity() const { return bytes > 0 ? flops / bytes : 0; }  ///< FLOP/B
};

/// The bytes that AdamW must move for each parameter: it reads four FP32 values and writes three.
/// The 14 kernels a tensor of the written-out AdamW (model/adamw.cpp) read 19 and write 14.
inline constexpr double kFusedAdamWBytes = 28, kUnfusedAdamWBytes = 132;

/// Returns the work of all layers in one forward pass, or of the optimizer in one step; zeros
/// unless the cell measures the C++ network. The formulas are for one layer, in which a batch has B
/// sequences of S tokens, the width is d, the inner width f, the number of heads h, the vocabulary
/// V, and an element has w bytes: 4, or 2 under autocast.
///
///   Part                 Operations      Bytes
///   QKᵀ, A·V (each)      2BS²d           w(2BSd + BhS²)
///   Scale and mask       BhS²            4wBhS²
///   Softmax              5BhS²           32BhS²; under autocast, too, which casts to FP32 halfway
///   Projections          8BSd²           4w(2BSd + d²)
///   Feed-forward         6BSdf           w(3BS(d + f) + 3df)
///   LM head, once        2BSdV           w(BS(d + V) + dV)
///   Each RMSNorm         4BSd            28BSd; under autocast, too, which leaves it in FP32
///   AdamW, a parameter   14              132
PartWork part_work(NetworkPart part, const CellSpec& spec);

}  // namespace labreport
