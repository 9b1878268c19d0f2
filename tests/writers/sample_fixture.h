// A made-up report with everything a report can have: five sizes, gaps, flags, details, markup in
// names. Its figures are invented for tests and look plausible.
#pragma once

#include <string>
#include <vector>

#include "document/document.h"
#include "document/drawings.h"

namespace labreport {

Document sample_document();

/// A run on a processor with markup where a hostile machine could put it.
Document demonstration_document();

/// Draws every chart as a rectangle whose id every chart shares, as the real tool's do.
class FakeChartTool : public ChartTool {
 public:
  std::vector<std::string> draw(const std::vector<std::string>& specs) override;
  std::vector<PrintedChart> print(const std::vector<std::string>& svgs) override;
  std::string bundle() override { return "// bundle\n"; }
  std::vector<TypesetResult> typeset(const std::vector<TypesetJob>& jobs) override {
    return std::vector<TypesetResult>(jobs.size(), TypesetResult{"%PDF-fake", ""});
  }
  std::vector<std::string> render_latex(const std::vector<std::string>& trees) override {
    return trees;
  }

  int starts = 0;
};

}  // namespace labreport
