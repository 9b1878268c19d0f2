#include "experiments/gradient_checkpointing/arrangements.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"

namespace labreport::gradient_checkpointing {
namespace {

std::int64_t recomputed_by_halves(std::int64_t blocks) {
  if (blocks == 1) return 1;
  const std::int64_t half = blocks / 2;
  return half + recomputed_by_halves(blocks - half) + recomputed_by_halves(half);
}

/// Returns the most block inputs held at once: the first block's, and those of the second half.
std::int64_t held_inputs_by_halves(std::int64_t blocks) {
  return blocks == 1 ? 1 : 1 + held_inputs_by_halves(blocks - blocks / 2);
}

Arrangement one_level(std::string words, std::int64_t blocks, std::int64_t group_size) {
  return {std::move(words), (blocks + group_size - 1) / group_size, group_size, blocks};
}

struct ArrangementRow {
  const CheckpointedNetwork* network;
  Arrangement arrangement;

  double activation_bytes() const {
    return static_cast<double>(arrangement.held_inputs) * network->boundary_bytes() +
           static_cast<double>(arrangement.held_blocks) * network->block_bytes();
  }
  /// Returns FLOPs / FLOPs without checkpoints. A block's backward counts as two forward passes.
  double compute_ratio() const {
    const auto forward_passes = 3 * static_cast<double>(network->layers());
    return (forward_passes + static_cast<double>(arrangement.recomputed_forwards)) / forward_passes;
  }
};

const std::vector<Column<ArrangementRow>> kArrangements{
    {"arrangement", "Arrangement", [](const ArrangementRow& row) { return row.arrangement.words; }},
    {"inputs",
     "Inputs held",
     [](const ArrangementRow& row) { return row.arrangement.held_inputs; },
     "",
     {Notation::kCount}},
    {"residuals",
     "Blocks of residuals",
     [](const ArrangementRow& row) { return row.arrangement.held_blocks; },
     "",
     {Notation::kCount}},
    {"bytes", "Activations",
     [](const ArrangementRow& row) { return format_bytes(row.activation_bytes()); }},
    {"again",
     "Forwards run again",
     [](const ArrangementRow& row) { return row.arrangement.recomputed_forwards; },
     "",
     {Notation::kCount}},
    {"compute", "Compute", &ArrangementRow::compute_ratio, "×", {Notation::kFixed, 2}}};

}  // namespace

std::vector<Arrangement> arrangements(std::int64_t blocks) {
  const std::int64_t root = std::llround(std::sqrt(static_cast<double>(blocks)));
  return {{"no checkpoints", 0, blocks, 0},
          one_level("one level, groups of √N ≈ " + std::to_string(root), blocks, root),
          one_level("one level, single blocks", blocks, 1),
          {"nested by halves", held_inputs_by_halves(blocks), 1, recomputed_by_halves(blocks)},
          {"each prefix from the input", std::min<std::int64_t>(blocks, 2), 1,
           blocks * (blocks + 1) / 2}};
}

PartContent present_nested(const std::vector<CheckpointedNetwork>& networks) {
  const CheckpointedNetwork& network = networks.front();
  std::vector<ArrangementRow> rows;
  for (Arrangement& arrangement : arrangements(network.layers())) {
    rows.push_back({&network, std::move(arrangement)});
  }
  PartContent part;
  part.facts.set("words", network.words).set("blocks", format_count(network.layers()));
  part.facts.set("boundary", format_bytes_briefly(network.boundary_bytes()));
  part.facts.set("residuals", format_bytes_briefly(network.block_bytes()));
  const Arrangement &halves = rows.at(3).arrangement, &prefixes = rows.at(4).arrangement;
  part.facts.set("halves_inputs", format_count(halves.held_inputs));
  part.facts.set("halves_again", format_count(halves.recomputed_forwards));
  part.facts.set("prefixes_again", format_count(prefixes.recomputed_forwards));
  part.calculated = true;
  part.datasets = {make_dataset("arrangements", kArrangements, rows)};
  for (const Spacing& spacing : network.spacings) part.cells.push_back(spacing.cell);
  return part;
}

}  // namespace labreport::gradient_checkpointing
