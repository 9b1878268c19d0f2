// Plans a launch of several ranks: which slots it takes, and what its processes' ends mean
// together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrate/launch.h"

namespace labreport {

/// Seconds after which a collective counts as hung, unless the launch's own limit comes first.
inline constexpr double kCollectiveSeconds = 60;

/// Returns the number of slots that a launch takes: one without ranks, one for each rank on GPUs,
/// and all `slots` for ranks on the CPU, because another launch would share their cores.
std::size_t slots_needed(const CellSpec& spec, std::size_t slots);

/// Says for readers why a cell's ranks do not fit on these slots: "this host has 1 GPU", or "--gpus
/// names 1 GPU" if the user named some of its GPUs. Returns nothing if the ranks fit.
std::optional<std::string> too_few_slots(const CellSpec& spec, const std::vector<Slot>& slots,
                                         bool named_gpus = false);

/// Returns one slot for each rank, in rank order. On GPUs the slot names the rank's own GPU of
/// `taken` first, then the other ranks'. On the CPU the ranks divide the cores equally.
std::vector<Slot> rank_slots(const CellSpec& spec, const std::vector<Slot>& taken);

struct RankEnd {
  Answer answer;
  bool gave_up = false;  ///< Failed in a collective: another rank may be at fault.
  bool stopped = false;  ///< Stopped by this program, because another rank had failed.
};

/// `judged` comes from `judge`. A process that NCCL's own watchdog ended also gave up.
RankEnd rank_end(Answer judged, const Ended& ended, bool asked_to_stop);

/// Joins the answers of all ranks. If all are ok, returns rank 0's with the warnings and devices of
/// the others. Else returns the answer of the rank at fault, whose outcome names the rank: a rank
/// that ran out of memory or died rather than one that waited for it in vain. A rank that had to be
/// stopped while the others waited for it counts as hung.
Answer joined(std::vector<RankEnd> ranks, double collective_seconds);

}  // namespace labreport
