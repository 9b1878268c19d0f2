// Tests when the memory problem's sentences appear.
#include <gmock/gmock.h>

#include "base/text.h"
#include "experiments/memory_profiling/lifetimes.h"
#include "experiments/sample_runs.h"
#include "plan/memory.h"

namespace labreport::memory_profiling_test {
namespace {

using memory_profiling::Allocation;
using memory_profiling::allocations_of;
using memory_profiling::Timeline;
using memory_profiling::timeline_of;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using namespace testing_samples;

Launch launch_of(Mode mode, std::int64_t context = 512, std::int64_t capacity = 141LL << 30) {
  CellSpec spec;
  spec.kind = CellKind::kMemory;
  spec.model = find_edition("2025").sizes.back().shape;
  spec.batch = 4;
  spec.context = context;
  spec.precision = Precision::kFp32;
  spec.mode = mode;
  Launch launch;
  measure_memory(launch, spec, capacity);
  return launch;
}

/// The report's part of a run whose memory cells were changed.
Part memory_part(const std::string& letter, const Change& change = as_it_is,
                 const char* edition = "2025") {
  const auto run = measured(only("memory_profiling", Preset::kFull, edition), change);
  return part_of(run, "memory_profiling." + letter);
}

std::string answer(const std::string& letter, const Change& change = as_it_is,
                   const char* edition = "2025") {
  return memory_part(letter, change, edition).answer;
}

Change with_metric(std::string_view tag, std::string_view name, std::int64_t added) {
  return [=](const CellSpec&, Launch& launch) {
    for (Metric& metric : launch.metrics) {
      if (metric.tag != tag || metric.name != name) continue;
      metric.data = Scalar(static_cast<std::int64_t>(*metric.number()) + added);
    }
  };
}

/// All words of a table, remarks beside its rows included.
std::string words_of(const TableView& table) { return join(rows_of(table), "\n"); }

const Figure& figure_of(const Part& part, const std::string& slug) {
  for (const Figure& figure : part.figures) {
    if (figure.slug == slug) return figure;
  }
  throw std::runtime_error("no figure " + slug);
}

Change refused_at(std::int64_t context) {
  return [=](const CellSpec& spec, Launch& launch) {
    if (spec.context != context || spec.precision != Precision::kFp32 ||
        spec.mode != Mode::kTrainStep)
      return;
    end_with(launch, OutOfMemory{"forward", 2LL << 30, 136LL << 30, 136LL << 30});
  };
}

TEST(MemoryTimelines, EndWhereMemoryDoes) {
  const Part refused = memory_part("a", as_it_is, "2026"), whole = memory_part("a");
  EXPECT_THAT(refused.answer, testing::ContainsRegex("At 2,048 it stops at .*: out of memory"));
  EXPECT_THAT(words_of(refused.figures.back().table),
              AllOf(HasSubstr("out of memory in forward"), Not(HasSubstr("end of"))));
  EXPECT_THAT(words_of(whole.figures.back().table),
              AllOf(HasSubstr("end of forward"), HasSubstr("end of optimizer")));
}

TEST(MemoryTimelines, CallASawtoothWhatTemporariesRaise) {
  EXPECT_THAT(answer("a"), HasSubstr("sawtooth"));
  const Change kept = [](const CellSpec&, Launch& launch) {
    for (Table& table : launch.tables) {
      for (TableColumn& column : table.columns) {
        if (column.name == "temporary") column.name = "activations_";
        if (column.name == "activations") column.name = "temporary_";
      }
      for (TableColumn& column : table.columns) {
        if (column.name == "activations_") column.name = "activations";
        if (column.name == "temporary_") column.name = "temporary";
      }
    }
  };
  EXPECT_THAT(answer("a", kept), Not(HasSubstr("sawtooth")));
}

TEST(MemoryLifetimes, BinsHoldTheLeastOfTheCurveBetweenComingsAndGoings) {
  Timeline timeline;
  for (const double event : {0, 2, 4, 6, 8}) {
    timeline.instants.push_back({event, "forward", std::vector<double>(9, event), 0});
  }
  Allocation early;
  early.made = 2;
  early.freed = 6;
  Allocation lasting;
  lasting.made = 5;
  const auto bins = memory_profiling::bins_of(timeline, {early, lasting});
  EXPECT_EQ(bins.bounds, (std::vector<double>{0, 2, 5, 6, 8}));
  const double none = std::numeric_limits<double>::infinity();
  EXPECT_EQ(bins.least, (std::vector<double>{0, 9 * 2, none, 9 * 6}));
  EXPECT_EQ(bins.at(5), 2u);
}

TEST(MemoryLifetimes, AreRankedBySize) {
  const Launch launch = launch_of(Mode::kTrainStep);
  const auto data = memory_profiling::lifetimes(timeline_of(launch), allocations_of(launch),
                                                memory_profiling::byte_unit(1e12));
  const nlohmann::json boxes = json_rows(data.at(0));
  ASSERT_GT(boxes.size(), 2u);
  EXPECT_EQ(boxes[0]["category"], "before the step");
  for (std::size_t i = 2; i < boxes.size(); ++i) {
    EXPECT_LE(boxes[i]["size"].get<double>(), boxes[i - 1]["size"].get<double>());
  }
  EXPECT_TRUE(
      memory_profiling::lifetimes(timeline_of(launch), {}, memory_profiling::byte_unit(1)).empty());
}

TEST(MemoryPeaks, SayInWhichPhaseTheyLieAndNothingWhereTheRunDoesNot) {
  EXPECT_THAT(answer("b"),
              HasSubstr("Up to 256 the optimizer sets the step's peak, at 512 backward"));
  EXPECT_THAT(answer("b", without("peak", "backward")), Not(HasSubstr("step's peak")));
}

TEST(MemoryPeaks, ArgueFromTheContextsOfTheirTable) {
  const Part part = memory_part("b", as_it_is, "2026");
  EXPECT_EQ(table_of(part, "contexts").rows.size(), 3u);  // 128, 1,024 and 2,048
  EXPECT_THAT(part.answer,
              HasSubstr("At 128 the optimizer sets the step's peak, at 1,024 backward"));
}

TEST(MemoryPeaks, ThatAreMissingHaveTheirReasonWithoutBytes) {
  const std::string words = words_of(table_of(memory_part("b", refused_at(512)), "contexts"));
  EXPECT_THAT(words, AllOf(HasSubstr("training step: out of memory in forward"),
                           Not(HasSubstr("tried to allocate"))));
}

TEST(MemoryPeaks, ThatFallWithContextAreExplainedByRoundingOrNotAtAll) {
  const auto raised = [](std::int64_t requested) {
    return [=](const CellSpec& spec, Launch& launch) {
      if (spec.context != 128 || spec.mode != Mode::kTrainStep) return;
      with_metric("memory", "peak_allocated", 40LL << 30)(spec, launch);
      with_metric("memory", "peak_requested", requested)(spec, launch);
    };
  };
  const auto findings = [](const Change& change) {
    return memory_part("b", change).details.findings;
  };
  EXPECT_THAT(findings(raised(0)),
              HasSubstr("Context 128 peaks above 256 because of the allocator's rounding (4"));
  EXPECT_THAT(findings(raised(40LL << 30)), Not(HasSubstr("rounding")));
  EXPECT_THAT(findings(as_it_is), Not(HasSubstr("rounding")));
}

TEST(MemoryPeaks, ThatDifferFromTheirFormulasSaySo) {
  const auto remarks = [](const Change& change) {
    return words_of(table_of(memory_part("b", change), "allocator"));
  };
  EXPECT_THAT(remarks(with_metric("memory", "peak_requested", 3LL << 30)),
              HasSubstr("not explained by the formula"));
  EXPECT_THAT(remarks(as_it_is), Not(HasSubstr("not explained")));
  EXPECT_THAT(remarks(with_metric("history", "peak_requested", 512)),
              HasSubstr("the history changed the peak"));
}

TEST(MemoryPeaks, ThatWereNotCountedAreNotSaidToDiffer) {
  EXPECT_THAT(
      words_of(table_of(memory_part("b", without("memory", "peak_requested")), "allocator")),
      AllOf(Not(HasSubstr("history")), Not(HasSubstr("not explained"))));
}

TEST(MemoryPeaks, ThatADeviceCannotCountGiveItsReason) {
  const Part part = memory_part("b", [](const CellSpec&, Launch& launch) {
    launch.metrics = {absent_metric("memory", "peak_allocated", "B", "no caching allocator")};
    launch.tables.clear();
  });
  EXPECT_THAT(part.answer, HasSubstr("Neither an inference forward nor a training step ran ("));
  EXPECT_THAT(part.answer, HasSubstr("no caching allocator"));
}

/// Bytes by a polynomial of the page's, summed over the parts.
double evaluated(const nlohmann::json& parts, double batch, double context) {
  double sum = 0;
  for (const nlohmann::json& of : parts) {
    sum += of[0].get<double>() + of[1].get<double>() * batch * context +
           of[2].get<double>() * batch * context * context +
           of[3].get<double>() * context * context;
  }
  return sum;
}

TEST(WhatFits, HasTheFormulasOfEverySizeAsPolynomials) {
  const nlohmann::json live = figure_of(memory_part("b"), "what-fits").script_data;
  const std::vector<Size>& sizes = find_edition("2025").sizes;
  const nlohmann::json& step = live["checks"].back();  // training step, BF16
  ASSERT_EQ(step["sizes"].size(), sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    CellSpec spec;
    spec.model = sizes[i].shape;
    spec.batch = 3;
    spec.context = 1000;
    spec.mode = Mode::kTrainStep;
    spec.precision = Precision::kBf16;
    const auto peaks = possible_peaks(spec);
    ASSERT_EQ(step["sizes"][i].size(), peaks.size());
    for (std::size_t k = 0; k < peaks.size(); ++k) {
      // The fake device has 8 MiB of workspace, which counts as temporary.
      EXPECT_EQ(evaluated(step["sizes"][i][k]["parts"], 3, 1000),
                static_cast<double>(peaks[k].total() + (8 << 20)));
    }
  }
}

TEST(WhatFits, NamesTheSmallestCardOfEachStepSizeAndContext) {
  const TableView table = figure_of(memory_part("b"), "what-fits").table;
  ASSERT_EQ(table.rows.size(), 30u);  // three steps, two precisions, five sizes
  EXPECT_THAT(rows_of(table)[24], AllOf(testing::StartsWith("2.7B | training step |"),
                                        HasSubstr("| 80 GB |"), HasSubstr("| none")));
}

Change higher_half_steps(std::int64_t bytes) {
  return [=](const CellSpec& spec, Launch& launch) {
    if (spec.precision != Precision::kBf16 || spec.mode != Mode::kTrainStep) return;
    with_metric("memory", "peak_allocated", bytes)(spec, launch);
  };
}

TEST(WhatFits, SaysHowNearThePredictionsAre) {
  const Part part = memory_part("b");
  EXPECT_THAT(part.details.findings, HasSubstr("predict the 12 peaks measured in this run"));
  EXPECT_EQ(table_of(part, "predictions").rows.size(), 6u);
  EXPECT_THAT(words_of(part.figures.front().table), Not(HasSubstr("off")));
}

TEST(WhatFits, GivesPredictionsAsSharesOfThePeaks) {
  const TableView table = table_of(memory_part("b", higher_half_steps(1 << 30)), "predictions");
  const Value& farthest = table.rows.back().cells.back();  // training step, BF16
  EXPECT_LT(*farthest.number(), -0.01);
  EXPECT_GT(*farthest.number(), -0.2);
}

TEST(WhatFits, LeavesOutAStepThatTheFormulasMiss) {
  const Part part = memory_part("b", higher_half_steps(40LL << 30));
  const Figure& figure = figure_of(part, "what-fits");
  EXPECT_FALSE(figure.script_data["checks"].back().contains("sizes"));
  EXPECT_THAT(words_of(figure.table), HasSubstr("% off"));
  EXPECT_THAT(part.details.findings, HasSubstr("predict the 9 peaks"));
}

TEST(WhatFits, NeedsAMeasuredPeak) {
  const Part part = memory_part("b", [](const CellSpec&, Launch& launch) {
    launch.metrics = {absent_metric("memory", "peak_allocated", "B", "no caching allocator")};
  });
  EXPECT_TRUE(part.figures.empty());
  EXPECT_THAT(part.answer, Not(HasSubstr("predict")));
}

/// The confirmed peaks in the run's summary: "train_step fp32: 4 peaks to context 512".
std::vector<std::string> confirmed(const labreport::Run& run) {
  std::vector<std::string> found;
  for (const ConfirmedPeaks& one : build_document(run, false).memory.confirmed) {
    found.push_back(one.mode + " " + one.precision + ": " + std::to_string(one.peaks) +
                    " to context " + std::to_string(one.context));
    if (one.blocks > 0) found.back() += ", " + std::to_string(one.blocks) + " blocks";
    if (one.ranks > 0) found.back() += ", " + std::to_string(one.ranks) + " ranks";
  }
  return found;
}

TEST(MemoryFormulas, AreKeptWithTheirRange) {
  EXPECT_THAT(
      confirmed(measured(only("memory_profiling"))),
      ElementsAre("inference fp32: 3 to context 512", "inference bf16: 3 to context 512",
                  "train_step fp32: 3 to context 512", "train_step bf16: 3 to context 512"));
}

TEST(MemoryFormulas, AreKeptOfStepsThatThePeaksConfirm) {
  EXPECT_THAT(confirmed(measured(only("memory_profiling"), higher_half_steps(40LL << 30))),
              Not(Contains(HasSubstr("train_step bf16"))));
  PlanInput cpu = only("memory_profiling", Preset::kDemo);
  EXPECT_THAT(confirmed(measured(cpu)), ElementsAre());
}

TEST(MemoryFormulas, AreKeptOfCheckpointsAndOfASharedOptimizer) {
  EXPECT_THAT(confirmed(measured(only("gradient_checkpointing", Preset::kFull, "2026"))),
              ElementsAre("train_step fp32: 4 to context 2048, 8 blocks"));
  EXPECT_THAT(confirmed(measured(only("optimizer_state_sharding_accounting"))),
              ElementsAre("train_step fp32: 1 to context 512, 2 ranks"));
}

TEST(MemoryPrecisions, LeaveOutContextsOnTheWay) {
  EXPECT_THAT(answer("c", as_it_is, "2026"),
              AllOf(testing::StartsWith("It depends on the context: "), HasSubstr("%** at 1,024"),
                    Not(HasSubstr("at 256")), Not(HasSubstr("at 512"))));
}

TEST(MemoryPrecisions, SayWhereAStepFitsInOneAlone) {
  EXPECT_THAT(answer("c", refused_at(512)), HasSubstr("At 512 the step fits in BF16 alone"));
  EXPECT_THAT(answer("c"), Not(HasSubstr("fits")));
}

TEST(MemoryResidual, ThatDiffersFromTheFormulaIsFlagged) {
  const Part part = memory_part("d", with_metric("residual", "requested", 512));
  EXPECT_THAT(words_of(table_of(part, "residuals")), HasSubstr("does not agree"));
}

TEST(MemoryLargest, AreToldByLayerWhereLayersMakeEquallyMany) {
  EXPECT_THAT(answer("e"), HasSubstr(": each of 32 layers makes "));
  const Change odd = each_row(metric::kLargest,
                              [](const NamedRow& row) { row[column::kCount] = std::int64_t{31}; });
  EXPECT_THAT(answer("e", odd), HasSubstr(": the pass makes 62 in "));
}

/// Returns the last point of a block's backward in the first such figure.
double last_change(const Part& part) {
  for (const Figure& figure : part.figures) {
    if (!figure.slug.starts_with("block-timeline")) continue;
    return figure.spec["data"]["values"].back()["change"].get<double>();
  }
  throw std::runtime_error("no figure of a block");
}

TEST(MemoryBlock, WithoutTheMemoryAfterItsBackwardHasNoChange) {
  EXPECT_THAT(memory_part("f", without("block", "after_backward"), "2026").answer,
              HasSubstr("No backward pass was recorded"));
}

TEST(MemoryBlock, ItsCurveEndsAtTheChangeThatIsAnswered) {
  const Part part = memory_part("f", as_it_is, "2026");
  const std::string answered = texts_in(table_of(part, "blocks"), "Change over backward").front();
  EXPECT_NEAR(last_change(part), std::stod(answered), 0.05);
}

TEST(MemoryBlock, NamesFiveContributors) {
  EXPECT_THAT(
      answer("f", as_it_is, "2026"),
      HasSubstr("are softmax exponentials and attention probabilities (23.0 % each), SwiGLU "
                "products (14.4 %), w1 output and SiLU sigmoid (7.2 % each)."));
}

TEST(MemoryBlock, OfAModelOfOnesOwnIsToldByOperatorsAndModules) {
  PlanInput input = only("memory_profiling.f", Preset::kFull, "2026");
  input.selection.model.emplace().implementation = "Net-0a1b2c3d";
  const std::string said = part_of(measured(input), "memory_profiling.f").answer;
  EXPECT_THAT(said, AllOf(HasSubstr("mul in ffn"), Not(HasSubstr("SwiGLU"))));
}

TEST(MemoryAllocations, AreToldByWhatCalledTheAllocator) {
  using memory_profiling::made_by;
  EXPECT_EQ(made_by("aten::contiguous", "attn", "aten::empty"), "contiguous in attn");
  EXPECT_EQ(made_by("aten::where", "attn", "aten::resize_"), "where in attn");
  EXPECT_EQ(made_by("aten::mul", "ffn", "aten::mul"), "mul in ffn");
}

}  // namespace
}  // namespace labreport::memory_profiling_test
