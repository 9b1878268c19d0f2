// A launch of several ranks: which slots it takes, what its processes' ends mean together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrate/launch.h"

namespace labreport {

/// After that long a collective counts as hung, as long as a launch's own limit does not come
/// first.
inline constexpr double kCollectiveSeconds = 60;

/// How many slots a launch takes at a time: one; of ranks on GPUs as many; of ranks on the CPU all
/// there are, because others beside them would share its cores.
std::size_t slots_needed(const CellSpec& spec, std::size_t slots);

/// Why a cell's ranks have no room on these slots, for readers: "this host has 1 GPU"; where the
/// user named some of its GPUs, "--gpus names 1 GPU". Nothing where they have, and for cells
/// without ranks.
std::optional<std::string> too_few_slots(const CellSpec& spec, const std::vector<Slot>& slots,
                                         bool named_gpus = false);

/// The slots of a launch's ranks, in their order. `taken`: one a rank on GPUs, each of which comes
/// first for its own rank and is seen by the others; on the CPU the cores are divided.
std::vector<Slot> rank_slots(const CellSpec& spec, const std::vector<Slot>& taken);

/// How one of several processes ended.
struct RankEnd {
  Answer answer;
  bool gave_up = false;  ///< In a collective: another rank may be at fault.
  bool stopped = false;  ///< By us, because another rank had failed.
};

/// `judged`: see `judge`. A process that NCCL's own watchdog ended gave up, too.
RankEnd rank_end(Answer judged, const Ended& ended, bool asked_to_stop);

/// One answer of all ranks. Where all are ok: rank 0's, with the warnings and devices of the
/// others. Else the outcome of the rank that is at fault, by name: one that ran out of memory or
/// died before one that waited for it in vain; one that had to be stopped while the others waited
/// for it hung.
Answer joined(std::vector<RankEnd> ranks, double collective_seconds);

}  // namespace labreport
