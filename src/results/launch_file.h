// Writes and reads the file of one finished launch. It is stored in cells/ until it is merged into
// run.json.
#pragma once

#include <string>
#include <string_view>

#include "results/run.h"

namespace labreport {

/// Writes the cell's id and parameters, the launch and its device. The device is included because
/// run.json may have been written before the device was known.
std::string launch_file_to_json(const Run& run, const Cell& cell, std::int64_t launch);

/// Adds the launch to the run, or ignores it if the run already has a launch of that number. Throws
/// `InputError` with `origin` if a launch with a smaller number is missing, or if the launch breaks
/// a rule of run.json. Returns the number of JSON values in the text.
std::size_t merge_launch_file(Run& run, std::string_view text, const std::string& origin);

/// Returns the index of an equal device in `run`; appends the device if there is none.
std::int64_t find_or_add_device(Run& run, const Device& device);

/// True if the last character, apart from spaces and line ends, is "}". If it is not, the text of a
/// launch file or a worker's report was cut short.
bool ends_with_brace(std::string_view text);

}  // namespace labreport
