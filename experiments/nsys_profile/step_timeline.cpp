// The traced training steps on a time axis: a picture of one, and all of them for the page.
#include <algorithm>
#include <map>
#include <tuple>

#include "base/format.h"
#include "base/lists.h"
#include "document/charts/charts.h"
#include "experiments/nsys_profile/kernel_name.h"
#include "experiments/nsys_profile/kernel_sums.h"
#include "experiments/nsys_profile/presenters.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::nsys_profile {
namespace {

constexpr double kThinnest = 1.0 / 300;  // Share of the step; a shorter block joins the next one.
constexpr double kNamedPhase = 0.1;      // Share of the step; a shorter phase is not named.
constexpr double kNamedShare = 0.1;      // Share of the phase; a smaller class is not named.

/// The profiles whose step was traced, sorted like all profiles.
std::vector<const Profile*> traced(const Profiles& profiles) {
  return only(profiles.in_details, [](const Profile* profile) {
    return profile->step && !measured_rows(*profile->step->launch, metric::kGpuTrace).empty();
  });
}

/// Consecutive kernels of a phase, or of a block in it, each until the next begins; times in ms.
struct Stretch {
  std::string phase;
  std::optional<std::int64_t> block;
  double start, length, kernels;
  std::map<std::string, double> busy;  ///< ms by class of kernel.

  double end() const { return start + length; }
  void add(const Stretch& other) {
    length += other.length;
    kernels += other.kernels;
    for (const auto& [kind, ms] : other.busy) busy[kind] += ms;
  }
};

/// A stretch for each kernel in order of start; starts count from the step's first kernel.
std::vector<Stretch> kernels_of(const Launch& launch) {
  const std::vector<MeasuredRow> kernels = measured_rows(launch, metric::kKernels);
  std::vector<Stretch> stretches;
  double start_ns = 0;
  for (const MeasuredRow& row : measured_rows(launch, metric::kGpuTrace)) {
    const auto kernel = static_cast<std::size_t>(row.number(column::kRow).value_or(0));
    const auto block = row.number(column::kBlock);
    const double ms = row.number(column::kDurationNs).value_or(0) / kNanosecondsPerMillisecond;
    start_ns += row.number(column::kAfterNs).value_or(0);
    const double start = start_ns / kNanosecondsPerMillisecond;
    if (!stretches.empty()) stretches.back().length = start - stretches.back().start;
    stretches.push_back(
        {.phase = kernels.at(kernel).text(column::kPhase),
         .block = block ? std::optional(static_cast<std::int64_t>(*block)) : std::nullopt,
         .start = start,
         .length = ms,
         .kernels = 1,
         .busy = {{drawn_class(kernels.at(kernel).text(column::kClass)), ms}}});
  }
  return stretches;
}

/// Adds each stretch to the one before it, unless `separate` is true for the two.
template <typename Separate>
std::vector<Stretch> merged(const std::vector<Stretch>& stretches, const Separate& separate) {
  std::vector<Stretch> all;
  for (const Stretch& next : stretches) {
    const bool begins = all.empty() || separate(all.back(), next);
    begins ? all.push_back(next) : all.back().add(next);
  }
  return all;
}

struct TracedStep {
  std::vector<Stretch> phases, blocks;
  double length;

  explicit TracedStep(const std::vector<Stretch>& kernels) : length(kernels.back().end()) {
    const auto by_phase = [](const Stretch& a, const Stretch& b) { return a.phase != b.phase; };
    phases = merged(kernels, by_phase);
    blocks = merged(kernels, [&](const Stretch& a, const Stretch& b) {
      return by_phase(a, b) || (a.block != b.block && a.length >= kThinnest * length);
    });
  }
};

double busy(const Stretch& stretch, const std::string& kind) {
  const auto ms = stretch.busy.find(kind);
  return ms == stretch.busy.end() ? 0 : ms->second;
}

/// A kernel class's share of a stretch's time, drawn from `low` to `high` of the picture's height.
struct Bar {
  double start, end, low, high;
  std::string kind;
};

const std::vector<Column<Bar>> kBars{{"start", "Start", &Bar::start, "ms"},
                                     {"end", "End", &Bar::end, "ms"},
                                     {"low", "From", &Bar::low},
                                     {"high", "To", &Bar::high},
                                     {"class", "Class", &Bar::kind}};

std::vector<Bar> bars_of(const std::vector<Stretch>& stretches) {
  std::vector<Bar> bars;
  for (const Stretch& stretch : stretches) {
    double low = 0;
    for (const std::string& kind : drawn_classes()) {
      const double share = stretch.length > 0 ? busy(stretch, kind) / stretch.length : 0;
      if (share <= 0) continue;
      const double high = std::min(1.0, low + share);  // Two streams may be busy at once.
      bars.push_back({stretch.start, stretch.end(), low, high, kind});
      low = high;
    }
  }
  return bars;
}

/// Words at a time in ms; `share` is the phase's of the step, or a class label's height, 0 to 1.
struct Label {
  double at, share;
  std::string text;
};

const std::vector<Column<Label>> kLabels{{"at", "Time", &Label::at, "ms"},
                                         {"share", "Share", &Label::share},
                                         {"text", "Text", &Label::text}};

std::vector<Label> phase_labels(const TracedStep& step) {
  std::vector<Label> labels;
  for (const Stretch& phase : step.phases) {
    const bool room = phase.length >= kNamedPhase * step.length;
    const std::string words = phase.phase + " " + format_significant(phase.length, 3) + " ms";
    labels.push_back({phase.start, phase.length / step.length, room ? words : ""});
  }
  return labels;
}

std::vector<Label> class_labels(const TracedStep& step) {
  std::vector<Label> labels;
  for (const Stretch& phase : step.phases) {
    if (phase.length < kNamedPhase * step.length) continue;
    for (const Bar& bar : bars_of({phase})) {
      const double share = bar.high - bar.low;
      if (share < kNamedShare) continue;
      labels.push_back({(bar.start + bar.end) / 2, (bar.low + bar.high) / 2,
                        bar.kind + " " + format_percent(share) + " %"});
    }
  }
  return labels;
}

/// A row for each phase; a phase may have several stretches if kernels without a phase divide it.
Dataset times(const TracedStep& step) {
  std::vector<Stretch> rows;
  for (const Stretch& phase : step.phases) {
    const auto known = std::ranges::find(rows, phase.phase, &Stretch::phase);
    known == rows.end() ? rows.push_back(phase) : known->add(phase);
  }
  std::vector<Column<Stretch>> columns{
      {"phase", "Phase",
       [](const Stretch& row) { return row.phase.empty() ? "unattributed" : row.phase; }},
      {"ms", "Time", &Stretch::length, "ms"},
      {"share",
       "Of the step",
       [length = step.length](const Stretch& row) { return row.length / length; },
       "%",
       {Notation::kPercent}},
      {"kernels", "Kernels", &Stretch::kernels, "", {Notation::kCount}}};
  for (const std::string& kind : drawn_classes()) {
    columns.push_back({kind, kind, [kind](const Stretch& row) { return busy(row, kind); }, "ms"});
  }
  return make_dataset("step-times", columns, rows);
}

/// Stores each text once, in one list.
class Texts {
 public:
  /// Returns the text's index in the list, to whose end a new text is added.
  std::size_t place(const std::string& text) {
    const auto [entry, inserted] = places_.emplace(text, places_.size());
    if (inserted) list_.push_back(text);
    return entry->second;
  }
  const nlohmann::json& list() const { return list_; }

 private:
  std::map<std::string, std::size_t> places_;
  nlohmann::json list_ = nlohmann::json::array();
};

/// [phase, module, class, kernel] of each row of the table "kernels": the class indexes
/// drawn_classes(), the others index `texts`.
nlohmann::json live_rows(const Launch& launch, Texts& texts) {
  constexpr std::string_view kLayers = "layers/";  // The page shows the block beside the module.
  KernelNames names = kernel_names(launch);
  nlohmann::json rows = nlohmann::json::array();
  for (const MeasuredRow& row : measured_rows(launch, metric::kKernels)) {
    const auto id = static_cast<std::int64_t>(row.number(column::kKernel).value_or(-1));
    const auto kind = std::ranges::find(drawn_classes(), drawn_class(row.text(column::kClass)));
    std::string module = row.text(column::kModule);
    if (module.starts_with(kLayers)) module.erase(0, kLayers.size());
    rows.push_back({texts.place(row.text(column::kPhase)), texts.place(module),
                    kind - drawn_classes().begin(), texts.place(short_kernel_name(names[id]))});
  }
  return rows;
}

/// Lists for each kernel: ns since the last start, ns taken, row of "kernels", block + 1 or 0.
nlohmann::json live_kernels(const Launch& launch) {
  nlohmann::json numbers = nlohmann::json::array();
  for (const MeasuredRow& row : measured_rows(launch, metric::kGpuTrace)) {
    const auto whole = [&](std::string_view name, std::int64_t none) {
      const auto number = row.number(name);
      return number ? static_cast<std::int64_t>(*number) : none;
    };
    numbers.push_back(whole(column::kAfterNs, 0));
    numbers.push_back(whole(column::kDurationNs, 0));
    numbers.push_back(whole(column::kRow, 0));
    numbers.push_back(whole(column::kBlock, -1) + 1);
  }
  return numbers;
}

nlohmann::json live(const std::vector<const Profile*>& profiles, const Profile* first) {
  Texts texts;
  nlohmann::json steps = nlohmann::json::array();
  for (const Profile* profile : profiles) {
    const Launch& launch = *profile->step->launch;
    steps.push_back({{"label", profile->label},
                     {"rows", live_rows(launch, texts)},
                     {"kernels", live_kernels(launch)}});
  }
  return {{"classes", series_scale("color", drawn_classes())},
          {"first", std::ranges::find(profiles, first) - profiles.begin()},
          {"steps", std::move(steps)},
          {"texts", texts.list()}};
}

}  // namespace

const Profile* drawn_step(const Profiles& profiles) {
  const auto steps = traced(profiles);
  if (steps.empty()) return nullptr;
  return *std::ranges::max_element(steps, {}, [](const Profile* profile) {
    const bool sixteen = profile->precision() >= Precision::kBf16;
    return std::tuple(profile->parameters(), !profile->step->perturbed(), profile->spec.context,
                      sixteen);
  });
}

std::vector<Dataset> step_timeline(const Profiles& profiles) {
  const Profile* drawn = drawn_step(profiles);
  if (drawn == nullptr) return {};
  const TracedStep step(kernels_of(*drawn->step->launch));
  std::vector<Dataset> datasets{make_dataset("step-timeline", kBars, bars_of(step.blocks)),
                                make_dataset("step-phases", kLabels, phase_labels(step)),
                                make_dataset("step-classes", kLabels, class_labels(step)),
                                times(step)};
  datasets.front().script_data = live(traced(profiles), drawn);
  return datasets;
}

}  // namespace labreport::nsys_profile
