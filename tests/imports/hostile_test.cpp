// Tables that nobody should publish: refused in one line, or read as what they say; never slowly.
#include <gmock/gmock.h>

#include <ctime>

#include "imports/importing.h"
#include "results/metric_names.h"
#include "results/run_json.h"

namespace labreport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr double kPatience =
    60;  // seconds of CPU time: what grows with the square takes far longer
constexpr const char* kHead = "| size | forward (ms) | backward (ms) |\n|--|--|--|\n";

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

/// Of CPU time: other programs may be busy.
double seconds_of(const auto& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

/// Fails where `work` takes longer than anybody would wait, on any machine and under sanitizers.
void in_time(const auto& work) { EXPECT_LT(seconds_of(work), kPatience); }

TEST(HostileTable, SaysWhichValuesAreLeftOut) {
  const Imported found = imported(
      std::string(kHead) + "| small | >85 | 5 |\n| medium | ~68 | NaN |\n| large | | 7 |\n",
      on_a_gpu());
  EXPECT_EQ(found.runs.at(0).cells.size(), 2U);
  EXPECT_THAT(found.left_out, ElementsAre(Pair("'>85' is no plain number", ElementsAre(3U)),
                                          Pair("'~68' is no plain number", ElementsAre(4U)),
                                          Pair("no value is given", ElementsAre(4U, 5U))));
}

TEST(HostileTable, KeepsMarkupInNamesAsText) {
  const std::string name = "<script>alert(1)</script> {{x}} \\input{x} #let x \x01\x1B[31m";
  auto runs = import_text("gpu,size,forward (ms)\n" + name + ",small,5\n" + name + ",large,6\n",
                          without(on_a_gpu(), Role::kGpu));
  ASSERT_EQ(runs.size(), 1U);
  runs[0].sessions.resize(1);
  runs[0].sessions[0].started_at = "2026-05-01T12:00:00Z";
  EXPECT_EQ(runs[0].devices.at(0).name, name);
  EXPECT_EQ(run_from_json(to_json(runs[0]), "here").devices.at(0).name, name);
}

TEST(HostileTable, RefusesTenThousandColumnsAtOnce) {
  in_time([] {
    const std::string header = "size" + repeated(",forward (ms)", 10'000);
    EXPECT_THAT(refusal(header + "\nsmall" + repeated(",5", 10'000) + "\n"),
                HasSubstr("a table of 10,001 columns"));
  });
}

TEST(HostileTable, RefusesAHundredThousandRowsAtOnce) {
  in_time([] {
    EXPECT_THAT(refusal(kHead + repeated("| small | 5 | 5 |\n", 100'000)),
                HasSubstr("100,000 rows"));
  });
}

TEST(HostileTable, ReadsTheMostRowsInTime) {
  in_time([] {
    const Imported found = imported(kHead + repeated("| small | ~5 | ~5 |\n", 5'000));
    EXPECT_EQ(found.left_out.at("'~5' is no plain number").size(), 10'000U);
  });
}

TEST(HostileTable, SearchesAnyTextInTimeThatGrowsWithItsLength) {
  for (const char* line :
       {"word word\n", "a, b\nc\n", "\"a, b\n", "| a | b |\n", "|-\n|\n", "a b\n1 2\n", "a  1\n",
        ",,,,,,\n\n", "\"\"\"\"\n", "\t \t", " \"\"", "a  b  "}) {
    // Ten times the text: ten times the time, and a hundred times where it grew with the square.
    const double tenth = seconds_of([&] { find_tables(repeated(line, 3'000)); });
    EXPECT_LT(seconds_of([&] { find_tables(repeated(line, 30'000)); }), 40 * tenth + 0.05) << line;
  }
}

TEST(HostileTable, FindsPipesRightBelowASentenceWithCommas) {
  const auto tables = find_tables("First, the sizes\nthen, the times\n" + std::string(kHead) +
                                  "| small | 5 | 6 |\n");
  ASSERT_FALSE(tables.empty());
  EXPECT_EQ(tables.back().form, "Markdown");
  EXPECT_EQ(tables.back().rows.size(), 1U);
}

TEST(HostileTable, RefusesAnAlignedRowThatLacksACell) {
  EXPECT_THAT(refusal("size   forward_ms  backward_ms\nsmall          5.0          6.0\n"
                      "medium         7.0          8.0\nlarge          9.0\n",
                      on_a_gpu()),
              HasSubstr("line 4: 2 fields in a table of 3 columns"));
}

}  // namespace
}  // namespace labreport
