// One block's part of a step, and its tables.
#pragma once

#include <string>
#include <vector>

#include "document/document.h"
#include "experiments/memory_profiling/profile.h"
#include "results/metric_names.h"

namespace labreport::memory_profiling {

/// What one operation of the block keeps.
struct Contributor {
  std::string module, operation, op;
  double bytes = 0;
  double count = 0;
};

struct Block {
  const Profile* profile;
  const Step* step;
  std::vector<Contributor> contributors;
  double kept = 0;

  double of(std::string_view name) const { return step->bytes(metric::kBlock, name).value_or(0); }
  double change() const { return of(metric::kAfterBackward) - of(metric::kBeforeBackward); }
  /// Over a block's backward the gradients come and what was kept goes.
  double gradients() const { return change() + kept; }
};

/// At the shortest context and at the longest of which a backward ran.
std::vector<Block> blocks_of(const Profiles& spoken_of);

TableView blocks_table(const std::vector<Block>& blocks);
TableView contributors_table(const Block& block);

/// What the block keeps by arithmetic, tensor by tensor.
TableView formula_table(const Block& block);

}  // namespace labreport::memory_profiling
