// Calculates results of ranks that never trained: bytes by formula, traffic at 300 GB/s.
#pragma once

#include <string>
#include <vector>

#include "plan/memory.h"
#include "plan/sharding.h"
#include "results/metric_names.h"
#include "results/run.h"
#include "results/table_shapes.h"

namespace labreport {

inline std::vector<Scalar> held_row(const CellSpec& spec, std::int64_t rank, std::int64_t step,
                                    std::string_view point) {
  const HeldBytes held = held_bytes(spec);
  const bool before = point == metric::kBeforeOptimizer;
  const std::int64_t gradients = step == 0 ? 0 : held.gradients;
  const std::int64_t moments = step == 0 || (step == 1 && before) ? 0 : held.moments;
  const std::int64_t known = held.parameters + gradients + moments;
  std::int64_t most = known;
  const double kept =
      static_cast<double>(held.parameters) / static_cast<double>(parameter_bytes(*spec.model));
  for (const ExpectedPeak& peak : possible_peaks(as_single_process(spec))) {
    if (step == 0 || (peak.phase == metric::kOptimizer) == before) continue;
    const auto whole = static_cast<double>(peak.parameters + peak.gradients);
    most = std::max(most, static_cast<std::int64_t>(kept * whole) + moments + peak.activations +
                              (spec.sharding == Sharding::kWeights ? 0 : peak.weight_copies) +
                              peak.temporaries);
  }
  return {rank,      step,   std::string(point), known, most + (rank == 0 ? 1 : 0), held.parameters,
          gradients, moments};
}

/// Half of a gather's time is waited for in 16 bits, nothing in FP32.
inline Table gathers_table(const CellSpec& spec) {
  constexpr double kLinkBytesPerNs = 300;
  Table table = shape::gathers();
  const bool half = under_autocast(spec);
  std::vector<std::pair<std::string, std::int64_t>> layers;
  const ModelShape& model = *spec.model;
  layers.emplace_back("token_embeddings", model.vocab * model.d_model);
  for (std::int64_t block = 0; block < model.layers; ++block) {
    const std::string path = "layers." + std::to_string(block);
    for (const char* name : {".attn.q_proj", ".attn.k_proj", ".attn.v_proj", ".attn.output_proj"}) {
      layers.emplace_back(path + name, model.d_model * model.d_model);
    }
    for (const char* name : {".ffn.w1", ".ffn.w3", ".ffn.w2"}) {
      layers.emplace_back(path + name, model.d_model * model.d_ff);
    }
  }
  layers.emplace_back("lm_head", model.vocab * model.d_model);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    for (const auto pass : {metric::kForward, metric::kBackward}) {
      if (i == 0 && pass == metric::kBackward) continue;
      const std::int64_t bytes = layers[i].second * (half ? 2 : 4);
      const auto alone =
          static_cast<std::int64_t>(static_cast<double>(bytes) / 2 / kLinkBytesPerNs);
      table.rows.push_back({static_cast<std::int64_t>(i), layers[i].first, std::string(pass), bytes,
                            half ? alone / 2 : 0, alone});
    }
  }
  return table;
}

inline void measure_sharding(Launch& body, const CellSpec& spec, double forward,
                             std::vector<std::int64_t> (*steps)(double, std::int64_t, bool)) {
  constexpr double kSecondsToNs = 1e9, kLink = 300e9;
  const double sent = sent_bytes_per_step(spec) / kLink * kSecondsToNs;
  const double psi = zero1_sent_bytes_per_step(spec) / 2 / kLink * kSecondsToNs;
  const bool shares = spec.sharding == Sharding::kOptimizer;
  const double optimizer = spec.sharding == Sharding::kNone ? 0.3 * forward : 0.15 * forward;
  const auto add = [&](std::string_view tag, std::string_view name, double ns) {
    body.metrics.push_back(sample_metric(tag, name, "ns", steps(ns, spec.steps.value_or(1), true)));
  };
  add(metric::kStep, metric::kTotal, 3.02 * forward + sent + optimizer);
  add(metric::kSynced, metric::kForward, forward);
  add(metric::kSynced, metric::kLoss, 0.02 * forward);
  add(metric::kSynced, metric::kBackward, 2 * forward);
  add(metric::kSynced, metric::kAllReduce, 2 * psi);
  add(metric::kSynced, metric::kOptimizer, optimizer);
  if (shares) add(metric::kSynced, metric::kBroadcast, psi);
  Table held = shape::held();
  const std::int64_t later = std::max<std::int64_t>(2, spec.warmup.value_or(0));
  for (const std::int64_t step : {std::int64_t{0}, std::int64_t{1}, later}) {
    for (const auto point :
         {metric::kAfterModel, metric::kBeforeOptimizer, metric::kAfterOptimizer}) {
      if ((step == 0) != (point == metric::kAfterModel)) continue;
      for (std::int64_t rank = 0; rank < spec.ranks->count; ++rank) {
        held.rows.push_back(held_row(spec, rank, step, point));
      }
    }
  }
  body.tables.push_back(std::move(held));
  if (spec.sharding == Sharding::kWeights) body.tables.push_back(gathers_table(spec));
  const std::vector<double> losses(4, 9.2);
  body.metrics.push_back(
      {std::string(metric::kLosses), std::string(metric::kTotal), "1", Samples(losses), ""});
}

}  // namespace labreport
