// Declares the flags that choose measurements, shared by `report`, `run` and `list cells`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "orchestrate/device_choice.h"
#include "plan/planner.h"
#include "results/request.h"

namespace labreport {

void add_measure_flags(CLI::App& verb, Request& request);

/// Does not load a model. Throws `InputError` with the nearest values for an invalid flag.
PlanInput plan_input(const Request& request, Preset preset, DeviceKind device);

/// Puts the session's code, as it was loaded, in the place of what the flags name.
void use_code_of(const Session& session, Selection& selection);

/// Says why the edition is not the default one although no flag names it; empty if it is.
std::string edition_words(const Request& request);

/// True if the part of a checkout that the request names answers one of the chosen problems.
bool answers_chosen_problem(const Request& request);

/// Leaves out of the plan what the selection's step maker does not take: sizes, contexts or
/// precisions besides the first. Throws `InputError` if the user asked for another precision.
void keep_what_step_takes(PlanInput& input);

/// Returns the plan's input for these flags on this device. If they name a user's model, the model
/// worker loads it once and reports its name.
PlanInput plan_input(const Request& request, const DeviceChoice& choice);

/// Parses "0,1" as {0, 1}, and "all" as an empty list. Throws `InputError`, also for duplicates.
std::vector<int> parse_gpus(const std::string& text);

/// Throws `InputError` for an unknown preset or invalid GPUs.
DeviceRequest device_request(const Request& request);

}  // namespace labreport
