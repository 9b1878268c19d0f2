#include "document/section.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace labreport {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kWords = R"(# timing: Timing
## Steps
### Figure steps
title: Steps of {{size}}
columns: phase, ms
alt: Bars.
paper: no
page: Pointing at a bar names it.

Means of {{count}} steps.
### Table steps
title: All steps
### Details Table samples
data: steps
title: Samples
)";

struct Phase {
  std::string phase;
  double ms;
};

Dataset phases(const std::string& variant = "",
               std::vector<Phase> rows = {{"forward", 2}, {"loss", 1}}) {
  Dataset data = make_dataset("steps",
                              std::vector<Column<Phase>>{{"phase", "Phase", &Phase::phase},
                                                         {"ms", "Time", &Phase::ms, "ms"}},
                              rows);
  data.family = variant.empty() ? "" : "Context";
  data.variant = variant;
  return data;
}

std::string_view spec(const std::string&) {
  return R"({"data": {"name": "steps"}, "encoding": {"x": {"field": "ms"}, "color": {"field": "phase", "type": "nominal"}},
             "layer": [{"data": {"name": "other"}}], "mark": "bar"})";
}

Part placed(const std::vector<Dataset>& datasets) {
  PartContent content;
  content.facts.set("size", "small");
  content.facts.set("count", "10");
  content.datasets = datasets;
  return compose_section(kWords, {{"", content}}, spec).parts.at(0);
}

TEST(Exhibits, StandWhereTheWordsPlaceThem) {
  const Part part = placed({phases()});
  ASSERT_THAT(part.figures, SizeIs(1));
  EXPECT_EQ(part.figures[0].slug, "steps");
  EXPECT_EQ(part.figures[0].title, "Steps of small");
  EXPECT_EQ(part.figures[0].caption, "Means of 10 steps.");
  EXPECT_EQ(part.figures[0].alt, "Bars.");
  EXPECT_EQ(part.figures[0].in_page, "Pointing at a bar names it.");
  EXPECT_TRUE(part.figures[0].page_only);
  EXPECT_EQ(part.figures[0].data.columns.size(), 2u);
  ASSERT_THAT(part.tables, SizeIs(1));
  EXPECT_EQ(part.tables[0].title, "All steps");
  ASSERT_THAT(part.details.tables, SizeIs(1));
  EXPECT_EQ(part.details.tables[0].slug, "samples");
}

TEST(Exhibits, FiguresHaveTheirRowsAndTheThemesSigns) {
  const nlohmann::json figure = placed({phases()}).figures.at(0).spec;
  EXPECT_EQ(figure["data"]["values"][0]["ms"], 2.0);
  const nlohmann::json scale = figure["encoding"]["color"]["scale"];
  EXPECT_EQ(scale["domain"], (nlohmann::json{"forward", "loss"}));
  EXPECT_EQ(scale["range"][0], "#1f6fb2");
  EXPECT_FALSE(figure["data"]["values"][0].contains("ms_text"))
      << "which the figure's file does not mention";
}

TEST(Exhibits, ALayerMayNameADatasetOfItsOwn) {
  Dataset other = phases("", {{"band", 7}});
  other.name = "other";
  const nlohmann::json layer = placed({phases(), other}).figures.at(0).spec["layer"][0];
  EXPECT_EQ(layer["data"]["values"][0]["phase"], "band");
  EXPECT_THAT(placed({phases()}).figures.at(0).spec["layer"][0]["data"]["values"], IsEmpty());
}

TEST(Exhibits, AFigureHasWhatItsDatasetHandsThePage) {
  Dataset traced = phases();
  traced.live = {{"steps", {1, 2}}};
  EXPECT_EQ(placed({traced}).figures.at(0).live, traced.live);
  EXPECT_TRUE(placed({phases()}).figures.at(0).live.is_null());
}

TEST(Exhibits, EachVariantIsAFigureOfItsOwn) {
  const Part part = placed({phases("128"), phases("2,048")});
  ASSERT_THAT(part.figures, SizeIs(2));
  EXPECT_EQ(part.figures[1].slug, "steps-2-048");
  EXPECT_EQ(part.figures[1].family, "Context");
  EXPECT_EQ(part.figures[1].variant, "2,048");
  EXPECT_EQ(part.figures[1].title, "Steps of small, 2,048");
}

TEST(Exhibits, OfVariantsTheLastAloneMayStandOnPaper) {
  PartContent content;
  content.datasets = {phases("128"), phases("512"), phases("2,048", {})};
  const Part part = compose_section("# a: A\n## (b) B\n### Figure steps\ntitle: T\npaper: last\n",
                                    {{"b", content}}, spec)
                        .parts.at(0);
  ASSERT_THAT(part.figures, SizeIs(2));
  EXPECT_TRUE(part.figures[0].page_only);
  EXPECT_FALSE(part.figures[1].page_only);
}

TEST(Exhibits, WithoutRowsThereIsNothingToShow) {
  const Part part = placed({phases("", {})});
  EXPECT_THAT(part.figures, IsEmpty());
  EXPECT_THAT(part.tables, IsEmpty());
}

TEST(Exhibits, NeedATitle) {
  EXPECT_THROW(parse_section("# a: A\n## B\n### Table x\nno attributes\n"), Error);
}

}  // namespace
}  // namespace labreport
