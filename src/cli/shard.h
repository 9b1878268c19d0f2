// Divides one plan among many tasks, for `labreport run --shard`.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "orchestrate/shard.h"
#include "plan/planner.h"
#include "results/run.h"

namespace labreport {

/// Returns the parts of the plan, which are equal on every machine, because they are divided by
/// estimated times on an H100. Throws `InputError` for more tasks than the plan has groups of
/// cells.
Shards shards_of(const PlanInput& input, std::int64_t tasks);

/// The newest run below `root`, or in it, of the shard that `request` names.
std::optional<std::filesystem::path> run_of_shard(const std::filesystem::path& root,
                                                  const Request& request);

}  // namespace labreport
