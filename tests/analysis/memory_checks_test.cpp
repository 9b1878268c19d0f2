// The bytes of a step whose allocations were recorded, against each other.
#include <gmock/gmock.h>

#include "analysis/plausibility.h"
#include "plan/editions.h"
#include "plan/memory.h"

namespace labreport {
namespace {

CellSpec memory_spec() {
  CellSpec spec;
  spec.kind = CellKind::kMemory;
  spec.size = "small";
  spec.model = find_edition("2025").sizes.front().shape;
  spec.context = 128;
  spec.batch = 4;
  spec.precision = Precision::kFp32;
  spec.mode = Mode::kInference;
  spec.warmup = 2;
  spec.steps = 1;
  return spec;
}

Launch memory_launch() {
  const std::int64_t parameters = parameter_bytes(*memory_spec().model);
  const std::int64_t requested = parameters + 1000;
  const std::int64_t allocated = parameters + 5000;
  Launch launch;
  launch.device = 0;
  launch.metrics = {integer_metric("memory", "parameters", "B", parameters),
                    integer_metric("memory", "peak_requested", "B", requested),
                    integer_metric("memory", "peak_allocated", "B", allocated),
                    integer_metric("memory", "peak_reserved", "B", 2 * allocated),
                    integer_metric("history", "peak_requested", "B", requested),
                    integer_metric("history", "peak_allocated", "B", allocated),
                    integer_metric("history", "lost", "1", 0),
                    integer_metric("category", "parameters", "B", parameters),
                    integer_metric("category", "temporary", "B", 1000),
                    integer_metric("category", "unknown", "B", 0)};
  return launch;
}

std::vector<Finding> findings_of(const Launch& launch) {
  Run run;
  Device device;
  device.memory_bytes = 80LL << 30;
  run.devices = {device};
  run.find_or_add(memory_spec()).launches = {launch};
  return check_plausibility(run);
}

/// What is found once the metric has another value.
std::vector<Finding> findings_with(const std::string& tag, const std::string& name,
                                   std::int64_t value) {
  Launch launch = memory_launch();
  for (Metric& metric : launch.metrics) {
    if (metric.tag == tag && metric.name == name) {
      metric = integer_metric(tag, name, metric.unit, value);
    }
  }
  return findings_of(launch);
}

TEST(RecordedMemory, FindsNothingInAGoodLaunch) {
  EXPECT_TRUE(findings_with("history", "lost", 0).empty());
}

TEST(RecordedMemory, CategoriesOfWhichOneIsMissingAddUpToNothingKnown) {
  Launch launch = memory_launch();
  for (Metric& metric : launch.metrics) {
    if (metric.name == "temporary") metric = absent_metric("category", "temporary", "B", "lost");
  }
  EXPECT_TRUE(findings_of(launch).empty());
}

TEST(RecordedMemory, RefusesBytesThatContradictEachOtherAndWarnsOfWhatIsLost) {
  struct Wrong {
    const char *tag, *name;
    std::int64_t value;
    const char* said;
    bool error;
  };
  for (const auto& [tag, name, value, said, error] :
       {Wrong{"history", "peak_allocated", 1 << 30, "with its history recorded 1,073,741,824 B",
              true},
        {"history", "lost", 3, "", false},
        {"category", "temporary", 2000, "its categories add up to", true},
        {"category", "unknown", 100 << 20, "100.0 MiB of its peak are of unknown use", false}}) {
    const auto found = findings_with(tag, name, value);
    EXPECT_TRUE(std::ranges::any_of(found,
                                    [&](const Finding& finding) {
                                      return finding.error == error &&
                                             finding.text.find(said) != std::string::npos;
                                    }))
        << tag << ' ' << name;
  }
}

}  // namespace
}  // namespace labreport
