// What parts of the network compute and move, by formula: the axes of a roofline.
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
  kNormalization,  ///< RMSNorm: square, mean, two products; twice a layer and at the end.
  kOptimizer,      ///< AdamW, unfused, over all parameters.
};

/// A multiply-add counts two. Bytes are those that the kernels ask for, each tensor read or written
/// as often as the eager network names it; what a cache saves is not subtracted.
struct PartWork {
  double flops = 0;
  double bytes = 0;

  double intensity() const { return bytes > 0 ? flops / bytes : 0; }  ///< FLOP/B
};

/// Zero for a model that is not labreport's own. Over all layers of one forward pass; the
/// optimizer's over one step. With B sequences of S tokens, width d, h heads, inner width f and w
/// bytes an element (4; under autocast 2): QKᵀ and A·V 2BS²d, w(2BSd + BhS²); scale and mask BhS²,
/// 4wBhS²; softmax 5BhS², 32BhS² (under autocast three of its operations stay in FP32, which with
/// the cast comes to the same); projections 8BSd², 4w(2BSd + d²); feed-forward 6BSdf, w(3BS(d + f)
/// + 3df); each RMSNorm 4BSd, 28BSd; AdamW 14 and 132 for each parameter.
PartWork part_work(NetworkPart part, const CellSpec& spec);

}  // namespace labreport
