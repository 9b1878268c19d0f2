// Tests the colors, widths and pictures of charts, and the requests to the tool that draws them.
#include "document/charts/charts.h"

#include <gmock/gmock.h>

#include "document/drawings.h"
#include "embedded/writers.h"
#include "writers/html/pictures.h"

namespace labreport::charts_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(SeriesStyle, IgnoresThePositionOfAKnownName) {
  EXPECT_EQ(series_style("backward", 0).color, series_style("backward", 5).color);
  EXPECT_EQ(series_style("backward", 0).shape, series_style("backward", 5).shape);
  EXPECT_EQ(series_style("copy", 0).color, series_style("copy", 3).color) << "kernel classes too";
  EXPECT_EQ(series_style("H200", 0).color, series_style("H200", 1).color) << "and GPUs";
}

TEST(SeriesStyle, DiffersBetweenUnknownNames) {
  EXPECT_NE(series_style("mine", 0).color, series_style("yours", 1).color);
  EXPECT_NE(series_style("mine", 0).shape, series_style("yours", 1).shape);
}

TEST(SeriesStyle, DiffersWithinAFamily) {
  const std::vector<std::vector<std::string>> families = {
      {"forward", "backward", "optimizer", "loss"},
      {"H200", "H100", "A100", "CPU"},
      {"CUDA module loading", "cuBLAS initialization", "allocation", "kernels", "rest",
       "steady state"},
      {"fp32", "tf32", "bf16", "fp16"},
      {"small", "medium", "large", "xl", "2.7B"},
      {"small", "medium", "large", "xl", "10B"}};
  for (const auto& family : families) {
    const nlohmann::json colors = series_scale("color", family)["range"];
    const nlohmann::json shapes = series_scale("shape", family)["range"];
    for (std::size_t i = 0; i < family.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        EXPECT_NE(colors[i], colors[j]) << family[i] << " and " << family[j];
        EXPECT_NE(shapes[i], shapes[j]) << family[i] << " and " << family[j];
      }
    }
  }
}

TEST(Style, TurnsEveryColorOfAChartDark) {
  const std::string style(embedded::writers().at("site/dark_inks.css"));
  for (const char* name : {"forward", "backward", "optimizer", "loss", "inference", "inputs",
                           "train_step", "forward_backward", "rest"}) {
    const std::string_view color = series_style(name, 0).color;
    EXPECT_THAT(style, HasSubstr("[fill=\"" + std::string(color) + "\"] { fill: "));
    EXPECT_THAT(style, HasSubstr("[stroke=\"" + std::string(color) + "\"] { stroke: "));
  }
  const nlohmann::json& config = chart_theme()["config"];
  for (const std::string color :
       {config["text"]["color"], config["axis"]["labelColor"], chart_theme()["background"]}) {
    EXPECT_THAT(style, HasSubstr("[fill=\"" + color + "\"]"));
  }
  for (const std::string color : {config["axis"]["tickColor"], config["axis"]["gridColor"]}) {
    EXPECT_THAT(style, HasSubstr("[stroke=\"" + color + "\"]"));
  }
}

TEST(Themed, GivesASingleViewItsTotalWidth) {
  const nlohmann::json spec = themed({{"mark", "point"}}, ChartWidth::kNarrow);
  EXPECT_EQ(spec["width"], kNarrowChartPixels);
  EXPECT_EQ(spec["autosize"]["type"], "fit");
}

TEST(Themed, GivesInnerViewsAWidthThatLeavesRoomForTheirAxes) {
  const nlohmann::json spec =
      themed({{"vconcat", {{{"mark", "point"}}, {{"mark", "bar"}}}}}, ChartWidth::kWide);
  EXPECT_FALSE(spec.contains("width"));
  for (const nlohmann::json& view : spec["vconcat"])
    EXPECT_LT(view["width"].get<int>(), kWideChartPixels);
}

TEST(Themed, ReplacesLettersThatStopTheChartTool) {
  const nlohmann::json spec = {
      {"data", {{"values", {{{"label", "size\x07 😀"}, {"a\x1b", "\xEF\xBF\xBF é\t"}}}}}}};
  const nlohmann::json drawn = themed(spec, ChartWidth::kWide);
  const nlohmann::json& row = drawn["data"]["values"][0];
  EXPECT_EQ(row["label"], "size\uFFFD \uFFFD");
  EXPECT_EQ(row["a\uFFFD"], "\uFFFD é\t");
}

TEST(UniqueIds, DoNotDependOnEarlierDrawings) {
  const std::string first = R"x(<clipPath id="clip3"/><g clip-path="url(#clip3)" href="#clip4"/>)x";
  const std::string later =
      R"x(<clipPath id="clip9"/><g clip-path="url(#clip9)" href="#clip10"/>)x";
  EXPECT_EQ(with_unique_ids(first, "a"),
            R"x(<clipPath id="a-1"/><g clip-path="url(#a-1)" href="#a-2"/>)x");
  EXPECT_EQ(with_unique_ids(first, "a"), with_unique_ids(later, "a"));
}

const nlohmann::json kSpec = nlohmann::json::parse(R"({
  "usermeta": {"narrow": {"height": 99}},
  "layer": [
    {"name": "series", "mark": "line", "encoding": {"color": {"field": "size", "legend": null}}},
    {"name": "wide-only-labels", "mark": "text"},
    {"name": "narrow-only-labels", "mark": "point"}
  ]
})");

TEST(ChartWidth, SelectsTheLayers) {
  const nlohmann::json wide = themed(kSpec, ChartWidth::kWide);
  const nlohmann::json narrow = themed(kSpec, ChartWidth::kNarrow);
  ASSERT_EQ(wide["layer"].size(), 2u);
  EXPECT_EQ(wide["layer"][1]["mark"], "text");
  ASSERT_EQ(narrow["layer"].size(), 2u);
  EXPECT_EQ(narrow["layer"][1]["mark"], "point");
}

TEST(ChartWidth, SelectsTheLayersOfPanels) {
  nlohmann::json panels{{"facet", {{"field", "network"}}}, {"spec", kSpec}};
  panels["spec"].erase("usermeta");
  const nlohmann::json narrow = themed(panels, ChartWidth::kNarrow)["spec"]["layer"];
  ASSERT_EQ(narrow.size(), 2u);
  EXPECT_EQ(narrow[1]["mark"], "point");
  EXPECT_TRUE(narrow[0]["encoding"]["color"]["legend"].is_null()) << "as the file describes it";
}

TEST(ChartWidth, PutsTheLegendAboveANarrowChart) {
  const auto legend = [](ChartWidth width) {
    return themed(kSpec, width)["layer"][0]["encoding"]["color"]["legend"];
  };
  EXPECT_TRUE(legend(ChartWidth::kWide).is_null());
  EXPECT_EQ(legend(ChartWidth::kNarrow)["orient"], "top");
}

TEST(ChartWidth, SelectsTheHeight) {
  EXPECT_EQ(themed(kSpec, ChartWidth::kNarrow)["height"], 99);
  EXPECT_FALSE(themed(kSpec, ChartWidth::kWide).contains("height"));
}

TEST(PictureFile, ContainsItsDarkInks) {
  const std::string file = picture_file("<svg width=\"20\"><g/></svg>");
  EXPECT_THAT(file, StartsWith("<svg width=\"20\"><style>@media (prefers-color-scheme: dark) {"));
  EXPECT_THAT(file, HasSubstr("[fill=\"#1f2328\"] { fill: #e6e9ec; }"));
  EXPECT_THAT(file, HasSubstr("}</style><g/></svg>"));
}

TEST(PictureElement, HasTheSizeOfItsPicture) {
  const std::string html = picture_element("<svg width=\"703\" height=\"549.5\">", "charts/a.svg");
  EXPECT_THAT(html, HasSubstr(" width=\"703\" height=\"549.5\""));
  EXPECT_THAT(html, HasSubstr("src=\"charts/a.svg\" alt=\"\" loading=\"lazy\""));
  EXPECT_THAT(picture_element("", "a\"b.svg"), HasSubstr("src=\"a&quot;b.svg\""));
  EXPECT_THAT(picture_element("", "a.svg"), Not(HasSubstr("width")));
}

}  // namespace
}  // namespace labreport::charts_test
