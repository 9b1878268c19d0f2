#include "experiments/nsys_profile/attention_work.h"

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

Work work_of(const std::string& stage, const Rows& rows, NetworkPart part, const CellSpec& spec) {
  const PartWork work = part_work(part, spec);
  return {stage, total(rows), instances(rows), work.flops, work.bytes};
}

bool in_module(const KernelRow& row, std::string_view name) {
  return row.module.find(name) != std::string::npos;
}

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

std::vector<Work> attention_work(const Profile& profile) {
  std::vector<Work> all;
  const Rows forward = rows_of(profile, Pass::kForward);
  if (forward.empty()) return all;
  for (const auto& [stage, part] : kStages) {
    const Rows rows = matching(forward, [&](const KernelRow& row) {
      return stage_of(row.module, row.operation, is_matrix_product(row)) == stage;
    });
    all.push_back(work_of(stage, rows, part, profile.spec));
  }
  return all;
}

std::vector<Work> work_around_attention(const Profile& profile) {
  const Rows forward = rows_of(profile, Pass::kForward);
  const Rows products = matching(forward, [](const KernelRow& row) {
    return row.module.starts_with("layers/ffn") && is_matrix_product(row);
  });
  const Rows norms = matching(forward, [](const KernelRow& row) {
    return in_module(row, "ln1") || in_module(row, "ln2") || in_module(row, "ln_final");
  });
  const Rows optimizer = matching(rows_of(profile, Pass::kTrainStep), [](const KernelRow& row) {
    return row.phase == metric::kOptimizer;
  });
  return {work_of("feed-forward", products, NetworkPart::kFeedForward, profile.spec),
          work_of("RMSNorm", norms, NetworkPart::kNormalization, profile.spec),
          work_of("AdamW", optimizer, NetworkPart::kOptimizer, profile.spec)};
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
