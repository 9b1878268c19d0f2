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

TimedWork timed_work(const std::string& name, const KernelRows& rows, NetworkPart part,
                     const CellSpec& spec) {
  const PartWork work = part_work(part, spec);
  return {name, total_ms(rows), work.flops, work.bytes};
}

}  // namespace

std::string caller_name(const KernelRow& row) {
  if (!is_gemm(row)) return row.group;
  if (row.place.part == role::kHead) return "the LM head";
  if (row.place.part == role::kFeedForward) return "FFN projection";
  return row.place.stage == stage::kProjections ? "attention projection" : row.group;
}

KernelRows rows_of_stage(const KernelRows& rows, const std::string& stage) {
  return matching(rows, [&](const KernelRow& row) { return row.place.stage == stage; });
}

std::vector<TimedWork> attention_work(const KernelProfile& profile) {
  const KernelRows forward = profile.rows(Pass::kForward);
  std::vector<TimedWork> all{
      {stage::kScoresOrValues, total_ms(rows_of_stage(forward, stage::kScoresOrValues))}};
  for (const auto& [stage, part] : kStageParts) {
    all.push_back(timed_work(stage, rows_of_stage(forward, stage), part, profile.spec));
  }
  return all;
}

std::vector<TimedWork> work_outside_attention(const KernelProfile& profile) {
  const KernelRows forward = profile.rows(Pass::kForward);
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
