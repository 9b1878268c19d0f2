// Compares two runs that have only cells of several ranks in common.
#include <gmock/gmock.h>

#include "cli/program_fixture.h"
#include "experiments/sample_runs.h"
#include "results/run_store.h"

namespace labreport::several_ranks_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing_samples::fake_run;
using testing_samples::input_for;

class DiffOfRanks : public ProgramTest {
 protected:
  /// Stores a run with the problem's cells of that kind only.
  void keep(const std::string& name, const std::string& problem, CellKind kind) {
    labreport::Run run = fake_run(input_for(problem));
    std::erase_if(run.cells, [&](const Cell& cell) { return cell.spec.kind != kind; });
    const RunStore store(folder_ / name);
    store.create(run);
    store.finish(run);
  }

  Ended compared(const std::string& problem, CellKind kind) {
    keep("a", problem, kind);
    keep("b", problem, kind);
    const Ended ended = call({"diff", "a", "b", "--format", "table"});
    EXPECT_EQ(ended.exit_status, 0) << ended.messages;
    return ended;
  }
};

TEST_F(DiffOfRanks, StepsOfShardedTrainingAreCompared) {
  const Ended ended = compared("optimizer_state_sharding_accounting", CellKind::kSharding);
  EXPECT_THAT(ended.output, AllOf(HasSubstr("Steps of ranks that shard"), HasSubstr("ranks over"),
                                  HasSubstr("nothing sharded"), Not(HasSubstr("No whole step"))));
}

TEST_F(DiffOfRanks, AllReducesAreCompared) {
  const Ended ended = compared("distributed_communication_single_node", CellKind::kAllReduce);
  EXPECT_THAT(ended.output,
              AllOf(HasSubstr("equally fast within 1 % in the median of 30 all-reduces"),
                    HasSubstr("all-reduce, 6 ranks over Gloo  1 GB"), HasSubstr("busbw, B (GB/s)"),
                    Not(HasSubstr("No whole step"))));
}

TEST_F(DiffOfRanks, WhatHasNoMeasureIsSaidNotToBeCompared) {
  const Ended ended = compared("pytorch_attention", CellKind::kAttention);
  EXPECT_THAT(ended.output, AllOf(HasSubstr("can be compared yet"), Not(HasSubstr("No whole step")),
                                  Not(HasSubstr("1 cells"))));
}

TEST_F(DiffOfRanks, PlannedTimeOfRanksIsTheSameHoweverGpusAreNamed) {
  have_gpus(kAnyChip);
  environment_["FAKE_NVML"] = "alike";
  const std::vector<std::string> words{"run",       "--dry-run", "--preset",   "full",
                                       "--edition", "2026",      "--problems", "fsdp_accounting"};
  std::vector<std::string> all = words;
  all.insert(all.end(), {"--gpus", "all"});
  const auto planned = [](const Ended& ended) {
    const std::size_t about = ended.messages.find("about ");
    return ended.messages.substr(about, ended.messages.find(';', about) - about);
  };
  EXPECT_EQ(planned(call(all)), planned(call(words))) << "each launch takes both";
}

}  // namespace
}  // namespace labreport::several_ranks_test
