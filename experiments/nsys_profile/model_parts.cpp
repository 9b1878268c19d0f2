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

/// The groups of kernels outside attention in labreport's own network, by `KernelPlace::part`.
const std::map<std::string, std::string> kOwnNetworkGroups{
    {role::kNorms, "RMSNorm"}, {role::kFeedForward, "SwiGLU"}, {role::kBlocks, "residual"}};

TimedWork timed_work(const std::string& name, const Rows& rows, NetworkPart part,
                     const CellSpec& spec) {
  const PartWork work = part_work(part, spec);
  return {name, total_ms(rows), work.flops, work.bytes};
}

}  // namespace

KernelPlace kernel_place(const MeasuredRow& row) {
  const std::string kind = row.text(column::kClass);
  std::string op = row.text(column::kOperator);
  // A memset that prepares a GEMM must not count as a GEMM.
  if (kind == "memset") op.clear();
  // The table `layer` has no operators, but a GEMM's place depends on its operator.
  if (kind == "gemm" && op.empty()) op = "aten::mm";
  return place_of(row.text(column::kModule), row.text(column::kOperation), op);
}

std::string group_of(const KernelPlace& place, std::string_view module, const std::string& kind,
                     bool own_network) {
  if (place.stage.empty() && place.part != role::kNorms) {
    if (kind == "copy") return "other copies";
    if (kind == "memset") return kOther;
  }
  if (!own_network) {
    const bool rest_of_attention = place.part == role::kAttention && place.stage.empty();
    return rest_of_attention ? place.part + ": " + kOther : place.words();
  }
  if (!place.stage.empty()) return place.stage;
  if (place.part == role::kFeedForward && !module.ends_with("/ffn")) return kOther;
  const auto group = kOwnNetworkGroups.find(place.part);
  return group == kOwnNetworkGroups.end() ? kOther : group->second;
}

std::string caller_name(const KernelRow& row) {
  if (!is_gemm(row)) return row.group;
  if (row.place.part == role::kHead) return "the LM head";
  if (row.place.part == role::kFeedForward) return "FFN projection";
  return row.place.stage == stage::kProjections ? "attention projection" : row.group;
}

Rows rows_of_stage(const Rows& rows, const std::string& stage) {
  return matching(rows, [&](const KernelRow& row) { return row.place.stage == stage; });
}

std::vector<TimedWork> attention_work(const Profile& profile) {
  const Rows forward = profile.rows(Pass::kForward);
  std::vector<TimedWork> all{
      {stage::kScoresOrValues, total_ms(rows_of_stage(forward, stage::kScoresOrValues))}};
  for (const auto& [stage, part] : kStageParts) {
    all.push_back(timed_work(stage, rows_of_stage(forward, stage), part, profile.spec));
  }
  return all;
}

std::vector<TimedWork> work_outside_attention(const Profile& profile) {
  const Rows forward = profile.rows(Pass::kForward);
  const auto of_part = [&](const char* part) {
    return matching(forward, [&](const KernelRow& row) { return row.place.part == part; });
  };
  return {
      timed_work("FFN", matching(of_part(role::kFeedForward), is_gemm), NetworkPart::kFeedForward,
                 profile.spec),
      timed_work("RMSNorm", of_part(role::kNorms), NetworkPart::kNormalization, profile.spec),
      timed_work("AdamW", profile.rows(Pass::kOptimizer), NetworkPart::kOptimizer, profile.spec)};
}

}  // namespace labreport::nsys_profile
