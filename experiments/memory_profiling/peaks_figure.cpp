// The figure of part (c): peaks of each step and context in every precision, and the GPU's memory.
#include <algorithm>

#include "experiments/common/bytes.h"
#include "experiments/memory_profiling/presenters.h"

namespace labreport::memory_profiling {
namespace {

constexpr double kFarBelowCapacity = 0.05;  // Peaks below this share of it leave out the capacity.

/// A peak in the figure, or the reason why there is none.
struct Dot {
  std::string row, precision;
  std::optional<double> peak_bytes;
  std::string reason;
};

Dataset peaks_data(const std::vector<MemoryProfile>& profiles, const ByteUnit& unit) {
  std::vector<Dot> dots;
  for (const auto& [mode, name] :
       {std::pair(Mode::kInference, "inference, "), std::pair(Mode::kForward, "forward, "),
        std::pair(Mode::kTrainStep, "training step, ")}) {
    for (const MemoryProfile& profile : profiles) {
      const MemoryStep* step = profile.planned_step(mode);
      if (step == nullptr) continue;
      dots.push_back({name + format_value(profile.setting, kRowNumber), profile.precision(),
                      profile.peak_bytes(mode), step->why_no_peak()});
    }
  }
  const std::vector<Column<Dot>> columns{
      {"row", "Step and context", &Dot::row},
      {"precision", "Precision", &Dot::precision},
      bytes_column<Dot>("peak", "Peak", &Dot::peak_bytes, unit, &Dot::reason),
      {"unit", "Unit", [unit](const Dot&) { return unit.name; }}};
  return make_dataset("peaks", columns, dots);
}

}  // namespace

void add_peaks_figure(PartContent& part, const RunView& view,
                      const std::vector<MemoryProfile>& profiles) {
  double highest_peak = 0, capacity = 0;
  bool out_of_memory = false;
  for (const MemoryProfile& profile : profiles) {
    for (const auto& [mode, step] : profile.steps) {
      highest_peak = std::max(highest_peak, profile.peak_bytes(mode).value_or(0));
      capacity = std::max(capacity, capacity_bytes(view, step));
      out_of_memory = out_of_memory || step.out_of_memory() != nullptr;
    }
  }
  // A step that ran out of memory came near the capacity, although it has no peak.
  const bool capacity_drawn =
      capacity > 0 && (out_of_memory || highest_peak >= kFarBelowCapacity * capacity);
  const ByteUnit unit = byte_unit(capacity_drawn ? std::max(highest_peak, capacity) : highest_peak);
  if (highest_peak > 0) part.datasets.push_back(peaks_data(profiles, unit));
  if (!capacity_drawn) return;
  const std::vector<Column<double>> columns{
      bytes_column<double>("capacity", "GPU capacity", std::identity(), unit),
      {"text", "Words", [](double bytes) { return "GPU capacity, " + format_bytes(bytes); }}};
  part.datasets.push_back(make_dataset("capacity", columns, std::vector{capacity}));
}

}  // namespace labreport::memory_profiling
