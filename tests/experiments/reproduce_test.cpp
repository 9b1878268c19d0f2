// The command in a report that makes its run again.
#include <gmock/gmock.h>

#include "experiments/sample_runs.h"

namespace labreport {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_samples::measured;
using testing_samples::only;

std::string reproduced(Request request) {
  labreport::Run run = measured(only("fsdp_calcs", Preset::kFull, "2026"));
  run.sessions.front().request = std::move(request);
  const std::string command = build_document(run, false).reproduce;
  return command.substr(command.find("make report"));
}

TEST(Reproduce, PassesFlagsWithoutAVariableThroughArgs) {
  EXPECT_EQ(reproduced({.problems = "ladder", .own_sizes = {"mini=64,256,2,4", "b=2,2,3,4"}}),
            "make report EDITION=2026 PROBLEMS=ladder ARGS=\"--size mini=64,256,2,4 --size "
            "b=2,2,3,4\"");
  EXPECT_EQ(reproduced({.steps = "3", .batch = "2", .separate_warmups = true}),
            "make report EDITION=2026 ARGS=\"--steps 3 --batch 2 --separate-warmups\"");
  EXPECT_EQ(reproduced({}), "make report EDITION=2026");
}

TEST(Reproduce, NamesAModelAsItWasNamed) {
  EXPECT_EQ(reproduced({.model = "net.py:Net",
                        .beside = "labreport",
                        .model_args = R"({"dropout": 0.0})",
                        .compile = true,
                        .sizes = "small"}),
            "make report EDITION=2026 MODEL=net.py:Net AND=labreport "
            "'MODEL_ARGS={\"dropout\": 0.0}' COMPILE=1 SIZES=small");
}

TEST(Reproduce, NamesGpusWhereThereAreSeveral) {
  EXPECT_THAT(reproduced({.gpus = "0,1"}), HasSubstr(" GPUS=0,1"));
  EXPECT_THAT(reproduced({.gpus = "all"}), HasSubstr(" GPUS=all"));
  EXPECT_THAT(reproduced({.gpus = "1"}), Not(HasSubstr("GPUS")));
}

}  // namespace
}  // namespace labreport
