// Tests that a report follows the recorded command in its title, its sections and the command that
// repeats the run.
#include <gmock/gmock.h>

#include <algorithm>

#include "experiments/chosen_problems.h"
#include "experiments/sample_runs.h"

namespace labreport::request_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing_samples::measured;
using testing_samples::only;

std::optional<std::set<std::string>> chosen(Request request) {
  labreport::Run run;
  run.sessions.emplace_back().request = std::move(request);
  return chosen_problems(run);
}

/// Lists the sections of experiments; every page has what ran besides.
std::vector<std::string> problems(const Document& document) {
  std::vector<std::string> names;
  for (const Section& section : document.sections) {
    const auto is = [&](const Experiment& one) { return one.name == section.problem; };
    if (std::ranges::any_of(catalog(), is)) names.push_back(section.problem);
  }
  return names;
}

Document fsdp_calcs(Request request) {
  labreport::Run run = measured(only("fsdp_calcs", Preset::kFull, "2026"));
  run.sessions.front().request = std::move(request);
  return build_document(run, false);
}

TEST(Title, NamesTheProfilingSectionOrWhatWasMeasured) {
  EXPECT_EQ(fsdp_calcs({.problems = "fsdp_calcs"}).title, "FSDP, by arithmetic");
  const auto run = measured(only("benchmarking_script", Preset::kQuick));
  EXPECT_EQ(build_document(run, false).title, "Profiling and benchmarking (§1.1)");
}

TEST(ChosenProblems, AreTheSectionsOfTheReport) {
  EXPECT_THAT(problems(fsdp_calcs({.problems = "fsdp_calcs"})), ElementsAre("fsdp_calcs"));
  EXPECT_THAT(problems(fsdp_calcs({.problems = "fsdp_calcs,tp_calcs"})),
              ElementsAre("fsdp_calcs", "tp_calcs"));
  EXPECT_GT(problems(fsdp_calcs({})).size(), 2u);
}

/// Its parts, where they were asked for so.
std::vector<Part> data_parallel(Request request) {
  labreport::Run run = measured(only("data_parallel"));
  run.sessions.front().request = std::move(request);
  for (Section& section : build_document(run, false).sections) {
    if (section.problem == "data_parallel") return std::move(section.parts);
  }
  return {};
}

std::string letters(const std::vector<Part>& parts) {
  std::string all;
  for (const Part& part : parts) all += part.letter;
  return all;
}

TEST(ChosenParts, AreThoseOfTheReport) {
  EXPECT_EQ(letters(data_parallel({})), "abcd");
  EXPECT_EQ(letters(data_parallel({.problems = "data_parallel"})), "abcd");
  EXPECT_EQ(letters(data_parallel({.problems = "naive_ddp,ddp_bucketed"})), "ad");
  EXPECT_EQ(letters(data_parallel({.problems = "ladder"})), "");
}

TEST(ChosenParts, SayHowTheyWereMeasuredWithoutThoseBefore) {
  const std::vector<Part> parts = data_parallel({.only = "data_parallel.d"});
  ASSERT_EQ(letters(parts), "d");
  EXPECT_THAT(parts.front().details.method,
              AllOf(HasSubstr("Equality is checked first"), HasSubstr("An MB is 10⁶ bytes"),
                    Not(HasSubstr("part (a)"))));
}

TEST(ChosenProblems, KnowTheHandoutsNamesAndParts) {
  EXPECT_THAT(*chosen({.problems = "naive_ddp"}), ElementsAre("data_parallel.a"));
  EXPECT_THAT(*chosen({.only = "nsys_profile.b,ladder"}), ElementsAre("ladder", "nsys_profile.b"));
  EXPECT_THAT(*chosen({.attention = "a.py:A"}), ElementsAre("flash_benchmarking"));
  EXPECT_TRUE(chosen({.problems = "profiling,naive_ddp"})->contains("nsys_profile"));
  EXPECT_TRUE(chosen({.problems = "profiling,naive_ddp"})->contains("data_parallel.a"));
}

TEST(ChosenProblems, AreUnknownWhereNothingNamesThem) {
  EXPECT_EQ(chosen_problems(labreport::Run()), std::nullopt);
  EXPECT_EQ(chosen({}), std::nullopt);
  EXPECT_EQ(chosen({.problems = "all"}), std::nullopt);
  EXPECT_EQ(chosen({.problems = "profiling"}), std::nullopt);
  EXPECT_EQ(chosen({.problems = "of_another_version"}), std::nullopt);
}

std::string reproduced(Request request) {
  labreport::Run run = measured(only("fsdp_calcs", Preset::kFull, "2026"));
  run.sessions.front().request = std::move(request);
  const std::string command = build_document(run, false).reproduce;
  return command.substr(command.find("make report"));
}

TEST(Reproduce, PassesFlagsWithoutAVariableThroughArgs) {
  EXPECT_EQ(reproduced({.problems = "ladder", .own_sizes = {"mini=64,256,2,4", "b=2,2,3,4"}}),
            "make report EDITION=2026 PROBLEMS=ladder ARGS=\"--size mini=64,256,2,4 --size "
            "b=2,2,3,4\"");
  EXPECT_EQ(reproduced({.steps = "3", .batch = "2", .separate_warmups = true}),
            "make report EDITION=2026 ARGS=\"--steps 3 --batch 2 --separate-warmups\"");
  EXPECT_EQ(reproduced({}), "make report EDITION=2026");
}

TEST(Reproduce, NamesAModelAsItWasNamed) {
  EXPECT_EQ(reproduced({.model = "net.py:Net",
                        .beside = "labreport",
                        .model_args = R"({"dropout": 0.0})",
                        .compile = true,
                        .sizes = "small"}),
            "make report EDITION=2026 MODEL=net.py:Net AND=labreport "
            "'MODEL_ARGS={\"dropout\": 0.0}' COMPILE=1 SIZES=small");
}

TEST(Reproduce, NamesGpusWhereThereAreSeveral) {
  EXPECT_THAT(reproduced({.gpus = "0,1"}), HasSubstr(" GPUS=0,1"));
  EXPECT_THAT(reproduced({.gpus = "all"}), HasSubstr(" GPUS=all"));
  EXPECT_THAT(reproduced({.gpus = "1"}), Not(HasSubstr("GPUS")));
}

}  // namespace
}  // namespace labreport::request_test
