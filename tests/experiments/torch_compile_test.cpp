// Tests the torch.compile problem: its plan, and the runs in which each sentence appears.
#include <gmock/gmock.h>

#include "experiments/common/shipped.h"
#include "experiments/overview/overview.h"
#include "experiments/sample_runs.h"

namespace labreport::torch_compile_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using namespace testing_samples;

PlanInput compile_input(Preset preset = Preset::kFull, const char* edition = "2025") {
  return input_for("torch_compile", preset, edition);
}

/// Returns the planned cells of networks or of attention.
std::vector<CellSpec> planned_cells(const PlanInput& input, bool attention = false) {
  std::vector<CellSpec> specs = planned(input);
  std::erase_if(specs, [=](const CellSpec& spec) {
    return attention ? !spec.attention : !is_shipped(spec) || !spec.model;
  });
  return specs;
}

const std::string kForwardMean = attention_column(metric::kForward, "mean_ns");

/// Keeps GEMMs, and fuses every five other kernels into one.
void fuse_kernels(const NamedRow& row) {
  if (row.has(column::kClass, "gemm") || row.has(column::kPhase, metric::kOptimizer)) return;
  row[column::kClass] = std::string("fused");
  for (const auto name : {column::kInstances, column::kTotalNs}) {
    row[name] = std::max<std::int64_t>(1, row.number(name) / 5);
  }
}

/// Halves the time of forward and the saved bytes, and divides the time of backward by three.
void speed_up(const NamedRow& row) {
  row.scale(kForwardMean, 1 / 2.);
  row.scale(attention_column(metric::kBackward, "mean_ns"), 1 / 3.);
  row.scale(column::kBeforeBackwardBytes, 1 / 2.);
}

/// Fakes results of compiled code: small gains most, and its optimizer gains nothing.
void fake_compilation(const CellSpec& spec, Launch& launch) {
  if (!is_shipped(spec) || !is_ok(launch.outcome)) return;
  if (spec.attention) {
    if (!is_compiled(spec)) return;
    each_row(metric::kAttention, speed_up)(spec, launch);
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
  each_row(metric::kKernels, fuse_kernels)(spec, launch);
}

Part compile_part(PlanInput input, const Change& change = unchanged,
                  const std::string& letter = "b") {
  input.selection.only = {"torch_compile." + letter};
  return part_of(fake_run(input, combined(fake_compilation, change)), input.selection.only.front());
}

std::string compile_answer(const Change& change, const std::string& letter = "b") {
  return compile_part(compile_input(), change, letter).answer;
}

TEST(CompileSummary, TakesTheMedianAsTheReportDoes) {
  const auto compiled_ms = [](const Change& change) {
    const labreport::Run run = fake_run(compile_input(), combined(fake_compilation, change));
    for (const Quantity& quantity : overview::run_summary(run).quantities) {
      if (quantity.topic == topic::kCompilation) return *quantity.find("compiled");
    }
    return 0.;
  };
  const Change stall_one_step =
      each_sample(metric::kStep, metric::kTotal,
                  [](double ns, std::size_t step) { return step == 1 ? 3 * ns : ns; });
  EXPECT_GT(compiled_ms(unchanged), 0);
  EXPECT_NEAR(compiled_ms(stall_one_step) / compiled_ms(unchanged), 1, 0.02);
}

TEST(CompilePlan, ComparesSizesThatFitInTwoPrecisionsEagerAndCompiled) {
  for (const auto& [edition, sizes, largest] :
       {std::tuple("2025", 5u, "2.7B"), std::tuple("2026", 4u, "xl")}) {
    const auto specs = planned_cells(compile_input(Preset::kFull, edition));
    EXPECT_EQ(specs.size(), sizes * 2 * 2);
    EXPECT_EQ(specs.back().size, largest);
    EXPECT_EQ(cell_id(specs[1]),
              "kernels.cuda.pytorch-compiled.d768-f3072-l12-h12-v10000.b4.c512.fp32.train_step.w5."
              "n10");
  }
}

TEST(CompilePlan, CompilesOnlyNamedSizesInADemonstration) {
  PlanInput input = compile_input(Preset::kDemo);
  const auto specs = planned_cells(input);
  ASSERT_EQ(specs.size(), 1u);
  EXPECT_FALSE(is_compiled(specs.front()));
  input.selection.sizes = {known_sizes(input.edition, Preset::kDemo).front()};
  EXPECT_EQ(planned_cells(input).size(), 2u);
}

TEST(CompilePlan, CompilesTheLastRungOfALadder) {
  const PlanInput input = compile_input();
  const CellSpec rung = shipped_cell(input, axes(input), input.edition.sizes.front(), kFastest);
  EXPECT_EQ(rung.implementation, "pytorch-compiled-loss-graphs-sdpa-fused");
  EXPECT_TRUE(is_shipped(rung) && is_compiled(rung));
}

TEST(ShippedModule, IsNoModelOfTheUsers) {
  CellSpec spec;
  for (const char* other : {"", "pytorch", "pytorch-0a1b2c3d", "Net-compiled-0a1b2c3d"}) {
    spec.implementation = other;
    EXPECT_FALSE(is_shipped(spec)) << other;
  }
}

TEST(CompilePlan, HasTheHandoutsGridEagerAndCompiled) {
  const auto specs = planned_cells(compile_input(), true);
  ASSERT_EQ(specs.size(), 4u * 2);
  EXPECT_EQ(cell_id(specs[1]),
            "attention.cuda.pytorch-compiled.synced.eager.d16-h1.s256-1024-4096-8192-16384.b8.fp32."
            "w10.n100");
  EXPECT_EQ(planned_cells(compile_input(Preset::kDemo), true).size(), 1u);
}

Change where_head_dim(std::int64_t head_dim, const Change& change) {
  return where(
      [=](const CellSpec& spec) { return spec.attention && spec.attention->head_dim == head_dim; },
      change);
}

TEST(CompiledAttention, IsToldWithTheNarrowestAndTheWidestHeadsThatRan) {
  EXPECT_THAT(compile_answer(unchanged, "a"), HasSubstr("(d = 16 to 128), **3.00×** backward"));
  const Change crash = [](const CellSpec&, Launch& launch) { launch.outcome = Crashed{11, ""}; };
  EXPECT_THAT(compile_answer(where_head_dim(16, crash), "a"),
              HasSubstr("(d = 32 to 128), **3.00×** backward"));
  const Change only_16 = combined(where_head_dim(32, crash), where_head_dim(128, crash));
  EXPECT_THAT(compile_answer(combined(only_16, where_head_dim(64, crash)), "a"),
              HasSubstr("attention runs **2.00×** as fast forward at 16,384 tokens (d = 16)"));
}

TEST(CompiledAttention, GivesTheReasonOfAFallIfTheTimeSparedStays) {
  const auto answer_with_wide_ns = [](std::int64_t compiled_ns, std::int64_t eager_ns,
                                      std::int64_t deviation_ns = 100) {
    const Change set_times = [=](const CellSpec& spec, Launch& launch) {
      if (!spec.attention) return;
      each_row(metric::kAttention, [&](const NamedRow& row) {
        const bool compiled = is_compiled(spec), wide = spec.attention->head_dim == 128;
        for (const auto pass : {metric::kForward, metric::kBackward}) {
          row[attention_column(pass, "mean_ns")] =
              wide ? (compiled ? compiled_ns : eager_ns) : (compiled ? 10'000 : 30'000);
          row[attention_column(pass, "stddev_ns")] = deviation_ns;
        }
      })(spec, launch);
    };
    // Both parts together also measure the copy bandwidth.
    return part_of(fake_run(input_for("torch_compile"), combined(fake_compilation, set_times)),
                   "torch_compile.a")
        .answer;
  };
  EXPECT_THAT(answer_with_wide_ns(20'000, 40'000),
              HasSubstr("Fusion saves forward about **0.0200 ms** of reading and"));
  EXPECT_THAT(answer_with_wide_ns(20'000, 44'000), Not(HasSubstr("Fusion"))) << "more is spared";
  EXPECT_THAT(answer_with_wide_ns(10'000, 30'000), Not(HasSubstr("Fusion"))) << "it does not fall";
  EXPECT_THAT(
      answer_with_wide_ns(20'000, 40'000, 5'000),
      AllOf(HasSubstr("**3.0 ± 1.6 to 2.00 ± 0.56×** as fast forward"), Not(HasSubstr("Fusion"))))
      << "passes vary as much";
}

TEST(CompiledAttention, TellsAtWhichLengthsItPays) {
  const auto answer_with_eager_at = [](std::int64_t length, double factor) {
    const auto is_eager = [](const CellSpec& spec) { return !is_compiled(spec); };
    const Change scale_forward =
        where(is_eager, each_row(metric::kAttention, [=](const NamedRow& row) {
                if (row.number(column::kLength) == length) row.scale(kForwardMean, factor);
              }));
    return compile_answer(scale_forward, "a");
  };
  EXPECT_THAT(answer_with_eager_at(256, 1),
              AllOf(HasSubstr("and pays at each d from 256 tokens."), Not(HasSubstr("scatter"))));
  EXPECT_THAT(answer_with_eager_at(1024, 0.5),
              HasSubstr("pays at each d from 4,096 tokens. Beyond scatter it shortens 12 of the "
                        "16 times below and lengthens none."));
  EXPECT_THAT(answer_with_eager_at(16384, 0.1),
              AllOf(Not(HasSubstr("pays")),
                    HasSubstr("it shortens 36 of all 40 times and lengthens four.")));
}

TEST(CompiledAttention, TellsAForwardPassThatTheCpuSets) {
  const auto findings_with_shortest_ns = [](std::int64_t ns) {
    const Change set_median = each_row(metric::kAttention, [ns](const NamedRow& row) {
      if (row.number(column::kLength) == 256)
        row[attention_column(metric::kForward, "median_ns")] = ns;
    });
    return compile_part(compile_input(), set_median, "a").details.findings;
  };
  const std::int64_t second = 1'000'000'000;
  EXPECT_THAT(findings_with_shortest_ns(second),
              HasSubstr("At 256 tokens the CPU sets the time of forward, eager and compiled."));
  EXPECT_THAT(findings_with_shortest_ns(1), Not(HasSubstr("the CPU")));
}

TEST(CompiledAttention, HasItsSpeedupsWithTheirDeviations) {
  const Change vary = each_row(metric::kAttention, [](const NamedRow& row) {
    row[attention_column(metric::kForward, "stddev_ns")] = row.number(kForwardMean) / 10;
  });
  const TableView forward = table_of(compile_part(compile_input(), vary, "a"), "forward-fp32");
  EXPECT_EQ(texts_in(forward, "Forward speedup").front(), "2.00 ± 0.28");
}

TEST(CompiledAttention, SavesTheScoresOnlyIfBothWaysDo) {
  const auto keep_scores = where(is_compiled, each_row(metric::kAttention, [](const NamedRow& row) {
                                   row.scale(column::kBeforeBackwardBytes, 2);
                                 }));
  const auto findings = [](const Change& change) {
    return compile_part(compile_input(), change, "a").details.findings;
  };
  EXPECT_THAT(findings(keep_scores), HasSubstr("Both save two tensors of scores"));
  EXPECT_THAT(findings(unchanged), Not(HasSubstr("save two")));
}

TEST(CompiledAnswers, SayWhyADemonstrationIsNotCompiled) {
  EXPECT_THAT(compile_part(compile_input(Preset::kDemo), unchanged, "a").answer,
              HasSubstr("a demonstration on a CPU compiles the contexts"));
  EXPECT_THAT(compile_part(compile_input(Preset::kDemo)).answer,
              HasSubstr("a CPU takes a minute to compile a network"));
}

TEST(CompiledNetwork, NamesFusionIfItExplainsTheGain) {
  const Part part = compile_part(compile_input());
  EXPECT_EQ(table_of(part, "networks").rows.size(), 10u);
  EXPECT_THAT(part.answer, Not(HasSubstr("Inductor")));
  const auto slow_down_non_gemms = each_row(metric::kKernels, [](const NamedRow& row) {
    if (!row.has(column::kClass, "gemm")) row.scale(column::kTotalNs, 100);
  });
  EXPECT_THAT(compile_answer(where([](const CellSpec& spec) { return !is_compiled(spec); },
                                   slow_down_non_gemms)),
              HasSubstr("Inductor leaves GEMMs as they are and fuses 2.7B's other kernels"));
}

TEST(CompiledNetwork, TellsAForwardPassThatIsLaunchBoundBothWays) {
  const auto busy = [](double factor) {
    return where([](const CellSpec& spec) { return spec.size == "small"; },
                 scaled(metric::kBusy, metric::kForward, factor));
  };
  EXPECT_THAT(compile_answer(busy(0.01)),
              HasSubstr("In small's BF16 forward pass the CPU sets the time, and has fewer"));
  EXPECT_THAT(compile_answer(busy(100)), Not(HasSubstr("small's")));
}

TEST(CompiledNetwork, IsToldFromTheSmallestToTheLargestThatRan) {
  const auto sizes = [](const char* crashing) {
    return compile_answer(
        where([=](const CellSpec& spec) { return spec.size == crashing; },
              [](const CellSpec&, Launch& launch) { launch.outcome = Crashed{11, ""}; }));
  };
  EXPECT_THAT(sizes(""),
              HasSubstr("BF16 training steps of small to 2.7B run **2.50 to 1.25×** as"));
  EXPECT_THAT(sizes("small"), HasSubstr("steps of medium to 2.7B run **1.25×** as"));
  EXPECT_THAT(sizes("2.7B"), HasSubstr("steps of small to xl run **2.50 to 1.25×** as"));
}

TEST(CompiledNetwork, IgnoresAStalledStep) {
  const Change stall = where(is_compiled, [](const CellSpec&, Launch& launch) {
    for (Metric& metric : launch.metrics) {
      auto* steps = std::get_if<Samples>(&metric.data);
      if (steps != nullptr) std::visit([](auto& samples) { samples.back() *= 10; }, *steps);
    }
  });
  EXPECT_EQ(compile_answer(stall), compile_answer(unchanged));
}

/// Varies steps and forward passes of the compiled network by this share, in turns.
Change varied_steps(double share) {
  const auto vary = [share](double ns, std::size_t step) {
    return ns * (step % 2 == 0 ? 1 - share : 1 + share);
  };
  return where(is_compiled, combined(each_sample(metric::kStep, metric::kTotal, vary),
                                     each_sample(metric::kEvent, metric::kForward, vary)));
}

TEST(CompiledNetwork, HasSpeedupsWithTheirSpreadOrNoHeadlineIfStepsVary) {
  const auto summary_and_answer = [](const Change& change) {
    const labreport::Run run = fake_run(compile_input(), combined(fake_compilation, change));
    return std::pair(build_document(run, false).sections.front().parts.front().answer,
                     part_of(run, "torch_compile.b").answer);
  };
  const auto [steady_summary, steady_answer] = summary_and_answer(unchanged);
  EXPECT_THAT(steady_summary, HasSubstr("training step runs 1.25× as fast and its forward"));
  EXPECT_THAT(steady_answer, AllOf(HasSubstr("to 1.25×** as fast"), Not(HasSubstr("±"))));
  const auto [varied_summary, varied_answer] = summary_and_answer(varied_steps(0.15));
  EXPECT_THAT(varied_summary, HasSubstr("step runs 1.25 ± 0.20× as fast and its forward"));
  EXPECT_THAT(varied_answer, AllOf(HasSubstr("to 1.3×** as fast"), Not(HasSubstr("±"))));
  const auto [unclear_summary, unclear_answer] = summary_and_answer(varied_steps(0.6));
  EXPECT_THAT(unclear_summary, AllOf(Not(HasSubstr("Compiled,")), Not(HasSubstr("Inductor"))));
  EXPECT_THAT(unclear_answer, HasSubstr("to 1.25 ± 0.79×** as fast"));
}

TEST(CompiledNetwork, NamesTheMeanWithoutAStalledStep) {
  const Change stall = where(
      is_compiled, each_sample(metric::kStep, metric::kTotal, [](double ns, std::size_t step) {
        return step == 3 ? 10 * ns : ns;
      }));
  const TableView networks = table_of(compile_part(compile_input(), stall), "networks");
  EXPECT_THAT(networks.rows.front().joined_flags(),
              testing::ContainsRegex("^outlier, mean of compiled step without it [0-9.]+ ms$"));
  EXPECT_EQ(table_of(compile_part(compile_input()), "networks").rows.front().joined_flags(), "");
}

TEST(CompiledNetwork, IsNotComparedIfOneWayWasNotTimed) {
  const auto is_eager = [](const CellSpec& spec) { return !is_compiled(spec); };
  EXPECT_THAT(compile_answer(where(is_eager, without_metric(metric::kStep, metric::kTotal))),
              HasSubstr("No network ran both ways"));
}

TEST(CompiledNetwork, GivesTheReasonIfNothingWasCompiled) {
  const Change not_compiled = [](const CellSpec& spec, Launch& launch) {
    if (is_compiled(spec)) end_with(launch, Skipped{"torch.compile needs Triton for a GPU"});
  };
  EXPECT_EQ(compile_answer(not_compiled),
            "No network ran both ways: skipped: torch.compile needs Triton for a GPU.");
}

TEST(CompiledNetwork, ChangesNoProfilingProblem) {
  PlanInput input = plan_input(Preset::kQuick);
  const Document without_compile = build_document(fake_run(input), false);
  input.selection.only = {
      "benchmarking_script",          "nsys_profile",     "mixed_precision_accumulation",
      "benchmarking_mixed_precision", "memory_profiling", "torch_compile"};
  const Document with_compile = build_document(fake_run(input, fake_compilation), false);
  for (const Section& section : without_compile.sections) {
    const auto other = std::ranges::find(with_compile.sections, section.problem, &Section::problem);
    ASSERT_NE(other, with_compile.sections.end()) << section.problem;
    for (std::size_t i = 0; i < section.parts.size() && section.is_handout_problem(); ++i) {
      EXPECT_EQ(section.parts[i].answer, other->parts[i].answer) << section.parts[i].name();
    }
  }
}

}  // namespace
}  // namespace labreport::torch_compile_test
