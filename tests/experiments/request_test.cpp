// Tests that title, sections and the command to reproduce a run follow the recorded request.
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
using testing_samples::fake_run;
using testing_samples::input_for;

std::optional<std::set<std::string>> chosen_by(Request request) {
  labreport::Run run;
  run.sessions.emplace_back().request = std::move(request);
  return chosen_problems(run);
}

/// Lists the problems that have a section, without sections that every report has.
std::vector<std::string> problems_of(const Document& document) {
  std::vector<std::string> names;
  for (const Section& section : document.sections) {
    const auto has_section = [&](const Experiment& experiment) {
      return experiment.name == section.problem;
    };
    if (std::ranges::any_of(catalog(), has_section)) names.push_back(section.problem);
  }
  return names;
}

Document fsdp_calcs_report(Request request) {
  labreport::Run run = fake_run(input_for("fsdp_calcs", Preset::kFull, "2026"));
  run.sessions.front().request = std::move(request);
  return build_document(run, false);
}

TEST(Title, NamesTheProfilingSectionOrWhatWasMeasured) {
  EXPECT_EQ(fsdp_calcs_report({.problems = "fsdp_calcs"}).title, "FSDP, by arithmetic");
  const auto run = fake_run(input_for("benchmarking_script", Preset::kQuick));
  EXPECT_EQ(build_document(run, false).title, "Profiling and benchmarking (§1.1)");
}

TEST(ChosenProblems, AreTheSectionsOfTheReport) {
  EXPECT_THAT(problems_of(fsdp_calcs_report({.problems = "fsdp_calcs"})),
              ElementsAre("fsdp_calcs"));
  EXPECT_THAT(problems_of(fsdp_calcs_report({.problems = "fsdp_calcs,tp_calcs"})),
              ElementsAre("fsdp_calcs", "tp_calcs"));
  EXPECT_GT(problems_of(fsdp_calcs_report({})).size(), 2u);
}

/// Returns the parts of data_parallel in the report of its run with this request.
std::vector<Part> data_parallel_parts(Request request) {
  labreport::Run run = fake_run(input_for("data_parallel"));
  run.sessions.front().request = std::move(request);
  for (Section& section : build_document(run, false).sections) {
    if (section.problem == "data_parallel") return std::move(section.parts);
  }
  return {};
}

std::string letters_of(const std::vector<Part>& parts) {
  std::string letters;
  for (const Part& part : parts) letters += part.letter;
  return letters;
}

TEST(ChosenParts, AreThePartsOfTheReport) {
  EXPECT_EQ(letters_of(data_parallel_parts({})), "abcd");
  EXPECT_EQ(letters_of(data_parallel_parts({.problems = "data_parallel"})), "abcd");
  EXPECT_EQ(letters_of(data_parallel_parts({.problems = "naive_ddp,ddp_bucketed"})), "ad");
  EXPECT_EQ(letters_of(data_parallel_parts({.problems = "ladder"})), "");
}

TEST(ChosenParts, DescribeTheirMethodWithoutEarlierParts) {
  const std::vector<Part> parts = data_parallel_parts({.only = "data_parallel.d"});
  ASSERT_EQ(letters_of(parts), "d");
  EXPECT_THAT(parts.front().details.method,
              AllOf(HasSubstr("Equality is checked first"), HasSubstr("An MB is 10⁶ bytes"),
                    Not(HasSubstr("part (a)"))));
}

TEST(ChosenProblems, KnowTheHandoutsNamesAndParts) {
  EXPECT_THAT(*chosen_by({.problems = "naive_ddp"}), ElementsAre("data_parallel.a"));
  EXPECT_THAT(*chosen_by({.only = "nsys_profile.b,ladder"}),
              ElementsAre("ladder", "nsys_profile.b"));
  EXPECT_THAT(*chosen_by({.attention = "a.py:A"}), ElementsAre("flash_benchmarking"));
  EXPECT_TRUE(chosen_by({.problems = "profiling,naive_ddp"})->contains("nsys_profile"));
  EXPECT_TRUE(chosen_by({.problems = "profiling,naive_ddp"})->contains("data_parallel.a"));
}

TEST(ChosenProblems, AreUnknownIfNothingNamesThem) {
  EXPECT_EQ(chosen_problems(labreport::Run()), std::nullopt);
  EXPECT_EQ(chosen_by({}), std::nullopt);
  EXPECT_EQ(chosen_by({.problems = "all"}), std::nullopt);
  EXPECT_EQ(chosen_by({.problems = "profiling"}), std::nullopt);
  EXPECT_EQ(chosen_by({.problems = "of_another_version"}), std::nullopt);
}

std::string reproduce_command(Request request) {
  labreport::Run run = fake_run(input_for("fsdp_calcs", Preset::kFull, "2026"));
  run.sessions.front().request = std::move(request);
  const std::string command = build_document(run, false).reproduce;
  return command.substr(command.find("make report"));
}

TEST(Reproduce, PassesFlagsWithoutAVariableThroughArgs) {
  EXPECT_EQ(
      reproduce_command({.problems = "ladder", .own_sizes = {"mini=64,256,2,4", "b=2,2,3,4"}}),
      "make report EDITION=2026 PROBLEMS=ladder ARGS=\"--size mini=64,256,2,4 --size "
      "b=2,2,3,4\"");
  EXPECT_EQ(reproduce_command({.steps = "3", .batch = "2", .separate_warmups = true}),
            "make report EDITION=2026 ARGS=\"--steps 3 --batch 2 --separate-warmups\"");
  EXPECT_EQ(reproduce_command({}), "make report EDITION=2026");
}

TEST(Reproduce, NamesAModelAsItWasNamed) {
  EXPECT_EQ(reproduce_command({.model = "net.py:Net",
                               .second_network = "labreport",
                               .model_args = R"({"dropout": 0.0})",
                               .compile = true,
                               .sizes = "small"}),
            "make report EDITION=2026 MODEL=net.py:Net AND=labreport "
            "'MODEL_ARGS={\"dropout\": 0.0}' COMPILE=1 SIZES=small");
}

TEST(Reproduce, NamesGpusIfThereAreSeveral) {
  EXPECT_THAT(reproduce_command({.gpus = "0,1"}), HasSubstr(" GPUS=0,1"));
  EXPECT_THAT(reproduce_command({.gpus = "all"}), HasSubstr(" GPUS=all"));
  EXPECT_THAT(reproduce_command({.gpus = "1"}), Not(HasSubstr("GPUS")));
}

}  // namespace
}  // namespace labreport::request_test
