#include "document/charts/xml_text.h"

#include <gtest/gtest.h>

#include "document/charts/charts.h"

namespace labreport {
namespace {

TEST(Themed, NoLabelStopsTheChartTool) {
  const nlohmann::json spec = {
      {"data", {{"values", {{{"label", "size\x07"}, {"a\x1b", "\xEF\xBF\xBF é\t"}}}}}}};
  const nlohmann::json drawn = themed(spec, ChartWidth::kWide);
  const nlohmann::json& row = drawn["data"]["values"][0];
  EXPECT_EQ(row["label"], "size\uFFFD");
  EXPECT_EQ(row["a\uFFFD"], "\uFFFD é\t");
}

}  // namespace
}  // namespace labreport
