// The flags that say what to measure, shared by `report`, `run` and `list cells`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "orchestrate/device_choice.h"
#include "plan/planner.h"
#include "results/request.h"

namespace labreport {

void add_measure_flags(CLI::App& verb, Request& request);

/// The flags, checked, for a preset already chosen. Throws `InputError` naming the nearest values.
PlanInput plan_input(const Request& request, Preset preset, DeviceKind device);

/// What to plan for these flags on this device; a model is loaded once, by its worker.
PlanInput plan_input(const Request& request, const DeviceChoice& choice);

/// "0,1" → {0, 1}, each once; "all" → none. Throws `InputError`.
std::vector<int> parse_gpus(const std::string& text);

/// Throws `InputError` for a preset or GPUs that are none.
DeviceWish device_wish(const Request& request);

}  // namespace labreport
