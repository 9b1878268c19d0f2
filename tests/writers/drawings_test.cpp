#include "document/drawings.h"

#include <gtest/gtest.h>

#include "writers/diff_runs.h"

namespace labreport {
namespace {

/// Keeps what it is asked to draw.
class Listener : public ChartTool {
 public:
  std::vector<std::string> draw(const std::vector<std::string>& specs) override {
    asked = specs;
    return std::vector<std::string>(specs.size(), "<svg></svg>");
  }
  std::string bundle() override { return ""; }

  std::vector<std::string> asked;
};

TEST(Drawings, LeadNowhereThoughThePagesChartsDo) {
  const Document document = document_of(two_gpus());
  Listener tool;
  draw_all({&document}, tool);
  ASSERT_FALSE(tool.asked.empty());
  for (const std::string& spec : tool.asked) EXPECT_EQ(spec.find("\"href\":{"), spec.npos);
  const std::string live = figures_of(document).front()->spec.dump();
  EXPECT_NE(live.find("\"href\":{"), live.npos) << "or this test asks for what is nowhere";
}

}  // namespace
}  // namespace labreport
