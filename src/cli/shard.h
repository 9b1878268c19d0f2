// One plan, many tasks: what `labreport run --shard` measures of it.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "orchestrate/shard.h"
#include "plan/planner.h"
#include "results/run.h"

namespace labreport {

/// The parts of the plan, the same wherever they are asked for: the times that they are shared out
/// by are an H100's. Throws `InputError` for more tasks than the plan has groups of cells.
Shards shards_of(const PlanInput& input, std::int64_t tasks);

/// The newest run below `root`, or in it, of the shard that `request` names.
std::optional<std::filesystem::path> run_of_shard(const std::filesystem::path& root,
                                                  const Request& request);

}  // namespace labreport
