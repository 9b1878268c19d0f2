// Tests a comparison's Markdown word for word, and rules that hold for all of its formats.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "writers/diff/diff_writers.h"
#include "writers/diff_runs.h"
#include "writers/golden_files.h"
#include "writers/sample_fixture.h"

namespace labreport::diff_golden_test {
namespace {

using testing::HasSubstr;
using testing::Not;

struct DiffCase {
  const char* name;
  Comparison (*make)();
};

void PrintTo(const DiffCase& diff_case, std::ostream* out) { *out << diff_case.name; }

class DiffFormats : public testing::TestWithParam<DiffCase> {
 protected:
  const Comparison comparison_ = GetParam().make();
  const Document document_ = document_of(comparison_);
};

TEST_P(DiffFormats, HoldNoControlCharacter) {
  for (const std::string& bytes :
       {diff_text(document_), diff_tables(document_), diff_markdown(document_),
        diff_json(comparison_), single_diff_html(document_, {})}) {
    for (const char byte : std::string("\x07\x1b\x7f")) {
      EXPECT_EQ(bytes.find(byte), std::string::npos) << int{byte};
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, DiffFormats,
                         testing::Values(DiffCase{"one-machine", one_machine},
                                         DiffCase{"two-gpus", two_gpus},
                                         DiffCase{"published", gpu_and_published_table},
                                         DiffCase{"hostile", hostile_comparison}),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           std::erase(name, '-');
                           return name;
                         });

TEST(Diff, MatchesItsGoldenFile) {
  expect_golden("comparison.md", golden_lines(diff_markdown(document_of(two_gpus()))));
}

TEST(Diff, JudgesRowsOfOneMachine) {
  const std::string text = diff_markdown(document_of(one_machine()));
  for (const char* words :
       {"Rows with at least three launches a side get a verdict.",
        "Verdicts on B: 1 faster, 1 same and 1 unclear.",
        "| 10.01 | 9.010 | 1.11 | 1.108 to 1.114 | ▼ faster | 1.1 | benchmarking\\_script | "
        "10.000; 10.010; 10.020 | 9.0000; 9.0100; 9.0200 |  |",
        "| 0.553 to 1.493 | ? unclear | 196.0 | benchmarking\\_script | 5.0000; 6.0000; 7.0000 | "
        "5.0000; 7.0000; 8.0000 | launches vary too much to tell |",
        "| tiny, context 64, BF16, inference, warm-up 1, 3 steps | timing | only in B |",
        "Verdicts: Welch’s t with Holm’s correction over all rows at 5 %"}) {
    EXPECT_THAT(text, HasSubstr(words));
  }
}

TEST(Diff, GivesNoVerdictOnPublishedNumbers) {
  EXPECT_THAT(diff_markdown(document_of(gpu_and_published_table())),
              AllOf(HasSubstr("Imported numbers: ratios, no verdicts (the H200 is imported: nobody "
                              "measured it with this program, its times are means as published)."),
                    HasSubstr("| counted steps: 3 against unknown |"),
                    HasSubstr("| Driver | 580.1 | – |"), Not(HasSubstr("Verdict"))));
}

TEST(Diff, AlignsColumnsForTheTerminal) {
  EXPECT_THAT(diff_tables(document_of(two_gpus())),
              HasSubstr("Cells of both runs\n"
                        "Cell                                   What                B200     L4  "
                        "Advantage of L4 (×)  Problem\n"
                        "tiny, context 64, forward              step (ms)          15.00  90.00  "
                        "               0.17  benchmarking_script\n"));
}

TEST(Diff, NamesTheProblemOfEachRow) {
  const std::string text = diff_markdown(document_of(two_gpus()));
  for (const char* row : {"forward | step (ms) | 15.00 | 90.00 | 0.17 | benchmarking\\_script",
                          "forward | step (ms) | 3.000 | 18.00 | 0.17 | benchmarking\\_mixed",
                          "kernel time (ms) | 30.00 | 95.00 | 0.32 | nsys\\_profile",
                          "peak memory (GiB) | 3.000 | – | – | memory\\_profiling"}) {
    EXPECT_THAT(text, HasSubstr(row));
  }
}

TEST(Diff, PrintsItsSummaryInTheTerminal) {
  EXPECT_EQ(diff_text(document_of(two_gpus())),
            "L4 vs. B200\n"
            "7 measurements in both runs, 0 more of the B200, 0 more of the L4. Different "
            "hardware: ratios, "
            "no "
            "verdicts.\n\n"
            "The B200 takes 20.0 ms for tiny's BF16 training step at context 64, the L4 90.0 ms: "
            "the B200 is 4.50× as fast.\n"
            "tiny's FP32 training step at context 64 fits the B200 and not the L4.\n"
            "At equal cost per step an hour of the B200 may cost 4.50× an hour of the L4 for tiny "
            "in "
            "BF16.\n");
}

TEST(Diff, KeepsTheNumbersOfBothSidesInItsJson) {
  const auto rows = nlohmann::json::parse(diff_json(two_gpus())).at("rows");
  EXPECT_EQ(rows[0]["a"]["value"], 15e6);
  EXPECT_EQ(rows[0]["b"]["value"], 90e6);
  EXPECT_NEAR(rows[0]["ratio"].get<double>(), 6, 1e-9);
  EXPECT_EQ(rows[2]["standing"], "failed_b");
  EXPECT_THAT(rows[2]["b"]["reason"].get<std::string>(), HasSubstr("out of memory in backward"));
}

TEST(Diff, EscapesMarkupAndTagsInNames) {
  const Document document = document_of(hostile_comparison());
  FakeChartTool tool;
  const std::string page = single_diff_html(document, draw_all({&document}, tool).front());
  EXPECT_THAT(page, Not(HasSubstr("<script>document")));
  EXPECT_THAT(page, Not(HasSubstr("<img src=x")));
  EXPECT_THAT(page, HasSubstr("{{title}}{{{parts}}}"));
  const std::string markdown = diff_markdown(document);
  for (const char* markup : {" **bold**", "<script>", "{{title}}", " [a]("}) {
    EXPECT_THAT(markdown, Not(HasSubstr(markup))) << markup;
  }
}

TEST(Diff, CutsLongNamesForTheTerminal) {
  std::string text = diff_tables(document_of(hostile_comparison()));
  EXPECT_THAT(text, Not(HasSubstr(std::string(300, 'W'))));
}

TEST(Diff, ListsNumbersThatAPublishedTableLacks) {
  EXPECT_THAT(diff_markdown(document_of(gpu_and_published_table())),
              HasSubstr("| backward | 18.00 | – | – | benchmarking\\_script | H200: this number is "
                        "not recorded"));
}

TEST(Diff, MentionsTooFewLaunchesOnce) {
  Comparison comparison = one_machine();
  for (ComparedRow& row : comparison.rows) {
    if (!row.judgment) continue;
    row.judgment->verdict = Verdict::kUnclear;
    row.judgment->adjusted_p.reset();
    row.judgment->reason = "fewer than three launches a side";
  }
  const std::string text = diff_tables(document_of(comparison));
  EXPECT_THAT(text, HasSubstr("too few launches, three a side are needed"));
  EXPECT_THAT(text, Not(HasSubstr("unclear")));
  EXPECT_THAT(text, Not(HasSubstr("fewer than three")));
}

}  // namespace
}  // namespace labreport::diff_golden_test
