// The command in a report that makes its run again.
#include <gmock/gmock.h>

#include "experiments/sample_runs.h"

namespace labreport {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_samples::measured;
using testing_samples::only;

std::string reproduced(const std::vector<std::string>& flags) {
  labreport::Run run = measured(only("fsdp_calcs", Preset::kFull, "2026"));
  auto& argv = run.sessions.front().argv;
  argv.insert(argv.end(), flags.begin(), flags.end());
  return build_document(run, false).reproduce;
}

TEST(Reproduce, PassesFlagsWithoutAVariableThroughArgs) {
  EXPECT_THAT(reproduced({"--problems", "ladder", "--size", "mini=64,256,2,4"}),
              HasSubstr(" PROBLEMS=ladder ARGS=\"--size mini=64,256,2,4\""));
  EXPECT_THAT(reproduced({"--steps=3", "--warmup", "1", "--batch", "2", "--separate-warmups"}),
              HasSubstr(" ARGS=\"--batch 2 --warmup 1 --steps 3 --separate-warmups\""));
  EXPECT_THAT(reproduced({"--size", "a=1,2,3,4", "b=2,2,3,4", "--out", "x"}),
              HasSubstr(" ARGS=\"--size a=1,2,3,4 --size b=2,2,3,4\""));
  EXPECT_THAT(reproduced({"--out", "x"}), Not(HasSubstr("ARGS")));
}

TEST(Reproduce, NamesGpusWhereThereAreSeveral) {
  EXPECT_THAT(reproduced({"--gpus", "0,1"}), HasSubstr(" GPUS=0,1"));
  EXPECT_THAT(reproduced({"--gpus", "1"}), Not(HasSubstr("GPUS")));
}

}  // namespace
}  // namespace labreport
