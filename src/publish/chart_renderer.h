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
  /// Chooses the Python of the folder `project` without starting it. The script of interactive
  /// charts is stored for later renders if there is a folder for it.
  explicit ChartProcess(const std::filesystem::path& project);

  std::vector<std::string> draw(const std::vector<std::string>& specs) override;
  std::vector<PrintedChart> print(const std::vector<std::string>& svgs) override;
  std::string bundle() override;
  std::vector<TypesetResult> typeset(const std::vector<TypesetJob>& jobs) override;
  Formulas convert_formulas(const std::set<std::string>& sources) override;
  std::vector<std::string> render_latex(const std::vector<std::string>& reports) override;

  /// Returns the versions and hashes on which the results depend; empty if they are unknown.
  std::string identity() const;

 private:
  /// Runs an embedded script in `folder`. Throws `Error` with its last line of output if it fails.
  void run_python(const std::string& script, const std::vector<std::string>& arguments,
                  const std::filesystem::path& folder, const HelperLimits& limits) const;
  std::filesystem::path bundle_folder();
  /// Returns pandoc's answer to `request` as JSON. `mode` is "formulas" or "latex"; `files` are the
  /// embedded files that this mode needs.
  template <typename Request>
  std::string run_pandoc(const char* mode, const Request& request, const HelperLimits& limits,
                         const std::vector<const char*>& files) const;

  HelperPython python_;
  std::filesystem::path bundle_folder_;
  std::optional<ScratchFolder> scratch_bundle_folder_;  ///< Used if `bundle_folder_` is empty.
  std::filesystem::path bundle_file_;                   ///< Set by `draw`.
};

}  // namespace labreport
