#include "document/charts/charts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "document/charts/chart_forms.h"
#include "embedded/writers.h"

namespace labreport {
namespace {

using testing::HasSubstr;

TEST(SeriesStyle, TheSameThingLooksTheSameWhateverItsCompany) {
  EXPECT_EQ(series_style("backward", 0).colour, series_style("backward", 5).colour);
  EXPECT_EQ(series_style("backward", 0).shape, series_style("backward", 5).shape);
  EXPECT_EQ(series_style("copy", 0).colour, series_style("copy", 3).colour) << "kernel classes too";
}

TEST(SeriesStyle, UnknownNamesDifferFromTheirSiblings) {
  EXPECT_NE(series_style("mine", 0).colour, series_style("yours", 1).colour);
  EXPECT_NE(series_style("mine", 0).shape, series_style("yours", 1).shape);
}

TEST(SeriesStyle, SiblingsDifferInColourAndShape) {
  const std::vector<std::vector<std::string>> families = {
      {"forward", "backward", "optimizer", "loss"},
      {"CUDA module loading", "cuBLAS initialisation", "allocation", "kernels", "rest",
       "steady state"},
      {"fp32", "tf32", "bf16", "fp16"},
      {"small", "medium", "large", "xl", "2.7B"},
      {"small", "medium", "large", "xl", "10B"}};
  for (const auto& family : families) {
    const nlohmann::json colours = colour_channel("x", family)["scale"]["range"];
    const nlohmann::json shapes = shape_channel("x", family)["scale"]["range"];
    for (std::size_t i = 0; i < family.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        EXPECT_NE(colours[i], colours[j]) << family[i] << " and " << family[j];
        EXPECT_NE(shapes[i], shapes[j]) << family[i] << " and " << family[j];
      }
    }
  }
}

TEST(Style, TurnsEveryColourOfAChartDark) {
  const std::string style(embedded::writers().at("site/dark_inks.css"));
  for (const std::string_view colour : series_colours()) {
    EXPECT_THAT(style, HasSubstr("[fill=\"" + std::string(colour) + "\"] { fill: "));
    EXPECT_THAT(style, HasSubstr("[stroke=\"" + std::string(colour) + "\"] { stroke: "));
  }
  for (const std::string_view colour : {ink::kText, ink::kMuted, ink::kPaper}) {
    EXPECT_THAT(style, HasSubstr("[fill=\"" + std::string(colour) + "\"]"));
  }
  for (const std::string_view colour : {ink::kAxis, ink::kGrid}) {
    EXPECT_THAT(style, HasSubstr("[stroke=\"" + std::string(colour) + "\"]"));
  }
}

TEST(Themed, GivesASingleViewItsTotalWidth) {
  const nlohmann::json spec = themed({{"mark", "point"}}, ChartWidth::kNarrow);
  EXPECT_EQ(spec["width"], kNarrowChart);
  EXPECT_EQ(spec["autosize"]["type"], "fit");
}

TEST(Themed, GivesInnerViewsAWidthThatLeavesRoomForTheirAxes) {
  const nlohmann::json spec =
      themed({{"vconcat", {{{"mark", "point"}}, {{"mark", "bar"}}}}}, ChartWidth::kWide);
  EXPECT_FALSE(spec.contains("width"));
  for (const nlohmann::json& view : spec["vconcat"])
    EXPECT_LT(view["width"].get<int>(), kWideChart);
}

TEST(Axes, CarryTheirUnit) {
  EXPECT_EQ(axis_title("Time", "ms"), "Time (ms)");
  EXPECT_EQ(axis_title("Step", ""), "Step");
  EXPECT_EQ(log_channel("t", "Time", "ms")["title"], "Time (ms)");
}

TEST(UniqueIds, AreTheSameWhateverTheToolDrewBefore) {
  const std::string first = R"x(<clipPath id="clip3"/><g clip-path="url(#clip3)" href="#clip4"/>)x";
  const std::string later =
      R"x(<clipPath id="clip9"/><g clip-path="url(#clip9)" href="#clip10"/>)x";
  EXPECT_EQ(with_unique_ids(first, "a"),
            R"x(<clipPath id="a-1"/><g clip-path="url(#a-1)" href="#a-2"/>)x");
  EXPECT_EQ(with_unique_ids(first, "a"), with_unique_ids(later, "a"));
}

TEST(DotChart, NamesSeriesOnceAndGapsInTheLaneThatIsMissing) {
  const nlohmann::json spec = dot_chart({"Time", "ms"}, {"small", "xl"}, {"forward", "optimizer"},
                                        {{"small", "forward", 1, "1.0 ± 0.1", {0.9, 1.1}},
                                         {"small", "optimizer", 2, "2.0 ± 0.1", {}},
                                         {"xl", "forward", 3, "3.0 ± 0.1", {}}},
                                        {{"xl", "out of memory"}});
  const nlohmann::json& ticks = spec["layer"][0]["data"]["values"];
  EXPECT_EQ(ticks.size(), 2u);
  const nlohmann::json& dots = spec["layer"][1]["data"]["values"];
  EXPECT_EQ(dots[0]["label"], "forward  1.0 ± 0.1");
  EXPECT_EQ(dots[2]["label"], "3.0 ± 0.1");
  const nlohmann::json& gap = spec["layer"][2]["data"]["values"][0];
  EXPECT_EQ(gap["series"], "optimizer");
}

TEST(DotChart, BeginsALabelRightOfItsLastTick) {
  const nlohmann::json spec =
      dot_chart({"Time", "ms"}, {"small", "xl"}, {"forward"},
                {{"small", "forward", 2, "2", {1, 4, 1}}, {"xl", "forward", 3, "3", {}}}, {});
  const nlohmann::json& points = spec["layer"][1];
  EXPECT_EQ(points["layer"][1]["encoding"]["x"]["field"], "end");
  EXPECT_EQ(points["data"]["values"][0]["end"], 4);
  EXPECT_EQ(points["data"]["values"][1]["end"], 3);
}

TEST(StripChart, ShowsDistancesFromEachRowsOwnMean) {
  const nlohmann::json spec = strip_chart({{"a", {9, 11}}, {"b", {90, 110}}});
  const nlohmann::json& rows = spec["data"]["values"];
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_NEAR(rows[0]["deviation"].get<double>(), -10, 1e-9);
  EXPECT_NEAR(rows[3]["deviation"].get<double>(), 10, 1e-9);
}

TEST(StepChart, CountsStepsFromOneAndNamesEachLineAtItsEnd) {
  StepChart chart;
  chart.quantity = {"Time", "ms"};
  chart.lines = {{"small", {30, 10, 10}}};
  const nlohmann::json layers = step_chart(chart)["layer"];
  EXPECT_EQ(layers[0]["data"]["values"][0]["step"], 1);
  EXPECT_EQ(layers[1]["data"]["values"][0]["step"], 3);
  EXPECT_EQ(layers[1]["data"]["values"][0]["label"], "small");
}

}  // namespace
}  // namespace labreport
