// Tests how a report marks a network of the user's whose steps do less than training steps.
#include "experiments/common/less_work.h"

#include <gmock/gmock.h>

#include "experiments/overview/overview.h"
#include "experiments/sample_runs.h"

namespace labreport::less_work_test {
namespace {

using namespace testing_samples;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

const std::string kFinding =
    "Net's steps do less than training steps: 14 of 74 parameters get no gradient";

PlanInput input_with_users_model() {
  PlanInput input = input_for("benchmarking_script.b");
  input.selection.sizes = {input.edition.sizes[1], input.edition.sizes[0]};
  input.selection.model.emplace().implementation = "Net-0a1b2c3d";
  return input;
}

void add_finding(const CellSpec& spec, Launch& launch) {
  if (spec.kind == CellKind::kDtypes)
    launch.warnings = {"3 of 3 parameters are bfloat16", kFinding};
}

TEST(LessWork, IsMeasuredOnceAtTheSmallestTimedSize) {
  std::vector<CellSpec> trained = planned(input_with_users_model(), CellKind::kDtypes);
  std::erase_if(trained, [](const CellSpec& spec) { return spec.precision.has_value(); });
  ASSERT_EQ(trained.size(), 1u);
  EXPECT_EQ(cell_id(trained[0]), "dtypes.cuda.Net-0a1b2c3d.d768-f3072-l12-h12-v10000.b4.c512");
  EXPECT_TRUE(planned(input_for("benchmarking_script.b"), CellKind::kDtypes).empty());
}

TEST(LessWork, IsMarkedInHeadRowAndAnswer) {
  const auto run = fake_run(input_with_users_model(), add_finding);
  EXPECT_THAT(overview::outcome_line(run), EndsWith("succeeded; " + kFinding));
  const Part part = part_of(run, "benchmarking_script.b");
  EXPECT_THAT(part.answer, HasSubstr("**" + kFinding + "**."));
  for (const std::string& line : lines_of(table_of(part, "phases")))
    EXPECT_THAT(line, HasSubstr("steps do less"));
}

TEST(LessWork, IsNotMentionedOfANetworkThatTrains) {
  const auto run = fake_run(input_with_users_model());
  EXPECT_THAT(overview::outcome_line(run), EndsWith("succeeded"));
  EXPECT_THAT(part_of(run, "benchmarking_script.b").answer, Not(HasSubstr("steps do")));
}

}  // namespace
}  // namespace labreport::less_work_test
