// Reports as PDF and as LaTeX: all of a render in one start of each tool.
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

/// "<folder>/report.tex" and "<folder>/parts/<part>.tex" likewise; `prints` is one a run.
std::vector<SiteFile> latex_of_runs(const std::vector<SiteRun>& runs,
                                    const std::vector<Prints>& prints, const SiteOptions& options,
                                    ChartTool& tool, Site& site);

}  // namespace labreport
