// The evidence of timed steps, mode by mode: what the details hold.
#pragma once

#include <optional>
#include <vector>

#include "document/dataset.h"
#include "experiments/common/timing.h"

namespace labreport::benchmarking_script {

/// Datasets "whole-steps" (every step) and, of a GPU, "events" and "conditions".
std::vector<Dataset> step_datasets(const RunView& view, const std::vector<TimingGroup>& groups);

/// What comes before a process's first step.
Dataset start_up(const RunView& view, const std::vector<TimingGroup>& groups);

/// What was said of the steps while they ran, mode by mode.
std::vector<std::string> step_warnings(const std::vector<TimingGroup>& groups);

/// One time of a phase or mode.
struct Sample {
  std::string size, name;
  double ms;
};
extern const std::vector<Column<Sample>> kSamples;
void add_samples(std::vector<Sample>& all, const std::string& size, const std::string& name,
                 const std::vector<double>& samples);

/// Nothing where that is no number.
std::optional<double> quotient(double above, double below);

}  // namespace labreport::benchmarking_script
