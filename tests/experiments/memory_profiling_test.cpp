// What the memory problem says of runs that went otherwise than most.
#include <gmock/gmock.h>

#include "experiments/memory_profiling/allocation_bins.h"
#include "experiments/memory_profiling/allocation_chart.h"
#include "experiments/memory_profiling/timeline_chart.h"
#include "experiments/sample_runs.h"

namespace labreport {
namespace {

using memory_profiling::Allocation;
using memory_profiling::allocations_of;
using memory_profiling::Timeline;
using memory_profiling::timeline_of;
using testing::HasSubstr;
using testing_samples::Change;
using testing_samples::measured;
using testing_samples::plan_input;

Launch launch_of(Mode mode, std::int64_t context = 512) {
  CellSpec spec;
  spec.kind = CellKind::kMemory;
  spec.model = find_edition("2025").sizes.back().shape;
  spec.batch = 4;
  spec.context = context;
  spec.precision = Precision::kFp32;
  spec.mode = mode;
  Launch launch;
  measure_memory(launch, spec, 141LL << 30);
  return launch;
}

/// The report's part of a run whose memory cells were changed.
Part part_of(const std::string& letter, const Change& change) {
  PlanInput input = plan_input(Preset::kFull);
  input.selection.only = {"memory_profiling"};
  const Document document = build_document(measured(input, change), false);
  for (const Part& part : document.sections.front().parts) {
    if (part.letter == letter) return part;
  }
  throw std::runtime_error("no part (" + letter + ")");
}

Change with_metric(const std::string& tag, const std::string& name, std::int64_t added) {
  return [=](const CellSpec&, Launch& launch) {
    for (Metric& metric : launch.metrics) {
      if (metric.tag != tag || metric.name != name) continue;
      metric = integer_metric(tag, name, metric.unit,
                              static_cast<std::int64_t>(*metric.number()) + added);
    }
  };
}

std::string remarks(const Part& part, const std::string& slug) {
  std::string all;
  for (const auto* tables : {&part.tables, &part.drawer.tables}) {
    for (const TableView& table : *tables) {
      if (table.slug != slug) continue;
      for (const RowView& row : table.rows) {
        for (const std::string& flag : row.flags) all += flag + "\n";
      }
    }
  }
  return all;
}

TEST(MemoryTimeline, KeepsThePeakAndThePhases) {
  const Timeline timeline = timeline_of(launch_of(Mode::kTrainStep));
  EXPECT_EQ(timeline.phases().size(), 4u);
  EXPECT_EQ(timeline.peak().phase, "backward");
  EXPECT_GT(timeline.end_of("loss")->of("activations"), 26e9);
  EXPECT_EQ(timeline.end_of("backward")->of("activations"), 0);
  EXPECT_EQ(timeline.end_of("no such phase"), nullptr);
}

TEST(MemoryTimeline, ThatBeginsMidwayOrHasNoRowsIsStillDrawn) {
  Launch launch = launch_of(Mode::kTrainStep);
  auto& rows = launch.tables.front().rows;
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2));
  EXPECT_FALSE(timeline_of(launch).phases().empty());
  EXPECT_FALSE(memory_profiling::timeline_chart({timeline_of(launch), 0, "peak", "", {}}).empty());
  rows.clear();
  EXPECT_TRUE(timeline_of(launch).empty());
  EXPECT_TRUE(timeline_of(Launch{}).empty());
}

TEST(MemoryTimeline, DrawsANearlyFlatCurveTwice) {
  const auto chart = [](Mode mode) {
    return memory_profiling::timeline_chart({timeline_of(launch_of(mode)), 0, "peak", "", {}});
  };
  EXPECT_TRUE(chart(Mode::kInference).contains("vconcat"));
  EXPECT_FALSE(chart(Mode::kTrainStep).contains("vconcat"));
}

TEST(AllocationBins, HoldTheLeastOfTheCurveBetweenComingsAndGoings) {
  Timeline timeline;
  for (const double event : {0, 2, 4, 6, 8}) {
    timeline.instants.push_back({event, event, "forward", std::vector<double>(9, event), 0});
  }
  Allocation early;
  early.made = 2;
  early.freed = 6;
  Allocation lasting;
  lasting.made = 5;
  const auto bins = memory_profiling::bins_of(timeline, {early, lasting});
  EXPECT_EQ(bins.bounds, (std::vector<double>{0, 2, 5, 6, 8}));
  const double none = std::numeric_limits<double>::infinity();
  EXPECT_EQ(bins.least, (std::vector<double>{0, 9 * 2, none, 9 * 6}));
  EXPECT_EQ(bins.at(5), 2u);
}

TEST(AllocationChart, HasASettingForItsDetail) {
  const Launch launch = launch_of(Mode::kTrainStep);
  const auto spec = memory_profiling::allocation_chart(timeline_of(launch), allocations_of(launch));
  EXPECT_EQ(spec["params"][0]["name"], "detail");
  EXPECT_EQ(spec["params"][0]["bind"]["input"], "range");
}

TEST(MemoryPeaks, ThatDifferFromTheirFormulasSayWhere) {
  EXPECT_THAT(
      remarks(part_of("b", with_metric("category", "activations", 3LL << 30)), "arithmetic"),
      HasSubstr("3.00 GiB of activations more"));
  EXPECT_THAT(
      remarks(part_of("b", with_metric("memory", "peak_requested", 3LL << 30)), "arithmetic"),
      HasSubstr("not explained"));
}

TEST(MemoryPeaks, SayWhereTheHistoryChangedThem) {
  EXPECT_THAT(remarks(part_of("b", with_metric("history", "peak_requested", 512)), "allocator"),
              HasSubstr("the history changed the peak"));
}

TEST(MemoryResidual, ThatDisagreesIsSaidToDisagree) {
  const Part part = part_of("d", with_metric("residual", "requested", 512));
  EXPECT_THAT(part.answer, HasSubstr("which is not that"));
  EXPECT_THAT(remarks(part, "residual"), HasSubstr("does not agree"));
}

TEST(MemoryPeaks, ThatADeviceCannotCountGiveItsReason) {
  const Part part = part_of("b", [](const CellSpec&, Launch& launch) {
    launch.metrics = {absent_metric("memory", "peak_allocated", "B", "no caching allocator")};
    launch.tables.clear();
  });
  EXPECT_THAT(part.answer, HasSubstr("Neither an inference forward nor a full step ran."));
  EXPECT_THAT(part.answer, HasSubstr("no caching allocator"));
}

}  // namespace
}  // namespace labreport
