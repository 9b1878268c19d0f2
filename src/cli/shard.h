// One plan, many tasks: `labreport run --shard` and what joins them.
#pragma once

#include <filesystem>

#include "cli/measure.h"
#include "orchestrate/device_choice.h"
#include "orchestrate/pool.h"

namespace labreport {

void add_shard_flags(CLI::App& verb, RunFlags& flags);

/// Throws `InputError` for more tasks than the plan has groups of cells.
void refuse_idle_tasks(std::int64_t tasks, const std::vector<PlannedCell>& wanted);

/// What one task was told and what it runs with.
struct Task {
  PlanInput input;
  DeviceChoice choice;
  Session session;
  PoolSetup setup;
};

/// Measures, beside the other tasks, what of the plan is left, into the run below `root` that is of
/// this device's model. Throws `InputError` where `root` has another plan.
Measured measure_shard(const RunFlags& flags, const std::filesystem::path& root, Task task);

}  // namespace labreport
