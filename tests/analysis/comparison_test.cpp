// Tests the comparison of two runs: which cells match, what their machines have in common, and the
// message if no cell matches.
#include "analysis/comparison.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "analysis/compared_runs.h"
#include "analysis/match.h"
#include "analysis/relation.h"
#include "base/error.h"

namespace labreport::comparison_test {
namespace {

using namespace testing_samples;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

/// Returns the verdicts by the id of the cell.
std::map<std::string, Verdict> verdicts(const Comparison& comparison) {
  std::map<std::string, Verdict> verdicts;
  for (const ComparedRow& row : comparison.rows) {
    if (row.judgment) verdicts[row.cell_id] = row.judgment->verdict;
  }
  return verdicts;
}

TEST(Compare, CallsARunTheSameAsItself) {
  const Comparison comparison = compare_runs(three_launches(), three_launches());
  EXPECT_EQ(comparison.machines.relation, Relation::kSameMachine);
  ASSERT_EQ(comparison.rows.size(), 2u);
  for (const ComparedRow& row : comparison.rows) {
    EXPECT_DOUBLE_EQ(*row.ratio, 1);
    EXPECT_EQ(row.judgment->verdict, Verdict::kSame);
  }
}

TEST(Compare, ComparesTheUsersModelWithLabreportsNetwork) {
  const Comparison comparison = compare_runs(three_launches(), as_users_model(three_launches(1.2)));
  EXPECT_TRUE(comparison.has_two_implementations());
  EXPECT_EQ(comparison.b.implementation, "Net-0a1b2c3d");
  EXPECT_EQ(comparison.count(Verdict::kSlower), 2u);
}

TEST(Compare, ComparesHalvesOfARunLikeTwoRuns) {
  const Comparison runs = compare_runs(three_launches(), as_users_model(three_launches(1.2)));
  const Comparison halves =
      compare_two_models(run_of_both_models(three_launches(), three_launches(1.2)));
  EXPECT_EQ(halves.machines.relation, Relation::kSameMachine);
  EXPECT_EQ(halves.a.implementation, "");
  EXPECT_EQ(halves.b.implementation, "Net-0a1b2c3d");
  EXPECT_EQ(halves.matched_cells, runs.matched_cells);
  ASSERT_EQ(halves.rows.size(), runs.rows.size());
  for (std::size_t i = 0; i < runs.rows.size(); ++i) {
    EXPECT_EQ(halves.rows[i].ratio, runs.rows[i].ratio);
    EXPECT_EQ(halves.rows[i].judgment->verdict, runs.rows[i].judgment->verdict);
  }
}

TEST(Compare, PrefersTheUsersModelOfARunThatMeasuresBoth) {
  const labreport::Run both = run_of_both_models(three_launches(9), three_launches(1.2));
  for (const Comparison& comparison : {compare_runs(as_users_model(three_launches(1.2)), both),
                                       compare_runs(both, as_users_model(three_launches(1.2)))}) {
    EXPECT_FALSE(comparison.has_two_implementations());
    EXPECT_EQ(comparison.cells_only_in_a + comparison.cells_only_in_b, 0u);
    for (const ComparedRow& row : comparison.rows) EXPECT_DOUBLE_EQ(*row.ratio, 1);
  }
}

TEST(Compare, CallsADisturbedRowUnclear) {
  labreport::Run disturbed = three_launches(1.5);
  disturbed.cells[1].launches[2].conditions = {
      integer_metric(metric::kSlowdown, metric::kThermal, "ns", 5)};
  const Comparison comparison = compare_runs(three_launches(), disturbed);
  EXPECT_EQ(comparison.rows[0].judgment->verdict, Verdict::kUnclear);
  EXPECT_THAT(comparison.rows[0].remarks, ElementsAre("B: thermal slowdown"));
  EXPECT_EQ(comparison.rows[1].judgment->verdict, Verdict::kSlower);
}

TEST(Compare, GivesNoVerdictOnOtherMachines) {
  labreport::Run other = three_launches(2);
  other.sessions.front().software.driver = "550.1";
  const Comparison comparison = compare_runs(three_launches(), other);
  EXPECT_EQ(comparison.machines.relation, Relation::kSameDeviceModel);
  EXPECT_THAT(comparison.machines.reasons, ElementsAre("driver 580.1 against 550.1"));
  EXPECT_TRUE(verdicts(comparison).empty());
}

TEST(Compare, KeepsARowThatFailedOnOneSide) {
  const Comparison comparison = compare_runs(run_on_another_gpu(true), run_on_another_gpu(false));
  const ComparedRow& step = comparison.rows.back();
  EXPECT_EQ(step.status, RowStatus::kFailedB);
  EXPECT_TRUE(step.a.fits);
  EXPECT_FALSE(step.b.fits);
  EXPECT_THAT(step.b.missing_reason, HasSubstr("out of memory in backward"));
}

TEST(Compare, MatchesImportedNumbersWithoutVerdict) {
  const Comparison comparison = compare_runs(three_launches(), imported_run());
  EXPECT_EQ(comparison.machines.relation, Relation::kImported);
  EXPECT_EQ(comparison.matched_cells, 1u);
  EXPECT_EQ(comparison.cells_only_in_a, 2u);
  EXPECT_NEAR(*comparison.rows.front().ratio, 1.2, 0.01);
  EXPECT_THAT(comparison.rows.front().remarks, ElementsAre("counted steps: 3 against unknown"));
  EXPECT_TRUE(verdicts(comparison).empty());
}

TEST(Compare, UsesOnlyTheFirstPublishedNumber) {
  labreport::Run tables = imported_run();
  for (int i = 0; i < 3; ++i) {
    Launch another_table = tables.cells.front().launches.front();
    another_table.metrics = {integer_metric(metric::kPublished, metric::kTotal, "ns", 30'000'000)};
    tables.cells.front().launches.push_back(another_table);
  }
  const ComparedRow row = compare_runs(three_launches(), tables).rows.front();
  EXPECT_THAT(row.b.launch_values, ElementsAre(12'000'000));
  EXPECT_EQ(row.b.value, 12'000'000) << "to the last digit";
  EXPECT_NEAR(*row.ratio, 1.2, 0.01);
  EXPECT_FALSE(row.interval);
}

TEST(Compare, NeedsThreeLaunchesForAnInterval) {
  const labreport::Run a = three_launches();
  labreport::Run b = three_launches(1.1);
  ASSERT_TRUE(compare_runs(a, b).rows.front().interval);
  b.cells[1].launches.pop_back();
  EXPECT_FALSE(compare_runs(a, b).rows.front().interval);
}

TEST(Compare, DistinguishesUnrecordedFromFailed) {
  labreport::Run times = three_launches();
  labreport::Run bytes_only = three_launches();
  Launch& launch = bytes_only.cells[1].launches.front();
  bytes_only.cells[1].launches.resize(1);
  launch.metrics = {integer_metric(metric::kMemory, metric::kPeakAllocated, "B", 1)};
  const ComparedRow row = compare_runs(times, bytes_only).rows.front();
  EXPECT_TRUE(row.b.unrecorded);
  EXPECT_EQ(row.status, RowStatus::kUnrecordedB);
  EXPECT_FALSE(row.a.unrecorded);
  EXPECT_EQ(compare_runs(bytes_only, bytes_only).rows.size(), 1u)
      << "neither side knows it: no row";
}

Run with_batch(std::int64_t batch) {
  labreport::Run run = three_launches();
  for (Cell& cell : run.cells) {
    if (cell.spec.model) cell.spec.batch = batch;
    cell.id = cell_id(cell.spec);
  }
  return run;
}

TEST(Compare, RefusesAnotherBatchUnlessAllowed) {
  const auto compare = [] { compare_runs(three_launches(), with_batch(8)); };
  EXPECT_THAT(compare, ThrowsMessage<InputError>(
                           "the runs differ: batch 2 against 8; --allow-mismatch batch compares "
                           "them all the same"));
  const Comparison allowed = compare_runs(
      three_launches(), with_batch(8), {.allowed_mismatches = parse_allowed_mismatches("batch")});
  EXPECT_THAT(allowed.mismatches, ElementsAre("batch 2 against 8"));
  EXPECT_TRUE(verdicts(allowed).empty()) << "other work says nothing of the machine";
}

TEST(Compare, RefusesAnotherVocabulary) {
  labreport::Run other = three_launches();
  other.cells[1].spec.model->vocab = 1000;
  other.cells[1].id = cell_id(other.cells[1].spec);
  EXPECT_THAT([&] { compare_runs(three_launches(), other); },
              ThrowsMessage<InputError>(HasSubstr("vocab 512 against 1000")));
  EXPECT_THAT([] { parse_allowed_mismatches("steps"); },
              ThrowsMessage<InputError>(HasSubstr("batch")));
}

TEST(Compare, RefusesRunsWithoutACommonCell) {
  labreport::Run other = three_launches();
  other.cells = {timing_cell(network_spec(Mode::kInference), {1e6})};
  EXPECT_THAT([&] { compare_runs(three_launches(), other); },
              ThrowsMessage<InputError>(
                  HasSubstr("0 cells match, 3 only in A, 1 only in B; mode differs most "
                            "often: forward against inference")));
}

TEST(Compare, DoesNotMatchColdAndWarmSteps) {
  labreport::Run cold = three_launches();
  cold.cells[1].spec.warmup = 0;
  cold.cells[1].spec.steps = 1;
  cold.cells[1].id = cell_id(cold.cells[1].spec);
  const Comparison comparison = compare_runs(three_launches(), cold);
  EXPECT_EQ(comparison.cells_only_in_a, 1u);
  EXPECT_EQ(comparison.cells_only_in_b, 1u);
}

labreport::Run with_cells(std::vector<Cell> cells) {
  labreport::Run run = run_on("a GPU", "abc");
  run.cells = std::move(cells);
  return run;
}

TEST(MostFrequentDifference, NamesTheFieldThatDiffersMostOften) {
  const Cell forward = timing_cell(network_spec(Mode::kForward), {1e6});
  const Cell step = timing_cell(network_spec(Mode::kTrainStep), {1e6});
  CellSpec longer = network_spec(Mode::kForward);
  longer.context = 512;
  CellSpec longer_step = network_spec(Mode::kTrainStep, Precision::kBf16);
  longer_step.context = 512;
  const auto other = with_cells({timing_cell(longer, {1e6}), timing_cell(longer_step, {1e6})});
  EXPECT_EQ(most_frequent_difference(with_cells({forward, step}), other),
            "context differs most often: 64 against 512 (in 2 of 2 cells)");
}

TEST(MostFrequentDifference, IsEmptyForRunsWithoutCells) {
  EXPECT_EQ(most_frequent_difference(with_cells({}), with_cells({limits_cell(1, 1)})), "");
  EXPECT_EQ(most_frequent_difference(with_cells({limits_cell(1, 1)}), with_cells({})), "");
}

labreport::Run run_on_processor(const std::string& host, std::int64_t cores = 8) {
  labreport::Run run = three_launches();
  Device processor;
  processor.name = "a processor";
  run.devices = {processor};
  run.sessions.front().software.driver.clear();
  run.sessions.front().host = host;
  run.sessions.front().cores = cores;
  return run;
}

TEST(Relation, IdentifiesACpuByItsHost) {
  const MachineRelation machines =
      relate_machines(run_on_processor("lab"), run_on_processor("lab"));
  EXPECT_EQ(machines.relation, Relation::kSameMachine);
  EXPECT_EQ(machines.equal_facts, "CPU, cores and host");
}

TEST(Relation, NeedsTheRecordedHostOfACpu) {
  for (const char* host : {"", "lab"}) {
    const MachineRelation machines = relate_machines(run_on_processor(host), run_on_processor(""));
    EXPECT_EQ(machines.relation, Relation::kSameProcessor);
    EXPECT_EQ(describe(machines.relation), "same CPU model");
    EXPECT_THAT(machines.reasons, ElementsAre(HasSubstr("no host is recorded")));
  }
}

TEST(Relation, DistinguishesHostsAndCoresOfCpus) {
  const MachineRelation hosts = relate_machines(run_on_processor("lab"), run_on_processor("home"));
  EXPECT_EQ(hosts.relation, Relation::kSameDeviceModel);
  EXPECT_THAT(hosts.reasons, ElementsAre("another host"));
  const MachineRelation cores = relate_machines(run_on_processor("", 8), run_on_processor("", 4));
  EXPECT_EQ(cores.relation, Relation::kSameDeviceModel);
  EXPECT_THAT(cores.reasons, ElementsAre("cores 8 against 4"));
}

TEST(Relation, CallsAnotherCpuDifferentHardware) {
  labreport::Run other = run_on_processor("lab");
  other.devices.front().name = "another processor";
  const MachineRelation machines = relate_machines(run_on_processor("lab"), other);
  EXPECT_EQ(machines.relation, Relation::kDifferentHardware);
  EXPECT_THAT(machines.reasons, IsEmpty());
}

labreport::Run with_sources(const std::vector<std::string>& sources) {
  labreport::Run run = imported_run();
  const Cell cell = run.cells.front();
  run.cells.clear();
  for (const std::string& source : sources) {
    run.cells.push_back(cell);
    run.cells.back().launches.front().conditions = {
        text_metric(metric::kProvenance, metric::kSource, source)};
  }
  return run;
}

TEST(Provenance, ListsEachTextOnce) {
  labreport::Run run = with_sources({"b", "a", "b", "none"});
  run.cells.back().launches.front().conditions = {
      integer_metric(metric::kProvenance, metric::kSource, "1", 1)};
  EXPECT_THAT(provenance_texts(run, metric::kSource), ElementsAre("b", "a"));
  EXPECT_THAT(provenance_texts(run, metric::kTitle), IsEmpty());
}

}  // namespace
}  // namespace labreport::comparison_test
