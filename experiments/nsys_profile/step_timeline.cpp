#include "experiments/nsys_profile/step_timeline.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include "base/format.h"
#include "base/lists.h"
#include "document/charts/charts.h"
#include "experiments/nsys_profile/kernel_name.h"
#include "experiments/nsys_profile/kernel_sums.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::nsys_profile {
namespace {

constexpr double kThinnest = 1.0 / 300;  // Share of the step; a shorter stretch is not visible.
constexpr double kNamedPhase = 0.1;      // Share of the step; a shorter phase is not named.
constexpr double kNamedShare = 0.1;      // Share of the phase; a shorter class is not named.

bool is_traced(const Profile& profile) {
  return profile.step && !measured_rows(*profile.step->launch, metric::kGpuTrace).empty();
}

/// Sorted by size and precision like all profiles.
std::vector<const Profile*> traced(const Profiles& profiles) {
  return only(profiles.every, [](const Profile* profile) { return is_traced(*profile); });
}

struct TracedKernel {
  double start;     ///< ns from the step's first kernel.
  double duration;  ///< ns
  std::optional<std::int64_t> block;
  MeasuredRow about;  ///< Its row of the table "kernels".
};

/// Sorted by start; empty if the launch was not traced. `launch` must outlive the result.
std::vector<TracedKernel> gpu_trace(const Launch& launch) {
  const std::vector<MeasuredRow> kernels = measured_rows(launch, metric::kKernels);
  std::vector<TracedKernel> trace;
  double start = 0;
  for (const MeasuredRow& row : measured_rows(launch, metric::kGpuTrace)) {
    const auto block = row.number(column::kBlock);
    start += row.number(column::kAfterNs).value_or(0);
    trace.push_back({start, row.number(column::kDurationNs).value_or(0),
                     block ? std::optional(static_cast<std::int64_t>(*block)) : std::nullopt,
                     kernels.at(static_cast<std::size_t>(row.number(column::kRow).value_or(0)))});
  }
  return trace;
}

/// Kernels in a row of one phase, or of one of its blocks, each until the next begins; times in ms.
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

std::vector<Stretch> kernels_of(const Launch& launch) {
  std::vector<Stretch> found;
  for (const TracedKernel& kernel : gpu_trace(launch)) {
    const double start = kernel.start / kNanosecondsPerMillisecond;
    const double ms = kernel.duration / kNanosecondsPerMillisecond;
    if (!found.empty()) found.back().length = start - found.back().start;
    found.push_back({kernel.about.text(column::kPhase),
                     kernel.block,
                     start,
                     ms,
                     1,
                     {{drawn_class(kernel.about.text(column::kClass)), ms}}});
  }
  return found;
}

using Apart = std::function<bool(const Stretch&, const Stretch&)>;

std::vector<Stretch> joined(const std::vector<Stretch>& all, const Apart& apart) {
  std::vector<Stretch> found;
  for (const Stretch& next : all) {
    if (found.empty() || apart(found.back(), next)) {
      found.push_back(next);
    } else {
      found.back().add(next);
    }
  }
  return found;
}

struct TracedStep {
  std::vector<Stretch> phases, blocks;
  double length;

  explicit TracedStep(const std::vector<Stretch>& kernels) : length(kernels.back().end()) {
    const Apart by_phase = [](const auto& a, const auto& b) { return a.phase != b.phase; };
    phases = joined(kernels, by_phase);
    blocks = joined(kernels, [&](const Stretch& a, const Stretch& b) {
      return by_phase(a, b) || (a.block != b.block && a.length >= kThinnest * length);
    });
  }
};

double busy(const Stretch& stretch, const std::string& kind) {
  const auto found = stretch.busy.find(kind);
  return found == stretch.busy.end() ? 0 : found->second;
}

/// A class's part of a stretch, from the bottom of the picture.
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

/// Words in the picture, at a time in ms and a share.
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

/// Sums a phase that occurs repeatedly into one row, as when a kernel belongs to no phase.
std::vector<Stretch> times_of(const TracedStep& step) {
  std::vector<Stretch> rows;
  for (const Stretch& phase : step.phases) {
    const auto known = std::ranges::find(rows, phase.phase, &Stretch::phase);
    known == rows.end() ? rows.push_back(phase) : known->add(phase);
  }
  return rows;
}

Dataset times(const TracedStep& step) {
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
  return make_dataset("step-times", columns, times_of(step));
}

/// Texts by their places in one list.
class Texts {
 public:
  std::size_t place(const std::string& text) {
    const auto [found, fresh] = places_.emplace(text, places_.size());
    if (fresh) list_.push_back(text);
    return found->second;
  }
  const nlohmann::json& list() const { return list_; }

 private:
  std::map<std::string, std::size_t> places_;
  nlohmann::json list_ = nlohmann::json::array();
};

/// "layers/attn/q_proj" → "attn/q_proj": the block stands beside it.
std::string below_layers(const std::string& module) {
  constexpr std::string_view kLayers = "layers/";
  return module.starts_with(kLayers) ? module.substr(kLayers.size()) : module;
}

/// [phase, module, class, kernel] of each row of the table "kernels": places in `texts`, and among
/// the classes.
nlohmann::json live_rows(const Launch& launch, Texts& texts) {
  KernelNames names = kernel_names(launch);
  nlohmann::json rows = nlohmann::json::array();
  for (const MeasuredRow& row : measured_rows(launch, metric::kKernels)) {
    const auto id = static_cast<std::int64_t>(row.number(column::kKernel).value_or(-1));
    const auto kind = std::ranges::find(drawn_classes(), drawn_class(row.text(column::kClass)));
    rows.push_back({texts.place(row.text(column::kPhase)),
                    texts.place(below_layers(row.text(column::kModule))),
                    kind - drawn_classes().begin(), texts.place(short_kernel_name(names[id]))});
  }
  return rows;
}

/// Four numbers a kernel, as site/timeline.js reads them.
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
  datasets.front().live = live(traced(profiles), drawn);
  return datasets;
}

}  // namespace labreport::nsys_profile
