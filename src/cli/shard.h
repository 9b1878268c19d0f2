// Divides one plan among many tasks, for `labreport run --shard`.
#pragma once

#include <filesystem>
#include <optional>

#include "orchestrate/shard.h"
#include "plan/planner.h"

namespace labreport {

/// Divides the plan. The parts are the same on every machine, because estimated times on an H100
/// decide on them. Throws `InputError` for more tasks than the plan has groups of cells.
Shards shards_of(const PlanInput& input, std::int64_t tasks);

/// Returns the newest run in or below `root` of the shard that `request` names; nothing if there is
/// none.
std::optional<std::filesystem::path> run_of_shard(const std::filesystem::path& root,
                                                  const Request& request);

}  // namespace labreport
