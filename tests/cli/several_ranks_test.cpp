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

  CompletedProcess compare(const std::string& problem, CellKind kind) {
    keep("a", problem, kind);
    keep("b", problem, kind);
    const CompletedProcess process = call({"diff", "a", "b", "--format", "table"});
    EXPECT_EQ(process.exit_status, 0) << process.messages;
    return process;
  }
};

TEST_F(DiffOfRanks, StepsOfShardedTrainingAreCompared) {
  const CompletedProcess process =
      compare("optimizer_state_sharding_accounting", CellKind::kSharding);
  EXPECT_THAT(process.output,
              AllOf(HasSubstr("optimizer_state_sharding_accounting"), HasSubstr("ranks over"),
                    HasSubstr("nothing sharded"), Not(HasSubstr("No whole step"))));
}

TEST_F(DiffOfRanks, AllReducesAreCompared) {
  const CompletedProcess process =
      compare("distributed_communication_single_node", CellKind::kAllReduce);
  EXPECT_THAT(
      process.output,
      AllOf(HasSubstr("equally fast, to within a per cent, in the median of 23 all-reduces"),
            HasSubstr("all-reduce, 6 ranks over Gloo  1 GB"), HasSubstr("busbw, B (GB/s)"),
            Not(HasSubstr("No whole step"))));
}

TEST_F(DiffOfRanks, AttentionIsNotComparedYet) {
  const CompletedProcess process = compare("pytorch_attention", CellKind::kAttention);
  EXPECT_THAT(process.output, AllOf(HasSubstr("can be compared yet"),
                                    Not(HasSubstr("No whole step")), Not(HasSubstr("1 cells"))));
}

TEST_F(DiffOfRanks, PlannedTimeOfRanksIsTheSameHoweverGpusAreNamed) {
  add_fake_gpus(kWorkerForAnyGpu);
  environment_["FAKE_NVML"] = "alike";
  const std::vector<std::string> words{"run",       "--dry-run", "--preset",   "full",
                                       "--edition", "2026",      "--problems", "fsdp_accounting"};
  std::vector<std::string> words_with_gpus = words;
  words_with_gpus.insert(words_with_gpus.end(), {"--gpus", "all"});
  const auto planned_time = [](const CompletedProcess& process) {
    const std::size_t about = process.messages.find("about ");
    return process.messages.substr(about, process.messages.find(';', about) - about);
  };
  EXPECT_EQ(planned_time(call(words_with_gpus)), planned_time(call(words)))
      << "each launch takes both";
}

}  // namespace
}  // namespace labreport::several_ranks_test
