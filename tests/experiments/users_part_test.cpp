// Tests plan and report of a run whose ranks train with a part of the user's.
#include <gmock/gmock.h>

#include "experiments/answer_budget.h"
#include "experiments/sample_runs.h"
#include "experiments/users_code.h"

namespace labreport::users_part_test {
namespace {

using testing::_;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using testing_samples::fake_run;

PlanInput input_of(const std::string& part, const std::string& problem,
                   bool takes_bucket_size = false) {
  PlanInput input = testing_samples::plan_input(Preset::kFull, "2026");
  ModelSource source;
  source.implementation = "get_it-0a1b2c3d";
  source.model = "tests/adapters.py:get_it";
  source.step =
      StepMaker{.takes_size = true, .takes_context = true, .takes_bucket_size = takes_bucket_size};
  source.part = part;
  input.selection.model = source;
  input.selection.modes = {Mode::kTrainStep};
  input.selection.only = {problem};
  input.selection.keeps_labreports_network = true;
  return input;
}

std::vector<CellSpec> users_cells(const PlanInput& input) {
  std::vector<CellSpec> cells = testing_samples::planned(input);
  std::erase_if(cells, [](const CellSpec& spec) { return spec.implementation.empty(); });
  return cells;
}

TEST(UsersPart, AContainerIsMeasuredBesideLabreportsSchemes) {
  const PlanInput input = input_of("ddp", "data_parallel");
  const auto users = users_cells(input);
  ASSERT_EQ(users.size(), 1u);
  EXPECT_EQ(users.front().scheme, Scheme::kOwnStep);
  EXPECT_FALSE(users.front().bucket_bytes);
  EXPECT_GT(testing_samples::planned(input, CellKind::kDataParallel).size(), 9u);
}

TEST(UsersPart, AContainerThatTakesABucketSizeIsMeasuredWithEachCapOfTheHandout) {
  std::vector<std::int64_t> caps;
  for (const CellSpec& spec : users_cells(input_of("ddp", "data_parallel", true)))
    caps.push_back(spec.bucket_bytes.value());
  EXPECT_THAT(caps, ElementsAre(1'000'000, 10'000'000, 100'000'000, 1'000'000'000));
}

TEST(UsersPart, AShardedOptimizerJoinsItsRanksByItself) {
  const auto users =
      users_cells(input_of("sharded_optimizer", "optimizer_state_sharding_accounting"));
  ASSERT_EQ(users.size(), 1u);
  EXPECT_EQ(users.front().sharding, Sharding::kOptimizer);
  EXPECT_TRUE(joins_by_itself(users.front()));
}

TEST(UsersPart, FsdpIsMeasuredInBothPrecisions) {
  const auto users = users_cells(input_of("fsdp", "fsdp_accounting"));
  ASSERT_EQ(users.size(), 2u);
  EXPECT_EQ(users.front().sharding, Sharding::kWeights);
  EXPECT_NE(users.front().precision, users.back().precision);
}

TEST(UsersPart, AMistakeBeginsTheSummary) {
  labreport::Run run = fake_run(input_of("ddp", "data_parallel"));
  for (Cell& cell : run.cells) {
    if (cell.spec.implementation.empty()) continue;
    Launch failed;
    failed.outcome = Failed{"after step 1 of 5, 5 of 6 weights differ"};
    cell.launches = {failed};
  }
  const Document document = build_document(run, false);
  ASSERT_EQ(document.sections.front().problem, "summary");
  EXPECT_THAT(document.sections.front().parts.front().answer,
              testing::StartsWith("- **get\\_it has no times:** after step 1 of 5"));
  EXPECT_THAT(document.method, HasSubstr("The training step is labreport's around "));
}

Part part_with(const PlanInput& input, const std::string& part) {
  return testing_samples::part_of(fake_run(input), part);
}

TEST(UsersPart, AnswersThePartThatAsksForItByName) {
  const auto answers = [](const std::string& kind, const std::string& part,
                          bool takes_caps = false) {
    const Part shown = part_with(input_of(kind, part.substr(0, part.find('.')), takes_caps), part);
    testing_answers::expect_within_budget(shown);
    return shown.answer;
  };
  EXPECT_THAT(answers("ddp", "data_parallel.c"),
              AllOf(StartsWith("With get\\_it's overlap a step of labreport's xl"),
                    HasSubstr("labreport's overlap takes"), HasSubstr("PyTorch's")));
  EXPECT_THAT(answers("ddp", "data_parallel.d"), StartsWith("labreport makes **"))
      << "a container without caps leaves the part about them to labreport";
  EXPECT_THAT(answers("ddp", "data_parallel.d", true), StartsWith("get\\_it makes **"));
  EXPECT_THAT(answers("ddp", "data_parallel.c", true), StartsWith("With labreport's overlap"));
  EXPECT_THAT(answers("sharded_optimizer", "optimizer_state_sharding_accounting.a"),
              HasSubstr("with get\\_it's sharding **"));
  EXPECT_THAT(answers("sharded_optimizer", "optimizer_state_sharding_accounting.b"),
              HasSubstr("with get\\_it's sharding and **"));
  EXPECT_THAT(answers("fsdp", "fsdp_accounting.a"),
              HasSubstr("With get\\_it the step peaks at **"));
}

TEST(UsersPart, NamesLabreportsSchemesThatAnswerForWantOfAnAdapter) {
  const PlanInput input = input_of("ddp", "data_parallel");
  for (const char* part : {"data_parallel.a", "data_parallel.b"}) {
    const Part shown = part_with(input, part);
    testing_answers::expect_within_budget(shown);
    EXPECT_THAT(shown.answer, HasSubstr("With labreport's scheme a step of labreport's xl"));
    EXPECT_THAT(shown.answer, testing::Not(HasSubstr("Yes")));
    EXPECT_THAT(shown.answer,
                testing::EndsWith("Your notes have to tell the numbers of your own."));
  }
  EXPECT_THAT(part_with(input, "data_parallel.c").answer, HasSubstr("against labreport's **"));
}

TEST(UsersPart, LeavesQuestionsOnItsDesignToTheNotes) {
  for (const auto& [kind, part] :
       {std::pair("sharded_optimizer", "optimizer_state_sharding_accounting.c"),
        {"fsdp", "fsdp_accounting.b"}}) {
    const std::string name = part, problem = name.substr(0, name.find('.'));
    const Part shown = part_with(input_of(kind, problem), name);
    EXPECT_THAT(shown.answer, AllOf(StartsWith("Only your notes can answer this"),
                                    HasSubstr("get\\_it"), HasSubstr("Write")));
    EXPECT_THAT(shown.answer, testing::Not(HasSubstr("labreport")));
    EXPECT_THAT(parts_on_design({problem}), ElementsAre(name));
    PlanInput labreports = testing_samples::plan_input(Preset::kFull, "2026");
    labreports.selection.only = {problem};
    EXPECT_THAT(part_with(labreports, name).answer, HasSubstr("labreport's"));
  }
}

TEST(UsersPart, StandsBeforeLabreportsAndPyTorchsRows) {
  const Part overlap = part_with(input_of("ddp", "data_parallel"), "data_parallel.c");
  EXPECT_THAT(testing_samples::texts_in(overlap.tables.front(), "Gradients"),
              ElementsAre("get_it", _, _, _, _, HasSubstr("PyTorch")));
  const Part buckets = part_with(input_of("ddp", "data_parallel", true), "data_parallel.d");
  EXPECT_THAT(testing_samples::texts_in(buckets.figures.front().table, "Gradients"),
              ElementsAre("get_it with 1 MB", _, _, _, "buckets of 1 MB", _, _, _));
  const Part memory = part_with(input_of("fsdp", "fsdp_accounting"), "fsdp_accounting.a");
  EXPECT_THAT(testing_samples::texts_in(testing_samples::table_of(memory, "points"), "Scheme"),
              AllOf(Contains("get_it"), Contains("nothing sharded")));
}

TEST(UsersPart, LeavesItsQuestionOpenIfItFails) {
  const auto fails = [](const CellSpec& spec, Launch& launch) {
    if (!spec.implementation.empty())
      testing_samples::end_with(launch, Failed{"weights differ from training in one process"});
  };
  for (const auto& [kind, part] :
       {std::pair("ddp", "data_parallel.c"),
        {"sharded_optimizer", "optimizer_state_sharding_accounting.b"}}) {
    const std::string name = part;
    const PlanInput input = input_of(kind, name.substr(0, name.find('.')));
    const Part shown = testing_samples::part_of(fake_run(input, fails), name);
    EXPECT_EQ(shown.answer, "This run does not answer this question.");
    EXPECT_THAT(testing_samples::lines_of(shown.tables.front()),
                Contains(AllOf(HasSubstr("get_it"), HasSubstr("weights differ"))));
  }
}

TEST(UsersPart, IsMeasuredWithoutCapsIfOnlyThePartBeforeThemIsWanted) {
  PlanInput input = input_of("ddp", "data_parallel", true);
  input.selection.only = {"data_parallel.c"};
  const auto users = users_cells(input);
  ASSERT_EQ(users.size(), 1u);
  EXPECT_FALSE(users.front().bucket_bytes);
  EXPECT_THAT(part_with(input, "data_parallel.c").answer, HasSubstr("PyTorch's"));
}

}  // namespace
}  // namespace labreport::users_part_test
