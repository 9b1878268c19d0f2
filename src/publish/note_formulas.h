// The formulas of notes, which no section has.
#pragma once

#include <string>
#include <vector>

#include "publish/site.h"

namespace labreport {

/// Gives the notes of `runs` the forms of their formulas, in one start of the tool at most; what
/// has none is shown as code. Returns one line where the tool failed, else nothing.
std::string convert_note_formulas(std::vector<SiteRun>& runs, ChartTool& tool);

}  // namespace labreport
