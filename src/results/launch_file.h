// One finished launch as it lies in cells/ until it is merged into run.json.
#pragma once

#include <string>
#include <string_view>

#include "results/run.h"

namespace labreport {

/// The cell's identity, the launch and the device it ran on (self-contained: the run.json beside it
/// may be older and not know the device yet).
std::string launch_file_to_json(const Run& run, const Cell& cell, std::int64_t launch);

/// Adds the launch to the run, at its number and with its device's index in this run. One that the
/// run has already is left alone. Throws `InputError` with `origin` where run.json could not hold
/// it. Returns how many values the text holds.
std::size_t merge_launch_file(Run& run, std::string_view text, const std::string& origin);

/// The index of an equal device, which is appended when there is none.
std::int64_t find_or_add_device(Run& run, const Device& device);

/// Whether a launch's file, or a worker's report, has its end.
bool is_whole(std::string_view text);

}  // namespace labreport
