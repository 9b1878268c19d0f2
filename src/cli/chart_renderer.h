// The chart tool as a process: Python with vl-convert, started once a render.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/drawings.h"

namespace labreport {

class ChartProcess : public ChartTool {
 public:
  /// `python` runs the tool; the interactive bundle is kept in `bundles` between renders.
  ChartProcess(std::filesystem::path python, std::filesystem::path bundles);

  std::vector<std::string> draw(const std::vector<std::string>& specs) override;
  std::string bundle() override;

 private:
  std::filesystem::path python_;
  std::filesystem::path bundles_;
  std::filesystem::path bundle_;  ///< Known after the first start.
};

/// The tool of the project in `project`: its `.venv` and `.deps`; else `python3` and the user's
/// cache folder. Nothing is started yet.
ChartProcess project_chart_tool(const std::filesystem::path& project);

}  // namespace labreport
