// The parts of the benchmarking problem, and what they share.
#pragma once

#include <string>
#include <vector>

#include "document/section.h"
#include "document/view.h"
#include "experiments/common/phases.h"
#include "experiments/common/timing.h"

namespace labreport::benchmarking_script {

PartContent present_durations(const RunView& view, const std::vector<TimingGroup>& groups);
PartContent present_warmup(const RunView& view, const std::vector<TimingGroup>& groups);

/// The first forward+backward step of a process, profiled; null where this network has none.
const Launch* profiled_first_step(const RunView& view, const CellSpec& network);

/// "4.7 % of the mean", "1.8 × the mean".
std::string share_of_mean(double share);

/// Times of one row in ms, in the order in which they were taken.
struct Series {
  std::string size;
  std::string name;
  std::vector<double> samples;
};

/// Each series on one row, side by side: "Step 1", "Step 2"; a long one goes on in the next row.
/// `title` heads the names, `sample` each of the others.
Dataset series_dataset(const std::string& name, const std::string& title, const std::string& sample,
                       const std::vector<Series>& all, int digits = 5);

/// Of several situations the one that holds, with the values of its sentences; none for any other
/// word.
void choose(Facts& facts, std::initializer_list<const char*> situations, std::string_view holds,
            const Facts& values);

}  // namespace labreport::benchmarking_script
