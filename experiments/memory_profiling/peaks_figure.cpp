// The figure of parts (b) and (c): peaks of each step and context in every precision, against what
// the GPU has.
#include <algorithm>
#include <set>

#include "base/text.h"
#include "experiments/memory_profiling/bytes.h"
#include "experiments/memory_profiling/parts.h"

namespace labreport::memory_profiling {
namespace {

constexpr double kVisible = 0.05;  // Of the GPU's memory: smaller peaks could not be told apart.

/// A peak in the figure; its row's label stands with the first of the row.
struct Dot {
  std::string row, precision;
  std::optional<double> peak;
  std::string reason;
  std::optional<double> low = {}, high = {};
  std::string label = {};
  std::size_t order = 0;
};

/// "12.94 → 19.17"; "out of memory in forward" where all ended alike, each by its precision
/// otherwise.
void label_row(std::vector<Dot>& dots, std::size_t first, const ByteUnit& unit) {
  std::vector<std::string> words, gaps;
  std::set<std::string> reasons;
  Dot& label = dots[first];
  for (const Dot& dot : dots) {
    if (dot.row != label.row) continue;
    if (dot.peak) {
      words.push_back(format_fixed(*dot.peak / unit.bytes, unit.decimals));
      label.low = std::min(label.low.value_or(*dot.peak), *dot.peak);
      label.high = std::max(label.high.value_or(*dot.peak), *dot.peak);
    } else {
      const std::string reason = dot.reason.substr(0, dot.reason.find(':'));
      reasons.insert(reason);
      gaps.push_back(dot.precision + ": " + reason);
    }
  }
  if (!words.empty()) gaps.insert(gaps.begin(), join(words, " → "));
  label.label = words.empty() && reasons.size() == 1 ? *reasons.begin() : join(gaps, "; ");
}

std::vector<Dot> dots_of(const std::vector<Profile>& profiles, const ByteUnit& unit) {
  std::vector<Dot> dots;
  for (const auto& [mode, name] :
       {std::pair(Mode::kInference, "inference, "), std::pair(Mode::kForward, "forward, "),
        std::pair(Mode::kTrainStep, "training step, ")}) {
    for (const Profile& profile : profiles) {
      const Step* step = profile.asked(mode);
      if (step == nullptr) continue;
      dots.push_back(
          {name + profile.place, profile.precision(), profile.peak(mode), step->missing()});
    }
  }
  for (std::size_t i = 0; i < dots.size(); ++i) {
    dots[i].order = i;
    const auto same = [&](const Dot& dot) { return dot.row == dots[i].row; };
    if (std::find_if(dots.begin(), dots.begin() + i, same) == dots.begin() + i)
      label_row(dots, i, unit);
  }
  return dots;
}

Dataset dots(const std::vector<Profile>& profiles, const ByteUnit& unit) {
  const std::vector<Column<Dot>> columns{
      {"row", "Step and context", &Dot::row},
      {"precision", "Precision", &Dot::precision},
      {"peak",
       "Peak",
       [unit](const Dot& dot) {
         return dot.peak ? in_unit(dot.peak, unit) : Value::missing(dot.reason);
       },
       unit.name,
       {Notation::kFixed, unit.decimals}},
      bytes_column<Dot>("low", "Least", &Dot::low, unit),
      bytes_column<Dot>("high", "Most", &Dot::high, unit),
      {"label", "Label", &Dot::label},
      {"order", "Order", &Dot::order},
      {"unit", "Unit", [unit](const Dot&) { return unit.name; }}};
  return make_dataset("peaks", columns, dots_of(profiles, unit));
}

/// How far the figure's axis reaches.
struct Reach {
  double most = 0;      ///< The largest peak.
  double capacity = 0;  ///< What a GPU has.
  bool refused = false;

  /// Refused steps came near it, whatever the peaks that are left.
  bool draws_capacity() const { return capacity > 0 && (refused || most >= kVisible * capacity); }
};

Reach reach_of(const RunView& view, const std::vector<Profile>& profiles) {
  Reach reach;
  for (const Profile& profile : profiles) {
    for (const auto& [mode, step] : profile.steps) {
      reach.most = std::max(reach.most, profile.peak(mode).value_or(0));
      reach.capacity = std::max(reach.capacity, capacity(view, step));
      reach.refused = reach.refused || step.refused() != nullptr;
    }
  }
  return reach;
}

}  // namespace

void add_peaks_figure(PartContent& part, const RunView& view,
                      const std::vector<Profile>& profiles) {
  const Reach reach = reach_of(view, profiles);
  const bool drawn = reach.draws_capacity();
  const ByteUnit unit = byte_unit(drawn ? std::max(reach.most, reach.capacity) : reach.most);
  const std::vector<Column<double>> columns{
      bytes_column<double>(
          "capacity", "GPU capacity", [](double bytes) { return bytes; }, unit),
      {"text", "Words", [](double bytes) { return "GPU capacity, " + format_bytes(bytes); }}};
  part.facts.when("far_below", reach.capacity > 0 && !drawn, "capacity",
                  format_bytes(reach.capacity));
  if (reach.most > 0) part.datasets.push_back(dots(profiles, unit));
  if (drawn)
    part.datasets.push_back(make_dataset("capacity", columns, std::vector{reach.capacity}));
}

}  // namespace labreport::memory_profiling
