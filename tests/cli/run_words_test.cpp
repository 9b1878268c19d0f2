// Tests the words for a run in every verb that takes one, and the list of runs.
#include <gmock/gmock.h>

#include "cli/kept_runs.h"
#include "cli/program_fixture.h"

namespace labreport::run_words_test {
namespace {

using namespace testing_samples;
using testing::HasSubstr;

class RunWords : public ProgramTest {
 protected:
  void keep(const std::string& place, const labreport::Run& run) {
    keep_run(folder_ / "site/runs", place, run);
  }
};

labreport::Run run_of_problems(const std::string& problems) {
  labreport::Run run = three_launches();
  run.sessions.front().request.problems = problems;
  return run;
}

TEST_F(RunWords, EveryVerbTakesAWordForARun) {
  keep("nvidia-h200/2025/20260501-000000-a", three_launches());
  keep("nvidia-h200/2025/20260502-000000-a", three_launches());
  for (const auto& [word, folder] :
       {std::pair("latest", "site/runs/nvidia-h200/2025/20260502-000000-a"),
        std::pair("previous", "site/runs/nvidia-h200/2025/20260501-000000-a"),
        std::pair("H200", "site/runs/nvidia-h200/2025/20260502-000000-a")}) {
    for (const std::vector<std::string>& verb :
         std::vector<std::vector<std::string>>{{"check"},
                                               {"notes"},
                                               {"render", "--format", "md"},
                                               {"query", "select 1 "},
                                               {"diff", "latest"}}) {
      std::vector<std::string> words = verb;
      words.insert(words.begin() + 1, word);
      const CompletedProcess process = call(words);
      EXPECT_EQ(process.exit_status, 0) << verb[0] << ' ' << word << process.messages;
      EXPECT_THAT(process.messages, HasSubstr(std::string(word) + ": " + folder + "\n")) << verb[0];
    }
  }
}

TEST_F(RunWords, ADiffOfTwoGpusSaysThatItTookOneEdition) {
  keep("nvidia-h200/2025/20260501-000000-a", three_launches());
  keep("nvidia-h200/2026/20260502-000000-a", three_launches());
  keep("nvidia-b200/2025/20260503-000000-a", run_on_another_gpu(true));
  EXPECT_EQ(call({"diff", "B200", "H200"}).messages,
            "H200: site/runs/nvidia-h200/2025/20260501-000000-a (newest of one edition)\n");
}

TEST_F(RunWords, AListedRunSaysWhatItMeasured) {
  labreport::Run profiling = run_on_another_gpu(false);
  profiling.preset = "full";
  keep("nvidia-l4/2025/20260501-000000-a", profiling);
  keep("nvidia-h200/2025/20260502-000000-a",
       run_of_problems("pytorch_attention,flash_benchmarking"));
  keep("nvidia-h200/2026/20260503-000000-a",
       run_of_problems(
           "distributed_communication_single_node,data_parallel,fsdp_accounting,ladder"));
  keep("nvidia-h200/2025/20260504-000000-a", as_users_model(three_launches()));
  RunStore(folder_ / "site/runs/nvidia-h200/2025/20260505-imported").save_imported(imported_run());
  EXPECT_EQ(
      call({"list", "runs"}).output,
      R"(site/runs/nvidia-l4/2025/20260501-000000-a    full      profiling                                                     3 ok, 1 out of memory
site/runs/nvidia-h200/2025/20260502-000000-a  quick     pytorch_attention, flash_benchmarking                         3 ok
site/runs/nvidia-h200/2026/20260503-000000-a  quick     distributed_communication_single_node, data_parallel, 2 more  3 ok
site/runs/nvidia-h200/2025/20260504-000000-a  quick     profiling of Net-0a1b2c3d                                     3 ok
site/runs/nvidia-h200/2025/20260505-imported  imported  –                                                             1 ok
)");
}

TEST_F(RunWords, AFolderThatAKilledMergeLeftIsNamed) {
  keep("nvidia-h200/2025/20260501-000000-a", three_launches());
  const std::string leftover = "site/runs/nvidia-h200/2025/20260502-000000 b";
  std::filesystem::create_directories(folder_ / leftover / "artifacts");
  const CompletedProcess listed = call({"list", "runs"});
  EXPECT_EQ(listed.exit_status, 0);
  EXPECT_EQ(listed.messages, leftover + " holds no run: what made it was interrupted; `rm -r '" +
                                 leftover + "'` removes it\n");
  EXPECT_THAT(call({"check", leftover}).messages, HasSubstr(leftover + ": "));
}

TEST_F(RunWords, MergeSaysWhatItJoins) {
  keep("nvidia-h200/2025/20260501-000000-a", three_launches());
  const std::string run = "site/runs/nvidia-h200/2025/20260501-000000-a";
  const std::string remedy = "; name the --out of `labreport run --shard`\n";
  const auto refusal = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "merge");
    return call(words).messages;
  };
  EXPECT_EQ(refusal({run, run}),
            "labreport: merge needs the one folder that holds all shards of a plan; name the --out "
            "of `labreport run --shard`; `labreport submit` joins other runs\n");
  EXPECT_EQ(refusal({run + "/run.json"}), "labreport: " + run + "/run.json is no folder" + remedy);
  EXPECT_EQ(refusal({"nowhere"}), "labreport: nowhere is not there" + remedy);
  EXPECT_EQ(refusal({"site/runs"}), "labreport: no shards in site/runs" + remedy);
}

TEST_F(RunWords, ASizeOfGpusIsPlannedForAGpuElsewhere) {
  const CompletedProcess process = call({"run", "--dry-run", "--sizes", "2.7B"});
  EXPECT_EQ(process.exit_status, 2);
  EXPECT_THAT(
      process.messages,
      HasSubstr("the demonstration on the CPU has no size 2.7B; leave --sizes out, or plan "
                "for a GPU elsewhere: `labreport run --dry-run --gpu NAME --sizes 2.7B`\n"));
}

TEST_F(RunWords, HelpIsAVerbToo) {
  EXPECT_EQ(call({"help"}).output, call({"--help"}).output);
  EXPECT_EQ(call({"help", "diff"}).output, call({"diff", "--help"}).output);
}

}  // namespace
}  // namespace labreport::run_words_test
