// Measures a run with the fake worker, in a folder of its own.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "orchestrate/pool.h"

namespace labreport {

/// Returns a cell whose size's name tells the fake worker how to behave.
CellSpec fake_cell(const std::string& behavior, std::int64_t context = 16);

/// Records finished launches and prints nothing.
struct RecordingDisplay : ProgressDisplay {
  struct Line {
    std::string size;
    std::string outcome;
    RunProgress progress;
  };
  std::vector<Line> lines;
  std::function<void()> on_start = [] {};
  std::function<void()> on_finish = [] {};

  void launch_started(const CellSpec&, const RunProgress&) override { on_start(); }
  void launch_finished(const CellSpec& spec, const Launch& launch,
                       const RunProgress& progress) override;
  void tick(const RunProgress&) override {}
  std::optional<std::chrono::milliseconds> tick_interval() const override { return std::nullopt; }
};

class RunFixture : public testing::Test {
 protected:
  RunFixture();
  ~RunFixture() override;

  PoolStatus measure(std::vector<PlannedCell> cells);
  PoolStatus measure(PlanCells plan);

  /// Returns the only launch of the cell with this behavior.
  const Launch& launch(const std::string& behavior) const;

  std::filesystem::path folder_;
  RunStore store_;
  labreport::Run run_;
  PoolSetup setup_;
  RecordingDisplay display_;
};

}  // namespace labreport
