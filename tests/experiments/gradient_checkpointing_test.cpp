// Tests gradient checkpointing: its plan, and the runs in which each sentence appears.
#include <gmock/gmock.h>

#include <set>

#include "experiments/gradient_checkpointing/arrangements.h"
#include "experiments/sample_runs.h"
#include "plan/memory.h"

namespace labreport::gradient_checkpointing_test {
namespace {

using gradient_checkpointing::Arrangement;
using gradient_checkpointing::arrangements;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using namespace testing_samples;

using GroupSize = std::optional<std::int64_t>;  // Blocks per checkpoint; empty without checkpoints.

PlanInput checkpointing_input(Preset preset = Preset::kFull, const char* edition = "2026") {
  return input_for("gradient_checkpointing", preset, edition);
}

std::vector<CellSpec> checkpointing_cells(const PlanInput& input) {
  return planned(input, CellKind::kCheckpointing);
}

std::vector<GroupSize> groups_of(const std::vector<CellSpec>& specs) {
  std::vector<GroupSize> groups;
  for (const CellSpec& spec : specs) groups.push_back(spec.blocks_per_checkpoint);
  return groups;
}

/// Lets steps run out of memory if they do not fit a GPU of `gibibytes`.
Change with_memory(double gibibytes) {
  return [=](const CellSpec& spec, Launch& launch) {
    if (spec.kind != CellKind::kCheckpointing) return;
    const auto capacity = static_cast<std::int64_t>(gibibytes * (1LL << 30));
    if (expected_peak(spec).total() <= capacity) return;
    CellSpec without_optimizer = spec;
    without_optimizer.mode = Mode::kForwardBackward;
    const OutOfMemory out_of_memory{"backward", 1 << 30, capacity, capacity};
    if (expected_peak(without_optimizer).total() > capacity) return end_with(launch, out_of_memory);
    launch.outcome = out_of_memory;
    std::erase_if(launch.metrics, [](const Metric& metric) {
      return metric.name == metric::kPeakAllocated || metric.unit != "B";
    });
  };
}

Part part(const labreport::Run& run, const std::string& letter) {
  return part_of(run, "gradient_checkpointing." + letter);
}

std::string answer(const Change& change, Preset preset = Preset::kFull) {
  return part(fake_run(checkpointing_input(preset), change), "b").answer;
}

TEST(CheckpointingPlan, HasEveryPowerOfTwoBelowTheNumberOfBlocks) {
  const std::vector<CellSpec> specs = checkpointing_cells(checkpointing_input());
  EXPECT_THAT(groups_of(specs), ElementsAre(GroupSize(), 1, 2, 4, 8, 16));
  EXPECT_EQ(cell_id(specs.front()),
            "checkpointing.cuda.d2560-f10240-l32-h32-v10000.b4.c2048.fp32.train_step.w1.n3");
  EXPECT_EQ(cell_id(specs.back()),
            "checkpointing.cuda.d2560-f10240-l32-h32-v10000.g16.b4.c2048.fp32.train_step.w1.n3");
}

TEST(CheckpointingPlan, HasFewerGroupsInSmallPresets) {
  EXPECT_THAT(groups_of(checkpointing_cells(checkpointing_input(Preset::kQuick))),
              ElementsAre(GroupSize(), 1, 2, 4));
  EXPECT_THAT(groups_of(checkpointing_cells(checkpointing_input(Preset::kDemo))),
              ElementsAre(GroupSize(), 1, 2, 4));
  EXPECT_EQ(checkpointing_cells(checkpointing_input(Preset::kDemo)).front().context, 64);
}

TEST(CheckpointingPlan, KeepsWhatTheUserChose) {
  PlanInput input = checkpointing_input();
  input.selection.sizes = {{"three", {64, 128, 3, 2, 100}}};
  input.selection.contexts = {128};
  input.selection.precisions = {Precision::kFp32, Precision::kBf16};
  input.selection.batch = 7;
  const std::vector<CellSpec> specs = checkpointing_cells(input);
  EXPECT_THAT(groups_of(specs), ElementsAre(GroupSize(), 1, 2, GroupSize(), 1, 2));
  EXPECT_EQ(specs.back().precision, Precision::kBf16);
  EXPECT_EQ(specs.back().context, 128);
  EXPECT_EQ(specs.back().batch, 7);
  input.selection.modes = {Mode::kForwardBackward};
  EXPECT_EQ(checkpointing_cells(input).front().mode, Mode::kForwardBackward);
  input.selection.modes = {Mode::kForward};
  EXPECT_TRUE(checkpointing_cells(input).empty()) << "without a backward pass nothing runs again";
}

TEST(CheckpointingPlan, TakesTheNextSizeIfSingleBlocksDoNotFit) {
  const auto sizes = [](double gibibytes) {
    std::set<std::string> names;
    for (const Cell& cell : fake_run(checkpointing_input(), with_memory(gibibytes)).cells) {
      names.insert(cell.spec.size);
    }
    return names;
  };
  EXPECT_THAT(sizes(140), ElementsAre("xl"));
  EXPECT_THAT(sizes(40), ElementsAre("large", "xl"));
}

TEST(Arrangements, CountHeldTensorsAndRecomputedForwards) {
  const std::vector<Arrangement> of_32 = arrangements(32);
  const auto counts = [](const Arrangement& a) {
    return std::array{a.held_inputs, a.held_blocks, a.recomputed_forwards};
  };
  EXPECT_THAT(counts(of_32[0]), ElementsAre(0, 32, 0)) << "no checkpoints";
  EXPECT_THAT(counts(of_32[1]), ElementsAre(6, 6, 32)) << "groups of √32 ≈ 6";
  EXPECT_THAT(counts(of_32[2]), ElementsAre(32, 1, 32)) << "single blocks";
  EXPECT_THAT(counts(of_32[3]), ElementsAre(6, 1, 32 / 2 * 5 + 32)) << "halves: log₂ 32 = 5";
  EXPECT_THAT(counts(of_32[4]), ElementsAre(2, 1, 32 * 33 / 2)) << "prefixes";
}

TEST(Arrangements, HoldOneBlockIfThereIsOne) {
  for (const Arrangement& arrangement : arrangements(1)) {
    EXPECT_EQ(arrangement.held_blocks, 1) << arrangement.words;
    EXPECT_LE(arrangement.held_inputs, 1) << arrangement.words;
    EXPECT_LE(arrangement.recomputed_forwards, 1) << arrangement.words;
  }
}

TEST(CheckpointingAnswer, HasAPeakWithoutCheckpointsIfEverythingFits) {
  PlanInput input = checkpointing_input();
  input.selection.contexts = {512};
  const Part shown = part(fake_run(input, unchanged), "b");
  EXPECT_THAT(
      shown.answer,
      testing::ContainsRegex(
          "\\. Groups of 2 blocks peak at \\*\\*.* GiB\\*\\*\\. Backward peaks in .* No group is "
          "smaller\\. Steps without checkpoints keep all 32 "
          "blocks' residuals, .* GiB, and peak at \\*\\*.* GiB\\*\\*\\."));
  EXPECT_THAT(shown.details.method, HasSubstr("within 0.0 % of every measured peak"));
}

TEST(CheckpointingAnswer, NamesTheLeastMemoryIfNothingFits) {
  EXPECT_THAT(answer(with_memory(1)),
              testing::MatchesRegex("For .* \\*\\*single blocks\\*\\* peak lowest, at .* by the "
                                    "formula, as no choice has a peak\\."));
}

TEST(CheckpointingAnswer, ComparesTheFormulaWithBothPeaksOfEveryChoice) {
  const auto higher_backward_peak = [](const CellSpec& spec, Launch& launch) {
    if (spec.blocks_per_checkpoint != 4) return;
    for (Metric& metric : launch.metrics) {
      if (metric.tag == metric::kPeak) metric.data = Scalar(std::int64_t{64} << 30);
    }
  };
  EXPECT_THAT(part(fake_run(checkpointing_input(), higher_backward_peak), "b").details.method,
              HasSubstr("within 12.3 % of every measured peak"));
}

TEST(CheckpointingTables, FlagTheChoiceWhoseLossesDiffer) {
  const auto has_groups_of_4 = [](const CellSpec& spec) { return spec.blocks_per_checkpoint == 4; };
  const auto rows = [](const Change& change) {
    return lines_of(table_of(part(fake_run(checkpointing_input(), change), "b"), "choices"));
  };
  EXPECT_THAT(rows(where(has_groups_of_4, with_losses(std::vector<double>(4, 9.9)))),
              Contains(AllOf(testing::StartsWith("4 |"), HasSubstr("loss differs by 7.6 %"))));
  EXPECT_THAT(rows(unchanged), Not(Contains(HasSubstr("differs"))));
}

TEST(CheckpointingAnswer, GivesTheReasonOfASkippedChoice) {
  const auto skip_without_checkpoints = [](const CellSpec& spec, Launch& launch) {
    if (!spec.blocks_per_checkpoint) end_with(launch, Skipped{"too large"});
  };
  EXPECT_THAT(answer(skip_without_checkpoints), HasSubstr("and have no peak: skipped: too large."));
}

TEST(CheckpointingTables, HaveARowForEachChoiceWithItsReason) {
  const auto rows =
      lines_of(table_of(part(fake_run(checkpointing_input(), with_memory(79)), "b"), "choices"));
  EXPECT_EQ(rows.size(), 6u);
  EXPECT_THAT(rows, Contains(AllOf(HasSubstr("none"), HasSubstr("out of memory in backward"))));
  EXPECT_THAT(rows, Contains(AllOf(testing::StartsWith("4 |"),
                                   HasSubstr("training step: out of memory in backward"))))
      << "forward and backward fit before AdamW has states";
}

}  // namespace
}  // namespace labreport::gradient_checkpointing_test
