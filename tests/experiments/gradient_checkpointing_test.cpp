// What the problem of gradient checkpointing plans, and what it says of a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/gradient_checkpointing/arrangements.h"
#include "experiments/gradient_checkpointing/choices.h"
#include "experiments/sample_runs.h"
#include "plan/memory.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

using gradient_checkpointing::Arrangement;
using gradient_checkpointing::arrangements;
using gradient_checkpointing::Checkpointed;
using gradient_checkpointing::checkpointed_networks;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing_samples::as_it_is;
using testing_samples::Change;
using testing_samples::end_with;
using testing_samples::measured;
using testing_samples::plan_input;

using Group = std::optional<std::int64_t>;

PlanInput checkpoints(Preset preset = Preset::kFull, const char* edition = "2026") {
  return testing_samples::only("gradient_checkpointing", preset, edition);
}

std::vector<CellSpec> planned(const PlanInput& input, const labreport::Run& so_far = {}) {
  return testing_samples::planned(input, CellKind::kCheckpointing, so_far);
}

std::vector<Group> groups(const std::vector<CellSpec>& specs) {
  std::vector<Group> found;
  for (const CellSpec& spec : specs) found.push_back(spec.group);
  return found;
}

/// As on a GPU with less memory than the fake one.
Change with_memory(double gibibytes) {
  return [=](const CellSpec& spec, Launch& launch) {
    if (spec.kind != CellKind::kCheckpointing) return;
    const auto room = static_cast<std::int64_t>(gibibytes * (1LL << 30));
    if (expected_peak(spec).total() <= room) return;
    CellSpec both = spec;
    both.mode = Mode::kForwardBackward;
    const OutOfMemory refused{"backward", 1 << 30, room, room};
    if (expected_peak(both).total() > room) return end_with(launch, refused);
    launch.outcome = refused;
    std::erase_if(launch.metrics, [](const Metric& metric) {
      return metric.name == metric::kPeakAllocated || metric.unit != "B";
    });
  };
}

std::vector<Checkpointed> networks(const labreport::Run& run) {
  return checkpointed_networks(RunView(run, find_edition(run.edition)));
}

Part part(const labreport::Run& run, const std::string& letter) {
  return testing_samples::part_of(run, "gradient_checkpointing." + letter);
}

std::string answer(const Change& change, Preset preset = Preset::kFull) {
  return part(measured(checkpoints(preset), change), "b").answer;
}

TEST(CheckpointingPlan, IsNoPartOfARunThatDoesNotAskForItNorOf2025) {
  EXPECT_TRUE(planned(plan_input(Preset::kFull, "2026")).empty());
  EXPECT_TRUE(planned(checkpoints(Preset::kFull, "2025")).empty());
}

TEST(CheckpointingPlan, IsTheHandoutsStepWithoutCheckpointsAndWithEveryPowerOfTwoBelowItsBlocks) {
  const std::vector<CellSpec> specs = planned(checkpoints());
  EXPECT_THAT(groups(specs), ElementsAre(Group(), 1, 2, 4, 8, 16));
  EXPECT_EQ(cell_id(specs.front()),
            "checkpointing.cuda.d2560-f10240-l32-h32-v10000.b4.c2048.fp32.train_step.w1.n3");
  EXPECT_EQ(cell_id(specs.back()),
            "checkpointing.cuda.d2560-f10240-l32-h32-v10000.g16.b4.c2048.fp32.train_step.w1.n3");
}

TEST(CheckpointingPlan, OfPresetsHasFewerGroups) {
  EXPECT_THAT(groups(planned(checkpoints(Preset::kQuick))), ElementsAre(Group(), 1, 2, 4));
  EXPECT_THAT(groups(planned(checkpoints(Preset::kDemo))), ElementsAre(Group(), 1, 2, 4));
  EXPECT_EQ(planned(checkpoints(Preset::kDemo)).front().context, 64);
}

TEST(CheckpointingPlan, KeepsWhatTheUserChose) {
  PlanInput input = checkpoints();
  input.selection.sizes = {{"three", {64, 128, 3, 2, 100}}};
  input.selection.contexts = {128};
  input.selection.precisions = {Precision::kFp32, Precision::kBf16};
  input.selection.batch = 7;
  const std::vector<CellSpec> specs = planned(input);
  EXPECT_THAT(groups(specs), ElementsAre(Group(), 1, 2, Group(), 1, 2));
  EXPECT_EQ(specs.back().precision, Precision::kBf16);
  EXPECT_EQ(specs.back().context, 128);
  EXPECT_EQ(specs.back().batch, 7);
  input.selection.modes = {Mode::kForwardBackward};
  EXPECT_EQ(planned(input).front().mode, Mode::kForwardBackward);
  input.selection.modes = {Mode::kForward};
  EXPECT_TRUE(planned(input).empty()) << "without a backward pass nothing runs again";
}

TEST(CheckpointingPlan, TakesTheNextSizeWhereSingleBlocksHaveNoRoom) {
  const auto sizes = [](double gibibytes) {
    std::vector<std::string> names;
    for (const Checkpointed& network : networks(measured(checkpoints(), with_memory(gibibytes)))) {
      names.push_back(network.spec.size);
    }
    return names;
  };
  EXPECT_THAT(sizes(140), ElementsAre("xl"));
  EXPECT_THAT(sizes(40), ElementsAre("xl", "large"));
}

TEST(CheckpointingPlan, IsOfLabreportsOwnNetwork) {
  PlanInput input = checkpoints();
  input.selection.model.emplace();
  EXPECT_TRUE(planned(input).empty());
}

TEST(Arrangements, CountWhatNestingHoldsAndRunsAgain) {
  const std::vector<Arrangement> of_32 = arrangements(32);
  const auto counts = [](const Arrangement& a) {
    return std::array{a.inputs, a.residuals, a.again};
  };
  EXPECT_THAT(counts(of_32[0]), ElementsAre(0, 32, 0)) << "no checkpoints";
  EXPECT_THAT(counts(of_32[1]), ElementsAre(6, 6, 32)) << "groups of √32 ≈ 6";
  EXPECT_THAT(counts(of_32[2]), ElementsAre(32, 1, 32)) << "single blocks";
  EXPECT_THAT(counts(of_32[3]), ElementsAre(6, 1, 32 / 2 * 5 + 32)) << "halves: log₂ 32 = 5";
  EXPECT_THAT(counts(of_32[4]), ElementsAre(2, 1, 32 * 33 / 2)) << "prefixes";
}

TEST(Arrangements, OfOneBlockHoldItAlone) {
  for (const Arrangement& arrangement : arrangements(1)) {
    EXPECT_EQ(arrangement.residuals, 1) << arrangement.words;
    EXPECT_LE(arrangement.inputs, 1) << arrangement.words;
    EXPECT_LE(arrangement.again, 1) << arrangement.words;
  }
}

TEST(Choices, StandFromTheSmallestGroupToNone) {
  const std::vector<Checkpointed> all = networks(measured(checkpoints(), as_it_is));
  ASSERT_EQ(all.size(), 1u);
  std::vector<std::string> words;
  for (const auto& choice : all.front().choices) words.push_back(choice.words());
  EXPECT_THAT(words, ElementsAre("1", "2", "4", "8", "16", "none"));
  EXPECT_EQ(all.front().best(), &all.front().choices.front());
  EXPECT_EQ(all.front().smaller(*all.front().best()), all.front().plain());
  EXPECT_EQ(all.front().larger(*all.front().best())->words(), "2");
}

TEST(Choices, KeepWhatForwardAndBackwardHeldWhereTheStepRanOut) {
  const Checkpointed network = networks(measured(checkpoints(), with_memory(40))).front();
  EXPECT_TRUE(network.choices.front().held);
  EXPECT_FALSE(network.choices.front().peak);
  EXPECT_THAT(network.choices.front().reason, HasSubstr("out of memory in backward"));
  EXPECT_EQ(network.best(), nullptr);
}

TEST(CheckpointingAnswer, OnEightyGibibytesHasTheNextLargerAndTheReasonForSingleBlocks) {
  EXPECT_THAT(
      answer(with_memory(79)),
      AllOf(HasSubstr("single blocks peak lowest"),
            HasSubstr("The next larger choice, groups of 2 blocks, peaks at"),
            HasSubstr("AdamW's moments take 50.77 GiB"),
            HasSubstr("without checkpoints the network would need 248.2 GiB and runs out of"),
            HasSubstr("5.96 GiB higher"), HasSubstr("a second block adds its 6.35 GiB"),
            HasSubstr("saves only 0.39 GiB of gradients"), Not(HasSubstr("has no peak")),
            Not(HasSubstr("Without checkpoints they take")), Not(HasSubstr("{{"))));
}

TEST(CheckpointingAnswer, WhereEverythingFitsComparesTheTimeToo) {
  PlanInput input = checkpoints();
  input.selection.contexts = {512};
  const std::string words = part(measured(input, as_it_is), "b").answer;
  EXPECT_THAT(words,
              AllOf(HasSubstr("without checkpoints the network peaks at"),
                    HasSubstr("about one more forward"), HasSubstr("Without checkpoints they take"),
                    HasSubstr("checkpoints cost 1.33× the time"),
                    HasSubstr("within 0.0 % of every measured peak")));
}

TEST(CheckpointingAnswer, OnALargerGpuAloneSaysWhichChoicesEightyGigabytesHold) {
  labreport::Run run = measured(checkpoints(), as_it_is);
  EXPECT_THAT(part(run, "b").answer,
              HasSubstr("a GPU of 80 GB has room for checkpoints of 1 and 2 blocks"));
  run.devices.front().memory_bytes = 79LL << 30;
  EXPECT_THAT(part(run, "b").answer,
              AllOf(HasSubstr("The formula is within"), Not(HasSubstr("80 GB"))));
}

TEST(CheckpointingAnswer, WhereNothingFitsSaysWhatTheLeastWouldTake) {
  EXPECT_THAT(answer(with_memory(1)),
              AllOf(HasSubstr("nothing fits"), HasSubstr("out of memory in backward"),
                    HasSubstr("The least by the formula are single blocks"),
                    Not(HasSubstr("peak lowest"))));
}

testing_samples::Change pairs_peak_at(std::int64_t gibibytes) {
  return [gibibytes](const CellSpec& spec, Launch& launch) {
    if (spec.group != 2) return;
    for (Metric& metric : launch.metrics) {
      if (metric.name == metric::kPeakAllocated) metric.data = Scalar(gibibytes << 30);
    }
  };
}

TEST(CheckpointingAnswer, GivesNoReasonThatTheRunDoesNotHave) {
  EXPECT_THAT(answer(pairs_peak_at(1)),
              AllOf(HasSubstr("groups of 2 blocks peak lowest"), HasSubstr("single blocks, peaks"),
                    Not(HasSubstr("a second block adds"))));
}

TEST(CheckpointingAnswer, GivesNoReasonWhoseNumbersMissTheDifference) {
  EXPECT_THAT(answer(pairs_peak_at(72)),
              AllOf(HasSubstr("groups of 2 blocks, peaks at 72.00 GiB, 8.39 GiB higher"),
                    Not(HasSubstr("a second block adds"))));
}

TEST(CheckpointingAnswer, NamesInputsWhereSmallWeightsMakeBackwardPeakAtItsFirstGroup) {
  PlanInput input = checkpoints();
  input.selection.sizes = {{"narrow", {64, 128, 8, 1, 100}}};
  input.selection.contexts = {512};
  EXPECT_THAT(part(measured(input, as_it_is), "b").answer,
              AllOf(HasSubstr("of inputs"), Not(HasSubstr("MiB of gradients"))));
}

TEST(CheckpointingAnswer, HoldsTheFormulaToBothPeaksOfEveryChoice) {
  const auto held_more = [](const CellSpec& spec, Launch& launch) {
    if (spec.group != 4) return;
    for (Metric& metric : launch.metrics) {
      if (metric.tag == metric::kPeak) metric.data = Scalar(std::int64_t{64} << 30);
    }
  };
  EXPECT_THAT(answer(held_more), HasSubstr("within 12.3 % of every measured peak"));
}

TEST(CheckpointingAnswer, SaysWhereLossesPart) {
  const auto diverged = [](const CellSpec& spec, Launch& launch) {
    if (spec.group != 4) return;
    for (Metric& metric : launch.metrics) {
      if (metric.tag == metric::kLosses) metric.data = Samples(std::vector<double>(4, 9.9));
    }
  };
  EXPECT_THAT(answer(diverged), HasSubstr("with groups of 4 blocks differs by 7.6 %"));
  EXPECT_THAT(answer(as_it_is), Not(HasSubstr("more than rounding explains")));
}

TEST(CheckpointingAnswer, OfForwardAndBackwardAloneSpeaksOfNoStep) {
  PlanInput input = checkpoints();
  input.selection.modes = {Mode::kForwardBackward};
  EXPECT_THAT(part(measured(input, as_it_is), "b").answer,
              AllOf(HasSubstr("in forward and backward."), Not(HasSubstr("AdamW"))));
}

TEST(CheckpointingAnswer, OnNestingIsArithmeticOfTheNetwork) {
  const labreport::Run run = measured(checkpoints(), as_it_is);
  EXPECT_THAT(part(run, "a").answer,
              AllOf(HasSubstr("For the 32 blocks of xl at context 2,048 in FP32, halves hold 6"),
                    HasSubstr("run 112 block forwards again, the prefixes 528")));
}

TEST(CheckpointingAnswer, GivesTheReasonOfWhatDidNotRunForAnotherCause) {
  const auto skipped = [](const CellSpec& spec, Launch& launch) {
    if (!spec.group) end_with(launch, Skipped{"too large"});
  };
  EXPECT_THAT(answer(skipped),
              HasSubstr("the network has no peak (skipped: too large); the formula"));
}

TEST(CheckpointingTables, HaveARowForEachChoiceWithItsReason) {
  const Part shown = part(measured(checkpoints(), with_memory(79)), "b");
  std::vector<std::string> rows;
  for (const TableView& table : shown.tables) {
    if (!table.slug.starts_with("choices")) continue;
    for (const RowView& row : table.rows) {
      rows.push_back(table.text(row, 0) + ": " + row.note + row.remarks());
    }
  }
  EXPECT_EQ(rows.size(), 6u);
  EXPECT_THAT(rows, Contains(AllOf(HasSubstr("none"), HasSubstr("out of memory in backward"))));
}

}  // namespace
}  // namespace labreport
