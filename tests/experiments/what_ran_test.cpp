// Tests the line that says how a run's cells ended.
#include <gmock/gmock.h>

#include "experiments/overview/overview.h"
#include "experiments/sample_runs.h"

namespace labreport::what_ran_test {
namespace {

using namespace testing_samples;

labreport::Run demonstration() { return measured(only("benchmarking_script.b", Preset::kDemo)); }

TEST(WhatRan, CountsCellsByOutcome) {
  labreport::Run run = demonstration();
  const std::string cells = std::to_string(run.cells.size());
  EXPECT_EQ(overview::outcome_line(run), "All " + cells + " measurements succeeded");
}

TEST(WhatRan, TellsWhatWasMeasuredAgainBecauseOthersHeldTheMemory) {
  labreport::Run run = demonstration();
  const std::string before = overview::outcome_line(run);
  auto& launches = run.cells.back().launches;
  Launch refused = launches.front();
  refused.outcome = OutOfMemory{"model", 1, 2, 3};
  refused.conditions = {integer_metric(metric::kGpu, metric::kOtherProcesses, "1", 1)};
  launches.insert(launches.begin(), refused);
  EXPECT_EQ(overview::outcome_line(run),
            before + "; 1 repeated because other processes held the memory");
}

TEST(WhatRan, CountsWhatRanOutInsideOfAMeasurementThatSucceeded) {
  const auto outcome_after = [](const Change& change) {
    return overview::outcome_line(measured(only("pytorch_attention"), change));
  };
  // On 141 GiB: 32,768 tokens in FP32 at four head dimensions.
  EXPECT_THAT(
      outcome_after(as_it_is),
      testing::EndsWith("succeeded; in them 4 configurations of attention ran out of memory"));
  const auto set_outcome = [](std::string_view words) {
    return each_row(metric::kAttention,
                    [=](const NamedRow& row) { row[column::kOutcome] = std::string(words); });
  };
  const auto run_out_earlier = each_row(metric::kAttention, [](const NamedRow& row) {
    const auto length = row.number(column::kLength);
    if (length == 24'576) row[column::kOutcome] = std::string(metric::kRanOut);
    if (length == 32'768) row[column::kOutcome] = std::string(metric::kNotTried);
  });
  const auto in_fp32 = [](const CellSpec& spec) { return spec.precision == Precision::kFp32; };
  EXPECT_THAT(outcome_after(where(in_fp32, run_out_earlier)),
              testing::EndsWith("4 configurations of attention ran out of memory, "
                                "and 4 longer ones were not run"));
  EXPECT_THAT(outcome_after(set_outcome(metric::kRan)),
              testing::EndsWith("measurements succeeded"));
  const auto in_bf16 = [](const CellSpec& spec) { return spec.precision == Precision::kBf16; };
  EXPECT_THAT(outcome_after(both(set_outcome(metric::kRan),
                                 where(in_bf16, set_outcome(metric::kInaccurate)))),
              testing::EndsWith("of them timed nothing, because attention differs from FP64"));
}

/// Returns the values of the environment's rows of that name.
std::vector<std::string> environment_rows(const labreport::Run& run, const std::string& name) {
  std::vector<std::string> values;
  for (std::string& row :
       rows_of(overview::environment_table(RunView(run, find_edition(run.edition))))) {
    const std::string start = name + " | ";
    if (row.starts_with(start)) values.push_back(row.substr(start.size()));
  }
  return values;
}

TEST(Environment, SaysWhichOfSeveralDevicesMeasuredWhat) {
  labreport::Run run = demonstration();
  EXPECT_TRUE(environment_rows(run, "Measured on it").empty());
  run.devices.push_back(run.devices.front());
  for (Cell& cell : run.cells) {
    if (cell.spec.size == "demo-2") cell.launches.front().device = 1;
  }
  EXPECT_EQ(environment_rows(run, "Measured on it"),
            (std::vector<std::string>{"limits, timing demo-1 64, timing demo-3 64 | ",
                                      "timing demo-2 64 | "}));
}

TEST(WhatRan, StatesOneReasonOfOneNetworkOnce) {
  const PlanInput input = only("memory_profiling.c");
  const auto run = measured(input, [](const CellSpec& spec, Launch& launch) {
    if (spec.context == 512) end_with(launch, Skipped{"too large"});
  });
  const TableView table = overview::missing_measurements(RunView(run, input.edition));
  EXPECT_THAT(texts_in(table, "Count"), testing::ElementsAre("6"));
  EXPECT_THAT(texts_in(table, "Mode"),
              testing::ElementsAre("inference, forward and training step"));
  EXPECT_THAT(texts_in(table, "Precision"), testing::ElementsAre("FP32 and BF16"));
}

TEST(WhatRan, TellsCheckpointsApart) {
  const PlanInput input = only("gradient_checkpointing", Preset::kQuick, "2026");
  const auto run = measured(input, [](const CellSpec& spec, Launch& launch) {
    if (spec.group.value_or(4) == 4) end_with(launch, Skipped{"too large"});
  });
  EXPECT_THAT(texts_in(overview::missing_measurements(RunView(run, input.edition)), "Measurement"),
              testing::ElementsAre("no checkpoints", "checkpoints of 4 blocks"));
}

/// Returns the reason in the table if an allocation was refused; both sizes are in GiB.
std::string reason_of_refusal(std::int64_t requested, std::optional<std::int64_t> reserved) {
  constexpr std::int64_t kGibibyte = 1 << 30;
  const PlanInput input = only("memory_profiling.c");
  const auto run = measured(input, [&](const CellSpec& spec, Launch& launch) {
    if (spec.context != 512) return;
    end_with(launch,
             OutOfMemory{"forward", requested * kGibibyte, 136 * kGibibyte, 136 * kGibibyte});
    if (reserved)
      launch.metrics.push_back(
          integer_metric(metric::kMemory, metric::kPeakReserved, "B", *reserved * kGibibyte));
  });
  return texts_in(overview::missing_measurements(RunView(run, input.edition)), "Reason").front();
}

TEST(WhatRan, SaysWhereMemoryWasThatARefusedAllocationDidNotGet) {
  const std::string reason =
      "out of memory in forward: tried to allocate 2.00 GiB with 136.0 GiB allocated";
  EXPECT_EQ(reason_of_refusal(2, 137), reason +
                                           "; of the other 5.00 GiB PyTorch held at most 1.00 GiB, "
                                           "in blocks too small for the request");
  EXPECT_EQ(reason_of_refusal(2, std::nullopt), reason);
  EXPECT_EQ(reason_of_refusal(12, 137),
            "out of memory in forward: tried to allocate 12.00 GiB with 136.0 GiB allocated")
      << "more than the GPU had left";
}

std::string method_of(const PlanInput& input) {
  return build_document(measured(input), false).method;
}

TEST(Method, SpeaksOfWhatWasMeasuredAlone) {
  const std::string whole = method_of(plan_input(Preset::kFull));
  for (const char* words : {"CUDA events", "Cold starts", "counted by pass", "AdamW's state",
                            "TF32 is off", "Autocast", "C++ vs. eager Python", "± is"}) {
    EXPECT_NE(whole.find(words), whole.npos) << words;
  }
  const std::string ladder = method_of(only("ladder"));
  for (const char* words : {"CUDA events", "Cold starts", "counted by pass", "AdamW's state"}) {
    EXPECT_EQ(ladder.find(words), ladder.npos) << words;
  }
  EXPECT_NE(ladder.find("Autocast"), ladder.npos);
  EXPECT_NE(ladder.find("± is"), ladder.npos);
  const std::string attention = method_of(only("pytorch_attention"));
  for (const char* words : {"± is", "Autocast", "the 2026 edition's staff code", "eagerly"}) {
    EXPECT_EQ(attention.find(words), attention.npos) << words;
  }
  EXPECT_NE(attention.find("\n\n**Avoided pitfalls.** GiB are"), attention.npos) << attention;
}

TEST(Method, OfACpuSpeaksOfNoGpu) {
  const std::string words = method_of(plan_input(Preset::kDemo));
  for (const char* of_a_gpu : {"CUDA", "unless a row says TF32", "spilling", "GPU time"}) {
    EXPECT_EQ(words.find(of_a_gpu), words.npos) << of_a_gpu;
  }
}

}  // namespace
}  // namespace labreport::what_ran_test
