// Tests the summary that a run leaves for pages over several runs.
#include <gmock/gmock.h>

#include "analysis/measures.h"
#include "base/lists.h"
#include "experiments/common/bound.h"
#include "experiments/overview/overview.h"
#include "experiments/sample_runs.h"

namespace labreport::run_summary_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using namespace testing_samples;

const Quantity& quantity_of(const RunSummary& summary, const std::string& topic) {
  const auto found = std::ranges::find(summary.quantities, topic, &Quantity::topic);
  if (found == summary.quantities.end()) throw std::runtime_error("no quantity of " + topic);
  return *found;
}

std::vector<std::string> value_names_of(const RunSummary& summary, const std::string& topic) {
  return each(quantity_of(summary, topic).values, &std::pair<std::string, double>::first);
}

labreport::Run steps_run() { return fake_run(input_for("benchmarking_script.b")); }

TEST(RunSummary, HasTheSameNumbersWithoutAReport) {
  const labreport::Run run = steps_run();
  const RunSummary alone = overview::run_summary(run);
  const Document report = build_document(run, true);
  const RunSummary with_report = overview::run_summary(run, &report);
  EXPECT_EQ(nlohmann::json(alone.headline), nlohmann::json(with_report.headline));
  ASSERT_THAT(alone.quantities, SizeIs(with_report.quantities.size()));
  for (std::size_t i = 0; i < alone.quantities.size(); ++i) {
    for (const auto& [name, value] : with_report.quantities[i].values)
      EXPECT_NEAR(*alone.quantities[i].find(name), value, 1e-4 * value) << "rounded to 5 digits";
  }
  EXPECT_EQ(alone.device, with_report.device);
  EXPECT_EQ(alone.started_at, "2026-05-01T12:34:56Z");
}

TEST(RunSummary, TakesTheReportsWords) {
  const labreport::Run run = fake_run(input_for("ladder"));
  const Document report = build_document(run, true);
  const RunSummary summary = overview::run_summary(run, &report);
  EXPECT_EQ(summary.title, report.title);
  EXPECT_TRUE(summary.reference);
}

TEST(RunSummary, LinksOnlyToPartsThatTheReportHas) {
  const labreport::Run run = steps_run();
  Document report = build_document(run, false);
  const auto part = [&] {
    return quantity_of(overview::run_summary(run, &report), topic::kTrainingStep).part;
  };
  EXPECT_EQ(part(), "benchmarking_script-b");
  std::erase_if(report.sections,
                [](const Section& section) { return section.problem == "benchmarking_script"; });
  EXPECT_EQ(part(), "");
}

TEST(RunSummary, CallsItsValuesAsComparisonsDo) {
  EXPECT_THAT(value_names_of(overview::run_summary(steps_run()), topic::kTrainingStep),
              ElementsAre(describe(Measure::kStep), describe(Measure::kForward),
                          describe(Measure::kBackward), describe(Measure::kOptimizer)));
  const labreport::Run all_reduces = fake_run(input_for("distributed_communication_single_node"));
  EXPECT_THAT(value_names_of(overview::run_summary(all_reduces), topic::kAllReduce),
              ElementsAre("1 MB", "10 MB", "100 MB", "1 GB"));
}

/// Returns the names of a topic's values that the CPU sets, those of one network after another.
std::vector<std::string> set_by_cpu(const labreport::Run& run, const std::string& topic,
                                    const std::string& network) {
  std::vector<std::string> names;
  for (const Quantity& quantity : overview::run_summary(run).quantities) {
    if (quantity.topic == topic && quantity.network == network)
      std::ranges::copy(quantity.set_by_cpu, std::back_inserter(names));
  }
  return names;
}

/// Makes unprofiled steps take 100 ms, of which kernels fill this share.
Change kernels_that_fill(double share) {
  constexpr std::int64_t kStepNs = 100'000'000;
  return [=](const CellSpec&, Launch& launch) {
    for (Metric& metric : launch.metrics) {
      if (metric.tag == metric::kStep && metric.name == metric::kTotal && metric.is_samples())
        metric.data = Samples(std::vector<std::int64_t>(metric.numbers().size(), kStepNs));
      if (metric.tag == metric::kProfile && metric.name == metric::kBusy)
        metric.data = Scalar(static_cast<std::int64_t>(share * kStepNs));
    }
    for (Table& table : launch.tables) {
      if (table.name == metric::kKernels)
        table.rows = {kernel_row(table, metric::kForward, "gemm", 100 * share)};
    }
  };
}

TEST(RunSummary, MarksTheRungsThatTheCpuSets) {
  const labreport::Run run = fake_run(input_for("ladder"));
  EXPECT_THAT(set_by_cpu(run, topic::kFastestStep, "small"),
              ElementsAre("einsum", "matmul", "SDPA", "fused AdamW", "TF32", "einsum", "matmul",
                          "SDPA", "fused AdamW"));
  EXPECT_THAT(set_by_cpu(run, topic::kFastestStep, "2.7B"), IsEmpty());
}

TEST(RunSummary, DividesEachStepOfALadderIntoItsParts) {
  const RunSummary summary = overview::run_summary(fake_run(input_for("ladder")));
  std::size_t divided_steps = 0;
  for (const Quantity& ladder : summary.quantities) {
    if (ladder.topic != topic::kFastestStep) continue;
    Quantity wanted = ladder;
    wanted.topic = topic::kLadderParts;
    if (ladder.precision == "FP32 to TF32") wanted.precision = "FP32";
    for (const auto& [change, step_ms] : ladder.values) {
      if (change == "TF32") wanted.precision = "TF32";  // From there on all steps compute in it.
      wanted.setting = ladder.setting;
      wanted.setting += ", " + change;
      const auto parts = std::ranges::find_if(
          summary.quantities, [&](const Quantity& other) { return other.matches(wanted); });
      ASSERT_NE(parts, summary.quantities.end()) << wanted.setting;
      double sum_ms = 0;
      for (const auto& [part, ms] : parts->values) sum_ms += ms;
      EXPECT_NEAR(sum_ms, step_ms, 1e-3 * step_ms) << wanted.setting;
      ++divided_steps;
    }
  }
  EXPECT_EQ(divided_steps, 26u);
}

TEST(RunSummary, MarksEagerAndCompiledStepsThatTheCpuSets) {
  const auto marked = [](double share) {
    return set_by_cpu(fake_run(input_for("torch_compile.b"), kernels_that_fill(share)),
                      topic::kCompilation, "small");
  };
  EXPECT_THAT(marked(0.85), ElementsAre("eager", "compiled", "eager", "compiled"));
  EXPECT_THAT(marked(0.95), IsEmpty());
}

TEST(RunSummary, MarksTheIdleTimeOfAStepThatTheCpuSets) {
  PlanInput input = plan_input(Preset::kFull);
  input.selection.only = {"benchmarking_script.b", "nsys_profile"};
  const auto marked = [&](double share) {
    return set_by_cpu(fake_run(input, kernels_that_fill(share)), topic::kKernels, "2.7B");
  };
  EXPECT_THAT(marked(0.85), testing::Contains("GPU idle"));
  EXPECT_THAT(marked(0.85), testing::Each("GPU idle")) << "kernels are the GPU's";
  EXPECT_THAT(marked(0.95), IsEmpty());
}

TEST(RunSummary, MarksTimesOfAttentionThatHardlyDependOnTheLength) {
  const Change times = [](const CellSpec&, Launch& launch) {
    for (Table& table : launch.tables) {
      if (table.name != metric::kAttention) continue;
      const auto column = [&](const std::string& name) {
        return static_cast<std::size_t>(std::ranges::find(table.columns, name, &TableColumn::name) -
                                        table.columns.begin());
      };
      const std::size_t length = column("length"), time = column("end_to_end_median_ns");
      for (auto& row : table.rows) {
        const double tokens = *number_of(row[length]);
        row[time] = Scalar(static_cast<std::int64_t>(std::max(1e6, tokens * tokens)));
      }
    }
  };
  PlanInput input = input_for("flash_benchmarking");
  input.selection.precisions = {Precision::kFp32};
  std::vector<std::string> names = set_by_cpu(fake_run(input, times), topic::kAttention, "");
  std::ranges::sort(names);
  EXPECT_THAT(distinct(names), ElementsAre("128 tokens", "256 tokens", "512 tokens"));
}

TEST(RunSummary, MarksStepsOfSeveralGpusUnlessTheGpuLagsAtTheirEnd) {
  CellSpec spec;
  spec.mode = Mode::kTrainStep;
  spec.steps = 2;
  const auto bound_if = [&](std::int64_t enqueued_ms) {
    constexpr std::int64_t kMillion = 1'000'000;
    Launch launch;
    launch.metrics = {
        sample_metric(metric::kStep, metric::kTotal, "ns", {100 * kMillion, 100 * kMillion}),
        sample_metric(metric::kStep, metric::kEnqueue, "ns",
                      {enqueued_ms * kMillion, enqueued_ms * kMillion}),
        sample_metric(metric::kEvent, metric::kOptimizer, "ns", {20 * kMillion, 20 * kMillion})};
    return bound_at_end({&spec, &launch});
  };
  EXPECT_EQ(bound_if(95), Bound::kDevice) << "a quarter of the optimizer";
  EXPECT_EQ(bound_if(100), Bound::kMixed);
  const Launch unrecorded;
  EXPECT_EQ(bound_at_end({&spec, &unrecorded}), std::nullopt);
  const auto run = fake_run(input_for("fsdp_accounting"));
  for (const Quantity& quantity : overview::run_summary(run).quantities) {
    if (quantity.topic != topic::kSharding || quantity.unit != "ms") continue;
    EXPECT_EQ(quantity.set_by_cpu.size(), quantity.values.size()) << "no lag was recorded";
  }
}

TEST(RunSummary, MarksAllReducesAmongGpusThatBandwidthDoesNotSet) {
  const labreport::Run run = fake_run(input_for("distributed_communication_single_node"));
  EXPECT_THAT(set_by_cpu(run, topic::kAllReduce, ""), ElementsAre("1 MB", "10 MB", "1 MB", "1 MB"))
      << "two of 2 ranks and one each of 4 and 6 over NCCL, none over Gloo";
}

TEST(RunSummary, HasNoNumbersIfTheRunMostlyFailed) {
  EXPECT_THAT(overview::run_summary(steps_run()).quantities, Not(IsEmpty()));
  labreport::Run failed = steps_run();
  for (std::size_t i = 1; i < failed.cells.size(); ++i)
    end_with(failed.cells[i].launches.front(), Crashed{11, ""});
  ASSERT_TRUE(mostly_failed(failed));
  const Document report = build_document(failed, false);
  const RunSummary summary = overview::run_summary(failed, &report);
  EXPECT_THAT(summary.quantities, IsEmpty());
  EXPECT_EQ(summary.headline.network, "");
  EXPECT_EQ(summary.problems, "benchmarking_script");
}

TEST(RunSummary, NamesTheProblemsOfARunThatTimesNoNetwork) {
  Document report;
  const auto add = [&](const char* problem) {
    Part part;
    part.question = "Which?";
    report.sections.push_back({.problem = problem, .title = "", .parts = {part}});
  };
  const auto problems = [&](const labreport::Run& run) {
    return overview::run_summary(run, &report).problems;
  };
  const labreport::Run without_network = empty_run(plan_input(Preset::kFull));
  add("pytorch_attention");
  add("flash_benchmarking");
  EXPECT_EQ(problems(without_network), "pytorch_attention and flash_benchmarking");
  add("torch_compile");
  add("ladder");
  EXPECT_EQ(problems(without_network), "pytorch_attention and 3 more");
  EXPECT_EQ(problems(steps_run()), "");
}

}  // namespace
}  // namespace labreport::run_summary_test
