#include "experiments/nsys_profile/model_parts.h"

#include <map>
#include <utility>

#include "plan/part_work.h"
#include "results/table_shapes.h"

namespace labreport::nsys_profile {
namespace {

constexpr std::pair<const char*, NetworkPart> kStageParts[]{
    {stage::kScores, NetworkPart::kScores},
    {stage::kScaleMask, NetworkPart::kScaleMask},
    {stage::kSoftmax, NetworkPart::kSoftmax},
    {stage::kValues, NetworkPart::kValues},
    {stage::kProjections, NetworkPart::kProjections}};

/// The groups of kernels outside attention in labreport's network, by their part.
const std::map<std::string, std::string> kBuiltInGroups{
    {role::kNorms, "RMSNorm"}, {role::kFeedForward, "SwiGLU"}, {role::kBlocks, "residual"}};

Work work_of(const std::string& name, const Rows& rows, NetworkPart part, const CellSpec& spec) {
  const PartWork work = part_work(part, spec);
  return {name, total_ms(rows), work.flops, work.bytes};
}

}  // namespace

KernelPlace kernel_place(const MeasuredRow& row) {
  const std::string kind = row.text(column::kClass);
  std::string op = row.text(column::kOperator);
  if (kind == "memset") op.clear();                   // A memset only prepares a GEMM.
  if (kind == "gemm" && op.empty()) op = "aten::mm";  // The table `layer` has no operators.
  return place_of(row.text(column::kModule), row.text(column::kOperation), op);
}

std::string group_of(const KernelPlace& place, const std::string& kind, bool built_in) {
  if (place.stage.empty() && place.part != role::kNorms) {
    if (kind == "copy") return "other copies";
    if (kind == "memset") return kOther;
  }
  if (!built_in) {
    const bool rest_of_attention = place.part == role::kAttention && place.stage.empty();
    return rest_of_attention ? place.part + ": " + kOther : place.words();
  }
  if (!place.stage.empty()) return place.stage;
  const auto group = kBuiltInGroups.find(place.part);
  return group == kBuiltInGroups.end() ? kOther : group->second;
}

std::string calling_part(const KernelRow& row) {
  if (!is_gemm(row)) return row.group;
  if (row.place.part == role::kHead) return "the LM head";
  if (row.place.part == role::kFeedForward) return "FFN projection";
  return row.place.stage == stage::kProjections ? "attention projection" : row.group;
}

Rows rows_of_stage(const Rows& rows, const std::string& stage) {
  return matching(rows, [&](const KernelRow& row) { return row.place.stage == stage; });
}

std::vector<Work> attention_work(const Profile& profile) {
  const Rows forward = profile.rows(Pass::kForward);
  std::vector<Work> all{{stage::kProducts, total_ms(rows_of_stage(forward, stage::kProducts))}};
  for (const auto& [stage, part] : kStageParts) {
    all.push_back(work_of(stage, rows_of_stage(forward, stage), part, profile.spec));
  }
  return all;
}

std::vector<Work> work_outside_attention(const Profile& profile) {
  const Rows forward = profile.rows(Pass::kForward);
  const auto of_part = [&](const char* part) {
    return matching(forward, [&](const KernelRow& row) { return row.place.part == part; });
  };
  return {work_of("FFN", matching(of_part(role::kFeedForward), is_gemm), NetworkPart::kFeedForward,
                  profile.spec),
          work_of("RMSNorm", of_part(role::kNorms), NetworkPart::kNormalization, profile.spec),
          work_of("AdamW", profile.rows(Pass::kOptimizer), NetworkPart::kOptimizer, profile.spec)};
}

}  // namespace labreport::nsys_profile
