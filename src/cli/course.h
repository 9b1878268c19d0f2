// Measures the implementations in a course checkout, each in the problem that asks for it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/measure.h"

namespace labreport {

/// Measures each implementation as a run of its own in a new folder of `out`/parts, and joins these
/// into one run below `out`/runs. The flags apply to all of them; --problems and --only leave out
/// those whose problem is not chosen. With --resume, continues the checkout's newest measurement:
/// complete parts are kept, and the new joined run replaces that of before. Prints what the
/// checkout has and lacks. Throws `InputError` if --course names no checkout, if nothing in it can
/// be measured, or if there is nothing to resume.
MeasureResult measure_course(RunFlags flags, const std::filesystem::path& out,
                             const std::vector<std::string>& argv);

/// Returns a line for each implementation that the checkout lacks: "missing: get_fsdp raises
/// NotImplementedError"; or why these are not known.
std::vector<std::string> missing_parts(const std::string& checkout);

}  // namespace labreport
