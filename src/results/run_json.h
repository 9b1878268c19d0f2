// Converts runs, launch requests and launch reports to JSON text and back.
#pragma once

#include <string>
#include <string_view>

#include "results/run.h"

namespace labreport {

/// The semantic version of run.json that `to_json` writes.
inline constexpr std::string_view kSchemaVersion = "2.0.0";

/// Returns indented JSON with keys in a fixed order, sample arrays on one line and a trailing
/// newline.
std::string to_json(const Run& run);

/// Ignores unknown keys and units of a newer minor version, with a warning on stderr. Throws
/// `InputError` with `origin`, the path in the document and the expected value, for example for a
/// wrong type, a missing key, truncated text, or another major version.
Run run_from_json(std::string_view text, const std::string& origin);

std::string to_json(const LaunchRequest& request);
LaunchRequest request_from_json(std::string_view text, const std::string& origin);

/// Adds to `source` what the model worker's `--describe` says: the implementation's name, and of a
/// maker of training steps what it takes. Throws `InputError` for text in another form.
void read_description(ModelSource& source, std::string_view text, const std::string& origin);

std::string to_json(const LaunchReport& report);
/// Throws `InputError` if run.json could not hold the whole report.
LaunchReport report_from_json(std::string_view text, const std::string& origin);

}  // namespace labreport
