// Tests the advice of a run, and how the verb resolves a word to a run.
#include <gmock/gmock.h>

#include "cli/program_fixture.h"
#include "experiments/sample_runs.h"
#include "results/run_store.h"

namespace labreport::advise_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_samples::fake_run;
using testing_samples::input_for;

class Advise : public ProgramTest {
 protected:
  void keep(const std::string& place, const labreport::Run& run) {
    const RunStore store(folder_ / "site/runs" / place);
    store.create(run);
    store.finish(run);
  }
};

TEST_F(Advise, TakesAGpuPreviousLatestOrAFolder) {
  keep("nvidia-h200/2025/20260501-000000-a", fake_run(input_for("ladder")));
  keep("nvidia-h200/2025/20260502-000000-a", fake_run(input_for("flash_benchmarking")));
  for (const char* word : {"H200", "previous", "site/runs/nvidia-h200/2025/20260501-000000-a"}) {
    const CompletedProcess process = call({"advise", word});
    EXPECT_EQ(process.exit_status, 0) << word << process.messages;
    EXPECT_THAT(process.output, HasSubstr("ms a training step")) << word;
  }
  EXPECT_THAT(call({"advise", "latest"}).messages,
              HasSubstr("latest has no measurement of the problem ladder"));
  EXPECT_THAT(call({"advise", "B300"}).messages, HasSubstr("no run is called 'B300'"));
  EXPECT_THAT(call({"advise", "latest", "--edition", "2026"}).messages,
              HasSubstr("no measured run of the 2026 edition"));
}

TEST_F(Advise, NamesTheRunThatItChoseAmongSeveral) {
  const std::string with_ladder = "site/runs/nvidia-h200/2025/20260501-000000-a";
  keep("nvidia-h200/2025/20260501-000000-a", fake_run(input_for("ladder")));
  EXPECT_EQ(call({"advise", "H200"}).messages, "") << "there is no other";
  keep("nvidia-h200/2026/20260502-000000-a", fake_run(input_for("flash_benchmarking")));
  EXPECT_EQ(call({"advise", "H200"}).messages,
            "H200: " + with_ladder + " (newer runs: without a ladder)\n");
  EXPECT_EQ(call({"advise", with_ladder}).messages, "");
}

TEST_F(Advise, PrintsDeviationsAndMarksADemonstration) {
  keep("fake-gpu/2025/20260501-000000-a", fake_run(input_for("ladder")));
  const std::string of_gpu = call({"advise", "latest"}).output;
  EXPECT_THAT(of_gpu, testing::ContainsRegex("[(][0-9,.]+ ± [0-9,.]+ → [0-9,.]+ ± [0-9,.]+ ms[)]"));
  EXPECT_THAT(of_gpu, testing::ContainsRegex("1[.] .*: saves [0-9,.]+ ms, [0-9.]+×"));
  EXPECT_THAT(of_gpu, Not(HasSubstr("demonstration")));
  keep("fake-cpu/2025/20260502-000000-a", fake_run(input_for("ladder", Preset::kDemo)));
  EXPECT_THAT(call({"advise", "latest"}).output, HasSubstr("CPU demonstration"));
}

}  // namespace
}  // namespace labreport::advise_test
