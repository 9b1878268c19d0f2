// Runs the chart tool as a process: Python with vl-convert, Typst or pandoc, each started only if
// there is something to draw, typeset or convert.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "document/drawings.h"
#include "publish/helper_python.h"
#include "publish/scratch_folder.h"

namespace labreport {

class ChartProcess : public ChartTool {
 public:
  /// The tool of the project in `project`. Nothing is started yet. The interactive bundle is stored
  /// between renders if there is a folder for it.
  explicit ChartProcess(const std::filesystem::path& project);

  std::vector<std::string> draw(const std::vector<std::string>& specs) override;
  std::vector<Print> print(const std::vector<std::string>& svgs) override;
  std::string bundle() override;
  std::vector<Typeset> typeset(const std::vector<TypesetJob>& jobs) override;
  Formulas convert(const std::set<std::string>& sources) override;
  std::vector<std::string> latex(const std::vector<std::string>& trees) override;

  /// Identifies everything that its drawings depend on except the spec, without a start; empty if
  /// unknown.
  std::string identity() const;

 private:
  /// Runs `program` in `folder`. Throws `Error` with the program's last line.
  void run_python(const std::string& program, const std::vector<std::string>& arguments,
                  const std::filesystem::path& folder, const HelperLimits& limits) const;
  std::filesystem::path bundles();
  /// Pandoc's answer to `request`, as JSON.
  template <typename Request>
  std::string run_pandoc(const char* what, const Request& request,
                         const HelperLimits& limits) const;

  HelperPython python_;
  std::filesystem::path bundles_;
  std::optional<ScratchFolder> own_bundles_;  ///< Used if nothing is stored.
  std::filesystem::path bundle_;              ///< Known after the first start.
};

}  // namespace labreport
