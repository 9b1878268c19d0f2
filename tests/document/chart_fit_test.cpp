// What of a figure's file stands at which width.
#include <gtest/gtest.h>

#include "document/charts/charts.h"

namespace labreport {
namespace {

const nlohmann::json kSpec = nlohmann::json::parse(R"({
  "usermeta": {"narrow": {"height": 99}},
  "layer": [
    {"name": "series", "mark": "line", "encoding": {"color": {"field": "size", "legend": null}}},
    {"name": "wide-only-labels", "mark": "text"},
    {"name": "narrow-only-labels", "mark": "point"}
  ]
})");

TEST(ChartWidth, EachHasTheLayersThatAreMeantForIt) {
  const nlohmann::json wide = themed(kSpec, ChartWidth::kWide);
  const nlohmann::json narrow = themed(kSpec, ChartWidth::kNarrow);
  ASSERT_EQ(wide["layer"].size(), 2u);
  EXPECT_EQ(wide["layer"][1]["mark"], "text");
  ASSERT_EQ(narrow["layer"].size(), 2u);
  EXPECT_EQ(narrow["layer"][1]["mark"], "point");
}

TEST(ChartWidth, APhoneHasAKeyAboveInPlaceOfWordsBeside) {
  const auto legend = [](ChartWidth width) {
    return themed(kSpec, width)["layer"][0]["encoding"]["color"]["legend"];
  };
  EXPECT_TRUE(legend(ChartWidth::kWide).is_null());
  EXPECT_EQ(legend(ChartWidth::kNarrow)["orient"], "top");
}

TEST(ChartWidth, APhoneHasWhatTheFileSaysOfIt) {
  EXPECT_EQ(themed(kSpec, ChartWidth::kNarrow)["height"], 99);
  EXPECT_FALSE(themed(kSpec, ChartWidth::kWide).contains("height"));
}

}  // namespace
}  // namespace labreport
