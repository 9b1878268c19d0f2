// The chart tool as a process: Python with vl-convert, and with Typst, each started where there is
// something to draw or to typeset.
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
  std::vector<Print> print(const std::vector<std::string>& svgs) override;
  std::string bundle() override;
  std::vector<Typeset> typeset(const std::vector<TypesetJob>& jobs) override;

  /// What its drawings depend on besides the spec, found without a start; empty where unknown.
  std::string identity() const;

 private:
  /// Throws `Error` with the program's last line.
  void run_python(const std::string& program, const std::vector<std::string>& arguments,
                  double limit_seconds) const;

  std::filesystem::path python_;
  std::filesystem::path bundles_;
  std::filesystem::path bundle_;  ///< Known after the first start.
};

/// Where results are kept between renders: LABREPORT_CACHE, below the project's `.deps`, or in the
/// user's cache folder. Empty where LABREPORT_CACHE is: nothing is to be kept.
std::filesystem::path kept_results(const std::filesystem::path& project);

/// The tool of the project in `project`: its `.venv`, else `python3`. Nothing is started yet.
ChartProcess project_chart_tool(const std::filesystem::path& project);

}  // namespace labreport
