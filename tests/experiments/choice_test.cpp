// What a report makes of the command that the run records: its title and its sections.
#include <gmock/gmock.h>

#include <algorithm>

#include "experiments/chosen_problems.h"
#include "experiments/sample_runs.h"

namespace labreport {
namespace {

using testing::ElementsAre;
using testing_samples::measured;
using testing_samples::only;

Session session_of(std::vector<std::string> flags) {
  Session session;
  session.argv = {"labreport", "report"};
  session.argv.insert(session.argv.end(), flags.begin(), flags.end());
  return session;
}

std::optional<std::set<std::string>> chosen(std::vector<std::vector<std::string>> sessions) {
  labreport::Run run;
  for (auto& flags : sessions) run.sessions.push_back(session_of(flags));
  return chosen_problems(run);
}

/// Of the experiments: every page has what ran.
std::vector<std::string> problems(const Document& document) {
  std::vector<std::string> names;
  for (const Section& section : document.sections) {
    const auto is = [&](const Experiment& one) { return one.name == section.problem; };
    if (std::ranges::any_of(catalog(), is)) names.push_back(section.problem);
  }
  return names;
}

Document fsdp_calcs(std::vector<std::string> flags) {
  labreport::Run run = measured(only("fsdp_calcs", Preset::kFull, "2026"));
  run.sessions.front().argv = session_of(flags).argv;
  return build_document(run, false);
}

TEST(Title, NamesTheProfilingSectionOnlyWhereItsProblemsAreShown) {
  EXPECT_EQ(fsdp_calcs({"--problems", "fsdp_calcs"}).title, "Assignment 2");
  const auto run = measured(only("benchmarking_script", Preset::kQuick));
  EXPECT_EQ(build_document(run, false).title, "Profiling and benchmarking (§1.1)");
}

TEST(ChosenProblems, AreTheSectionsOfTheReport) {
  EXPECT_THAT(problems(fsdp_calcs({"--problems", "fsdp_calcs"})), ElementsAre("fsdp_calcs"));
  EXPECT_THAT(problems(fsdp_calcs({"--problems", "fsdp_calcs,tp_calcs"})),
              ElementsAre("fsdp_calcs", "tp_calcs"));
  EXPECT_GT(problems(fsdp_calcs({})).size(), 2u);
}

TEST(ChosenProblems, KnowTheHandoutsNamesAndParts) {
  EXPECT_THAT(*chosen({{"--problems", "naive_ddp"}}), ElementsAre("data_parallel"));
  EXPECT_THAT(*chosen({{"--only=nsys_profile.b,ladder"}}), ElementsAre("ladder", "nsys_profile"));
  EXPECT_THAT(*chosen({{"--attention", "a.py:A"}}), ElementsAre("flash_benchmarking"));
  EXPECT_TRUE(chosen({{"--problems", "profiling,naive_ddp"}})->contains("nsys_profile"));
  EXPECT_TRUE(chosen({{"--problems", "profiling,naive_ddp"}})->contains("data_parallel"));
}

TEST(ChosenProblems, AreThoseOfAllSessions) {
  EXPECT_THAT(*chosen({{"--problems", "ladder"}, {"--problems", "tp_calcs"}}),
              ElementsAre("ladder", "tp_calcs"));
  EXPECT_THAT(*chosen({{"--problems", "ladder"}, {"--resume"}}), ElementsAre("ladder"));
  EXPECT_EQ(chosen({{"--problems", "ladder"}, {}}), std::nullopt);
}

TEST(ChosenProblems, AreUnknownWhereNothingNamesThem) {
  EXPECT_EQ(chosen({}), std::nullopt);
  EXPECT_EQ(chosen({{}}), std::nullopt);
  EXPECT_EQ(chosen({{"--problems", "all"}}), std::nullopt);
  EXPECT_EQ(chosen({{"--problems", "profiling"}}), std::nullopt);
  EXPECT_EQ(chosen({{"--problems", "of_another_version"}}), std::nullopt);
}

}  // namespace
}  // namespace labreport
