// Floating-point operations and bytes of parts of the network: the axes of a roofline.
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

/// Returns the work of all layers in one forward pass, or of the optimizer in one step; zero unless
/// the network is labreport's in C++. The following formulas, for one layer, are for B sequences of
/// S tokens, width d, h heads, inner width f and w bytes for each element (4; under autocast 2),
/// operations first, then bytes. QKᵀ and A·V: 2BS²d, w(2BSd + BhS²). Scale and mask: BhS², 4wBhS².
/// Softmax: 5BhS², 32BhS² (under autocast three of its operations stay in FP32, and with the cast
/// the bytes are the same). Projections: 8BSd², 4w(2BSd + d²). Feed-forward: 6BSdf, w(3BS(d + f) +
/// 3df). Each RMSNorm: 4BSd, 28BSd. AdamW: 14 and 132 for each parameter.
PartWork part_work(NetworkPart part, const CellSpec& spec);

}  // namespace labreport
