// The only owner of JSON keys: runs, launch requests and launch reports, to and from text.
#pragma once

#include <string>
#include <string_view>

#include "results/run.h"

namespace labreport {

/// Semantic version of the document that `to_json` writes.
inline constexpr std::string_view kSchemaVersion = "2.0.0";

/// Pretty-printed, keys in a fixed order, sample arrays on one line, a trailing newline.
std::string to_json(const Run& run);

/// Leaves out what this program does not know of a newer minor version and says so on stderr.
/// Throws `InputError` with `origin`, the path inside the document and what was expected: wrong
/// type, missing key, truncated text, another major version.
Run run_from_json(std::string_view text, const std::string& origin);

std::string to_json(const LaunchRequest& request);
LaunchRequest request_from_json(std::string_view text, const std::string& origin);

/// What the worker for models is asked to describe, and the implementation that it answers.
std::string to_json(const ModelSource& source);
std::string implementation_from_json(std::string_view text, const std::string& origin);

std::string to_json(const LaunchReport& report);
/// Throws `InputError` where run.json could not hold all of it.
LaunchReport report_from_json(std::string_view text, const std::string& origin);

}  // namespace labreport
