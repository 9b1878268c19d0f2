// Tests the values of --problems.
#include <gmock/gmock.h>

#include "cli/measure_flags.h"

namespace labreport::problems_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;

std::vector<std::string> chosen(const std::string& problems) {
  Request flags;
  flags.problems = problems;
  return plan_input(flags, Preset::kFull, DeviceKind::kCuda).selection.only;
}

TEST(Problems, ProfilingCanBeCombinedWithOthers) {
  EXPECT_THAT(chosen("profiling"), IsEmpty()) << "as where nothing is chosen";
  const auto both = chosen("profiling,naive_ddp");
  EXPECT_THAT(both, IsSupersetOf({"benchmarking_script", "memory_profiling", "data_parallel.a"}));
  EXPECT_EQ(both.size(), 6u);
  EXPECT_EQ(chosen("nsys_profile,profiling").size(), 5u) << "each once";
  EXPECT_THAT(chosen("ladder"), ElementsAre("ladder"));
}

}  // namespace
}  // namespace labreport::problems_test
