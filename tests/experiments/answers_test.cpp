// Checks that a reader can grasp the recorded runs' answers in ten seconds.
#include <gtest/gtest.h>

#include "document/section.h"
#include "embedded/experiments.h"
#include "experiments/answer_budget.h"
#include "experiments/catalog.h"
#include "results/shipped_runs.h"

namespace labreport::answers_test {
namespace {

TEST(Answers, KeepToTheirBudgetInRecordedRuns) {
  const auto runs = testing_shipped::measured_runs();
  if (runs.empty()) GTEST_SKIP() << testing_shipped::kNotHere;
  for (const auto& run : runs) {
    SCOPED_TRACE(run.sessions.front().started_at);
    for (const Section& section : build_document(run, true).sections) {
      for (const Part& part : section.parts) testing_answers::expect_within_budget(part);
    }
  }
}

/// Counts {{#…}} and {{^…}}.
std::size_t condition_count(const std::string& words) {
  static const std::regex condition(R"(\{\{[#^])");
  return static_cast<std::size_t>(
      std::distance(std::sregex_iterator(words.begin(), words.end(), condition), {}));
}

/// Splits a list of findings, each of which is a condition around a line, without the conditions.
std::vector<std::string> findings_in(const std::string& answer) {
  std::vector<std::string> findings;
  std::istringstream lines(answer);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("- ")) findings.emplace_back();
    const bool is_condition = line.starts_with("{{") && line.ends_with("}}");
    if (!findings.empty() && !is_condition) findings.back() += line;
  }
  return findings;
}

TEST(Answers, HaveAtMostThreeConditionsAndFindingsOfTheSummaryOne) {
  for (const EmbeddedFile& file : embedded::experiments()) {
    if (!file.name.ends_with("/section.md")) continue;
    for (const PartWords& part : parse_section(file.bytes()).parts) {
      if (!file.name.starts_with("experiments/overview/")) {
        EXPECT_LE(condition_count(part.answer), 3u) << file.name << ": " << part.title;
        continue;
      }
      const auto findings = findings_in(part.answer);
      EXPECT_GT(findings.size(), 1u);
      for (const std::string& finding : findings)
        EXPECT_LE(condition_count(finding), 1u) << finding;
    }
  }
}

TEST(Answers, AreCountedWithoutListsCodeAndNumbersOfTheHandout) {
  using testing_answers::number_count, testing_answers::running_text, testing_answers::word_count;
  const std::string text = running_text(
      "The `gemm_128x128` takes **2.5 ms** at context 1,024 of 2.7B.\n\n- a list of 3\n");
  EXPECT_EQ(word_count(text), 9u) << text;
  EXPECT_EQ(number_count(text), 1u) << text;
  EXPECT_EQ(
      number_count("3 FFN projections in each of 32 layers, in FP32: 1.5 to 2.5 % and 20,971,520"),
      4u);
  const std::string formula = running_text("8 · S² · 4 B = 32 GiB (d = 16)");
  EXPECT_EQ(word_count(formula), 8u) << formula;
  EXPECT_EQ(number_count(formula), 3u) << formula;
}

}  // namespace
}  // namespace labreport::answers_test
