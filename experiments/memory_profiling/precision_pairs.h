// One network in two precisions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/document.h"
#include "experiments/memory_profiling/profile.h"

namespace labreport::memory_profiling {

/// At one context.
struct Pair {
  const Profile* own;
  const Profile* reduced;

  bool both_ran(Mode mode) const { return own->ran(mode) && reduced->ran(mode); }
};

/// By rising context; empty where the run has one precision.
std::vector<Pair> pairs_of(const std::vector<Profile>& profiles);

/// What the tables and the figure call the two.
struct PairNames {
  std::string own;
  std::string reduced;
};

TableView changes_table(const std::vector<Pair>& pairs, const PairNames& names);

/// The categories at the peaks of one context.
TableView categories_table(const Pair& pair, const PairNames& names);

Figure precisions_figure(const RunView& view, const std::vector<Pair>& pairs,
                         const PairNames& names);

}  // namespace labreport::memory_profiling
