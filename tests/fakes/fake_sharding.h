// Calculates the fake worker's results for sharded training: bytes by formula, traffic at 300 GB/s.
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
  const bool before_optimizer = point == metric::kBeforeOptimizer;
  const std::int64_t gradients = step == 0 ? 0 : held.gradients;
  const std::int64_t moments = step == 0 || (step == 1 && before_optimizer) ? 0 : held.moments;
  const std::int64_t allocated = held.parameters + gradients + moments;
  std::int64_t peak_bytes = allocated;
  const double parameter_share =
      static_cast<double>(held.parameters) / static_cast<double>(parameter_bytes(*spec.model));
  for (const ExpectedPeak& peak : possible_peaks(as_single_process(spec))) {
    if (step == 0 || (peak.phase == metric::kOptimizer) == before_optimizer) continue;
    const auto unsharded = static_cast<double>(peak.parameters + peak.gradients);
    peak_bytes = std::max(
        peak_bytes,
        static_cast<std::int64_t>(parameter_share * unsharded) + moments + peak.activations +
            (spec.sharding == Sharding::kWeights ? 0 : peak.weight_copies) + peak.temporaries);
  }
  return {rank,
          step,
          std::string(point),
          allocated,
          peak_bytes + (rank == 0 ? 1 : 0),
          held.parameters,
          gradients,
          moments};
}

/// In 16 bits the step waits for half of each gather's time, and in FP32 for none of it.
inline Table gathers_table(const CellSpec& spec) {
  constexpr double kLinkBytesPerNs = 300;
  Table table = empty_table(metric::kGathers);
  const bool is_half = under_autocast(spec);
  std::vector<std::pair<std::string, std::int64_t>> layers;  // Module and number of weights.
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
      const std::int64_t bytes = layers[i].second * (is_half ? 2 : 4);
      const auto alone_ns =
          static_cast<std::int64_t>(static_cast<double>(bytes) / 2 / kLinkBytesPerNs);
      table.rows.push_back({static_cast<std::int64_t>(i), layers[i].first, std::string(pass), bytes,
                            is_half ? alone_ns / 2 : 0, alone_ns});
    }
  }
  return table;
}

inline void measure_sharding(Launch& body, const CellSpec& spec, double forward_ns,
                             std::vector<std::int64_t> (*steps)(double, std::int64_t, bool)) {
  constexpr double kNsPerSecond = 1e9, kLinkBytesPerSecond = 300e9;
  const double traffic_ns = sent_bytes_per_step(spec) / kLinkBytesPerSecond * kNsPerSecond;
  const double parameters_ns =
      zero1_sent_bytes_per_step(spec) / 2 / kLinkBytesPerSecond * kNsPerSecond;
  const bool shards_optimizer = spec.sharding == Sharding::kOptimizer;
  const double optimizer_ns = (spec.sharding == Sharding::kNone ? 0.3 : 0.15) * forward_ns;
  const auto add = [&](std::string_view tag, std::string_view name, double ns) {
    body.metrics.push_back(sample_metric(tag, name, "ns", steps(ns, spec.steps.value_or(1), true)));
  };
  add(metric::kStep, metric::kTotal, 3.02 * forward_ns + traffic_ns + optimizer_ns);
  add(metric::kSynced, metric::kForward, forward_ns);
  add(metric::kSynced, metric::kLoss, 0.02 * forward_ns);
  add(metric::kSynced, metric::kBackward, 2 * forward_ns);
  add(metric::kSynced, metric::kAllReduce, 2 * parameters_ns);
  add(metric::kSynced, metric::kOptimizer, optimizer_ns);
  if (shards_optimizer) add(metric::kSynced, metric::kBroadcast, parameters_ns);
  Table held = empty_table(metric::kHeld);
  const std::int64_t last_step = std::max<std::int64_t>(2, spec.warmup.value_or(0));
  for (const std::int64_t step : {std::int64_t{0}, std::int64_t{1}, last_step}) {
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
