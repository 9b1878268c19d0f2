#include "experiments/nsys_profile/attention_work.h"

#include <algorithm>

namespace labreport::nsys_profile {
namespace {

/// Sizes of one layer, in elements.
struct Sizes {
  double layers, tokens, width, pairs, wide;

  explicit Sizes(const CellSpec& spec) {
    const ModelShape shape = spec.model.value_or(ModelShape{});
    const auto context = static_cast<double>(spec.context.value_or(0));
    layers = static_cast<double>(shape.layers);
    tokens = static_cast<double>(spec.batch.value_or(0)) * context;
    width = static_cast<double>(shape.d_model);
    pairs = tokens * context * static_cast<double>(shape.heads);
    const bool half = spec.precision == Precision::kBf16 || spec.precision == Precision::kFp16;
    wide = half ? 2 : 4;  // Bytes of an element of a product, of scores and of masked scores.
  }
  double hidden() const { return tokens * width; }
};

/// In FP32 eight reads and writes of 4 B. Under autocast exp, sum and division stay in FP32: two
/// of 2 B for the maximum and three for x − max, a cast, and five of 4 B come to the same.
constexpr double kSoftmaxBytes = 32;
constexpr double kSoftmaxFlops = 5;  // Maximum, subtraction, exponential, sum, division.
constexpr double kMaskAccesses = 4;  // Scaling and masking each read and write the scores.
constexpr double kProjectionCount = 4;

}  // namespace

std::string stage_of(const std::string& module, const std::string& operation, bool product) {
  if (!module.starts_with("layers/attn")) return "";
  const auto inside = [&](const char* range) { return module.find(range) != std::string::npos; };
  if (operation == "MaskedScores" || inside("computing attention scores")) {
    return product ? kScores : kScaleMask;
  }
  if (operation == "Softmax" || inside("computing softmax")) return kSoftmax;
  if (inside("final matmul")) return product ? kValues : kOtherStage;
  if (inside("_proj")) return product ? kProjections : kOtherStage;
  return operation == "Rotary" || inside("rotary") ? kRotary : kOtherStage;
}

double stage_flops(const CellSpec& spec, const std::string& stage) {
  const Sizes n(spec);
  const double context = static_cast<double>(spec.context.value_or(0));
  if (stage == kScores || stage == kValues) return n.layers * 2 * n.hidden() * context;
  if (stage == kScaleMask) return n.layers * n.pairs;
  if (stage == kSoftmax) return n.layers * kSoftmaxFlops * n.pairs;
  return n.layers * kProjectionCount * 2 * n.hidden() * n.width;
}

double stage_bytes(const CellSpec& spec, const std::string& stage) {
  const Sizes n(spec);
  if (stage == kScores || stage == kValues) {
    return n.layers * n.wide * (2 * n.hidden() + n.pairs);
  }
  if (stage == kScaleMask) return n.layers * n.wide * kMaskAccesses * n.pairs;
  if (stage == kSoftmax) return n.layers * kSoftmaxBytes * n.pairs;
  return n.layers * kProjectionCount * n.wide * (2 * n.hidden() + n.width * n.width);
}

std::vector<Work> attention_work(const Profile& profile) {
  std::vector<Work> all;
  const Rows forward = rows_of(profile, Pass::kForward);
  if (forward.empty()) return all;
  for (const char* stage : {kScores, kScaleMask, kSoftmax, kValues, kProjections}) {
    const Rows rows = matching(forward, [stage](const KernelRow& row) {
      return stage_of(row.module, row.operation, is_matrix_product(row)) == stage;
    });
    all.push_back({stage, total(rows), instances(rows), stage_flops(profile.spec, stage),
                   stage_bytes(profile.spec, stage)});
  }
  return all;
}

Work together(const std::string& name, const std::vector<Work>& all,
              const std::vector<std::string>& stages) {
  Work sum;
  sum.stage = name;
  for (const Work& work : all) {
    if (std::ranges::find(stages, work.stage) == stages.end()) continue;
    sum.ms += work.ms;
    sum.calls += work.calls;
    sum.flops += work.flops;
    sum.bytes += work.bytes;
  }
  return sum;
}

}  // namespace labreport::nsys_profile
