#include "document/charts/curve_chart.h"

#include <gtest/gtest.h>

#include "document/charts/charts.h"
#include "document/charts/pair_chart.h"

namespace labreport {
namespace {

CurveChart two_curves() {
  CurveChart chart;
  chart.x = {{"Additions", ""}, false, {}, {}, {}, ""};
  chart.y = {{"Error", "%"}, true, {}, {}, {}, ""};
  chart.curves = {{"one", {{1, 0.1}, {2, 0.01}}}, {"two", {{1, 0}, {2, 0.0101}}}};
  return chart;
}

nlohmann::json rows_of(const nlohmann::json& layer) { return layer["data"]["values"]; }

TEST(CurveChart, DropsWhatALogAxisCannotHold) {
  const nlohmann::json layers = curve_chart(two_curves())["layer"];
  EXPECT_EQ(rows_of(layers[0]).size(), 3u);
}

TEST(CurveChart, MovesLabelsApartWhereCurvesEndTogether) {
  const nlohmann::json labels = rows_of(curve_chart(two_curves())["layer"][1]);
  ASSERT_EQ(labels.size(), 2u);
  EXPECT_EQ(labels[0]["label"], "one");
  EXPECT_GT(labels[1]["y"].get<double>(), 1.05 * labels[0]["y"].get<double>());
}

TEST(CurveChart, ShowsBandsWithTheirWords) {
  CurveChart chart = two_curves();
  chart.bands = {{1, 1.5, "launch-bound"}};
  const nlohmann::json layers = curve_chart(chart)["layer"];
  EXPECT_EQ(rows_of(layers[0])[0]["to"], 1.5);
  EXPECT_EQ(layers[1]["encoding"]["text"]["field"], "text");
}

TEST(CurvePanels, LeaveRoomForLabelsAtBothWidths) {
  const nlohmann::json spec = curve_panels({two_curves(), two_curves()});
  for (const ChartWidth width : {ChartWidth::kWide, ChartWidth::kNarrow}) {
    const int total = width == ChartWidth::kWide ? kWideChart : kNarrowChart;
    const nlohmann::json drawn = themed(spec, width);
    for (const nlohmann::json& view : drawn["vconcat"]) {
      EXPECT_LE(view["width"].get<int>() + two_curves().label_room, total);
    }
  }
}

TEST(CurveChart, HasAKeyAboveInPlaceOfWordsBesideWhereThereIsNoRoom) {
  CurveChart chart = two_curves();
  chart.bands = {{1, 1.5, "launch-bound"}};
  const nlohmann::json wide = themed(curve_chart(chart), ChartWidth::kWide);
  const nlohmann::json narrow = themed(curve_chart(chart), ChartWidth::kNarrow);
  EXPECT_EQ(wide["layer"].size(), narrow["layer"].size() + 2);  // the curves' names, the band's
  EXPECT_TRUE(wide["layer"][2]["encoding"]["color"]["legend"].is_null());
  EXPECT_EQ(narrow["layer"][1]["encoding"]["color"]["legend"]["orient"], "top");
  EXPECT_LT(narrow["padding"]["right"], wide["padding"]["right"]);
}

TEST(JoinedChart, NamesTheSeriesOfTheFirstRowThatHasBoth) {
  const nlohmann::json spec =
      joined_chart({"Time", "ms"}, {"small", "xl"}, {"forward"}, {"FP32", "BF16"},
                   {{"small", "forward", {{"FP32", 4}}, ""},
                    {"xl", "forward", {{"FP32", 40}, {"BF16", 10}}, "4.00 ×"}},
                   {});
  const nlohmann::json lines = rows_of(spec["layer"][0]);
  EXPECT_EQ(lines[1]["low"], 10);
  EXPECT_EQ(lines[1]["high"], 40);
  EXPECT_EQ(lines[1]["text"], "forward  4.00 ×");
  const nlohmann::json names = rows_of(spec["layer"][4]);
  ASSERT_EQ(names.size(), 2u);
  EXPECT_EQ(names[0]["group"], "xl");
}

}  // namespace
}  // namespace labreport
