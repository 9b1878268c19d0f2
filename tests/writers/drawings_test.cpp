#include "document/drawings.h"

#include <gtest/gtest.h>

#include "writers/diff/diff_writers.h"
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
  const Document figures = figures_document(document_of(two_gpus()));
  Listener tool;
  draw_all({&figures}, tool);
  ASSERT_FALSE(tool.asked.empty());
  for (const std::string& spec : tool.asked) EXPECT_EQ(spec.find("\"href\":{"), spec.npos);
  const std::string live = figures_of(figures).front()->spec.dump();
  EXPECT_NE(live.find("\"href\":{"), live.npos) << "or this test asks for what is nowhere";
}

TEST(Drawings, OfRatiosHaveTheLineThatMeansEqual) {
  const Document figures = figures_document(document_of(two_gpus()));
  for (const Figure* figure : figures_of(figures)) {
    const nlohmann::json& line = figure->spec.at("layer").at(0);
    EXPECT_EQ(line.at("encoding").at("x").at("datum"), 1) << figure->slug;
    EXPECT_EQ(line.at("data").at("values").size(), 1u) << "no rule is drawn for no row";
  }
}

}  // namespace
}  // namespace labreport
