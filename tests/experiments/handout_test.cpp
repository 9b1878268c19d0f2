// Tests the list of the handout's problems against the catalog of experiments.
#include "experiments/handout.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "experiments/catalog.h"
#include "results/run_labels.h"

namespace labreport::handout_test {
namespace {

int points(std::string_view edition) {
  int sum = 0;
  for (const HandoutProblem& problem : handout_problems(edition)) sum += problem.points;
  return sum;
}

TEST(Handout, HasThePointsOfBothEditions) {
  EXPECT_EQ(points(kEdition2025), 107);
  EXPECT_EQ(points(kEdition2026), 137);
}

TEST(Handout, HasEveryExperimentButTheLadder) {
  for (const std::string_view edition : kEditionNames) {
    std::set<std::string_view> answering;
    for (const HandoutProblem& problem : handout_problems(edition)) {
      answering.insert(problem.experiment);
      for (const std::string_view letter : problem.letters) {
        if (letter.empty()) continue;
        const std::vector<std::string>& parts = find_experiment(problem.experiment).parts;
        EXPECT_NE(std::ranges::find(parts, letter), parts.end()) << problem.name << letter;
      }
    }
    for (const Experiment& experiment : catalog()) {
      EXPECT_EQ(answering.contains(experiment.name), experiment.in_edition(edition) &&
                                                         experiment.name != "ladder" &&
                                                         experiment.name != "scaling")
          << experiment.name;
    }
  }
}

}  // namespace
}  // namespace labreport::handout_test
