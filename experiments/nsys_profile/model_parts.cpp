#include "experiments/nsys_profile/model_parts.h"

#include <algorithm>
#include <utility>

#include "plan/part_work.h"
#include "results/metric_names.h"

namespace labreport::nsys_profile {
namespace {

constexpr std::pair<const char*, NetworkPart> kStages[]{{kScores, NetworkPart::kScores},
                                                        {kScaleMask, NetworkPart::kScaleMask},
                                                        {kSoftmax, NetworkPart::kSoftmax},
                                                        {kValues, NetworkPart::kValues},
                                                        {kProjections, NetworkPart::kProjections}};

Work work_of(const std::string& name, const Rows& rows, NetworkPart part, const CellSpec& spec) {
  const PartWork work = part_work(part, spec);
  return {name, total(rows), work.flops, work.bytes};
}

bool contains(const std::string& module, std::string_view name) {
  return module.find(name) != std::string::npos;
}

bool is_norm(const std::string& module) {
  return contains(module, "ln1") || contains(module, "ln2") || contains(module, "ln_final");
}

}  // namespace

std::string stage_of(const std::string& module, const std::string& operation, bool gemm) {
  if (!module.starts_with("layers/attn")) return "";
  if (operation == "MaskedScores" || contains(module, "computing attention scores")) {
    return gemm ? kScores : kScaleMask;
  }
  if (operation == "Softmax" || contains(module, "computing softmax")) return kSoftmax;
  if (contains(module, "final matmul")) return gemm ? kValues : kOther;
  if (contains(module, "_proj")) return gemm ? kProjections : kOther;
  return operation == "Rotary" || contains(module, "rotary") ? kRope : kOther;
}

std::string group_of(const KernelRow& row) {
  if (row.phase == metric::kOptimizer) return "optimizer";
  if (is_norm(row.module)) return "RMSNorm";
  const std::string stage = stage_of(row.module, row.operation, false);
  if (!stage.empty() && stage != kOther) return stage;
  if (row.kind == "copy") return "other copies";
  if (row.module == "layers/ffn") return "SwiGLU";
  return row.module == "layers" ? "residual" : kOther;
}

std::string place_of(const KernelRow& row) {
  if (!is_gemm(row)) return group_of(row);
  if (row.module == "lm_head") return "the LM head";
  if (row.module.starts_with("layers/ffn")) return "FFN projection";
  const std::string stage = stage_of(row.module, row.operation, true);
  if (stage == kProjections) return "attention projection";
  return stage.empty() ? kOther : stage;
}

std::vector<Work> attention_work(const Profile& profile) {
  std::vector<Work> all;
  const Rows forward = profile.rows(Pass::kForward);
  if (forward.empty()) return all;
  for (const auto& [stage, part] : kStages) {
    const Rows rows = matching(forward, [&](const KernelRow& row) {
      return stage_of(row.module, row.operation, is_gemm(row)) == stage;
    });
    all.push_back(work_of(stage, rows, part, profile.spec));
  }
  return all;
}

std::vector<Work> work_around_attention(const Profile& profile) {
  const Rows forward = profile.rows(Pass::kForward);
  const Rows ffn = matching(forward, [](const KernelRow& row) {
    return row.module.starts_with("layers/ffn") && is_gemm(row);
  });
  const Rows norms = matching(forward, [](const KernelRow& row) { return is_norm(row.module); });
  return {work_of("FFN", ffn, NetworkPart::kFeedForward, profile.spec),
          work_of("RMSNorm", norms, NetworkPart::kNormalization, profile.spec),
          work_of("AdamW", profile.rows(Pass::kOptimizer), NetworkPart::kOptimizer, profile.spec)};
}

Work together(const std::vector<Work>& all, const std::vector<std::string>& parts) {
  Work sum;
  for (const Work& work : all) {
    if (std::ranges::find(parts, work.part) == parts.end()) continue;
    sum.ms += work.ms;
    sum.flops += work.flops;
    sum.bytes += work.bytes;
  }
  return sum;
}

}  // namespace labreport::nsys_profile
