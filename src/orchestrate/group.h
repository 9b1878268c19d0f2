// Plans the slots of a launch of several ranks, and joins the ranks' results.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrate/launch.h"

namespace labreport {

/// Seconds after which a collective counts as hung, unless the launch's own limit comes first.
inline constexpr double kCollectiveLimitSeconds = 60;

/// Returns the number of slots that a launch takes: one without ranks, one for each rank on GPUs,
/// and all slots for ranks on the CPU, because another launch would take the ranks' cores.
std::size_t slots_needed(const CellSpec& spec, std::size_t slot_count);

/// Returns the reason why a cell's ranks do not fit on these slots: "this host has 1 GPU", or
/// "--gpus names 1 GPU" if the user named some of the host's GPUs. Returns nothing if the ranks
/// fit.
std::optional<std::string> too_few_slots(const CellSpec& spec, const std::vector<Slot>& slots,
                                         bool gpus_are_named = false);

/// Returns one slot for each rank, in rank order. A GPU rank's slot lists the GPU of its own slot
/// in `taken` first, then those of the other ranks; for a step of the user's it lists them in rank
/// order, as torchrun does. CPU ranks divide the cores equally.
std::vector<Slot> rank_slots(const CellSpec& spec, const std::vector<Slot>& taken);

struct RankResult {
  LaunchResult result;
  bool failed_in_collective = false;  ///< True if another, faulty rank may be the cause.
  bool was_stopped = false;  ///< True if this program stopped it because another rank had failed.
  std::string place = {};    ///< The line where the code of a stopped or crashed rank stood.
};

/// Returns the user's innermost line in the Python stack that a stopped or crashed worker prints:
/// "train.py:31, in step". Returns "" if `messages` have no such stack.
std::string place_of_user_code(const std::string& messages);

/// Adds to `result`, which `judge_launch` returned, how the rank's process ended. A process that
/// NCCL's watchdog aborted failed in a collective. One that Gloo aborted failed by itself.
RankResult rank_result(LaunchResult result, const CompletedProcess& process, bool asked_to_stop);

/// Joins the results of all ranks. If all are ok, returns rank 0's with the warnings and devices of
/// the others. Otherwise returns the result of the rank at fault, and its outcome names the rank. A
/// rank that crashed or ran out of memory is at fault, not the ranks that waited for it in vain. If
/// ranks failed in a collective and another had to be stopped, that one hung and is at fault.
LaunchResult joint_result(std::vector<RankResult> ranks, double collective_limit_seconds);

}  // namespace labreport
