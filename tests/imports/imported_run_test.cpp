#include "imports/imported_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "imports/importing.h"
#include "results/published_names.h"

namespace labreport {
namespace {

using testing::HasSubstr;

std::string fixture(const std::string& name) {
  return read_file(std::string(LABREPORT_SOURCE_DIR) + "/tests/fixtures/imports/" + name);
}

std::optional<double> published(const Cell& cell, std::string_view name,
                                std::string_view tag = metric::kPublished) {
  const Metric* found = cell.launches.at(0).find(tag, name);
  return found == nullptr ? std::nullopt : found->number();
}

TEST(ImportedRun, KeepsOneRowASizeAndPrecision) {
  const auto runs = import_text(fixture("long.md"), on_a_gpu());
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].source, "imported");
  EXPECT_EQ(runs[0].edition, "2025");
  ASSERT_EQ(runs[0].cells.size(), 3U);
  EXPECT_EQ(runs[0].cells[1].id,
            "timing.cuda.d768-f3072-l12-h12-v10000.b4.c256.bf16.forward_backward.w5.n10");
  EXPECT_EQ(published(runs[0].cells[1], metric::kTotal), 50'250'000);
  EXPECT_EQ(status_name(runs[0].cells[2].launches[0].outcome), "oom");
}

TEST(ImportedRun, KeepsBackwardAsAPhaseAndInventsNoTotal) {
  const auto runs = import_text(fixture("frame.txt"), on_a_gpu(Unit::kSeconds));
  ASSERT_EQ(runs[0].cells.size(), 4U);
  const Cell& backward = runs[0].cells[1];
  EXPECT_EQ(backward.spec.mode, Mode::kForwardBackward);
  EXPECT_EQ(published(backward, metric::kBackward), 333'333'000);
  EXPECT_EQ(published(backward, metric::kBackward, metric::kPublishedStddev), 444'000);
  EXPECT_FALSE(published(backward, metric::kTotal));
}

TEST(ImportedRun, IsOneForEachGpuEditionAndSource) {
  Declared said;
  said.file = "many.csv";
  const auto runs = import_text(fixture("many.csv"), said);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].devices[0].name, "Made Up 1, <b>8 GB</b>");
  EXPECT_EQ(published(runs[0].cells[0], metric::kTotal), 1'234'500'000);
  EXPECT_EQ(runs[0].cells.size(), 2U);
  EXPECT_EQ(published(runs[1].cells.at(0), metric::kPeak), 20.0 * (1 << 30));
}

TEST(ImportedRun, AsksForWhatNothingSays) {
  const std::string table = "| model | forward |\n|--|--|\n| small | 5 |\n";
  EXPECT_THAT(refusal(table, on_a_gpu()), HasSubstr("--unit"));
  Declared no_gpu = on_a_gpu(Unit::kSeconds);
  no_gpu.gpu.reset();
  EXPECT_THAT(refusal(table, no_gpu), HasSubstr("--gpu"));
  Declared no_context = on_a_gpu(Unit::kSeconds);
  no_context.context.reset();
  EXPECT_THAT(refusal(table, no_context), HasSubstr("--context"));
  EXPECT_EQ(refusal("context length 512, in ms\n\n" + table, no_context), "");
  EXPECT_THAT(refusal("context 512 or context 128, in ms\n\n" + table, no_context),
              HasSubstr("--context"));
}

TEST(ImportedRun, AsksForAllThatIsMissingAtOnce) {
  const std::string table = "| model | forward |\n|--|--|\n| small | 5 |\n| xl | 6 |\n";
  Declared nothing;
  nothing.file = "table.md";
  EXPECT_EQ(
      refusal(table, nothing),
      "table.md: size 'xl' is another network in each edition; line 3: nothing says on which "
      "GPU this was measured; line 3: neither the table nor the words above it say the "
      "context; line 3: nothing says in which unit 'forward' is; say --edition 2025 or "
      "--edition 2026, and --gpu NAME, and --context N, and --unit s, --unit ms or --unit us");
}

TEST(ImportedRun, TakesTheBatchFromTheWordsAboveTheTable) {
  const std::string table = "| model | forward |\n|--|--|\n| small | 5 |\n";
  const Declared said = on_a_gpu(Unit::kSeconds);
  for (const char* words : {"Batch size 8:", "batch_size=8", "a batch of 8"}) {
    const Readings found = readings_of(words + ("\n\n" + table), said);
    EXPECT_EQ(found.readings.at(0).spec.batch, 8) << words;
    EXPECT_TRUE(
        found.assumed.contains("batch 8, from the words above the table: --batch says otherwise"));
  }
  EXPECT_THAT(refusal("batch 4 and batch 8\n\n" + table, said), HasSubstr("--batch N"));
}

TEST(ImportedRun, TakesThePrecisionFromTheWordsAboveTheTable) {
  const std::string table = "| model | forward |\n|--|--|\n| small | 5 |\n";
  const Declared said = on_a_gpu(Unit::kSeconds);
  for (const char* words : {"All numbers in BF16.", "dtype=torch.bfloat16"}) {
    const Readings found = readings_of(words + ("\n\n" + table), said);
    EXPECT_EQ(found.readings.at(0).spec.precision, Precision::kBf16) << words;
    EXPECT_TRUE(found.assumed.contains(
        "precision bf16, from the words above the table: --precision says otherwise"));
  }
  EXPECT_THAT(refusal("FP32 and BF16\n\n" + table, said), HasSubstr("--precision NAME"));
  EXPECT_EQ(readings_of("Mixed precision\n\n" + table, said).readings.at(0).spec.precision,
            Precision::kFp32);
  EXPECT_EQ(readings_of("In BF16:\n\n| model | forward | precision |\n|--|--|--|\n"
                        "| small | 5 | fp32 |\n",
                        said)
                .readings.at(0)
                .spec.precision,
            Precision::kFp32)
      << "a column knows better";
}

std::optional<double> deviation_of(const Run& run, std::string_view name) {
  return published(run.cells.at(0), name, metric::kPublishedStddev);
}

TEST(ImportedRun, ADeviationWithoutANameBelongsToTheOnlyTimeThatThereIs) {
  for (const char* header :
       {"| size | Forward Time (ms) | Std Dev |", "| size | fwd BF16 (ms) | std |",
        "| size | forward_mean_ms | std_ms |"}) {
    const auto runs =
        import_text(header + std::string("\n|--|--|--|\n| small | 12.5 | 0.25 |\n"), on_a_gpu());
    EXPECT_EQ(deviation_of(runs[0], metric::kTotal), 250'000) << header;
  }
  const auto with_peak = import_text(
      "| size | forward (ms) | peak memory forward (GiB) | std |\n|--|--|--|--|\n"
      "| small | 12.5 | 1 | 0.25 |\n",
      on_a_gpu());
  EXPECT_EQ(deviation_of(with_peak[0], metric::kTotal), 250'000);
}

TEST(ImportedRun, ADeviationThatMayBeOfSeveralTimesIsToldAndNotUnderstood) {
  for (const char* header : {"| size | forward (ms) | backward (ms) | std |",
                             "| size | forward FP32 (ms) | forward BF16 (ms) | std |",
                             "| size | forward (ms) | optimizer (ms) | backward_std |"}) {
    const auto tables =
        find_tables(header + std::string("\n|--|--|--|--|\n| small | 1 | 2 | 3 |\n"));
    const std::vector<ImportColumn> columns = columns_of(tables.at(0));
    EXPECT_THAT(describe(columns.at(3)), HasSubstr("left out: it does not say of which")) << header;
  }
}

TEST(ImportedRun, RefusesUnitsThatDisagree) {
  const auto complaint = [](const std::string& header, const std::string& row) {
    const std::string rule = "\n|--|--|--|\n";
    return refusal("| size | " + header + " |" + rule + "| small | " + row + " |\n", on_a_gpu());
  };
  EXPECT_THAT(complaint("forward_ms | std", "12.5s | 1"),
              HasSubstr("line 3: '12.5s' in 'forward_ms' is in s, the column's name says ms"));
  EXPECT_THAT(complaint("forward | unit", "12.5s | ms"), HasSubstr("is in s, the row says ms"));
  EXPECT_THAT(complaint("forward_s | unit", "12.5 | ms"), HasSubstr("is in s, the row says ms"));
  EXPECT_THAT(complaint("forward_ms | forward_std_ms", "12.5 | 1us"), HasSubstr("is in us"));
  EXPECT_THAT(complaint("forward_ms | std", "12.5 | 1 GiB"), HasSubstr("is no time"));
  EXPECT_THAT(complaint("forward_ms | std", "12.5 ± 0.5 | 1"), HasSubstr("another deviation"));
  EXPECT_EQ(complaint("forward_ms | std", "12.5 ms | 1"), "");
  EXPECT_EQ(complaint("forward | unit", "12.5ms | ms"), "");
}

TEST(ImportedRun, RefusesByLine) {
  const std::string head = "| size | forward (ms) |\n|--|--|\n";
  const auto complaint = [&](const std::string& rows) { return refusal(head + rows, on_a_gpu()); };
  EXPECT_THAT(complaint("| small | 5 |\n| small | 6 |\n"), HasSubstr("line 4: repeats line 3"));
  EXPECT_THAT(complaint("| small | 12,5 |\n"), HasSubstr("line 3: '12,5'"));
  EXPECT_THAT(complaint("| small | 0 |\n"), HasSubstr("is no time"));
  EXPECT_THAT(complaint("| small | -1 |\n"), HasSubstr("negative"));
  EXPECT_THAT(complaint("| small | 1 | 2 |\n"), HasSubstr("3 fields in a table of 2 columns"));
  EXPECT_THAT(complaint("| xl | 1 |\n"), HasSubstr("--edition"));
}

}  // namespace
}  // namespace labreport
