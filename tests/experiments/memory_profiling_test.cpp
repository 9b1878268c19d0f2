// Tests the memory problem: its tables, and the runs in which each sentence appears.
#include <gmock/gmock.h>

#include "base/text.h"
#include "experiments/memory_profiling/lifetimes.h"
#include "experiments/overview/overview.h"
#include "experiments/problems.h"
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
using testing::Each;
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

/// Returns a part of the report of a run with `change`.
Part memory_part(const std::string& letter, const Change& change = unchanged,
                 const char* edition = "2025") {
  const auto run = fake_run(input_for("memory_profiling", Preset::kFull, edition), change);
  return part_of(run, "memory_profiling." + letter);
}

std::string answer(const std::string& letter, const Change& change = unchanged,
                   const char* edition = "2025") {
  return memory_part(letter, change, edition).answer;
}

Change add_to_metric(std::string_view tag, std::string_view name, std::int64_t added) {
  return [=](const CellSpec&, Launch& launch) {
    for (Metric& metric : launch.metrics) {
      if (metric.tag != tag || metric.name != name) continue;
      metric.data = Scalar(static_cast<std::int64_t>(*metric.number()) + added);
    }
  };
}

/// Returns all text of a table, with the remarks beside its rows.
std::string text_of(const TableView& table) { return join(lines_of(table), "\n"); }

const Figure& figure_of(const Part& part, std::string_view slug) {
  for (const auto* figures : {&part.figures, &part.details.figures}) {
    const auto found = std::ranges::find(*figures, slug, &Figure::slug);
    if (found != figures->end()) return *found;
  }
  throw std::runtime_error("no figure " + std::string(slug));
}

Change step_out_of_memory_at(std::int64_t context) {
  return [=](const CellSpec& spec, Launch& launch) {
    if (spec.context != context || spec.precision != Precision::kFp32 ||
        spec.mode != Mode::kTrainStep)
      return;
    end_with(launch, OutOfMemory{"forward", 2LL << 30, 136LL << 30, 136LL << 30});
  };
}

TEST(MemoryTimelines, EndIfMemoryRunsOut) {
  const Part failed = memory_part("a", unchanged, "2026"), complete = memory_part("a");
  EXPECT_THAT(text_of(failed.figures.back().table),
              AllOf(HasSubstr("out of memory in forward"), Not(HasSubstr("end of"))));
  EXPECT_THAT(text_of(complete.figures.back().table),
              AllOf(HasSubstr("end of forward"), HasSubstr("end of optimizer")));
}

TEST(MemoryTimelines, NameTheSawtoothOfTemporaries) {
  EXPECT_THAT(answer("a"), HasSubstr("sawtooth"));
  const Change swap_categories = [](const CellSpec&, Launch& launch) {
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
  EXPECT_THAT(answer("a", swap_categories), Not(HasSubstr("sawtooth")));
  const Change optimizer_keeps_more = each_row(metric::kTimeline, [](const NamedRow& row) {
    if (row.has(column::kPhase, metric::kOptimizer)) row.scale(metric::kParameters, 1.2);
  });
  EXPECT_THAT(answer("a", optimizer_keeps_more), Not(HasSubstr("nothing lasting")));
}

TEST(MemoryLifetimes, HaveBinsBetweenAllocationsAndFrees) {
  Timeline timeline;  // Each of the nine categories holds as many bytes as the event's number.
  for (const double event : {0, 2, 4, 6, 8}) {
    timeline.instants.push_back({event, "forward", std::vector<double>(9, event), 0});
  }
  Allocation early;
  early.made_event = 2;
  early.freed_event = 6;
  Allocation lasting;
  lasting.made_event = 5;
  const auto bins = memory_profiling::bins_of(timeline, {early, lasting});
  EXPECT_EQ(bins.bounds, (std::vector<double>{0, 2, 5, 6, 8}));
  const double no_instant = std::numeric_limits<double>::infinity();
  EXPECT_EQ(bins.least_bytes, (std::vector<double>{0, 9 * 2, no_instant, 9 * 6}));
  EXPECT_EQ(bins.index_of(5), 2u);
}

TEST(MemoryLifetimes, AreRankedBySize) {
  const Launch launch = launch_of(Mode::kTrainStep);
  const auto data = memory_profiling::lifetime_datasets(timeline_of(launch), allocations_of(launch),
                                                        byte_unit(1e12));
  const nlohmann::json boxes = json_rows(data.at(0));
  ASSERT_GT(boxes.size(), 2u);
  EXPECT_EQ(boxes[0]["category"], "before the step");
  for (std::size_t i = 2; i < boxes.size(); ++i) {
    EXPECT_LE(boxes[i]["size"].get<double>(), boxes[i - 1]["size"].get<double>());
  }
  EXPECT_TRUE(memory_profiling::lifetime_datasets(timeline_of(launch), {}, byte_unit(1)).empty());
}

TEST(MemoryPeaks, MoveToBackwardByFormulaIfTheirPhasesWereMeasured) {
  EXPECT_THAT(answer("b"), HasSubstr("from the optimizer to backward at **282 tokens**"));
  EXPECT_THAT(answer("b", without_metric("peak", "backward")), Not(HasSubstr("By formula")));
}

TEST(MemoryPeaks, NameTheLongestContextThatFits) {
  EXPECT_THAT(answer("b", step_out_of_memory_at(512)),
              HasSubstr("At context 256, the longest measured that fits, the training step peaks"));
  EXPECT_THAT(answer("a", step_out_of_memory_at(512)), Not(HasSubstr("at 512 memory runs out")))
      << "it recorded nothing";
  EXPECT_THAT(answer("b"), HasSubstr("GiB**. The training step peaks"));
}

TEST(MemoryPeaks, NameOnlyContextsOfTheirTable) {
  const Part part = memory_part("b", unchanged, "2026");
  EXPECT_EQ(table_of(part, "contexts").rows.size(), 3u) << "128, 1,024 and 2,048";
}

TEST(MemoryPeaks, HaveAReasonWithoutBytesIfTheyAreMissing) {
  const std::string words =
      text_of(table_of(memory_part("b", step_out_of_memory_at(512)), "contexts"));
  EXPECT_THAT(words, AllOf(HasSubstr("training step: out of memory in forward"),
                           Not(HasSubstr("tried to allocate"))));
}

TEST(MemoryPeaks, AreMarkedIfTheyDifferFromTheirFormulas) {
  const auto remarks = [](const Change& change) {
    return text_of(table_of(memory_part("b", change), "allocator"));
  };
  EXPECT_THAT(remarks(add_to_metric("memory", "peak_requested", 3LL << 30)),
              HasSubstr("not explained by the formula"));
  EXPECT_THAT(remarks(unchanged), Not(HasSubstr("not explained")));
  EXPECT_THAT(remarks(add_to_metric("history", "peak_requested", 512)),
              HasSubstr("the history changed the peak"));
}

TEST(MemoryPeaks, AreNotMarkedIfTheyWereNotCounted) {
  EXPECT_THAT(
      text_of(table_of(memory_part("b", without_metric("memory", "peak_requested")), "allocator")),
      AllOf(Not(HasSubstr("history")), Not(HasSubstr("not explained"))));
}

TEST(MemoryPeaks, HaveAReasonIfTheDeviceCannotCountThem) {
  const Part part = memory_part("b", [](const CellSpec&, Launch& launch) {
    launch.metrics = {absent_metric("memory", "peak_allocated", "B", "no caching allocator")};
    launch.tables.clear();
  });
  EXPECT_THAT(part.answer, HasSubstr("Neither an inference forward nor a training step ran ("));
  EXPECT_THAT(part.answer, HasSubstr("no caching allocator"));
}

/// Evaluates the live figure's polynomials for the bytes of a step, and adds them up.
double evaluate(const nlohmann::json& polynomials, double batch, double context) {
  double sum = 0;
  for (const nlohmann::json& part : polynomials) {
    sum += part[0].get<double>() + part[1].get<double>() * batch * context +
           part[2].get<double>() * batch * context * context +
           part[3].get<double>() * context * context;
  }
  return sum;
}

TEST(WhatFits, HasTheFormulasOfEverySizeAsPolynomials) {
  const nlohmann::json live = figure_of(memory_part("b"), "what-fits").script_data;
  const std::vector<Size>& sizes = find_edition("2025").sizes;
  const nlohmann::json& step = live["checks"].back();  // The BF16 training step is the last.
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
      EXPECT_EQ(evaluate(step["sizes"][i][k]["parts"], 3, 1000),
                static_cast<double>(peaks[k].total() + (8 << 20)));
    }
  }
}

TEST(WhatFits, NamesTheSmallestCardOfEachStepSizeAndContext) {
  const TableView table = figure_of(memory_part("b"), "what-fits").table;
  ASSERT_EQ(table.rows.size(), 30u) << "three steps, two precisions, five sizes";
  EXPECT_THAT(lines_of(table)[24], AllOf(testing::StartsWith("2.7B | training step |"),
                                         HasSubstr("| 80 GB |"), HasSubstr("| more than 141 GB")));
}

Change with_higher_bf16_peaks(std::int64_t bytes) {
  return [=](const CellSpec& spec, Launch& launch) {
    if (spec.precision != Precision::kBf16 || spec.mode != Mode::kTrainStep) return;
    add_to_metric("memory", "peak_allocated", bytes)(spec, launch);
  };
}

TEST(WhatFits, SaysHowNearThePredictionsAre) {
  const Part part = memory_part("b");
  EXPECT_THAT(part.details.findings, HasSubstr("predict the 12 peaks measured in this run"));
  EXPECT_EQ(table_of(part, "predictions").rows.size(), 6u);
  EXPECT_THAT(text_of(figure_of(part, "what-fits").table), Not(HasSubstr("off")));
}

TEST(WhatFits, GivesPredictionsAsSharesOfThePeaks) {
  const TableView table =
      table_of(memory_part("b", with_higher_bf16_peaks(1 << 30)), "predictions");
  const Value& farthest = table.rows.back().cells.back();  // The BF16 training step is the last.
  EXPECT_LT(*farthest.number(), -0.01);
  EXPECT_GT(*farthest.number(), -0.2);
}

TEST(WhatFits, LeavesOutAStepThatTheFormulasMiss) {
  const Part part = memory_part("b", with_higher_bf16_peaks(40LL << 30));
  const Figure& figure = figure_of(part, "what-fits");
  EXPECT_FALSE(figure.script_data["checks"].back().contains("sizes"));
  EXPECT_THAT(text_of(figure.table), HasSubstr("% off"));
  EXPECT_THAT(part.details.findings, HasSubstr("predict the 9 peaks"));
}

TEST(WhatFits, NeedsAMeasuredPeak) {
  const Part part = memory_part("b", [](const CellSpec&, Launch& launch) {
    launch.metrics = {absent_metric("memory", "peak_allocated", "B", "no caching allocator")};
  });
  EXPECT_TRUE(part.details.figures.empty());
}

/// Lists the confirmed peaks in the run's summary: "train_step fp32: 4 to context 512".
std::vector<std::string> confirmed_peaks(const labreport::Run& run) {
  std::vector<std::string> lines;
  for (const ConfirmedPeaks& peaks : overview::run_summary(run).memory.confirmed) {
    lines.push_back(peaks.mode + " " + peaks.precision + ": " + std::to_string(peaks.peaks) +
                    " to context " + std::to_string(peaks.context));
    if (peaks.blocks > 0) lines.back() += ", " + std::to_string(peaks.blocks) + " blocks";
    if (peaks.ranks > 0) lines.back() += ", " + std::to_string(peaks.ranks) + " ranks";
  }
  return lines;
}

TEST(MemoryEvidence, AreConfirmedWithTheirRange) {
  EXPECT_THAT(
      confirmed_peaks(fake_run(input_for("memory_profiling"))),
      ElementsAre("inference fp32: 3 to context 512", "inference bf16: 3 to context 512",
                  "train_step fp32: 3 to context 512", "train_step bf16: 3 to context 512"));
}

TEST(MemoryEvidence, AreNotConfirmedByDifferentPeaks) {
  EXPECT_THAT(
      confirmed_peaks(fake_run(input_for("memory_profiling"), with_higher_bf16_peaks(40LL << 30))),
      Not(Contains(HasSubstr("train_step bf16"))));
  PlanInput cpu = input_for("memory_profiling", Preset::kDemo);
  EXPECT_THAT(confirmed_peaks(fake_run(cpu)), ElementsAre());
}

TEST(MemoryEvidence, AreConfirmedForCheckpointsAndAShardedOptimizer) {
  EXPECT_THAT(confirmed_peaks(fake_run(input_for("gradient_checkpointing", Preset::kFull, "2026"))),
              ElementsAre("train_step fp32: 4 to context 2048, 8 blocks"));
  EXPECT_THAT(confirmed_peaks(fake_run(input_for("optimizer_state_sharding_accounting"))),
              ElementsAre("train_step fp32: 1 to context 512, 2 ranks"));
}

TEST(MemoryPrecisions, TellTheChangeAtEveryContext) {
  EXPECT_THAT(answer("c"),
              HasSubstr("by **+0.1 %** at 128, **+2.3 %** at 256 and **−4.4 %** at 512 tokens."));
}

TEST(MemoryPrecisions, NameCopiesOnlyIfTheyExplainTheChange) {
  EXPECT_THAT(answer("c"), HasSubstr("weight copies"));
  EXPECT_THAT(answer("c", with_higher_bf16_peaks(4LL << 30)), Not(HasSubstr("weight copies")));
  const Change peaks_in_optimizer = [](const CellSpec& spec, Launch& launch) {
    const bool is_fp32_at_256 = spec.context == 256 && spec.precision == Precision::kFp32;
    if ((spec.context != 128 && !is_fp32_at_256) || spec.mode != Mode::kTrainStep) return;
    const Metric peak = *launch.find(metric::kMemory, metric::kPeakAllocated);
    for (Metric& metric : launch.metrics) {
      if (metric.tag != metric::kPeak) continue;
      metric.data = metric.name == metric::kOptimizer ? peak.data : Scalar(std::int64_t{1});
    }
  };
  EXPECT_THAT(answer("c", peaks_in_optimizer),
              HasSubstr("At 256 copies outweigh savings; at 128 the "));
  EXPECT_THAT(answer("c"), Not(HasSubstr("At 256"))) << "no peak lies in the optimizer";
}

TEST(MemoryResidual, IsFlaggedIfItDiffersFromTheFormula) {
  const Part part = memory_part("d", add_to_metric("residual", "requested", 512));
  EXPECT_THAT(text_of(table_of(part, "residuals")), HasSubstr("does not agree"));
}

TEST(MemoryLargest, AreThoseOfTheLongestContextThatTheEditionAsksFor) {
  EXPECT_THAT(answer("e"), HasSubstr("at context 512 are attention scores of **128 MiB**"));
  const Change only_inference_at_512 = where(
      [](const CellSpec& spec) { return spec.context == 512 && spec.mode != Mode::kInference; },
      [](const CellSpec&, Launch& launch) {
        end_with(launch, OutOfMemory{"forward", 2LL << 30, 136LL << 30, 136LL << 30});
      });
  const Part part = memory_part("e", only_inference_at_512);
  EXPECT_THAT(part.answer, HasSubstr("at context 512, without grad, are "));
  EXPECT_THAT(part.figures.front().title, HasSubstr("at context 256")) << "it tells what is saved";
}

TEST(MemoryLargest, AreCountedByLayerIfLayersMakeEquallyMany) {
  EXPECT_THAT(answer("e"), HasSubstr(": each of 32 layers makes "));
  const Change uneven_counts = each_row(
      metric::kLargest, [](const NamedRow& row) { row[column::kCount] = std::int64_t{31}; });
  EXPECT_THAT(answer("e", uneven_counts), HasSubstr(": the pass makes 62 in "));
}

TEST(MemoryLargest, AreNotAllSavedIfAnOperationsTensorsHaveDifferentFates) {
  const Change tied = each_row(metric::kLargest, [](const NamedRow& row) {
    row[column::kCategory] = std::string(metric::kActivations);
    row[column::kFreed] = "in the same module";
  });
  const auto fates = [](const Change& change) {
    const auto run = fake_run(input_for("memory_profiling"), change);
    const Presentation parts = memory_profiling::present(RunView(run, find_edition(run.edition)));
    const auto& datasets = parts.at("e").datasets;
    return texts_in(table_of(*std::ranges::find(datasets, "largest", &Dataset::name)), "Fate");
  };
  EXPECT_THAT(fates(tied), Each(std::string("part or all saved")));
  EXPECT_THAT(fates(unchanged), Contains("saved for backward"));
}

/// Returns part (e) of a run of the user's step, which makes so many forward passes.
Part largest_of_own_step(std::int64_t passes) {
  PlanInput input = input_for("memory_profiling");
  input.selection.model.emplace().implementation = "make_step-0a1b2c3d";
  input.selection.model->step = StepMaker{.takes_size = true, .takes_context = true};
  input.selection.modes = {Mode::kTrainStep};
  const auto count = [=](const CellSpec& spec, Launch& launch) {
    if (spec.kind != CellKind::kMemory || passes == 0) return;
    launch.metrics.push_back(integer_metric(metric::kOccurrences, metric::kForward, "1", passes));
  };
  return part_of(fake_run(input, count), "memory_profiling.e");
}

TEST(MemoryLargest, AreCountedOverAllPassesOfAUsersStep) {
  EXPECT_THAT(largest_of_own_step(1).answer, HasSubstr(" are attention scores of **"));
  EXPECT_THAT(largest_of_own_step(1).answer, HasSubstr(": each of 32 layers makes "));
  const Part several = largest_of_own_step(4);
  EXPECT_THAT(several.answer, HasSubstr(" are tensors of **"));
  EXPECT_THAT(several.answer, HasSubstr(": 4 forward passes make "));
  EXPECT_THAT(several.figures.front().title, HasSubstr("training step's 4 forward passes"));
  EXPECT_THAT(largest_of_own_step(0).answer, HasSubstr(": all passes make "));
}

/// Returns the change at the last point of the first figure of a block's backward.
double last_change(const Part& part) {
  for (const Figure& figure : part.figures) {
    if (!figure.slug.starts_with("block-timeline")) continue;
    return figure.spec["data"]["values"].back()["change"].get<double>();
  }
  throw std::runtime_error("no figure of a block");
}

TEST(MemoryBlock, HasNoChangeWithoutTheBytesAfterBackward) {
  EXPECT_THAT(memory_part("f", without_metric("block", "after_backward"), "2026").answer,
              HasSubstr("No block's backward pass was recorded"));
}

TEST(MemoryBlock, IsLeftOutIfItsGradientsWouldBeNegative) {
  const Change freed_too_much = add_to_metric("block", "after_backward", -(std::int64_t{1} << 50));
  EXPECT_THAT(memory_part("f", freed_too_much, "2026").answer,
              HasSubstr("No block's backward pass was recorded"));
}

TEST(MemoryBlock, HasACurveThatEndsAtTheAnsweredChange) {
  const Part part = memory_part("f", unchanged, "2026");
  const std::string change_mib = texts_in(table_of(part, "blocks"), "Change over backward").front();
  EXPECT_NEAR(last_change(part), std::stod(change_mib), 0.05);
}

TEST(MemoryBlock, NamesTheLargestTensorsOfEachContext) {
  EXPECT_THAT(
      answer("f", unchanged, "2026"),
      HasSubstr("at 128 w1 output, sigmoid, two SwiGLU products and w3 output (12.0 % each), "
                "at 1,024 softmax exponentials and attention probabilities (23.0 % each), then "
                "those at 128 (7.2 % each)."));
}

TEST(MemoryBlock, LeavesOutTensorsSmallerThanTheFifth) {
  const Change smaller_w3 = each_row(metric::kBlock, [](const NamedRow& row) {
    if (row.has(column::kModule, "ffn/w3")) row.scale(column::kBytes, 0.99);
  });
  EXPECT_THAT(answer("f", smaller_w3, "2026"),
              AllOf(HasSubstr("two SwiGLU products (12.0 % each), w3 output (11.9 %), at 1,024"),
                    HasSubstr("each), w1 output, sigmoid and two SwiGLU products (7.2 % each).")));
}

TEST(MemoryBlock, HasFormulasOnlyIfTheyGiveWhatWasMeasured) {
  EXPECT_THAT(answer("f", unchanged, "2026"), HasSubstr("beyond 1,200 tokens"));
  EXPECT_THAT(answer("f", add_to_metric("block", "kept", 64LL << 20), "2026"),
              Not(HasSubstr("Formulas")));
}

TEST(MemoryBlock, NamesOperatorsAndModulesOfAUsersModel) {
  PlanInput input = input_for("memory_profiling.f", Preset::kFull, "2026");
  input.selection.model.emplace().implementation = "Net-0a1b2c3d";
  const std::string answer_words = part_of(fake_run(input), "memory_profiling.f").answer;
  EXPECT_THAT(answer_words, AllOf(HasSubstr("mul in ffn"), Not(HasSubstr("SwiGLU"))));
}

TEST(MemoryAllocations, AreNamedByOperatorAndModule) {
  using memory_profiling::maker_words;
  EXPECT_EQ(maker_words("aten::contiguous", "attn", "aten::empty"), "contiguous in attn");
  EXPECT_EQ(maker_words("aten::where", "attn", "aten::resize_"), "where in attn");
  EXPECT_EQ(maker_words("aten::mul", "ffn", "aten::mul"), "mul in ffn");
}

}  // namespace
}  // namespace labreport::memory_profiling_test
