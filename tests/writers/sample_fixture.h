// Makes a report with everything that a report can have: five sizes, missing values, flags, details
// and markup in names. Its numbers are invented and look plausible.
#pragma once

#include <string>
#include <vector>

#include "document/document.h"
#include "document/drawings.h"
#include "document/summary.h"

namespace labreport {

Document sample_document();

/// Summarizes the run of that report: its network takes 1133.5 ms in FP32 and 303.1 ms in BF16.
RunSummary sample_summary(const Document& report, const std::string& folder);

/// Makes the report of a CPU run whose device has a name with markup.
Document demonstration_document();

/// Draws every chart as a rectangle with the same id; charts of the real tool share ids as well.
class FakeChartTool : public ChartTool {
 public:
  std::vector<std::string> draw(const std::vector<std::string>& specs) override;
  std::vector<PrintedChart> print(const std::vector<std::string>& svgs) override;
  std::string bundle() override { return "// bundle\n"; }
  std::vector<TypesetResult> typeset(const std::vector<TypesetJob>& jobs) override {
    return std::vector<TypesetResult>(jobs.size(), TypesetResult{"%PDF-fake", ""});
  }
  std::vector<std::string> render_latex(const std::vector<std::string>& reports) override {
    return reports;
  }

  int starts = 0;  ///< Calls of `draw`.
};

}  // namespace labreport
