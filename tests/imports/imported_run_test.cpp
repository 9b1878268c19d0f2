#include "imports/import.h"

#include <gmock/gmock.h>

#include "base/files.h"
#include "imports/importing.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::string fixture(const std::string& name) {
  return read_file(std::string(LABREPORT_SOURCE_DIR) + "/tests/fixtures/imports/" + name);
}

std::optional<double> published(const Cell& cell, std::string_view name,
                                std::string_view tag = metric::kPublished) {
  const Metric* found = cell.launches.at(0).find(tag, name);
  return found == nullptr ? std::nullopt : found->number();
}

TEST(ImportedRun, KeepsOneRowASizeAndPrecision) {
  const auto runs = import_text(fixture("long.md"), without(on_a_gpu(), Role::kPrecision));
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
  const auto runs = import_text(fixture("frame.txt"), with(on_a_gpu(), Role::kUnit, "s"));
  ASSERT_EQ(runs[0].cells.size(), 4U);
  const Cell& backward = runs[0].cells[1];
  EXPECT_EQ(backward.spec.mode, Mode::kForwardBackward);
  EXPECT_EQ(published(backward, metric::kBackward), 333'333'000);
  EXPECT_EQ(published(backward, metric::kBackward, metric::kPublishedStddev), 444'000);
  EXPECT_FALSE(published(backward, metric::kTotal));
}

TEST(ImportedRun, IsOneForEachGpuEditionAndSource) {
  const auto runs = import_text(fixture("many.csv"), {{}, "", "many.csv"});
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].devices[0].name, "Made Up 1, <b>8 GB</b>");
  EXPECT_EQ(published(runs[0].cells[0], metric::kTotal), 1'234'500'000);
  EXPECT_EQ(runs[0].cells.size(), 2U);
  EXPECT_EQ(published(runs[1].cells.at(0), metric::kPeak), 20.0 * (1 << 30));
}

TEST(ImportedRun, AsksForAllThatIsMissingAtOnce) {
  EXPECT_EQ(refusal("Context 256, BF16, in ms:\n\n| model | forward |\n|--|--|\n| xl | 6 |\n",
                    {{}, "", "table.md"}),
            "table.md: nothing says the context; the editions differ in size 'xl'; nothing says "
            "the GPU; nothing says the precision; nothing says the unit; say --context N, and "
            "--edition 2025 or --edition 2026, and --gpu NAME, and --precision NAME, and --unit s, "
            "--unit ms or --unit us")
      << "words around a table are not read";
}

TEST(ImportedRun, FindsTheEditionByTheSizesThatItAloneHas) {
  const auto edition = [](const std::string& sizes) {
    return import_text("size,forward (ms)\nsmall,1\n" + sizes).at(0).edition;
  };
  EXPECT_EQ(edition("xl,2\n2.7B,3\n"), "2025");
  EXPECT_EQ(edition("xl,2\n10B,3\n"), "2026");
  EXPECT_EQ(edition("large,2\n"), "2025") << "the first of those that mean the same networks";
}

TEST(ImportedRun, ReadsYesAndNoAsPrecisions) {
  for (const auto& [header, yes] : std::initializer_list<std::pair<std::string, Precision>>{
           {"Mixed precision BF16", Precision::kBf16},
           {"use_amp", Precision::kBf16},
           {"autocast fp16", Precision::kFp16}}) {
    const auto runs =
        import_text("| size | forward (ms) | " + header +
                        " |\n|--|--|--|\n| small | 1 | True |\n| small | 2 | False |\n",
                    without(on_a_gpu(), Role::kPrecision));
    EXPECT_EQ(runs[0].cells.at(0).spec.precision, yes) << header;
    EXPECT_EQ(runs[0].cells.at(1).spec.precision, Precision::kFp32) << header;
  }
}

/// A table of one row below these names.
std::string table_of(const std::string& names, const std::string& cells) {
  std::string rule = "|--";
  for (const char letter : "|" + names) rule += letter == '|' ? "|--" : "";
  return "| size | " + names + " |\n" + rule + "|\n| small | " + cells + " |\n";
}

std::optional<double> deviation_of(const Run& run) {
  return published(run.cells.at(0), metric::kTotal, metric::kPublishedStddev);
}

TEST(ImportedRun, ADeviationWithoutANameBelongsToTheOnlyTimeThatThereIs) {
  for (const char* names : {"Forward Time (ms) | Std Dev", "fwd BF16 (ms) | std",
                            "forward_mean_ms | std_ms", "forward (ms) | std (us)"}) {
    const bool own = std::string(names).ends_with("(us)");
    EXPECT_EQ(deviation_of(import_text(table_of(names, own ? "12.5 | 250" : "12.5 | 0.25"))[0]),
              250'000)
        << names;
  }
  EXPECT_EQ(deviation_of(import_text(
                table_of("forward (ms) | peak memory forward (GiB) | std", "12.5 | 1 | 0.25"))[0]),
            250'000);
}

TEST(ImportedRun, ADeviationThatMayBeOfSeveralTimesIsToldAndNotUnderstood) {
  for (const char* names :
       {"forward (ms) | backward (ms) | std", "forward FP32 (ms) | forward BF16 (ms) | std",
        "forward (ms) | optimizer (ms) | backward_std"}) {
    const auto tables = understood_tables(table_of(names, "1 | 2 | 3"), "table.md");
    EXPECT_THAT(describe(tables.at(0).columns.at(3)), HasSubstr("of which column of times"))
        << names;
  }
}

TEST(ImportedRun, RefusesWhatContradictsItself) {
  for (const auto& [names, cells, complaint] :
       std::initializer_list<std::tuple<const char*, const char*, const char*>>{
           {"forward_ms | std", "12.5s | 1",
            "line 3: '12.5s' in 'forward_ms': it is in s, the column's name says ms"},
           {"forward | unit", "12.5s | ms", "is in s, the row says ms"},
           {"forward_s | unit", "12.5 | ms", "is in s, the row says ms"},
           {"forward_ms | forward_std_ms", "12.5 | 1us", "it is in us"},
           {"forward_ms | std", "12.5 | 1 GiB", "is no time"},
           {"forward_ms | std", "12.5 ± 0.5 | 1", "another deviation"},
           {"forward (ms) | fwd (s)", "1 | 1", "'forward (ms)' and 'fwd (s)' both say: forward"},
           {"forward (ms) | context", "1 | 1", "'context' and a flag both say: context"},
           {"forward (ms) | d_model", "1 | 512", "size 'small' has d_model 768, not '512'"},
           {"time (ms) | note", "1 | x", "'time (ms)' does not say what was timed"},
           {"forward (ms) | batch", "1 | 4.5", "batch '4.5' is no whole number"},
           {"forward (ms) | x", "1 | 2 | 3", "4 fields in a table of 3 columns"},
       }) {
    EXPECT_THAT(refusal(table_of(names, cells)), HasSubstr(complaint)) << names;
  }
  EXPECT_EQ(refusal(table_of("forward_ms | std", "12.5 ms | 1")), "");
  EXPECT_EQ(refusal(table_of("forward | unit", "12.5ms | ms")), "");
  EXPECT_THAT(refusal("size,forward (ms)\nsmall,5\nsmall,6\n"),
              HasSubstr("line 3: repeats line 2"));
}

TEST(ImportedRun, LeavesOutWhatItCannotRelyOn) {
  for (const auto& [names, cells, reason] :
       std::initializer_list<std::tuple<const char*, const char*, const char*>>{
           {"forward (ms) | mode", "1 | forward", ""},
           {"value (ms) | mode", "1 | nsys_forward", "'nsys_forward' is no pass, step or peak"},
           {"value (ms) | forward_only", "1 | maybe", "'maybe' is no pass, step or peak"},
           {"forward (ms) | batch", "1 | ", "no batch is given"},
           {"forward | unit", "1 | kernel", "'kernel' is no unit of time"},
           {"peak memory forward (ms) | x", "1 | 1", "ms is no unit of memory"},
       }) {
    const Imported found = imported(table_of(names, cells));
    if (*reason == '\0') {
      EXPECT_THAT(found.left_out, IsEmpty());
    } else {
      ASSERT_EQ(found.left_out.size(), 1U) << names;
      EXPECT_THAT(found.left_out.begin()->first, HasSubstr(reason));
    }
  }
}

TEST(MappedColumns, AreWhatTheUserSays) {
  const std::string table = table_of("T fwd | sd", "12.5 | 0.25");
  EXPECT_THAT(refusal(table), HasSubstr("table.md holds no table of measurements"));
  const Mapped mapped{{"T fwd", "forward_ms"}, {"sd", "ignored"}};
  EXPECT_EQ(published(import_text(table, on_a_gpu(), mapped)[0].cells.at(0), metric::kTotal),
            12'500'000);
  EXPECT_EQ(deviation_of(import_text(table, on_a_gpu(), {{"T fwd", "forward_ms"}})[0]), 250'000);
}

TEST(MappedColumns, ComeBeforeWhatTheirNamesWouldMean) {
  const Mapped mapped{{"", "size"}, {"forward (ms)", "backward_ms"}, {"size", "ignored"}};
  const auto runs =
      import_text("| | size | forward (ms) |\n|--|--|--|\n| small | 9 | 5 |\n", on_a_gpu(), mapped);
  EXPECT_EQ(published(runs[0].cells.at(0), metric::kBackward), 5'000'000);
}

TEST(MappedColumns, MustBeThere) {
  EXPECT_EQ(refusal("size,forward (ms)\nsmall,5\n", on_a_gpu(), {{"fwd", "forward"}}),
            "--map 'fwd'=forward: no column is called so; there are 'forward (ms)', 'size'");
}

}  // namespace
}  // namespace labreport
