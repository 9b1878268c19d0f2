#include "experiments/nsys_profile/model_parts.h"

#include <algorithm>
#include <map>
#include <utility>

#include "plan/part_work.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::nsys_profile {
namespace {

constexpr std::pair<const char*, NetworkPart> kStageParts[]{
    {stage::kScores, NetworkPart::kScores},
    {stage::kScaleMask, NetworkPart::kScaleMask},
    {stage::kSoftmax, NetworkPart::kSoftmax},
    {stage::kValues, NetworkPart::kValues},
    {stage::kProjections, NetworkPart::kProjections}};

/// The parts of a step in the order in which they are drawn: products, the work between them, and
/// the optimizer. "other" are the look-up of embeddings, sums of gradients and memsets.
constexpr std::pair<const char*, NetworkPart> kBlockParts[]{
    {"FFN", NetworkPart::kFeedForward},
    {stage::kProjections, NetworkPart::kProjections},
    {role::kHead, NetworkPart::kHead},
    {stage::kScores, NetworkPart::kScores},
    {stage::kValues, NetworkPart::kValues},
    {stage::kSoftmax, NetworkPart::kSoftmax},
    {stage::kScaleMask, NetworkPart::kScaleMask},
    {stage::kRope, NetworkPart::kRope},
    {"RMSNorm", NetworkPart::kNormalization},
    {"SwiGLU", NetworkPart::kSwiGlu},
    {"copies", NetworkPart::kCasts},
    {"loss", NetworkPart::kLoss},
    {kOtherKernels, NetworkPart::kEmbedding},
    {"AdamW", NetworkPart::kOptimizer}};

/// Names the block of kBlockParts to which a kernel of labreport's own network belongs.
std::string block_name(const KernelRow& row) {
  if (row.phase == metric::kOptimizer) return "AdamW";
  if (row.module.empty()) return "loss";
  if (!is_gemm(row)) {
    // The sums of the residual stream and the norms after them could be one kernel.
    if (row.group == "residual") return "RMSNorm";
    return row.group == "other copies" ? "copies" : row.group;
  }
  return row.place.part == role::kFeedForward ? "FFN"
         : row.place.part == role::kHead      ? role::kHead
                                              : row.place.stage;
}

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

std::optional<UsersAttentionWork> users_attention_work(const KernelProfile& profile) {
  // Softmax reads or writes each score so many times.
  constexpr double kEagerAccesses = 8, kFusedAccesses = 2;
  constexpr std::size_t kOperators = 5;
  if (profile.is_own_network() || !profile.spec.model || under_autocast(profile.spec))
    return std::nullopt;
  const KernelRows forward = profile.rows(Pass::kForward);
  const auto layers = static_cast<double>(profile.spec.model->layers);
  double products = 0;
  for (const KernelRow* row : rows_of_stage(forward, stage::kScoresOrValues))
    products += row->kind == "gemm" ? row->instances : 0;
  const KernelRows softmax = rows_of_stage(forward, stage::kSoftmax);
  const bool is_fused = softmax.size() == 1 && softmax.front()->op == "aten::_softmax";
  const bool once_a_layer =
      std::ranges::all_of(softmax, [&](const KernelRow* row) { return row->instances == layers; });
  if (products != 2 * layers || !once_a_layer || !(is_fused || softmax.size() == kOperators))
    return std::nullopt;
  CellSpec spec = profile.spec;
  spec.implementation.clear();  // The formulas are those of labreport's network.
  UsersAttentionWork work{part_work(NetworkPart::kSoftmax, spec),
                          part_work(NetworkPart::kScores, spec), !is_fused};
  const PartWork values = part_work(NetworkPart::kValues, spec);
  work.products.flops += values.flops;
  work.products.bytes += values.bytes;
  if (is_fused) work.softmax.bytes *= kFusedAccesses / kEagerAccesses;
  return work;
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

std::vector<StepBlock> step_blocks(const KernelProfile& profile) {
  std::map<std::string, double> times_ms;
  for (const KernelRow* row : profile.rows(Pass::kTrainStep)) {
    const std::string name = block_name(*row);
    const bool known =
        std::ranges::any_of(kBlockParts, [&](const auto& p) { return p.first == name; });
    times_ms[known ? name : kOtherKernels] += row->total_ms;
  }
  std::vector<StepBlock> blocks;
  for (const auto& [name, part] : kBlockParts) {
    const PartWork work = needed_work(part, profile.spec);
    blocks.push_back({name, times_ms[name], work.flops, work.bytes});
  }
  return blocks;
}

}  // namespace labreport::nsys_profile
