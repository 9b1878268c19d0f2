// Tests that no run costs a report a part: whichever of its measurements are missing, each part has
// every fact that its words name.
#include <gtest/gtest.h>

#include <algorithm>

#include "experiments/overview/overview.h"
#include "experiments/sample_runs.h"
#include "fuzz/dice.h"
#include "results/run_store.h"

namespace labreport::complete_facts_test {
namespace {

using fuzz::Dice;
using namespace testing_samples;

constexpr std::uint64_t kLossesOfEachRun = 60;

/// Drops the row, or its numbers. A row of attention may also have another outcome.
bool drop_row(const Table& table, std::vector<Scalar>& row, Dice& dice) {
  const auto outcome = std::ranges::find(table.columns, column::kOutcome, &TableColumn::name);
  if (outcome == table.columns.end()) return dice.once_in(2);
  static const std::vector<std::string_view> kOutcomes{metric::kOutOfMemory, metric::kNotTried,
                                                       metric::kInaccurate, metric::kNotOffered};
  row[static_cast<std::size_t>(outcome - table.columns.begin())] =
      std::string(dice.one_of(kOutcomes));
  return false;
}

void lose_numbers(const Table& table, std::vector<Scalar>& row) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    const bool names_the_row = table.columns[i].name == column::kLength;
    if (!names_the_row && !std::holds_alternative<std::string>(row[i])) row[i] = Scalar();
  }
}

/// Loses each metric and each row of the launch with a chance of one in `odds`, or fails as a
/// whole.
void lose_measurements(Launch& launch, std::size_t odds, Dice& dice) {
  if (dice.once_in(4 * odds)) {
    static const std::vector<Outcome> kOutcomes{OutOfMemory{"forward", 1 << 20, 1 << 24, 1 << 24},
                                                Skipped{"no room"}, Failed{"it broke"}};
    return end_with(launch, dice.one_of(kOutcomes));
  }
  std::erase_if(launch.metrics, [&](const Metric&) { return dice.once_in(odds); });
  std::erase_if(launch.tables, [&](const Table&) { return dice.once_in(8 * odds); });
  for (Table& table : launch.tables) {
    std::erase_if(table.rows, [&](std::vector<Scalar>& row) {
      if (!dice.once_in(odds)) return false;
      const bool is_dropped = drop_row(table, row, dice);
      if (!is_dropped) lose_numbers(table, row);
      return is_dropped;
    });
  }
}

/// Expects that every part of the run can be presented and the run summarized, whatever is missing:
/// from a single measurement to nearly all.
void expect_complete_facts(const labreport::Run& run) {
  for (std::uint64_t seed = 0; seed < kLossesOfEachRun; ++seed) {
    Dice dice(seed);
    labreport::Run poorer = run;
    const std::size_t odds = std::size_t{2} << dice.below(8);
    for (Cell& cell : poorer.cells) {
      for (Launch& launch : cell.launches) {
        const Launch before = launch;
        lose_measurements(launch, odds, dice);
        drop_stale_trace(launch, before);
      }
    }
    EXPECT_NO_THROW(build_document(poorer, false)) << "seed " << seed;
    EXPECT_NO_THROW(overview::run_summary(poorer)) << "seed " << seed;
  }
}

class CompleteFacts : public testing::TestWithParam<std::string_view> {};

TEST_P(CompleteFacts, OfAProblem) {
  const Experiment& experiment = find_experiment(GetParam());
  const std::string problem(experiment.name);
  const char* edition = experiment.only_edition == "2026" ? "2026" : "2025";
  expect_complete_facts(fake_run(input_for(problem, Preset::kQuick, edition)));
}

std::vector<std::string_view> problems() {
  std::vector<std::string_view> names;
  for (const Experiment& experiment : catalog()) names.push_back(experiment.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Catalog, CompleteFacts, testing::ValuesIn(problems()),
                         [](const auto& info) { return std::string(info.param); });

TEST(CompleteFacts, OfAnAttentionOfTheUsers) {
  PlanInput input = input_for("flash_benchmarking");
  input.selection.attentions.push_back({.implementation = "Flash-0a1b2c3d"});
  expect_complete_facts(fake_run(input));
}

TEST(CompleteFacts, OfTwoNetworks) {
  PlanInput input = plan_input(Preset::kQuick);
  input.selection.model = ModelSource{"Net-0a1b2c3d", "net.py:Net", "", "", ""};
  input.selection.keeps_labreports_network = true;
  expect_complete_facts(fake_run(input));
}

TEST(CompleteFacts, OfMeasuredRuns) {
  const auto folders = list_measured_runs(LABREPORT_SOURCE_DIR "/tests/fixtures/runs");
  ASSERT_EQ(folders.size(), 2u) << "a demonstration, and one with an attention of the user's";
  for (const auto& folder : folders) expect_complete_facts(RunStore(folder).load());
}

}  // namespace
}  // namespace labreport::complete_facts_test
