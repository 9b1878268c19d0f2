// Tests the report that joins several runs: its order, and that no name occurs twice.
#include "document/joined_report.h"

#include <gmock/gmock.h>

#include <set>

#include "document/drawings.h"

namespace labreport::joined_report_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

Section answering(const std::string& problem) {
  Part part;
  part.problem = problem;
  part.letter = "a";
  part.question = "How long?";
  return {problem, "Title of " + problem, {part}};
}

/// Returns a report with a summary, which has a figure, an outcome and these problems.
RunReport report_on(const std::string& device, const std::vector<std::string>& problems) {
  RunReport run;
  Document& report = run.report;
  report.device = device;
  report.edition = "2025";
  report.preset = "full";
  report.started_at = "2026-05-01T12:34:56Z";
  report.provenance = "driver 580";
  report.method = "Clock of " + device;
  report.reproduce = "make report\n";
  report.environment = {
      "environment", "Environment", {{"What", ""}, {"Value", ""}}, {{{"GPU", device}}}};
  Part summary;
  summary.problem = "summary";
  summary.answer = "Fast.";
  summary.figures.push_back(
      {.slug = "step-waterfall", .title = "", .caption = "", .alt = "", .spec = {}, .table = {}});
  Part ran;
  ran.problem = "ran";
  report.sections = {{"summary", "Summary", {summary}}, {"ran", "What ran", {ran}}};
  for (const std::string& problem : problems) {
    report.sections.push_back(answering(problem));
    run.code[problem] = "";
  }
  run.run_json = "{\"device\": \"" + device + "\"}";
  return run;
}

std::vector<std::string> titles_of(const Document& document) {
  std::vector<std::string> titles;
  for (const Section& section : document.sections) titles.push_back(section.title);
  return titles;
}

std::string text_of(const Value& value) { return std::get<std::string>(value.content); }

TEST(JoinedReport, HasEachRunsSummaryBeforeItsFirstProblem) {
  const Document joined =
      joined_report({report_on("H200", {"first", "third"}), report_on("H100", {"second"})},
                    {"first", "second", "third"});
  EXPECT_THAT(titles_of(joined), ElementsAre("Runs", "Run 1: H200", "Title of first", "Run 2: H100",
                                             "Title of second", "Title of third"));
  EXPECT_EQ(joined.device, "H200 and H100");
  EXPECT_THAT(joined.sections[1].parts.front().setting, HasSubstr("full preset · 2026-05-01"));
  EXPECT_EQ(joined.sections[1].parts.back().title, "What ran");
  EXPECT_THAT(joined.sections[4].parts.front().setting, StartsWith("Run 2, H100"));
}

TEST(JoinedReport, FirstListsTheProblemsWithRunDateAndCode) {
  RunReport own = report_on("H100", {"second"});
  own.code["second"] = "flash.py:Flash";
  const Document joined = joined_report({report_on("H200", {"first"}), own}, {"first", "second"});
  const TableView& table = joined.sections.front().parts.front().tables.front();
  std::vector<std::string> words;
  for (const Value& cell : table.rows.at(1).cells) words.push_back(text_of(cell));
  EXPECT_THAT(words, ElementsAre("second", "a", "2", "H100", "2026-05-01", "own: flash.py:Flash"));
  EXPECT_EQ(text_of(table.rows.at(0).cells.back()), "labreport’s");
  EXPECT_EQ(table.rows.at(1).cells.at(2).link, "runs/2.json");
}

TEST(JoinedReport, HasMethodEnvironmentAndCommandsOnceForEachRun) {
  const Document joined = joined_report(
      {report_on("H200", {"first"}), report_on("H100", {"second"})}, {"first", "second"});
  EXPECT_EQ(joined.method,
            "### Run 1: H200\n\nClock of H200\n\n### Run 2: H100\n\nClock of H100\n\n");
  EXPECT_EQ(joined.reproduce, "# Run 1: H200\nmake report\n\n# Run 2: H100\nmake report\n");
  EXPECT_EQ(joined.environment.rows.size(), 4u);
  const Document alike = joined_report(
      {report_on("H200", {"first"}), report_on("H200", {"second"})}, {"first", "second"});
  EXPECT_EQ(alike.method, "Clock of H200");
}

TEST(JoinedReport, HasNoNameTwice) {
  const Document joined = joined_report(
      {report_on("H200", {"first"}), report_on("H200", {"second"})}, {"first", "second"});
  std::set<std::string> slugs, names, sections;
  for (const Figure* figure : figures_of(joined)) EXPECT_TRUE(slugs.insert(figure->slug).second);
  for (const Section& section : joined.sections) {
    EXPECT_TRUE(sections.insert(section.problem).second) << section.problem;
    for (const Part& part : section.parts)
      EXPECT_TRUE(names.insert(part.name()).second) << part.name();
  }
  EXPECT_EQ(slugs.size(), 2u);
}

TEST(JoinedReport, KeepsPicturesOfOneNameApart) {
  std::vector<RunReport> runs{report_on("H200", {"first"}), report_on("H100", {"second"}),
                              report_on("A100", {"third"})};
  const char* contents[] = {"red", "blue", "red"};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Part& part = runs[i].report.sections.back().parts.front();
    part.note = AuthorNote{"![Mine](notes/plot.png)"};
    part.attachments = {{"notes/plot.png", contents[i]}};
  }
  const Document joined = joined_report(runs, {"first", "second", "third"});
  const Part& second = joined.sections[4].parts.front();
  EXPECT_EQ(second.note->markdown, "![Mine](notes/2-plot.png)");
  EXPECT_EQ(second.attachments.front().name, "notes/2-plot.png");
  EXPECT_TRUE(joined.sections[6].parts.front().attachments.empty());
}

TEST(JoinedReport, IsADemonstrationOnlyIfAllRunsAre) {
  RunReport gpu = report_on("H200", {"first"}), cpu = report_on("A CPU", {"second"});
  cpu.report.demonstration = true;
  const Document mixed = joined_report({gpu, cpu}, {"first", "second"});
  EXPECT_FALSE(mixed.demonstration);
  EXPECT_EQ(mixed.sections[3].title, "Run 2: CPU demonstration on A CPU");
  gpu.report.demonstration = true;
  EXPECT_TRUE(joined_report({gpu, cpu}, {"first", "second"}).demonstration);
}

}  // namespace
}  // namespace labreport::joined_report_test
