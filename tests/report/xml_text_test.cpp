#include "report/xml_text.h"

#include <gtest/gtest.h>

#include "report/charts.h"

namespace labreport {
namespace {

TEST(XmlText, HasNoCharacterThatXmlForbids) {
  EXPECT_EQ(xml_text("a\x07\x1b[1m\tb\xEF\xBF\xBF é"), "a\uFFFD\uFFFD[1m\tb\uFFFD é");
}

TEST(Themed, NoLabelStopsTheChartTool) {
  const nlohmann::json spec = {{"data", {{"values", {{{"label", "size\x07"}}}}}}};
  const nlohmann::json drawn = themed(spec, ChartWidth::kWide);
  EXPECT_EQ(drawn["data"]["values"][0]["label"], "size\uFFFD");
}

}  // namespace
}  // namespace labreport
