#include "experiments/gradient_checkpointing/arrangements.h"

#include <algorithm>
#include <cmath>

namespace labreport::gradient_checkpointing {
namespace {

std::int64_t runs_by_halves(std::int64_t blocks) {
  if (blocks == 1) return 1;
  const std::int64_t first = blocks / 2;
  return first + runs_by_halves(blocks - first) + runs_by_halves(first);
}

/// Counts the stretch's input and the inputs that its second half holds.
std::int64_t inputs_by_halves(std::int64_t blocks) {
  return blocks == 1 ? 1 : 1 + inputs_by_halves(blocks - blocks / 2);
}

std::int64_t root(std::int64_t blocks) {
  return std::llround(std::sqrt(static_cast<double>(blocks)));
}

Arrangement one_level(std::string words, std::int64_t blocks, std::int64_t group) {
  return {std::move(words), (blocks + group - 1) / group, group, blocks};
}

}  // namespace

std::vector<Arrangement> arrangements(std::int64_t blocks) {
  const std::int64_t group = root(blocks);
  return {{"no checkpoints", 0, blocks, 0},
          one_level("one level, groups of √N ≈ " + std::to_string(group), blocks, group),
          one_level("one level, single blocks", blocks, 1),
          {"nested by halves", inputs_by_halves(blocks), 1, runs_by_halves(blocks)},
          {"each prefix from the input", std::min<std::int64_t>(blocks, 2), 1,
           blocks * (blocks + 1) / 2}};
}

}  // namespace labreport::gradient_checkpointing
