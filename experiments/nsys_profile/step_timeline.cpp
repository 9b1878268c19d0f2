// Draws a traced training step on a time axis, and gives all traced steps to the live figure.
#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "document/charts/charts.h"
#include "experiments/nsys_profile/kernel_name.h"
#include "experiments/nsys_profile/kernel_sums.h"
#include "experiments/nsys_profile/presenters.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::nsys_profile {
namespace {

constexpr double kMinBlock = 1.0 / 300;  // A block with a smaller share of the step joins the next.
constexpr double kMinPhaseShare = 0.1;   // A phase with a smaller share of the step has no label.
constexpr double kMinClassShare = 0.1;   // A class with a smaller share of the phase has no label.

/// Returns the profiles whose step was traced, in the order of all profiles.
std::vector<const KernelProfile*> traced_profiles(const Profiles& profiles) {
  return only(profiles.in_details, [](const KernelProfile* profile) {
    return profile->step && !measured_rows(*profile->step->launch, metric::kGpuTrace).empty();
  });
}

/// Consecutive kernels of one phase, or of one block in it, until the next stretch begins.
struct Stretch {
  std::string phase;
  std::optional<std::int64_t> block;
  double start_ms, length_ms, kernel_count;
  std::map<std::string, double> busy_ms;  ///< The kernels' time by drawn class.

  double end_ms() const { return start_ms + length_ms; }
  void add(const Stretch& other) {
    length_ms += other.length_ms;
    kernel_count += other.kernel_count;
    for (const auto& [kind, ms] : other.busy_ms) busy_ms[kind] += ms;
  }
};

/// Returns a stretch for each kernel in order of start. Times count from the step's first kernel.
std::vector<Stretch> kernel_stretches(const Launch& launch) {
  const std::vector<MeasuredRow> kernels = measured_rows(launch, metric::kKernels);
  std::vector<Stretch> stretches;
  double start_ns = 0;
  for (const MeasuredRow& row : measured_rows(launch, metric::kGpuTrace)) {
    const auto index = static_cast<std::size_t>(row.number(column::kRow).value_or(0));
    const auto block = row.number(column::kBlock);
    const double ms = row.number(column::kDurationNs).value_or(0) / kNanosecondsPerMillisecond;
    start_ns += row.number(column::kAfterNs).value_or(0);
    const double start_ms = start_ns / kNanosecondsPerMillisecond;
    if (!stretches.empty()) stretches.back().length_ms = start_ms - stretches.back().start_ms;
    stretches.push_back(
        {.phase = kernels.at(index).text(column::kPhase),
         .block = block ? std::optional(static_cast<std::int64_t>(*block)) : std::nullopt,
         .start_ms = start_ms,
         .length_ms = ms,
         .kernel_count = 1,
         .busy_ms = {{drawn_class(kernels.at(index).text(column::kClass),
                                  kernels.at(index).text(column::kOperator)),
                      ms}}});
  }
  return stretches;
}

/// Adds each stretch to the one before it, unless `are_separate` is true for the two.
template <typename AreSeparate>
std::vector<Stretch> merged(const std::vector<Stretch>& stretches,
                            const AreSeparate& are_separate) {
  std::vector<Stretch> merged_stretches;
  for (const Stretch& next : stretches) {
    const bool begins_new = merged_stretches.empty() || are_separate(merged_stretches.back(), next);
    begins_new ? merged_stretches.push_back(next) : merged_stretches.back().add(next);
  }
  return merged_stretches;
}

struct TracedStep {
  std::vector<Stretch> phases, blocks;
  double length_ms;

  explicit TracedStep(const std::vector<Stretch>& kernels) : length_ms(kernels.back().end_ms()) {
    const auto phases_differ = [](const Stretch& a, const Stretch& b) {
      return a.phase != b.phase;
    };
    phases = merged(kernels, phases_differ);
    blocks = merged(kernels, [&](const Stretch& a, const Stretch& b) {
      return phases_differ(a, b) || (a.block != b.block && a.length_ms >= kMinBlock * length_ms);
    });
  }
};

double busy_ms(const Stretch& stretch, const std::string& kind) {
  const auto ms = stretch.busy_ms.find(kind);
  return ms == stretch.busy_ms.end() ? 0 : ms->second;
}

/// A bar of one class in a stretch. Its height is the class's share of the stretch's time.
struct Bar {
  double start_ms, end_ms;
  double low, high;  ///< The edges as shares of the picture's height, 0 to 1.
  std::string kind;
};

const std::vector<Column<Bar>> kBarColumns{{"start", "Start", &Bar::start_ms, "ms"},
                                           {"end", "End", &Bar::end_ms, "ms"},
                                           {"low", "From", &Bar::low},
                                           {"high", "To", &Bar::high},
                                           {"class", "Class", &Bar::kind}};

std::vector<Bar> bars_of(const std::vector<Stretch>& stretches) {
  std::vector<Bar> bars;
  for (const Stretch& stretch : stretches) {
    double low = 0;
    for (const std::string& kind : drawn_classes()) {
      const double share = stretch.length_ms > 0 ? busy_ms(stretch, kind) / stretch.length_ms : 0;
      if (share <= 0) continue;
      const double high = std::min(1.0, low + share);  // Two streams may be busy at once.
      bars.push_back({stretch.start_ms, stretch.end_ms(), low, high, kind});
      low = high;
    }
  }
  return bars;
}

/// A label at a point of the time axis.
struct Label {
  double at_ms;
  double share_or_height;  ///< The phase's share of the step, or a class label's height, 0 to 1.
  std::string text;
};

const std::vector<Column<Label>> kLabelColumns{{"at", "Time", &Label::at_ms, "ms"},
                                               {"share", "Share", &Label::share_or_height},
                                               {"text", "Text", &Label::text}};

std::vector<Label> phase_labels(const TracedStep& step) {
  std::vector<Label> labels;
  for (const Stretch& phase : step.phases) {
    const bool has_room = phase.length_ms >= kMinPhaseShare * step.length_ms;
    const std::string words = phase.phase + " " + format_significant(phase.length_ms, 3) + " ms";
    labels.push_back({phase.start_ms, phase.length_ms / step.length_ms, has_room ? words : ""});
  }
  return labels;
}

std::vector<Label> class_labels(const TracedStep& step) {
  std::vector<Label> labels;
  for (const Stretch& phase : step.phases) {
    if (phase.length_ms < kMinPhaseShare * step.length_ms) continue;
    for (const Bar& bar : bars_of({phase})) {
      const double share = bar.high - bar.low;
      if (share < kMinClassShare) continue;
      labels.push_back({(bar.start_ms + bar.end_ms) / 2, (bar.low + bar.high) / 2,
                        bar.kind + " " + format_percent(share) + " %"});
    }
  }
  return labels;
}

/// Adds up each phase. A phase has several stretches if kernels without a phase divide it.
std::vector<Stretch> whole_phases(const TracedStep& step) {
  std::vector<Stretch> phases;
  for (const Stretch& stretch : step.phases) {
    const auto known = std::ranges::find(phases, stretch.phase, &Stretch::phase);
    known == phases.end() ? phases.push_back(stretch) : known->add(stretch);
  }
  return phases;
}

Dataset phase_times_table(const TracedStep& step) {
  std::vector<Column<Stretch>> columns{
      {"phase", "Phase",
       [](const Stretch& row) { return row.phase.empty() ? "unattributed" : row.phase; }},
      {"ms", "Time", &Stretch::length_ms, "ms"},
      {"share", "Of the step",
       [step_ms = step.length_ms](const Stretch& row) { return row.length_ms / step_ms; }, "%",
       kAsPercent},
      {"kernels", "Calls", &Stretch::kernel_count, "", kAsCount}};
  for (const std::string& kind : drawn_classes()) {
    columns.push_back(
        {kind, kind, [kind](const Stretch& row) { return busy_ms(row, kind); }, "ms"});
  }
  return make_dataset("step-times", columns, whole_phases(step));
}

/// Returns the figure's title, "Forward takes 20 % of the step, backward 45 %, optimizer 34 %";
/// empty if no phase has room for a label.
std::string phase_shares_words(const TracedStep& step) {
  std::vector<std::string> shares;
  for (const Stretch& phase : whole_phases(step)) {
    const double share = phase.length_ms / step.length_ms;
    if (share < kMinPhaseShare || phase.phase.empty()) continue;
    shares.push_back(phase.phase + (shares.empty() ? " takes " : " ") +
                     format_rough_percent(share) + (shares.empty() ? " % of the step" : " %"));
  }
  std::string words = join(shares, ", ");
  if (!words.empty()) words.front() = static_cast<char>(std::toupper(words.front()));
  return words;
}

/// A list that stores each text once.
class TextList {
 public:
  /// Returns the text's index in the list. A new text is added at the end.
  std::size_t index_of(const std::string& text) {
    const auto [entry, inserted] = indices_.emplace(text, indices_.size());
    if (inserted) list_.push_back(text);
    return entry->second;
  }
  const nlohmann::json& list() const { return list_; }

 private:
  std::map<std::string, std::size_t> indices_;
  nlohmann::json list_ = nlohmann::json::array();
};

/// Lists [phase, module, class, kernel] for each row of the table "kernels". The class is an index
/// into drawn_classes(), the others are indices into `texts`.
nlohmann::json live_rows(const Launch& launch, TextList& texts) {
  // Modules lose this prefix, because the page shows a block by its number.
  constexpr std::string_view kLayersPrefix = "layers/";
  KernelNames names = kernel_names(launch);
  nlohmann::json rows = nlohmann::json::array();
  for (const MeasuredRow& row : measured_rows(launch, metric::kKernels)) {
    const auto id = static_cast<std::int64_t>(row.number(column::kKernel).value_or(-1));
    const auto kind = std::ranges::find(
        drawn_classes(), drawn_class(row.text(column::kClass), row.text(column::kOperator)));
    std::string module = row.text(column::kModule);
    if (module.starts_with(kLayersPrefix)) module.erase(0, kLayersPrefix.size());
    rows.push_back({texts.index_of(row.text(column::kPhase)), texts.index_of(module),
                    kind - drawn_classes().begin(), texts.index_of(short_kernel_name(names[id]))});
  }
  return rows;
}

/// Lists four numbers for each kernel: ns since the start of the kernel before, duration in ns, row
/// in the table "kernels", and block number from 1, or 0 outside the blocks.
nlohmann::json live_kernels(const Launch& launch) {
  nlohmann::json numbers = nlohmann::json::array();
  for (const MeasuredRow& row : measured_rows(launch, metric::kGpuTrace)) {
    const auto integer = [&](std::string_view name, std::int64_t fallback) {
      const auto number = row.number(name);
      return number ? static_cast<std::int64_t>(*number) : fallback;
    };
    numbers.push_back(integer(column::kAfterNs, 0));
    numbers.push_back(integer(column::kDurationNs, 0));
    numbers.push_back(integer(column::kRow, 0));
    numbers.push_back(integer(column::kBlock, -1) + 1);
  }
  return numbers;
}

/// The data of the live figure, which shows the step of `first` first.
nlohmann::json live_data(const std::vector<const KernelProfile*>& profiles,
                         const KernelProfile* first) {
  TextList texts;
  nlohmann::json steps = nlohmann::json::array();
  for (const KernelProfile* profile : profiles) {
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

const KernelProfile* profile_of_drawn_step(const Profiles& profiles) {
  const auto traced = traced_profiles(profiles);
  if (traced.empty()) return nullptr;
  return *std::ranges::max_element(traced, {}, [](const KernelProfile* profile) {
    const bool is_16_bit = profile->precision() >= Precision::kBf16;
    return std::tuple(profile->parameters(), !profile->step->is_perturbed(), profile->spec.context,
                      is_16_bit);
  });
}

std::vector<Dataset> step_timeline(const Profiles& profiles) {
  const KernelProfile* drawn = profile_of_drawn_step(profiles);
  if (drawn == nullptr) return {};
  const TracedStep step(kernel_stretches(*drawn->step->launch));
  std::vector<Dataset> datasets{make_dataset("step-timeline", kBarColumns, bars_of(step.blocks)),
                                make_dataset("step-phases", kLabelColumns, phase_labels(step)),
                                make_dataset("step-classes", kLabelColumns, class_labels(step)),
                                phase_times_table(step)};
  const std::string shares = phase_shares_words(step);
  datasets.front().finding = shares.empty() ? "" : shares + ", " + drawn->full_name;
  datasets.front().script_data = live_data(traced_profiles(profiles), drawn);
  return datasets;
}

}  // namespace labreport::nsys_profile
