// Measures a run with the fake worker in its own folder.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "orchestrate/pool.h"

namespace labreport {

/// A cell whose size's name tells the fake worker how to behave.
CellSpec fake_cell(const std::string& behavior, std::int64_t context = 16);

/// Records calls instead of drawing.
struct RememberedProgress : Progress {
  struct Line {
    std::string size;
    std::string outcome;
    Standing standing;
  };
  std::vector<Line> lines;
  std::function<void()> on_start = [] {};
  std::function<void()> on_finish = [] {};

  void started(const CellSpec&, const Standing&) override { on_start(); }
  void finished(const CellSpec& spec, const Launch& launch, const Standing& standing) override;
  void tick(const Standing&) override {}
  std::optional<std::chrono::milliseconds> tick_every() const override { return std::nullopt; }
};

class RunFixture : public testing::Test {
 protected:
  RunFixture();
  ~RunFixture() override;

  RunEnd measure(std::vector<PlannedCell> cells);
  RunEnd measure(PlanCells plan);

  /// The only launch of the cell with this behavior.
  const Launch& launch(const std::string& behavior) const;

  std::filesystem::path folder_;
  RunStore store_;
  labreport::Run run_;
  PoolSetup setup_;
  RememberedProgress progress_;
};

}  // namespace labreport
