// Reports as PDF: all of a render in one start of the tool.
#pragma once

#include <string>
#include <vector>

#include "publish/site.h"

namespace labreport {

/// "<folder>/report.pdf" for each run; `drawings` is one a run. What could not be typeset is told
/// in the site's notice, one line each.
std::vector<SiteFile> typeset_runs(const std::vector<SiteRun>& runs,
                                   const std::vector<Drawings>& drawings,
                                   const SiteOptions& options, ChartTool& tool, Site& site);

}  // namespace labreport
