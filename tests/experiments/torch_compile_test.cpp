// The problem of torch.compile: its plan, and its sentences where they hold and where not.
#include <gmock/gmock.h>

#include "experiments/common/shipped.h"
#include "experiments/sample_runs.h"

namespace labreport::torch_compile_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using namespace testing_samples;

PlanInput compile_input(Preset preset = Preset::kFull, const char* edition = "2025") {
  return only("torch_compile", preset, edition);
}

/// Its cells of networks, or those of attention.
std::vector<CellSpec> compile_plan(const PlanInput& input, bool attention = false) {
  std::vector<CellSpec> specs = planned(input);
  std::erase_if(specs, [=](const CellSpec& spec) {
    return attention ? !spec.attention : !is_shipped(spec) || !spec.model;
  });
  return specs;
}

const std::string kForwardMean = attention_column(metric::kForward, "mean_ns");

/// GEMMs stay; of the others a fifth is left, fused.
void fuse(const NamedRow& row) {
  if (row.has(column::kClass, "gemm") || row.has(column::kPhase, metric::kOptimizer)) return;
  row[column::kClass] = std::string("fused");
  for (const auto name : {column::kInstances, column::kTotalNs}) {
    row[name] = std::max<std::int64_t>(1, row.number(name) / 5);
  }
}

/// Twice as fast, three times backward, and half is saved.
void hasten(const NamedRow& row) {
  row.scale(kForwardMean, 1 / 2.);
  row.scale(attention_column(metric::kBackward, "mean_ns"), 1 / 3.);
  row.scale(column::kBeforeBackwardBytes, 1 / 2.);
}

/// Answers as the worker for models does: small gains most, its optimizer nothing.
void answer(const CellSpec& spec, Launch& launch) {
  if (!is_shipped(spec) || !is_ok(launch.outcome)) return;
  if (spec.attention) {
    if (!is_compiled(spec)) return;
    each_row(metric::kAttention, hasten)(spec, launch);
    for (const std::int64_t length : spec.attention->lengths) {
      launch.metrics.push_back(
          integer_metric(metric::kCompile, std::to_string(length), "ns", 7'000'000'000));
    }
    return;
  }
  const std::int64_t gibibyte = 1LL << 30;
  const bool compiled = is_compiled(spec);
  launch.metrics.push_back(
      integer_metric(metric::kMemory, metric::kPeakAllocated, "B", (compiled ? 6 : 8) * gibibyte));
  if (!compiled) return;
  launch.metrics.push_back(
      integer_metric(metric::kStartUp, metric::kCompile, "ns", 2'000'000'000 * spec.model->layers));
  scaled(metric::kStep, metric::kTotal, spec.size == "small" ? 0.4 : 0.8)(spec, launch);
  scaled(metric::kEvent, metric::kForward, 0.5)(spec, launch);
  each_row(metric::kKernels, fuse)(spec, launch);
}

Part compile_part(PlanInput input, const Change& change = as_it_is,
                  const std::string& letter = "b") {
  input.selection.only = {"torch_compile." + letter};
  return part_of(measured(input, both(answer, change)), input.selection.only.front());
}

std::string compile_answer(const Change& change, const std::string& letter = "b") {
  return compile_part(compile_input(), change, letter).answer;
}

TEST(CompilePlan, ComparesFourSizesInTwoPrecisionsEagerAndCompiled) {
  for (const auto& [edition, largest] : {std::pair("2025", "2.7B"), std::pair("2026", "xl")}) {
    const auto specs = compile_plan(compile_input(Preset::kFull, edition));
    EXPECT_EQ(specs.size(), 4u * 2 * 2);
    EXPECT_EQ(specs.back().size, largest);
    EXPECT_EQ(cell_id(specs[1]),
              "kernels.cuda.pytorch-compiled.d768-f3072-l12-h12-v10000.b4.c512.fp32.train_step.w5."
              "n10");
  }
}

TEST(CompilePlan, OfADemonstrationCompilesOnlySizesThatItsUserNames) {
  PlanInput input = compile_input(Preset::kDemo);
  const auto specs = compile_plan(input);
  ASSERT_EQ(specs.size(), 1u);
  EXPECT_FALSE(is_compiled(specs.front()));
  input.selection.sizes = {known_sizes(input.edition, Preset::kDemo).front()};
  EXPECT_EQ(compile_plan(input).size(), 2u);
}

TEST(CompilePlan, ALaddersLastRungIsTheSameCellWithMoreWords) {
  const PlanInput input = compile_input();
  const CellSpec rung = shipped_cell(input, axes(input), input.edition.sizes.front(), kFastest);
  EXPECT_EQ(rung.implementation, "pytorch-compiled-loss-graphs-sdpa-fused");
  EXPECT_TRUE(is_shipped(rung) && is_compiled(rung));
}

TEST(Shipped, IsNoModelOfTheUsers) {
  CellSpec spec;
  for (const char* other : {"", "pytorch", "pytorch-0a1b2c3d", "Net-compiled-0a1b2c3d"}) {
    spec.implementation = other;
    EXPECT_FALSE(is_shipped(spec)) << other;
  }
}

TEST(CompilePlan, HasTheHandoutsGridBothWays) {
  const auto specs = compile_plan(compile_input(), true);
  ASSERT_EQ(specs.size(), 4u * 2);
  EXPECT_EQ(cell_id(specs[1]),
            "attention.cuda.pytorch-compiled.synced.eager.d16-h1.s256-1024-4096-8192-16384.b8.fp32."
            "w5.n20");
  EXPECT_EQ(compile_plan(compile_input(Preset::kDemo), true).size(), 1u);
}

TEST(CompiledAttention, SaysWhatIsFasterAndWhatIsStillSaved) {
  const Part part = compile_part(compile_input(), as_it_is, "a");
  EXPECT_THAT(part.answer,
              AllOf(HasSubstr("In FP32 at 16,384 tokens, compiled attention runs **2.00×** as fast "
                              "forward and **3.00×** backward at d = 64 (2.00× and 3.00× over"),
                    HasSubstr("At 256 tokens it runs 2.00× as fast"),
                    Not(HasSubstr("launches set the pace")), HasSubstr("because Inductor fuses"),
                    HasSubstr("1.0 tensors of scores"), HasSubstr("takes 7 s for each length")));
}

/// Another time for the forward pass of one length.
Change forward_of(std::int64_t length, double factor) {
  return each_row(metric::kAttention, [=](const NamedRow& row) {
    if (row.number(column::kLength) == length) row.scale(kForwardMean, factor);
  });
}

/// Compiled attention of one length and head dimension takes longer.
Change slower(std::int64_t head_dim, std::int64_t length) {
  return where(
      [=](const CellSpec& spec) {
        return spec.attention && is_compiled(spec) && spec.attention->head_dim == head_dim;
      },
      forward_of(length, 2.5));
}

TEST(CompiledAttention, TellsOfHeadDimensionsThatAreSlowerAndGivesNoReasonThere) {
  const Part shortest = compile_part(compile_input(), slower(32, 256), "a");
  EXPECT_THAT(shortest.answer, AllOf(HasSubstr("it runs 0.80 to 2.00× as fast forward"),
                                     HasSubstr("because Inductor fuses")));
  const Part longest = compile_part(compile_input(), slower(32, 16384), "a");
  EXPECT_THAT(longest.answer,
              AllOf(HasSubstr("(0.80 to 2.00×"), Not(HasSubstr("because Inductor fuses"))));
}

TEST(CompiledAttention, GivesNoSpeedupOfTheShortestWithinTheDeviations) {
  const Change scattered = [](const CellSpec& spec, Launch& launch) {
    if (!spec.attention || spec.attention->head_dim != 32) return;
    Table& table = launch.tables.front();
    NamedRow(table, table.rows.front())[attention_column(metric::kForward, "stddev_ns")] =
        std::int64_t{1'000'000};
  };
  EXPECT_THAT(compile_answer(scattered, "a"),
              AllOf(HasSubstr("At 256 tokens speedups do not all exceed the passes' deviations"),
                    Not(HasSubstr("At 256 tokens it runs"))));
}

TEST(CompiledAttention, NamesLaunchesWhereALongerSequenceTakesNoLonger) {
  EXPECT_THAT(compile_answer(forward_of(256, 16), "a"),
              AllOf(HasSubstr("launches set the pace there, because eager forward at d = 64"),
                    HasSubstr("ms for 1,024 tokens")));
}

TEST(CompiledAttention, SaysNothingOfFusionOrOfScoresThatAreNotThere) {
  const Change same = [](const CellSpec& spec, Launch& launch) {
    if (!is_compiled(spec)) return;
    CellSpec flash = spec;
    flash.attention->backend = AttentionBackend::kEfficient;
    launch = good_report({flash, 0, 0, "", false}).body;
    each_row(metric::kAttention,
             [](const NamedRow& row) { row[kForwardMean] = std::int64_t{1} << 60; })(spec, launch);
    launch.conditions.clear();
  };
  const Part part = compile_part(compile_input(), same, "a");
  EXPECT_THAT(part.answer, AllOf(HasSubstr("0.00×"), Not(HasSubstr("Inductor fuses")),
                                 Not(HasSubstr("still saves")), Not(HasSubstr("Compiling"))));
}

TEST(Compiled, OfADemonstrationSaysWhyItIsNot) {
  EXPECT_THAT(compile_part(compile_input(Preset::kDemo), as_it_is, "a").answer,
              HasSubstr("a demonstration on a CPU compiles the contexts"));
  EXPECT_THAT(compile_part(compile_input(Preset::kDemo)).answer,
              HasSubstr("a CPU takes a minute to compile a network"));
}

TEST(CompiledNetwork, SaysWhatIsFasterAndWhichKernelsWent) {
  const Part part = compile_part(compile_input());
  EXPECT_THAT(
      part.answer,
      AllOf(HasSubstr("**FP32: the training step runs 2.50× as fast for small and 1.25× "
                      "for 2.7B**, the forward pass 2.00× and 2.00×"),
            HasSubstr("gains less than its forward pass because backward gains 1.00× for "
                      "small and 1.00× for 2.7B."),
            HasSubstr("In 2.7B's forward and backward pass 374 non-GEMM kernels replace 1,924"),
            HasSubstr("GEMM time stays (22,670 → 22,670 ms)"),
            HasSubstr("both modes call the same library"),
            HasSubstr("falls from 8.00 GiB to 6.00 GiB"), HasSubstr("24 s to 1 min 12 s")));
  EXPECT_EQ(table_of(part, "networks").rows.size(), 8u);
}

TEST(CompiledNetwork, ComparesMediansSoThatAStalledStepMovesNothing) {
  const Change stall = where(is_compiled, [](const CellSpec&, Launch& launch) {
    for (Metric& metric : launch.metrics) {
      auto* steps = std::get_if<Samples>(&metric.data);
      if (steps != nullptr) std::visit([](auto& all) { all.back() *= 10; }, *steps);
    }
  });
  EXPECT_EQ(compile_answer(stall), compile_answer(as_it_is));
}

TEST(CompiledNetwork, BlamesTheOptimizerOnlyWhereTheStepGainsLessThanItsForwardPass) {
  EXPECT_THAT(compile_answer(where(is_compiled, scaled(metric::kStep, metric::kTotal, 0.5))),
              AllOf(HasSubstr("as fast for small"), Not(HasSubstr("gains less"))));
}

TEST(CompiledNetwork, BlamesTheOptimizerWhereItIsMuchOfTheCompiledStep) {
  const Change slow = both(where(is_shipped, scaled(metric::kEvent, metric::kOptimizer, 20)),
                           where(is_compiled, scaled(metric::kEvent, metric::kBackward, 0.5)));
  EXPECT_THAT(compile_answer(slow),
              AllOf(HasSubstr("because the optimizer, which is not compiled, takes"),
                    Not(HasSubstr("backward gains"))));
  const Change unknown = where([](const CellSpec& spec) { return spec.size == "small"; },
                               without(metric::kEvent, metric::kOptimizer));
  EXPECT_THAT(compile_answer(both(slow, unknown)), Not(HasSubstr("not compiled, takes")));
}

TEST(CompiledNetwork, NamesAnOutlierBelowTheMethod) {
  const auto method = [](const Change& change) {
    return compile_part(compile_input(), change).details.words(Answers::kFull);
  };
  const Change stall = where(
      [](const CellSpec& spec) {
        return is_compiled(spec) && spec.size == "2.7B" && spec.precision == Precision::kFp32;
      },
      each_sample(metric::kStep, metric::kTotal,
                  [](double ns, std::size_t step) { return step == 9 ? 2 * ns : ns; }));
  EXPECT_THAT(method(stall), HasSubstr("steps of 2.7B in FP32, compiled, an outlier took"));
  EXPECT_THAT(method(as_it_is), Not(HasSubstr("outlier")));
}

TEST(CompiledNetwork, NamesLaunchesAsTheReasonOnlyWhereKernelsDoNotFillTheStep) {
  EXPECT_THAT(compile_answer(as_it_is), Not(HasSubstr("launch-bound")));
  const Change idle = where(
      [](const CellSpec& spec) { return spec.size == "small" && is_shipped(spec); },
      both(scaled(metric::kStep, metric::kTotal, 2), scaled(metric::kStep, metric::kEnqueue, 2)));
  EXPECT_THAT(compile_answer(idle),
              HasSubstr("The step gains most for small in FP32 because it is launch-bound"));
}

TEST(CompiledNetwork, SaysNothingOfFusionOrMemoryThatDidNotChange) {
  const Change same = [](const CellSpec& spec, Launch& launch) {
    if (!is_compiled(spec)) return;
    CellSpec eager = spec;
    eager.implementation = implementation_of({});
    launch = good_report({eager, 0, 0, "", false}).body;
    launch.conditions.clear();
  };
  const Part part = compile_part(compile_input(), same);
  EXPECT_THAT(part.answer, AllOf(HasSubstr("step runs 1.00×"), Not(HasSubstr("fuses")),
                                 Not(HasSubstr("Peak memory")), Not(HasSubstr("compiles"))));
}

TEST(CompiledNetwork, PaysOffAfterNobodyKnowsHowManyStepsWhereNoneWasTimed) {
  const auto eager = [](const CellSpec& spec) { return !is_compiled(spec); };
  EXPECT_THAT(compile_answer(where(eager, without(metric::kStep, metric::kTotal))),
              AllOf(HasSubstr("Compilation takes"), Not(HasSubstr("pays off"))));
}

TEST(CompiledNetwork, WhatWasNotCompiledStandsWithItsReason) {
  const Change none = [](const CellSpec& spec, Launch& launch) {
    if (is_compiled(spec)) end_with(launch, Skipped{"torch.compile needs Triton for a GPU"});
  };
  const Part part = compile_part(compile_input(), none);
  EXPECT_THAT(part.answer,
              AllOf(HasSubstr("No network ran both ways"),
                    HasSubstr("small in FP32 has no compiled row: skipped: torch.compile needs")));
}

TEST(CompiledNetwork, IsNoRowOfTheProfilingProblems) {
  PlanInput input = plan_input(Preset::kQuick);
  const Document alone = build_document(measured(input), false);
  input.selection.only = {
      "benchmarking_script",          "nsys_profile",     "mixed_precision_accumulation",
      "benchmarking_mixed_precision", "memory_profiling", "torch_compile"};
  const Document beside = build_document(measured(input, answer), false);
  for (const Section& section : alone.sections) {
    const auto same = std::ranges::find(beside.sections, section.problem, &Section::problem);
    ASSERT_NE(same, beside.sections.end()) << section.problem;
    for (std::size_t i = 0; i < section.parts.size() && section.asked(); ++i) {
      EXPECT_EQ(section.parts[i].answer, same->parts[i].answer) << section.parts[i].name();
    }
  }
}

}  // namespace
}  // namespace labreport::torch_compile_test
