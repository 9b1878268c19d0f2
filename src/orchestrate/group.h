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

/// The number of slots that a launch takes at a time: one; as many as ranks on GPUs; all for ranks
/// on the CPU, because others would share their cores.
std::size_t slots_needed(const CellSpec& spec, std::size_t slots);

/// Says for readers why a cell's ranks do not fit on these slots: "this host has 1 GPU", or "--gpus
/// names 1 GPU" if the user named some of its GPUs. Nothing if they fit, and for cells without
/// ranks.
std::optional<std::string> too_few_slots(const CellSpec& spec, const std::vector<Slot>& slots,
                                         bool named_gpus = false);

/// The slots of a launch's ranks, in their order. `taken` has one slot a rank on GPUs; each GPU is
/// the first for its own rank and visible to the others; on the CPU the cores are divided.
std::vector<Slot> rank_slots(const CellSpec& spec, const std::vector<Slot>& taken);

/// The end of one of several processes.
struct RankEnd {
  Answer answer;
  bool gave_up = false;  ///< Failed in a collective: another rank may be at fault.
  bool stopped = false;  ///< Stopped by this program, because another rank had failed.
};

/// `judged` comes from `judge`. A process that NCCL's own watchdog ended also gave up.
RankEnd rank_end(Answer judged, const Ended& ended, bool asked_to_stop);

/// Joins the answers of all ranks. If all are ok, it is rank 0's with the warnings and devices of
/// the others. Else it is the outcome of the rank at fault, by name. One that ran out of memory or
/// died is at fault before one that waited for it in vain. One that had to be stopped while the
/// others waited for it hung.
Answer joined(std::vector<RankEnd> ranks, double collective_seconds);

}  // namespace labreport
