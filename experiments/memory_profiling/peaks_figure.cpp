// The figure of part (c): peaks of each step and context in every precision, and the GPU's memory.
#include <algorithm>

#include "experiments/memory_profiling/bytes.h"
#include "experiments/memory_profiling/presenters.h"

namespace labreport::memory_profiling {
namespace {

constexpr double kVisible = 0.05;  // The capacity is drawn once a peak reaches this share of it.

/// A peak in the figure, or why there is none.
struct Dot {
  std::string row, precision;
  std::optional<double> peak;
  std::string reason;
};

Dataset peaks(const std::vector<Profile>& profiles, const ByteUnit& unit) {
  std::vector<Dot> dots;
  for (const auto& [mode, name] :
       {std::pair(Mode::kInference, "inference, "), std::pair(Mode::kForward, "forward, "),
        std::pair(Mode::kTrainStep, "training step, ")}) {
    for (const Profile& profile : profiles) {
      const Step* step = profile.planned(mode);
      if (step == nullptr) continue;
      dots.push_back({name + format_value(profile.place, kNamed), profile.precision(),
                      profile.peak(mode), step->missing()});
    }
  }
  const std::vector<Column<Dot>> columns{
      {"row", "Step and context", &Dot::row},
      {"precision", "Precision", &Dot::precision},
      bytes_column<Dot>("peak", "Peak", &Dot::peak, unit, &Dot::reason),
      {"unit", "Unit", [unit](const Dot&) { return unit.name; }}};
  return make_dataset("peaks", columns, dots);
}

}  // namespace

void add_peaks_figure(PartContent& part, const RunView& view,
                      const std::vector<Profile>& profiles) {
  double most = 0, memory = 0;
  bool refused = false;
  for (const Profile& profile : profiles) {
    for (const auto& [mode, step] : profile.steps) {
      most = std::max(most, profile.peak(mode).value_or(0));
      memory = std::max(memory, capacity(view, step));
      refused = refused || step.out_of_memory() != nullptr;
    }
  }
  // A refused step came near the capacity, although it has no peak.
  const bool drawn = memory > 0 && (refused || most >= kVisible * memory);
  const ByteUnit unit = byte_unit(drawn ? std::max(most, memory) : most);
  if (most > 0) part.datasets.push_back(peaks(profiles, unit));
  if (!drawn) return;
  const std::vector<Column<double>> columns{
      bytes_column<double>("capacity", "GPU capacity", std::identity(), unit),
      {"text", "Words", [](double bytes) { return "GPU capacity, " + format_bytes(bytes); }}};
  part.datasets.push_back(make_dataset("capacity", columns, std::vector{memory}));
}

}  // namespace labreport::memory_profiling
