// What the memory problem says of runs that went otherwise than most.
#include <gmock/gmock.h>

#include "experiments/memory_profiling/lifetimes.h"
#include "experiments/sample_runs.h"
#include "plan/memory.h"

namespace labreport {
namespace {

using memory_profiling::Allocation;
using memory_profiling::allocations_of;
using memory_profiling::Timeline;
using memory_profiling::timeline_of;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing_samples::Change;
using testing_samples::measured;
using testing_samples::only;

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
Part part_of(const std::string& letter, const Change& change, const char* edition = "2025") {
  const auto run = measured(only("memory_profiling", Preset::kFull, edition), change);
  return testing_samples::part_of(run, "memory_profiling." + letter);
}

Change with_metric(const std::string& tag, const std::string& name, std::int64_t added) {
  return [=](const CellSpec&, Launch& launch) {
    for (Metric& metric : launch.metrics) {
      if (metric.tag != tag || metric.name != name) continue;
      metric = integer_metric(tag, name, metric.unit,
                              static_cast<std::int64_t>(*metric.number()) + added);
    }
  };
}

const TableView& table_of(const Part& part, const std::string& slug) {
  for (const auto* tables : {&part.tables, &part.details.tables}) {
    for (const TableView& table : *tables) {
      if (table.slug == slug) return table;
    }
  }
  throw std::runtime_error("no table " + slug);
}

/// All words of a table, remarks beside its rows included.
std::string words_of(const TableView& table) {
  std::string all;
  for (const RowView& row : table.rows) {
    for (std::size_t c = 0; c < row.cells.size(); ++c) all += table.text(row, c) + "\n";
    for (const std::string& flag : row.flags) all += flag + "\n";
    all += row.note + "\n";
  }
  return all;
}

const Figure& figure_of(const Part& part, const std::string& slug) {
  for (const Figure& figure : part.figures) {
    if (figure.slug == slug) return figure;
  }
  throw std::runtime_error("no figure " + slug);
}

TEST(MemoryTimeline, KeepsThePeakAndThePhases) {
  const Timeline timeline = timeline_of(launch_of(Mode::kTrainStep));
  EXPECT_EQ(timeline.phases().size(), 4u);
  EXPECT_EQ(timeline.peak().phase, "backward");
  EXPECT_GT(timeline.end_of("loss")->of("activations"), 26e9);
  EXPECT_EQ(timeline.end_of("backward")->of("activations"), 0);
  EXPECT_EQ(timeline.end_of("no such phase"), nullptr);
}

TEST(MemoryTimeline, ThatBeginsMidwayOrHasNoRowsIsStillRead) {
  Launch launch = launch_of(Mode::kTrainStep);
  auto& rows = launch.tables.front().rows;
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2));
  EXPECT_FALSE(timeline_of(launch).phases().empty());
  rows.clear();
  EXPECT_TRUE(timeline_of(launch).empty());
  EXPECT_TRUE(timeline_of(Launch{}).empty());
}

Change unchanged() {
  return [](const CellSpec&, Launch&) {};
}

Change refused_at(std::int64_t context, Precision precision = Precision::kFp32) {
  return [=](const CellSpec& spec, Launch& launch) {
    if (spec.context != context || spec.precision != precision || spec.mode != Mode::kTrainStep)
      return;
    testing_samples::end_with(launch, OutOfMemory{"forward", 2LL << 30, 136LL << 30, 136LL << 30});
  };
}

TEST(MemoryTimelines, AreAnInferenceAndATrainingStepByCategory) {
  const Part part = part_of("a", unchanged());
  ASSERT_EQ(part.figures.size(), 2u);
  EXPECT_THAT(part.figures[0].title, HasSubstr("inference forward of 2.7B at context 512"));
  EXPECT_THAT(part.figures[1].title, HasSubstr("training step of 2.7B at context 512"));
  EXPECT_THAT(part.answer, HasSubstr(", in the backward pass: forward and loss save"));
  EXPECT_THAT(part.answer, Not(HasSubstr("out of memory")));
  ASSERT_EQ(part.details.figures.size(), 2u);
  EXPECT_THAT(part.details.figures[0].title, HasSubstr("Largest allocations"));
}

TEST(MemoryTimelines, EndWhereMemoryDoes) {
  const Part refused = part_of("a", unchanged(), "2026"), whole = part_of("a", unchanged());
  EXPECT_THAT(refused.answer,
              HasSubstr("out of memory in forward, which tried to allocate another "));
  EXPECT_THAT(whole.answer, Not(HasSubstr("out of memory")));
  EXPECT_THAT(words_of(refused.figures.back().data),
              AllOf(HasSubstr("out of memory in forward"), Not(HasSubstr("end of"))));
  EXPECT_THAT(words_of(whole.figures.back().data),
              AllOf(HasSubstr("end of forward"), HasSubstr("end of optimizer")));
}

TEST(MemoryTimelines, CallASawtoothWhatTemporariesRaise) {
  EXPECT_THAT(part_of("a", unchanged()).answer, HasSubstr("sawtooth"));
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
  EXPECT_THAT(part_of("a", kept).answer, Not(HasSubstr("sawtooth")));
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
  const nlohmann::json boxes = rows_of(data.at(0));
  ASSERT_GT(boxes.size(), 2u);
  EXPECT_EQ(boxes[0]["category"], "before the step");
  for (std::size_t i = 2; i < boxes.size(); ++i) {
    EXPECT_LE(boxes[i]["size"].get<double>(), boxes[i - 1]["size"].get<double>());
  }
  EXPECT_TRUE(
      memory_profiling::lifetimes(timeline_of(launch), {}, memory_profiling::byte_unit(1)).empty());
}

/// Each training step's peak lies in its optimizer, or in a phase whose peak was not measured.
Change peaks_in(std::string_view phase) {
  return [=](const CellSpec& spec, Launch& launch) {
    if (spec.mode != Mode::kTrainStep) return;
    for (Metric& metric : launch.metrics) {
      const bool other = metric.tag == "peak" && metric.name != phase;
      if (other || (metric.tag == "category" && metric.name == "activations")) {
        metric = integer_metric(metric.tag, metric.name, metric.unit, 0);
      }
    }
  };
}

TEST(MemoryPeaks, SayInWhichPhaseTheyLieAndNothingWhereTheRunDoesNot) {
  EXPECT_THAT(part_of("b", unchanged()).answer,
              HasSubstr("At context 512 it peaks in the backward pass"));
  EXPECT_THAT(part_of("b", peaks_in("none")).answer, Not(HasSubstr("peaks in")));
  EXPECT_THAT(part_of("b", peaks_in("none")).answer, Not(HasSubstr("of saved activations")));
}

TEST(MemoryPeaks, ArgueFromTheContextsOfTheirTable) {
  const Part part = part_of("b", unchanged(), "2026");
  EXPECT_EQ(table_of(part, "contexts").rows.size(), 3u);  // 128, 1,024 and 2,048
  EXPECT_THAT(part.answer, AllOf(HasSubstr("At context 128 memory peaks in the optimizer step"),
                                 HasSubstr("At context 1,024 it peaks in the backward pass"),
                                 Not(HasSubstr("context 512"))));
}

TEST(MemoryPeaks, OfSeveralContextsInOnePassGiveTheRangeOfActivations) {
  const Change in_backward = [](const CellSpec& spec, Launch& launch) {
    if (spec.mode != Mode::kTrainStep) return;
    with_metric("peak", "backward", 60LL << 30)(spec, launch);
    with_metric("category", "activations", 60LL << 30)(spec, launch);
  };
  EXPECT_THAT(part_of("b", in_backward).answer,
              testing::ContainsRegex("Memory peaks in the backward pass, because 60.* GiB to 86.* "
                                     "GiB of saved activations are still alive"));
}

TEST(MemoryPeaks, ThatAreMissingHaveTheirReasonWithoutBytes) {
  const std::string words = words_of(table_of(part_of("b", refused_at(512)), "contexts"));
  EXPECT_THAT(words, AllOf(HasSubstr("training step: out of memory in forward"),
                           Not(HasSubstr("tried to allocate"))));
}

TEST(MemoryPeaks, NameTheGradientsThatReplaceActivationsOnlyWhereTheseAreMore) {
  EXPECT_THAT(part_of("b", unchanged()).answer, HasSubstr("of gradients that replace them"));
  const Part larger = part_of("b", with_metric("category", "parameters", 60LL << 30));
  EXPECT_THAT(larger.answer,
              AllOf(HasSubstr("of saved activations"), Not(HasSubstr("that replace them"))));
}

TEST(MemoryPeaks, AreThoseOfInferenceTooAndSayWhereAStepDoesNotFit) {
  EXPECT_THAT(part_of("b", refused_at(512)).answer,
              HasSubstr("does not fit at 512; the inference forward peaks at"));
  EXPECT_THAT(part_of("b", unchanged()).answer, Not(HasSubstr("does not fit")));
}

TEST(MemoryPeaks, ThatFallWithContextAreExplainedByRoundingOrNotAtAll) {
  const auto raised = [](std::int64_t requested) {
    return [=](const CellSpec& spec, Launch& launch) {
      if (spec.context != 128 || spec.mode != Mode::kTrainStep) return;
      with_metric("memory", "peak_allocated", 40LL << 30)(spec, launch);
      with_metric("memory", "peak_requested", requested)(spec, launch);
    };
  };
  const auto findings = [](const Change& change) { return part_of("b", change).details.findings; };
  EXPECT_THAT(findings(raised(0)),
              HasSubstr("Context 128 peaks above 256 because of the allocator's rounding (4"));
  EXPECT_THAT(findings(raised(40LL << 30)), Not(HasSubstr("rounding")));
  EXPECT_THAT(findings(unchanged()), Not(HasSubstr("rounding")));
}

TEST(MemoryPeaks, AreOneRowAStepAndContextInEveryPrecision) {
  const nlohmann::json rows =
      figure_of(part_of("c", refused_at(512)), "memory-peaks").spec["data"]["values"];
  ASSERT_EQ(rows.size(), 18u);  // three steps, three contexts, two precisions
  const auto refused =
      std::ranges::find_if(rows, [](const auto& row) { return row["peak"].is_null(); });
  ASSERT_NE(refused, rows.end());
  EXPECT_EQ((*refused)["row"], "training step, 512");
  EXPECT_THAT((*refused)["reason"].get<std::string>(), HasSubstr("out of memory in forward"));
}

TEST(MemoryPeaks, ThatDifferFromTheirFormulasSaySo) {
  const auto remarks = [](const Change& change) {
    return words_of(table_of(part_of("b", change), "allocator"));
  };
  EXPECT_THAT(remarks(with_metric("memory", "peak_requested", 3LL << 30)),
              HasSubstr("not explained by the formula"));
  EXPECT_THAT(remarks(unchanged()), Not(HasSubstr("not explained")));
}

TEST(MemoryPeaks, SayWhereTheHistoryChangedThem) {
  EXPECT_THAT(
      words_of(table_of(part_of("b", with_metric("history", "peak_requested", 512)), "allocator")),
      HasSubstr("the history changed the peak"));
}

Change without(std::string_view tag, std::string_view name) {
  return [=](const CellSpec&, Launch& launch) {
    std::erase_if(launch.metrics,
                  [=](const Metric& metric) { return metric.tag == tag && metric.name == name; });
  };
}

TEST(MemoryPeaks, ThatWereNotCountedAreNotSaidToDiffer) {
  EXPECT_THAT(words_of(table_of(part_of("b", without("memory", "peak_requested")), "allocator")),
              AllOf(Not(HasSubstr("history")), Not(HasSubstr("not explained"))));
}

TEST(MemoryPeaks, LieInNoPhaseWhoseOwnPeakWasNotMeasured) {
  EXPECT_THAT(part_of("b", without("peak", "backward")).answer,
              Not(HasSubstr("At context 512 it peaks in")));
}

TEST(MemoryPeaks, ThatADeviceCannotCountGiveItsReason) {
  const Part part = part_of("b", [](const CellSpec&, Launch& launch) {
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
  const nlohmann::json live = figure_of(part_of("b", unchanged()), "what-fits").live;
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
  const TableView table = figure_of(part_of("b", unchanged()), "what-fits").data;
  ASSERT_EQ(table.rows.size(), 30u);  // three steps, two precisions, five sizes
  const RowView& largest = table.rows[24];
  EXPECT_EQ(table.text(largest, 0), "2.7B");
  EXPECT_EQ(table.text(largest, 1), "training step");
  EXPECT_EQ(table.text(largest, 5), "80 GB");
  EXPECT_EQ(table.text(largest, 7), "none");
}

Change higher_half_steps(std::int64_t bytes) {
  return [=](const CellSpec& spec, Launch& launch) {
    if (spec.precision != Precision::kBf16 || spec.mode != Mode::kTrainStep) return;
    with_metric("memory", "peak_allocated", bytes)(spec, launch);
  };
}

TEST(WhatFits, SaysHowNearThePredictionsAre) {
  const Part part = part_of("b", unchanged());
  EXPECT_THAT(part.details.findings, HasSubstr("predict the 12 peaks measured in this run"));
  EXPECT_EQ(table_of(part, "predictions").rows.size(), 6u);
  EXPECT_THAT(words_of(part.figures.front().data), Not(HasSubstr("off")));
}

TEST(WhatFits, GivesPredictionsAsSharesOfThePeaks) {
  const TableView table = table_of(part_of("b", higher_half_steps(1 << 30)), "predictions");
  const Value& farthest = table.rows.back().cells.back();  // training step, BF16
  EXPECT_LT(*farthest.number(), -0.01);
  EXPECT_GT(*farthest.number(), -0.2);
}

TEST(WhatFits, LeavesOutAStepThatTheFormulasMiss) {
  const Part part = part_of("b", higher_half_steps(40LL << 30));
  const Figure& figure = figure_of(part, "what-fits");
  EXPECT_FALSE(figure.live["checks"].back().contains("sizes"));
  EXPECT_THAT(words_of(figure.data), HasSubstr("% off"));
  EXPECT_THAT(part.details.findings, HasSubstr("predict the 9 peaks"));
}

TEST(WhatFits, NeedsAMeasuredPeak) {
  const Part part = part_of("b", [](const CellSpec&, Launch& launch) {
    launch.metrics = {absent_metric("memory", "peak_allocated", "B", "no caching allocator")};
  });
  EXPECT_TRUE(part.figures.empty());
  EXPECT_THAT(part.answer, Not(HasSubstr("predict")));
}

/// BF16's training step requests and takes so many bytes more, all of them activations.
Change half_precision_adds(std::int64_t bytes, std::int64_t explained) {
  return [=](const CellSpec& spec, Launch& launch) {
    if (spec.precision != Precision::kBf16 || spec.mode != Mode::kTrainStep) return;
    with_metric("memory", "peak_allocated", bytes)(spec, launch);
    with_metric("peak", "backward", bytes)(spec, launch);
    with_metric("category", "activations", explained)(spec, launch);
  };
}

TEST(MemoryPrecisions, GiveReasonsThatAddUpToTheChange) {
  const std::int64_t much = 40LL << 30;
  EXPECT_THAT(
      part_of("c", half_precision_adds(much, much)).answer,
      HasSubstr("because BF16 peaks in the backward pass, not in the optimizer step, with "));
  EXPECT_THAT(part_of("c", half_precision_adds(much, 0)).answer,
              HasSubstr("this run does not show why"));
  EXPECT_THAT(part_of("c", half_precision_adds(much, much)).answer,
              HasSubstr("For the training step mixed precision costs memory at context 128: "));
}

TEST(MemoryPrecisions, GiveNoReasonWhereACategoryWasNotMeasured) {
  EXPECT_THAT(part_of("c", unchanged()).answer, HasSubstr("GiB of activations"));
  EXPECT_THAT(part_of("c", without("category", "activations")).answer, Not(HasSubstr("GiB of ")));
}

TEST(MemoryPrecisions, SayWhatStaysInFp32OnlyWhereItIsMostOfTheShortestStep) {
  const auto held = [](std::int64_t bytes) {
    return [=](const CellSpec& spec, Launch& launch) {
      if (spec.context != 128 || spec.mode != Mode::kTrainStep) return;
      for (Metric& metric : launch.metrics) {
        if (metric.tag != "category") continue;
        metric = integer_metric(metric.tag, metric.name, metric.unit,
                                metric.name == "parameters" ? bytes : 0);
      }
    };
  };
  EXPECT_THAT(part_of("c", held(50LL << 30)).answer,
              HasSubstr("because 50.77 GiB of it is parameters, gradients and optimizer state"));
  EXPECT_THAT(part_of("c", held(30LL << 30)).answer, Not(HasSubstr("which stay in FP32")));
}

TEST(MemoryPrecisions, BeginWithTheShortestContextAndLeaveOutThoseOnTheWay) {
  const std::string answer = part_of("c", unchanged(), "2026").answer;
  EXPECT_THAT(answer, testing::StartsWith(
                          "For the training step mixed precision hardly matters at context 128: "));
  EXPECT_THAT(answer, AllOf(HasSubstr("It matters at 1,024, the longest context that ran: the "
                                      "peak goes"),
                            Not(HasSubstr("at 256")), Not(HasSubstr("at 512"))));
  EXPECT_THAT(part_of("c", unchanged()).answer,
              HasSubstr("At 512 it hardly matters either: the peak goes from"));
}

TEST(MemoryPrecisions, SayWhereAStepFitsInOneOrNeither) {
  EXPECT_THAT(part_of("c", refused_at(512)).answer,
              HasSubstr("At context 512 the training step fits in BF16 but not in FP32"));
  const Change neither = [](const CellSpec& spec, Launch& launch) {
    refused_at(512)(spec, launch);
    refused_at(512, Precision::kBf16)(spec, launch);
  };
  EXPECT_THAT(part_of("c", neither).answer, HasSubstr("in neither precision"));
  EXPECT_THAT(part_of("c", unchanged()).answer, Not(HasSubstr("fits")));
}

TEST(MemoryResidual, IsTheFormulasOrIsSaidToDiffer) {
  EXPECT_THAT(part_of("d", unchanged()).answer, HasSubstr("exactly this size"));
  const Part part = part_of("d", with_metric("residual", "requested", 512));
  EXPECT_THAT(part.answer, HasSubstr("which the formula does not explain"));
  EXPECT_THAT(words_of(table_of(part, "residuals")), HasSubstr("does not agree"));
}

TEST(MemoryLargest, AreRankedBySizeWithTheirFate) {
  const Part part = part_of("e", unchanged());
  const nlohmann::json rows = figure_of(part, "memory-largest").spec["data"]["values"];
  ASSERT_FALSE(rows.empty());
  for (const nlohmann::json& row : rows) {
    EXPECT_THAT(row["fate"].get<std::string>(),
                testing::AnyOf("saved for backward", "freed in forward", "kept to the end"));
    EXPECT_GT(row["total"].get<double>(), 0);
  }
  EXPECT_THAT(part.answer, HasSubstr("attention scores"));
}

TEST(MemoryLargest, AreToldByLayerWhereLayersMakeEquallyMany) {
  EXPECT_THAT(part_of("e", unchanged()).answer, HasSubstr(": in each of 32 layers, "));
  const Change odd = [](const CellSpec&, Launch& launch) {
    for (Table& table : launch.tables) {
      if (table.name != "largest") continue;
      for (auto& row : table.rows) {
        for (std::size_t i = 0; i < table.columns.size(); ++i)
          if (table.columns[i].name == "count") row[i] = std::int64_t{31};
      }
    }
  };
  EXPECT_THAT(part_of("e", odd).answer,
              AllOf(Not(HasSubstr("in each of")), HasSubstr("62 in the softmax (exp and div)")));
}

TEST(MemoryLargest, OfOtherContextsAreGivenWithTheirPassWhereGradDoesNotFit) {
  const Change forward_alone = [](const CellSpec& spec, Launch& launch) {
    if (spec.context != 2048 || spec.mode != Mode::kInference) return;
    launch.tables = launch_of(Mode::kForward, 2048, 1LL << 40).tables;
  };
  const std::string answer = part_of("e", forward_alone, "2026").answer;
  EXPECT_THAT(answer,
              HasSubstr("At context 1,024 and 2,048 each takes **512.0 MiB and 2.00 GiB**"));
  EXPECT_THAT(answer,
              HasSubstr("(at 2,048 in an inference forward, because with grad it runs out"));
  EXPECT_THAT(part_of("e", unchanged()).answer, Not(HasSubstr("each takes")));
}

TEST(MemoryBlock, SavesWhatArithmeticSaysOrIsSaidToDiffer) {
  EXPECT_THAT(part_of("f", unchanged(), "2026").answer, HasSubstr("matching the formula"));
  const Part part = part_of("f", with_metric("block", "kept", 3LL << 30), "2026");
  EXPECT_THAT(part.answer, HasSubstr("which this run does not explain"));
  EXPECT_THAT(part.answer, HasSubstr("whereas"));
}

/// Of the last point of a block's backward in the first such figure.
double last_change(const Part& part) {
  for (const Figure& figure : part.figures) {
    if (!figure.slug.starts_with("block-timeline")) continue;
    return figure.spec["data"]["values"].back()["change"].get<double>();
  }
  throw std::runtime_error("no figure of a block");
}

TEST(MemoryBlock, WithoutTheMemoryAfterItsBackwardHasNoChange) {
  EXPECT_THAT(part_of("f", without("block", "after_backward"), "2026").answer,
              HasSubstr("No backward pass was recorded"));
}

TEST(MemoryBlock, ItsCurveEndsAtTheChangeThatIsAnswered) {
  const Part part = part_of("f", unchanged(), "2026");
  const double answered = *table_of(part, "blocks").rows.front().cells[3].number();
  EXPECT_NEAR(last_change(part), answered, 0.05);
}

TEST(MemoryBlock, CallsWhatItSavesByItsName) {
  EXPECT_THAT(part_of("f", unchanged(), "2026").answer,
              AllOf(HasSubstr("at context 128 are SwiGLU products ("),
                    HasSubstr("; w1 output, SiLU sigmoid and w3 output ("),
                    HasSubstr("; residual stream, ln1 activations, RoPE outputs and ln2 "
                              "activations (10.0 MiB, 6.0 % each)"),
                    HasSubstr("At context 1,024 they are softmax exponentials and attention "
                              "probabilities (512.0 MiB, 23.0 % each); ")));
}

TEST(MemoryBlock, OfAModelOfOnesOwnIsToldByOperatorsAndModules) {
  PlanInput input = only("memory_profiling.f", Preset::kFull, "2026");
  input.selection.model.emplace().implementation = "Net-0a1b2c3d";
  const std::string answer = testing_samples::part_of(measured(input), "memory_profiling.f").answer;
  EXPECT_THAT(answer, AllOf(HasSubstr("mul in ffn ("), Not(HasSubstr("SwiGLU"))));
}

TEST(MemoryAllocations, AreToldByWhatCalledTheAllocator) {
  using memory_profiling::made_by;
  EXPECT_EQ(made_by("aten::contiguous", "attn", "aten::empty"), "contiguous in attn");
  EXPECT_EQ(made_by("aten::where", "attn", "aten::resize_"), "where in attn");
  EXPECT_EQ(made_by("aten::mul", "ffn", "aten::mul"), "mul in ffn");
}

}  // namespace
}  // namespace labreport
