// Tests what a report says of all cells together: how they ended, their environment and the method.
#include <gmock/gmock.h>

#include "experiments/overview/overview.h"
#include "experiments/sample_runs.h"

namespace labreport::what_ran_test {
namespace {

using namespace testing_samples;

labreport::Run demo_run() { return fake_run(input_for("benchmarking_script.b", Preset::kDemo)); }

TEST(WhatRan, CountsCellsByOutcome) {
  labreport::Run run = demo_run();
  const std::string cells = std::to_string(run.cells.size());
  EXPECT_EQ(overview::outcome_line(run), "All " + cells + " measurements succeeded");
}

TEST(WhatRan, CountsRepetitionsBecauseOthersHeldTheMemory) {
  labreport::Run run = demo_run();
  const std::string before = overview::outcome_line(run);
  auto& launches = run.cells.back().launches;
  Launch failed = launches.front();
  failed.outcome = OutOfMemory{"model", 1, 2, 3};
  failed.conditions = {integer_metric(metric::kGpu, metric::kOtherProcesses, "1", 1)};
  launches.insert(launches.begin(), failed);
  EXPECT_EQ(overview::outcome_line(run),
            before + "; 1 repeated because other processes held the memory");
}

TEST(WhatRan, CountsConfigurationsThatRanOutOfMemory) {
  const auto attention_line = [](const Change& change) {
    return overview::outcome_line(fake_run(input_for("pytorch_attention"), change));
  };
  // In FP32, 32,768 tokens do not fit 141 GiB at any of the four head dimensions.
  EXPECT_THAT(
      attention_line(unchanged),
      testing::EndsWith("succeeded; in them 4 configurations of attention ran out of memory"));
  const auto with_outcome = [](std::string_view words) {
    return each_row(metric::kAttention,
                    [=](const NamedRow& row) { row[column::kOutcome] = std::string(words); });
  };
  const auto fewer_fit = each_row(metric::kAttention, [](const NamedRow& row) {
    const auto length = row.number(column::kLength);
    if (length == 24'576) row[column::kOutcome] = std::string(metric::kOutOfMemory);
    if (length == 32'768) row[column::kOutcome] = std::string(metric::kNotTried);
  });
  const auto is_fp32 = [](const CellSpec& spec) { return spec.precision == Precision::kFp32; };
  EXPECT_THAT(attention_line(where(is_fp32, fewer_fit)),
              testing::EndsWith("4 configurations of attention ran out of memory, "
                                "and 4 longer ones were not run"));
  EXPECT_THAT(attention_line(with_outcome(metric::kRan)),
              testing::EndsWith("measurements succeeded"));
  const auto is_bf16 = [](const CellSpec& spec) { return spec.precision == Precision::kBf16; };
  EXPECT_THAT(attention_line(combined(with_outcome(metric::kRan),
                                      where(is_bf16, with_outcome(metric::kInaccurate)))),
              testing::EndsWith(
                  "of them without all times, because attention failed or differs from FP64"));
}

/// Returns the values of the rows called `row_name` in the table of the environment.
std::vector<std::string> environment_rows(const labreport::Run& run, const std::string& row_name) {
  std::vector<std::string> values;
  for (std::string& row :
       lines_of(overview::environment_table(RunView(run, find_edition(run.edition))))) {
    const std::string start = row_name + " | ";
    if (row.starts_with(start)) values.push_back(row.substr(start.size()));
  }
  return values;
}

TEST(Environment, SaysWhichOfSeveralDevicesMeasuredWhat) {
  labreport::Run run = demo_run();
  EXPECT_TRUE(environment_rows(run, "Measured on it").empty());
  run.devices.push_back(run.devices.front());
  for (Cell& cell : run.cells) {
    if (cell.spec.size == "demo-2") cell.launches.front().device = 1;
  }
  EXPECT_EQ(environment_rows(run, "Measured on it"),
            (std::vector<std::string>{"limits, timing demo-1 64, timing demo-3 64 | ",
                                      "timing demo-2 64 | "}));
}

TEST(Environment, LeavesWhatIsTheRunsOwnOutOfTheMachinesFacts) {
  labreport::Run run = demo_run();
  run.sessions.front().host = "ada";
  const auto facts = overview::machine_facts(RunView(run, find_edition(run.edition)));
  const auto names = [&](const auto& name) {
    return std::ranges::count(facts, name, [](const auto& fact) { return fact.first; });
  };
  EXPECT_EQ(names(std::string("Host CPU")), 1);
  for (const std::string name : {"Host", "Started", "Revision", "Seed", "Command"})
    EXPECT_EQ(names(name), 0) << name;
}

TEST(WhatRan, StatesOneReasonOfOneNetworkOnce) {
  const PlanInput input = input_for("memory_profiling.c");
  const auto run = fake_run(input, [](const CellSpec& spec, Launch& launch) {
    if (spec.context == 512) end_with(launch, Skipped{"too large"});
  });
  const TableView table = overview::missing_measurements(RunView(run, input.edition));
  EXPECT_THAT(texts_in(table, "Count"), testing::ElementsAre("6"));
  EXPECT_THAT(texts_in(table, "Mode"),
              testing::ElementsAre("inference, forward and training step"));
  EXPECT_THAT(texts_in(table, "Precision"), testing::ElementsAre("FP32 and BF16"));
}

TEST(WhatRan, ListsEachNetworkOnceAndTheReasonsInFullInADrawer) {
  const PlanInput input = input_for("memory_profiling.c");
  const auto run = fake_run(input, [](const CellSpec& spec, Launch& launch) {
    if (spec.context == 512) end_with(launch, OutOfMemory{"forward", 1 << 30, 1 << 30, 1 << 30});
  });
  const TableView networks = overview::missing_networks(RunView(run, input.edition));
  EXPECT_THAT(lines_of(networks),
              testing::ElementsAre(
                  "memory | 6 | 2.7B | 512 | FP32 and BF16 | out of memory in forward | "));
  const Document document = build_document(run, false);
  const auto ran = std::ranges::find(document.sections, "ran", &Section::problem);
  ASSERT_NE(ran, document.sections.end());
  EXPECT_THAT(ran->parts.front().details.tables.front().rows.front().cells.back().content,
              testing::VariantWith<std::string>(testing::HasSubstr("tried to allocate 1.00 GiB")));
}

TEST(WhatRan, IsAClauseOfTheHeadIfAllSucceeded) {
  const Document document = build_document(fake_run(input_for("memory_profiling.c")), false);
  EXPECT_FALSE(document.has_part("ran"));
  EXPECT_THAT(document.provenance, testing::MatchesRegex("All [0-9]+ measurements succeeded · .*"));
}

TEST(WhatRan, TellsCheckpointsApart) {
  const PlanInput input = input_for("gradient_checkpointing", Preset::kQuick, "2026");
  const auto run = fake_run(input, [](const CellSpec& spec, Launch& launch) {
    if (spec.blocks_per_checkpoint.value_or(4) == 4) end_with(launch, Skipped{"too large"});
  });
  EXPECT_THAT(texts_in(overview::missing_measurements(RunView(run, input.edition)), "Measurement"),
              testing::ElementsAre("no checkpoints", "checkpoints of 4 blocks"));
}

/// Returns the reason shown for a launch that runs out of memory; sizes in GiB.
std::string out_of_memory_reason(std::int64_t requested_gib,
                                 std::optional<std::int64_t> reserved_gib) {
  constexpr std::int64_t kGibibyte = 1 << 30;
  const PlanInput input = input_for("memory_profiling.c");
  const auto run = fake_run(input, [&](const CellSpec& spec, Launch& launch) {
    if (spec.context != 512) return;
    end_with(launch,
             OutOfMemory{"forward", requested_gib * kGibibyte, 136 * kGibibyte, 136 * kGibibyte});
    if (reserved_gib)
      launch.metrics.push_back(
          integer_metric(metric::kMemory, metric::kPeakReserved, "B", *reserved_gib * kGibibyte));
  });
  return texts_in(overview::missing_measurements(RunView(run, input.edition)), "Reason").front();
}

TEST(WhatRan, SaysWhatHeldTheMemoryOfARefusedAllocation) {
  const std::string reason =
      "out of memory in forward: tried to allocate 2.00 GiB with 136.0 GiB allocated";
  EXPECT_EQ(out_of_memory_reason(2, 137),
            reason +
                "; of the other 5.00 GiB PyTorch held at most 1.00 GiB, "
                "in blocks too small for the request");
  EXPECT_EQ(out_of_memory_reason(2, std::nullopt), reason);
  EXPECT_EQ(out_of_memory_reason(12, 137),
            "out of memory in forward: tried to allocate 12.00 GiB with 136.0 GiB allocated")
      << "more than the GPU had left";
}

std::string method_of(const PlanInput& input) {
  return build_document(fake_run(input), false).method;
}

TEST(Method, DescribesOnlyWhatWasMeasured) {
  const std::string full = method_of(plan_input(Preset::kFull));
  for (const char* words : {"CUDA events", "Cold starts", "counted by pass", "AdamW's state",
                            "TF32 is off", "Autocast", "C++ vs. eager Python", "± is"}) {
    EXPECT_NE(full.find(words), full.npos) << words;
  }
  const std::string ladder = method_of(input_for("ladder"));
  for (const char* words : {"CUDA events", "Cold starts", "counted by pass", "AdamW's state"}) {
    EXPECT_EQ(ladder.find(words), ladder.npos) << words;
  }
  EXPECT_NE(ladder.find("Autocast"), ladder.npos);
  EXPECT_NE(ladder.find("± is"), ladder.npos);
  const std::string attention = method_of(input_for("pytorch_attention"));
  for (const char* words : {"± is", "Autocast", "the 2026 edition's staff code", "eagerly"}) {
    EXPECT_EQ(attention.find(words), attention.npos) << words;
  }
  EXPECT_NE(attention.find("\n\n**Units.** GiB are"), attention.npos) << attention;
}

TEST(Method, NamesNoGpuOnACpu) {
  const std::string words = method_of(plan_input(Preset::kDemo));
  for (const char* gpu_words : {"CUDA", "unless a row says TF32", "spilling", "GPU time"}) {
    EXPECT_EQ(words.find(gpu_words), words.npos) << gpu_words;
  }
}

}  // namespace
}  // namespace labreport::what_ran_test
