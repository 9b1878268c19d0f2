// Tests that a run has a report although it lacks data that every worker writes.
#include <gtest/gtest.h>

#include <algorithm>

#include "experiments/overview/overview.h"
#include "experiments/sample_runs.h"
#include "results/run_json.h"

namespace labreport::foreign_runs_test {
namespace {

using namespace testing_samples;

/// Keeps only the rows for which `is_kept` is true, in each table called `name`.
Change keep_rows(std::string_view name, std::function<bool(const NamedRow&)> is_kept) {
  return [=](const CellSpec&, Launch& launch) {
    for (Table& table : launch.tables) {
      if (table.name != name) continue;
      std::erase_if(table.rows, [&](auto& row) { return !is_kept(NamedRow(table, row)); });
    }
  };
}

/// Keeps the first `count` samples of each metric of that tag and name.
Change cut_samples(std::string_view tag, std::string_view name, std::size_t count) {
  return [=](const CellSpec&, Launch& launch) {
    for (Metric& metric : launch.metrics) {
      if (metric.tag != tag || metric.name != name) continue;
      std::vector<double> samples = metric.numbers();
      samples.resize(std::min(samples.size(), count));
      metric.data = Samples(samples);
    }
  };
}

/// Expects that the changed run loads and has a document and a summary.
void expect_document(const Change& change) {
  PlanInput input = plan_input(Preset::kDemo, "2026");  // This plan has every table.
  input.selection.sizes = {known_sizes(input.edition, Preset::kDemo).front()};
  const labreport::Run run = fake_run(input, change);
  const labreport::Run loaded = run_from_json(to_json(run), "run.json");
  const Document document = build_document(loaded, false);
  EXPECT_FALSE(document.sections.empty());
  EXPECT_EQ(overview::run_summary(loaded, &document).title, document.title);
}

TEST(ForeignRuns, MayLackTheDtypesOfOnePrecision) {
  for (const char* kept : {"fp16", "bf16", "none"}) {
    expect_document(keep_rows(metric::kDtypes,
                              [=](const NamedRow& row) { return row.has("precision", kept); }));
  }
}

TEST(ForeignRuns, MayLackTheRowsOfATable) {
  for (const auto table :
       {metric::kLayerNorm, metric::kKernels, metric::kKernelNames, metric::kTimeline,
        metric::kAllocations, metric::kLargest, metric::kBlock, metric::kBlockTimeline}) {
    expect_document(keep_rows(table, [](const auto&) { return false; }));
  }
}

TEST(ForeignRuns, MayHaveTheirEventsInAnyOrder) {
  expect_document([](const CellSpec&, Launch& launch) {
    for (Table& table : launch.tables) {
      const bool has_events =
          table.name == metric::kTimeline || table.name == metric::kBlockTimeline;
      if (has_events) std::ranges::reverse(table.rows);
    }
  });
}

TEST(ForeignRuns, MayHaveFewerSamplesThanSteps) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}}) {
    for (const auto name : {metric::kTotal, metric::kEnqueue}) {
      expect_document(cut_samples(metric::kStep, name, count));
    }
    expect_document(cut_samples(metric::kEvent, metric::kForward, count));
    expect_document(cut_samples(metric::kRunningSum, metric::kFp16Loop, count));
  }
}

}  // namespace
}  // namespace labreport::foreign_runs_test
