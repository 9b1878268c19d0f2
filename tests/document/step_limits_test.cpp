#include "document/step_limits.h"

#include <gmock/gmock.h>

namespace labreport::step_limits_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// A step of 10 ms on a GPU of 1 TFLOP/s and 1 TB/s: the FFN needs 2 of its 4 ms, AdamW 1 of 5 ms,
/// and for 1 ms the GPU idles.
LimitedStep step_in(const std::string& precision) {
  return {.network = "small",
          .parameters = 100,
          .precision = precision,
          .setting = "context 8, batch 1",
          .ms = 10,
          .flop_rate = 1e12,
          .bandwidth = 1e12,
          .blocks = {{"FFN", 4, 2e9, 1e9}, {"AdamW", 5, 1e6, 1e9}}};
}

LimitedStep tuned_step_in(const std::string& precision) {
  LimitedStep step = step_in(precision);
  step.tuned = true;
  step.ms = 5;
  step.blocks = {{"forward", 4, 2e9, 0}};
  return step;
}

std::vector<std::string> row_texts(const TableView& table, std::size_t row) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    texts.push_back(table.text(table.rows.at(row), i));
  return texts;
}

TEST(StepLimits, SaysHowMuchOfAStepItsWorkNeeds) {
  const auto figures = step_limits_figures({step_in("BF16")}, "");
  ASSERT_EQ(figures.size(), 1);
  EXPECT_EQ(figures.front().title,
            "Of the 10.0 ms of small in BF16, its parts need 3.00 at measured rates: AdamW alone "
            "could save 4.00 ms");
  EXPECT_THAT(figures.front().alt, HasSubstr("needs 20.0 % of its time, that of FFN 50.0 %"));
  const TableView& table = figures.front().table;
  ASSERT_EQ(table.rows.size(), 3);
  EXPECT_THAT(row_texts(table, 0),
              ElementsAre("FFN", "4.000", "0.00200", "0.931", "2.00", "50.0", "compute", "2.00"));
  EXPECT_THAT(row_texts(table, 2),
              ElementsAre("GPU idle", "1.000", "0", "0", "0", "0.0", "launches", "1.00"));
}

TEST(StepLimits, NamesPartsThatCachesServe) {
  LimitedStep step = step_in("BF16");
  EXPECT_THAT(step_limits_figures({step}, "").front().caption, Not(HasSubstr("Caches serve")));
  step.blocks.front().ms = 1;
  EXPECT_THAT(step_limits_figures({step}, "").front().caption, HasSubstr("Caches serve FFN"));
}

TEST(StepLimits, DrawsTheTunedStepOfTheSamePrecisionBelow) {
  const auto figures =
      step_limits_figures({step_in("BF16"), step_in("FP32"), tuned_step_in("BF16")}, "");
  ASSERT_EQ(figures.size(), 2);
  EXPECT_EQ(figures.front().table.rows.size(), 5);
  EXPECT_THAT(figures.front().caption, HasSubstr("the ladder's last step"));
  EXPECT_THAT(figures.front().caption, HasSubstr("count as needed: 2.00 ms."));
  EXPECT_THAT(figures.front().caption, Not(HasSubstr("data sheet")));
  EXPECT_EQ(figures.back().table.rows.size(), 3);
  EXPECT_GT(figures.front().spec.at("height"), figures.back().spec.at("height"));
}

TEST(StepLimits, TellsATunedStepsNeedAtTheRatesOfTheDataSheet) {
  LimitedStep tuned = tuned_step_in("BF16");
  tuned.data_sheet_ms = 1.5;
  const auto figures = step_limits_figures({step_in("BF16"), tuned}, "");
  EXPECT_THAT(figures.front().caption, HasSubstr("gives 1.50 ms for them"));
}

TEST(StepLimits, DrawsAStepOnceAndLeavesVariantsToThePage) {
  const auto figures =
      step_limits_figures({step_in("BF16"), step_in("BF16"), step_in("FP32")}, "H200");
  ASSERT_EQ(figures.size(), 2);
  EXPECT_EQ(figures.front().variant, "H200, BF16");
  EXPECT_THAT(figures.front().title, HasSubstr("of small on the H200 in BF16"));
  EXPECT_FALSE(figures.front().page_only);
  EXPECT_TRUE(figures.back().page_only);
  EXPECT_NE(figures.front().slug, figures.back().slug);
}

}  // namespace
}  // namespace labreport::step_limits_test
