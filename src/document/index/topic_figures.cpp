#include "document/index/topic_figures.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "analysis/measures.h"
#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "document/index/attention_figures.h"
#include "document/index/step_figures.h"
#include "document/index/value_rows.h"
#include "document/keyed_number.h"
#include "document/peaks.h"
#include "plan/collectives.h"
#include "plan/datasheet.h"
#include "results/cell.h"

namespace labreport {

std::vector<std::vector<Series>> series_in(const Topic& topic, const std::vector<GpuRuns>& gpus,
                                           const std::string& unit) {
  return each(gpus, [&](const GpuRuns& gpu) {
    return only(quantity_series(gpu, topic.name),
                [&](const Series& series) { return series.front().quantity->unit == unit; });
  });
}

std::vector<std::pair<std::string, Value>> curve_values(const Series& series) {
  std::vector<std::pair<std::string, Value>> values;
  for (const std::string& name : value_names({series})) {
    const Measurement chosen = *chosen_measurement(series, name);
    if (!chosen.quantity->is_set_by_cpu(name))
      values.emplace_back(name, chosen.value(name, kTopicToRoot));
  }
  for (const std::string& name : names_out_of_memory(series))
    values.emplace_back(name, Value::missing(kOutOfMemory));
  return values;
}

namespace {

/// A phase of a GPU's training step. The last phase also has what the figure writes beside the bar.
struct PhaseBar {
  std::string row;  ///< "xl (3.4 B), BF16"
  std::string device, phase;
  Value ms, step, speedup;
  Value mfu;        ///< In percent; missing where the CPU sets the step.
  double from, to;  ///< Shares of the slowest GPU's step.
  bool is_set_by_cpu, is_last;
};

/// Says who sets a time, as figures test it.
const char* bound_words(bool is_set_by_cpu) {
  return is_set_by_cpu ? "CPU, at least in part" : "GPU";
}

const std::vector<Column<PhaseBar>> kPhaseColumns{
    {"row", "Network", &PhaseBar::row},
    {"device", "GPU", &PhaseBar::device},
    {"phase", "Phase", &PhaseBar::phase},
    {"ms", "Time", &PhaseBar::ms, "ms"},
    {"bound", "Set by", [](const PhaseBar& bar) { return bound_words(bar.is_set_by_cpu); }},
    {"from", "From", &PhaseBar::from},
    {"to", "To", &PhaseBar::to},
    {"words", "Step",
     [](const PhaseBar& bar) {
       if (!bar.is_last) return Value();
       const bool is_slowest = *bar.speedup.number() == 1;
       return Value(format_value(bar.step, brief_ms(*bar.step.number())) + " ms" +
                    (is_slowest ? "" : ", " + format_ratio(*bar.speedup.number()) + "×"));
     }},
    {"mfu",
     "Step's MFU",
     [](const PhaseBar& bar) { return bar.is_last ? bar.mfu : Value(); },
     "%",
     {Notation::kFixed, 1}}};

/// One network's training step in one precision, on the GPUs whose phases are known.
struct PhasedStep {
  std::string label;
  std::map<std::size_t, Value> mfus = {};                       ///< By the GPU's place.
  std::map<std::size_t, Value> steps = {};                      ///< By the GPU's place.
  std::map<std::size_t, std::vector<Measurement>> phases = {};  ///< In the order of `kPhases`.
};

constexpr Measure kPhases[]{Measure::kForward, Measure::kBackward, Measure::kOptimizer};

/// Returns the utilization, such as the MFU, of the row's step on the GPU; missing if the CPU sets
/// it.
Value utilization_beside(const ValueRow& step, const std::vector<ValueRow>& rows, std::size_t gpu) {
  Quantity wanted = step.quantity();
  wanted.unit = "%";
  for (const ValueRow& row : rows) {
    if (row.by_gpu[gpu] && row.quantity().matches(wanted) && !row.is_set_by_cpu())
      return row.value(gpu, kTopicToRoot);
  }
  return {};
}

/// Returns the facts of where the topic's step goes: its MFU on each GPU, and the shares of GEMMs
/// and of the optimizer on the first GPU that profiled it. Nothing without both.
std::optional<Facts> division_facts(const Topic& topic, const std::vector<GpuRuns>& gpus) {
  const std::vector<ValueRow> rows = value_rows(topic.name, gpus);
  const ValueRow* step = conclusive_row(topic, rows);
  if (step == nullptr || step->name != describe(Measure::kStep)) return std::nullopt;
  std::vector<std::string> utilizations;
  std::optional<Facts> shares;
  Quantity kernels = step->quantity();
  kernels.topic = topic::kKernels;
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    const std::string on_gpu = " on the " + escape_markdown(gpus[gpu].short_name);
    const Value mfu = utilization_beside(*step, rows, gpu);
    if (!mfu.is_missing()) {
      const std::string percent = format_value(mfu, {Notation::kFixed, 1}) + " %";
      utilizations.push_back("**" + keyed_number(percent, mfu) + "**" + on_gpu);
    }
    double gemms_ms = 0, optimizer_ms = 0, whole_ms = 0;
    for (const ValueRow& part : value_rows(topic::kKernels, gpus)) {
      const Value ms = part.value(gpu, "");
      if (!part.quantity().matches(kernels) || ms.is_missing()) continue;
      whole_ms += *ms.number();
      if (part.name.ends_with(step_part::kGemms)) gemms_ms += *ms.number();
      if (part.name == step_part::kOptimizer) optimizer_ms = *ms.number();
    }
    if (shares || gemms_ms <= 0 || optimizer_ms <= 0) continue;
    const auto keyed_share = [&](double ms, const char* part) {
      Value share = ms / whole_ms;
      share.key = std::string(part) + "-share/" + step->value(gpu, "").key;
      return keyed_number(format_value(share, kAsPercent), share);
    };
    shares = Facts()
                 .set("gpu", gpus[gpu].short_name)
                 .set_markdown("gemms", keyed_share(gemms_ms, "gemms"))
                 .set_markdown("optimizer", keyed_share(optimizer_ms, "optimizer"));
  }
  if (utilizations.empty() || !shares) return std::nullopt;
  return shares->set_markdown("utilizations", join_words(utilizations));
}

/// Returns the steps that several GPUs set and whose phases are known on each of them.
std::vector<PhasedStep> phased_steps(const Topic& topic, const std::vector<GpuRuns>& gpus) {
  const std::vector<ValueRow> rows = value_rows(topic.name, gpus);
  std::vector<const ValueRow*> steps;
  for (const ValueRow& row : rows) {
    if (row.name == describe(Measure::kStep) && row.quantity().unit == "ms" &&
        row.is_on_several_gpus() && !row.is_set_by_cpu())
      steps.push_back(&row);
  }
  std::vector<PhasedStep> phased;
  for (const ValueRow* step : steps) {
    PhasedStep found{.label = step->network + ", " + step->quantity().precision};
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
      std::vector<Measurement> phases;
      for (const Measure phase : kPhases) {
        for (const ValueRow& row : rows) {
          if (row.name != describe(phase) || !row.quantity().matches(step->quantity())) continue;
          if (row.by_gpu[gpu]) phases.push_back(*row.by_gpu[gpu]);
        }
      }
      if (!step->by_gpu[gpu] || phases.size() != std::size(kPhases)) continue;
      found.steps[gpu] = step->value(gpu, kTopicToRoot);
      found.mfus[gpu] = utilization_beside(*step, rows, gpu);
      found.phases[gpu] = phases;
    }
    if (found.steps.size() > 1) phased.push_back(std::move(found));
  }
  return phased;
}

/// Returns the facts of the figure if one GPU is fastest and one slowest in all steps.
std::optional<Facts> fastest_gpu_facts(const std::vector<PhasedStep>& steps,
                                       const std::vector<GpuRuns>& gpus) {
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  std::vector<double> ratios;
  for (const PhasedStep& step : steps) {
    const auto [fast, slow] = std::ranges::minmax_element(
        step.steps, {}, [](const auto& known) { return *known.second.number(); });
    pairs.emplace(fast->first, slow->first);
    ratios.push_back(*slow->second.number() / *fast->second.number());
  }
  if (pairs.size() != 1) return std::nullopt;
  const auto [fast, slow] = *pairs.begin();
  const auto [low, high] = std::ranges::minmax(ratios);
  const std::string low_words = format_ratio(low), high_words = format_ratio(high);
  const PhasedStep& shown = steps[std::ranges::find(ratios, high) - ratios.begin()];
  return Facts()
      .set("fast", gpus[fast].short_name)
      .set("slow", gpus[slow].short_name)
      .set("range", low_words == high_words ? high_words : low_words + " to " + high_words)
      .set("row", shown.label)
      .set("ms", shown.steps.at(fast), brief_ms(*shown.steps.at(fast).number()))
      .set("slow_ms", shown.steps.at(slow), brief_ms(*shown.steps.at(slow).number()));
}

/// Draws each training step as a bar for each GPU, relative to the slowest GPU's step.
TopicFigure training_step_figure(const Topic& topic, const std::vector<GpuRuns>& gpus) {
  const std::vector<PhasedStep> steps = phased_steps(topic, gpus);
  std::vector<PhaseBar> bars;
  for (const PhasedStep& step : steps) {
    Value slowest = step.steps.begin()->second;
    for (const auto& [gpu, ms] : step.steps) {
      if (*ms.number() > *slowest.number()) slowest = ms;
    }
    for (const auto& [gpu, phases] : step.phases) {
      double end = 0, phases_ms = 0;
      for (std::size_t i = 0; i < phases.size(); ++i)
        phases_ms += *phases[i].value(describe(kPhases[i]), "").number();
      for (std::size_t i = 0; i < phases.size(); ++i) {
        const std::string phase = describe(kPhases[i]);
        const Value ms = phases[i].value(phase, kTopicToRoot), &whole = step.steps.at(gpu);
        // Steps that synchronize after each phase take longer, so the phases' shares divide the
        // step.
        const double share = *ms.number() / phases_ms * *whole.number() / *slowest.number();
        bars.push_back({step.label, gpus[gpu].short_name, phase, ms, whole, slowest.over(whole),
                        step.mfus.at(gpu), end, end + share,
                        phases[i].quantity->is_set_by_cpu(phase), i + 1 == phases.size()});
        end += share;
      }
    }
  }
  return {{make_dataset("step-phases", kPhaseColumns, bars)},
          Facts()
              .when("gpu", fastest_gpu_facts(steps, gpus))
              .when("where", division_facts(topic, gpus))
              .flag("pale", std::ranges::any_of(bars, &PhaseBar::is_set_by_cpu))};
}

/// A memory peak, or a GPU's memory, which has no precision.
struct PeakPoint {
  std::string panel, device, precision;
  std::string network = {}, setting = {};
  double parameters = 0;
  std::string name;  ///< "context 512"
  Value gib;         ///< Missing where memory ran out.
  Value memory;      ///< The GPU's.

  double at() const { return number_in(name); }
  bool is_memory() const { return precision.empty(); }
};

constexpr const char* kCapacity = "capacity";

const std::vector<Column<PeakPoint>> kPeakColumns{
    {"panel", "Network and step", &PeakPoint::panel},
    {"device", "GPU", &PeakPoint::device},
    {"precision", "Precision", &PeakPoint::precision},
    {"name", "At", &PeakPoint::name},
    {"at", "Number", &PeakPoint::at},
    {"value", "Peak", &PeakPoint::gib, "GiB"},
    {"limit", "Memory", &PeakPoint::memory, "GiB"},
    {"words", "Label", [](const PeakPoint& point) {
       return point.is_memory()
                  ? Value(point.device + ", " + format_value(point.memory, kThreeDigits) + " GiB")
                  : Value();
     }}};

/// True if several GPUs have peaks of one step in one setting, and no two of such peaks differ.
bool are_same_on_all_gpus(const std::vector<PeakPoint>& points) {
  constexpr double kSameRatio = 1.002;
  bool found_pair = false;
  for (const PeakPoint& one : points) {
    for (const PeakPoint& other : points) {
      const bool is_pair = !one.is_memory() && one.device != other.device &&
                           std::tie(one.panel, one.precision, one.name) ==
                               std::tie(other.panel, other.precision, other.name) &&
                           !one.gib.is_missing() && !other.gib.is_missing();
      if (!is_pair) continue;
      found_pair = true;
      if (*one.gib.number() > kSameRatio * *other.gib.number()) return false;
    }
  }
  return found_pair;
}

/// Returns the facts of a context at which a peak is larger than some GPUs' memory: the GPU that
/// fits it, if it is one alone, and the first longer context at which that GPU ran out of memory.
std::optional<Facts> only_fit_facts(const PeakPoint& peak, const PeakPoint& other,
                                    const std::vector<PeakPoint>& points) {
  std::vector<std::string> fitting, too_small;
  for (const PeakPoint& gpu : points) {
    if (!gpu.is_memory() || gpu.panel != peak.panel) continue;
    if (*gpu.memory.number() >= std::max(*peak.gib.number(), *other.gib.number()))
      fitting.push_back(gpu.device);
    if (*gpu.memory.number() < std::min(*peak.gib.number(), *other.gib.number()))
      too_small.push_back(
          "the " + gpu.device + " has " +
          keyed_number(format_value(gpu.memory, kThreeDigits) + " GiB", gpu.memory));
  }
  if (fitting.size() != 1 || too_small.empty()) return std::nullopt;
  const auto refused = std::ranges::find_if(points, [&](const PeakPoint& point) {
    return point.panel == peak.panel && point.device == fitting.front() && point.gib.is_missing() &&
           point.at() > peak.at();
  });
  const auto words = [](const PeakPoint& point) {
    return "**" + keyed_number(format_value(point.gib, kThreeDigits) + " GiB", point.gib) +
           "** in " + escape_markdown(point.precision);
  };
  return Facts()
      .set("gpu", fitting.front())
      .set("network", peak.network)
      .set("name", peak.name)
      .set("setting", peak.setting)
      .set_markdown("peaks", words(peak) + " and " + words(other))
      .set_markdown("smaller", join_words(too_small))
      .when("refused", refused != points.end(), "name",
            refused == points.end() ? "" : refused->name);
}

/// Names the 16-bit format in which inference takes two bytes for each parameter more than in FP32:
/// autocast's copies of the weights. Nothing if the peaks do not show that.
std::optional<Facts> copies_facts(const std::vector<PeakPoint>& points) {
  constexpr double kTolerance = 0.05;  // Norms and embeddings have no copy, activations shrink.
  constexpr double kBytesOfCopy = 2;
  for (const PeakPoint& mixed : points) {
    if (mixed.is_memory() || mixed.gib.is_missing() || mixed.parameters <= 0 ||
        mixed.setting.find(mode_words(Mode::kInference)) == std::string::npos)
      continue;
    const auto plain = std::ranges::find_if(points, [&](const PeakPoint& point) {
      return point.precision == "FP32" && !point.gib.is_missing() &&
             std::tie(point.panel, point.device, point.name) ==
                 std::tie(mixed.panel, mixed.device, mixed.name);
    });
    if (plain == points.end()) continue;
    const double more_gib = *mixed.gib.number() - *plain->gib.number();
    const double copies_gib = kBytesOfCopy * mixed.parameters / kBytesPerGibibyte;
    if (std::abs(more_gib / copies_gib - 1) > kTolerance) continue;
    return Facts().set("step", mode_words(Mode::kInference)).set("precision", mixed.precision);
  }
  return std::nullopt;
}

/// Returns the facts of the first panel at its longest context with a peak in two precisions, and
/// names the GPUs whose memory is smaller than both.
std::optional<Facts> longest_context_facts(const std::vector<PeakPoint>& points) {
  const PeakPoint *longest = nullptr, *other_precision = nullptr;
  for (const PeakPoint& one : points) {
    if (one.is_memory() || one.gib.is_missing() || one.panel != points.front().panel) continue;
    const auto other = std::ranges::find_if(points, [&](const PeakPoint& point) {
      return !point.is_memory() && !point.gib.is_missing() && point.precision != one.precision &&
             std::tie(point.panel, point.device, point.name) ==
                 std::tie(one.panel, one.device, one.name);
    });
    if (other == points.end()) continue;
    if (longest == nullptr || one.at() > longest->at()) longest = &one, other_precision = &*other;
  }
  if (longest == nullptr) return std::nullopt;
  std::vector<std::string> too_small;
  for (const PeakPoint& point : points) {
    if (point.is_memory() && point.panel == longest->panel &&
        *point.memory.number() < std::min(*longest->gib.number(), *other_precision->gib.number()))
      too_small.push_back("the " + point.device);
  }
  return Facts()
      .set("what", longest->panel)
      .set("name", longest->name)
      .set("precision", longest->precision)
      .set("gib", longest->gib, kThreeDigits)
      .set("other_precision", other_precision->precision)
      .set("other_gib", other_precision->gib, kThreeDigits)
      .when("too_small", !too_small.empty(), "gpus", join_words(too_small))
      .when("alone", only_fit_facts(*longest, *other_precision, points));
}

/// True if the GPU's memory is drawn beside the peaks: it is at most three times the largest, or
/// one of the steps ran out of memory. Else its line would leave the panel half empty.
bool is_near(const Value& memory, const std::vector<PeakPoint>& peaks) {
  constexpr double kMaxRatio = 3;
  return std::ranges::any_of(peaks, [&](const PeakPoint& peak) {
    return peak.gib.is_missing() || *memory.number() <= kMaxRatio * *peak.gib.number();
  });
}

/// Draws memory peaks over the context beside each GPU's memory, in a panel for each network and
/// kind of step that was measured at several contexts.
TopicFigure memory_figure(const Topic& topic, const std::vector<GpuRuns>& gpus) {
  const std::vector<std::vector<Series>> of_gpus = series_in(topic, gpus, "GiB");
  std::vector<const Quantity*> quantities;
  for (const std::vector<Series>& all : of_gpus) {
    for (const Series& series : all) {
      if (value_names({series}).size() > 1) quantities.push_back(series.front().quantity);
    }
  }
  std::ranges::stable_sort(quantities, std::greater(), &Quantity::parameters);
  const std::vector<std::string> shared_setting = shared_words(quantities);
  const auto panel_of = [&](const Quantity& quantity) {
    const std::string setting = words_except(shared_setting, quantity);
    return network_name(gpus, quantity) + (setting.empty() ? "" : ", ") + setting;
  };
  std::vector<PeakPoint> points;
  for (const std::string& panel :
       distinct(each(quantities, [&](const Quantity* quantity) { return panel_of(*quantity); }))) {
    std::vector<PeakPoint> peaks;
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
      const Value memory = gpu_memory(gpus[gpu]);
      const std::string& device = gpus[gpu].short_name;
      for (const Series& series : of_gpus[gpu]) {
        const Quantity& quantity = *series.front().quantity;
        if (panel_of(quantity) != panel) continue;
        for (const auto& [name, gib] : curve_values(series))
          peaks.push_back({panel, device, quantity.precision, network_name(gpus, quantity),
                           quantity.setting, quantity.parameters, name, gib, memory});
      }
    }
    for (const GpuRuns& gpu : gpus) {
      const Value memory = gpu_memory(gpu);
      if (!memory.is_missing() && is_near(memory, peaks))
        points.push_back({.panel = panel,
                          .device = gpu.short_name,
                          .precision = "",
                          .name = kCapacity,
                          .gib = memory,
                          .memory = memory});
    }
    std::ranges::move(peaks, std::back_inserter(points));
  }
  const auto ran_out = [](const PeakPoint& point) { return point.gib.is_missing(); };
  return {{make_dataset("peaks", kPeakColumns, points)},
          Facts()
              .when("longest", longest_context_facts(points))
              .when("copies", copies_facts(points))
              .flag("same", are_same_on_all_gpus(points))
              .flag("ran_out", std::ranges::any_of(points, ran_out))};
}

/// Returns what the run of `measurement` recorded under another topic, in the same setting with
/// `detail` at its end; null if it did not. A ladder's step is found by its own precision: TF32 is
/// one of "FP32 to TF32".
const Quantity* other_quantity(const Measurement& measurement, const char* topic,
                               const std::string& detail = "") {
  Quantity wanted = *measurement.quantity;
  wanted.topic = topic;
  wanted.setting += detail;
  for (const Quantity& other : measurement.run->quantities) {
    wanted.precision = other.precision;
    const bool has_precision =
        measurement.quantity->precision.find(other.precision) != std::string::npos;
    if (has_precision && other.matches(wanted)) return &other;
  }
  return nullptr;
}

/// The time that a scheme adds to the step without communication.
struct AddedTime {
  std::string panel, scheme, device;
  Value ms, added;
};

const std::vector<Column<AddedTime>> kAddedColumns{
    {"panel", "Network", &AddedTime::panel},
    {"scheme", "Scheme", &AddedTime::scheme},
    {"device", "GPU", &AddedTime::device},
    {"ms", "Step", &AddedTime::ms, "ms"},
    {"added", "Added", &AddedTime::added, "ms", kThreeDigits}};

/// Returns what overlapping all-reduces with backward saves of what they add when they follow it,
/// in the first panel; nothing if no GPU has both times.
std::optional<Facts> overlap_facts(const std::vector<AddedTime>& times) {
  std::vector<std::string> shares, gpus;
  for (const AddedTime& after : times) {
    if (after.panel != times.front().panel || after.scheme != describe(Scheme::kPerParameter))
      continue;
    for (const AddedTime& beside : times) {
      if (std::tie(beside.panel, beside.device) != std::tie(after.panel, after.device) ||
          beside.scheme != describe(Scheme::kOverlapped))
        continue;
      Value share = beside.added.over(after.added);
      share.content = 100 * (1 - *share.number());
      share.key = "saved/" + share.key;
      shares.push_back("**" + keyed_number(format_fixed(*share.number(), 0) + " %", share) + "**");
      gpus.push_back(escape_markdown(after.device));
    }
  }
  if (shares.empty()) return std::nullopt;
  const bool is_same = shares.size() > 1 && distinct(each(shares, without_keys)).size() == 1;
  if (is_same) return Facts().set_markdown("shares", shares.front() + " less on each GPU");
  for (std::size_t i = 0; i < shares.size(); ++i) shares[i] += " less on the " + gpus[i];
  return Facts().set_markdown("shares", join_words(shares));
}

/// True if a scheme averages gradients while backward still computes others.
bool is_beside_backward(const std::string& scheme) {
  return scheme == describe(Scheme::kOverlapped) || scheme.starts_with("buckets of ");
}

/// Returns the extremes of what schemes add on the GPU where they are furthest apart. Schemes
/// beside backward stand as one range: the order among them can be chance.
std::optional<Facts> added_facts(const std::vector<AddedTime>& times) {
  const AddedTime *least = nullptr, *most = nullptr;
  const auto added = [](const AddedTime& time) { return *time.added.number(); };
  for (const AddedTime& one : times) {
    for (const AddedTime& other : times) {
      if (std::tie(one.panel, one.device) != std::tie(other.panel, other.device)) continue;
      if (most == nullptr || added(other) - added(one) > added(*most) - added(*least))
        least = &one, most = &other;
    }
  }
  if (most == nullptr || most == least) return std::nullopt;
  const auto beside = only(times, [&](const AddedTime& time) {
    return std::tie(time.panel, time.device) == std::tie(most->panel, most->device) &&
           is_beside_backward(time.scheme);
  });
  Facts range;
  if (!beside.empty()) {
    const auto [low, high] = std::ranges::minmax(beside, {}, added);
    range.set("range", format_fixed(*low.added.number(), 0) + " to " +
                           format_fixed(*high.added.number(), 0));
  }
  const bool is_least_beside = is_beside_backward(least->scheme) && beside.size() > 1;
  return Facts()
      .set("gpu", most->device)
      .set("most", most->scheme)
      .set("most_ms", most->added, kThreeDigits)
      .when("several", is_least_beside ? std::optional(range) : std::nullopt)
      .set("least", least->scheme)
      .set("least_ms", least->added, kThreeDigits);
}

/// Draws what each scheme adds to the step without communication, in a panel for each network.
TopicFigure several_gpus_figure(const Topic& topic, const std::vector<GpuRuns>& gpus) {
  const std::string none(describe(Scheme::kNone));
  std::vector<AddedTime> times;
  const std::vector<ValueRow> rows = value_rows(topic.name, gpus);
  for (const ValueRow& row : rows) {
    const auto baseline = std::ranges::find_if(rows, [&](const ValueRow& other) {
      return other.name == none && other.quantity().matches(row.quantity());
    });
    if (row.name == none || baseline == rows.end()) continue;
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
      const auto is_of_gpu = [&](const ValueRow& any) {
        return any.by_gpu[gpu] && !any.by_gpu[gpu]->quantity->is_set_by_cpu(any.name);
      };
      if (!is_of_gpu(row) || !is_of_gpu(*baseline)) continue;
      const Quantity* added = other_quantity(*row.by_gpu[gpu], topic::kAddedTimes);
      if (added == nullptr || added->find(row.name) == nullptr) continue;
      times.push_back({row.network + ", " + row.quantity().words(), row.name, gpus[gpu].short_name,
                       row.value(gpu, kTopicToRoot),
                       Measurement{row.by_gpu[gpu]->run, added}.value(row.name, kTopicToRoot)});
    }
  }
  return {{make_dataset("added", kAddedColumns, times)},
          Facts().when("spread", added_facts(times)).when("overlap", overlap_facts(times))};
}

/// The time of one all-reduce.
struct AllReduceTime {
  std::string panel;  ///< "NCCL, 2 ranks"
  std::string size;   ///< "100 MB"
  std::string device;
  Value ms, busbw;
  bool is_set_by_cpu;
};

const std::vector<Column<AllReduceTime>> kAllReduceColumns{
    {"panel", "Setting", &AllReduceTime::panel},
    {"size", "Size", &AllReduceTime::size},
    {"device", "GPU", &AllReduceTime::device},
    {"ms", "Time", &AllReduceTime::ms, "ms"},
    {"busbw", "Bus bandwidth", &AllReduceTime::busbw, "GB/s", kThreeDigits},
    {"bound", "Set by", [](const AllReduceTime& time) { return bound_words(time.is_set_by_cpu); }}};

/// Returns the facts of the two largest sizes that the GPU sets, on the first GPU; nothing if there
/// is only one.
std::optional<Facts> bandwidth_facts(const std::vector<AllReduceTime>& times,
                                     const std::vector<GpuRuns>& gpus) {
  const AllReduceTime *large = nullptr, *small = nullptr;
  for (const AllReduceTime& time : times) {
    const bool is_of_first =
        std::tie(time.panel, time.device) == std::tie(times.front().panel, times.front().device);
    if (!is_of_first || time.is_set_by_cpu || time.busbw.is_missing()) continue;
    small = large;
    large = &time;
  }
  if (small == nullptr) return std::nullopt;
  const auto gpu = std::ranges::find(gpus, large->device, &GpuRuns::short_name);
  const auto link = datasheet_link(gpu->name);
  Value rate = link ? link->bytes_per_second / 1e9 : 0.0;
  rate.key = "link/" + slug(gpu->name);
  const Value share = large->busbw.over(rate);
  const auto keyed = [](const Value& value, const Notation& notation) {
    return value.is_missing() ? "" : keyed_number(format_value(value, notation), value);
  };
  return Facts()
      .set("gpu", large->device)
      .set("large", large->size)
      .set_markdown(
          "keyed",
          "**" + keyed_number(format_value(large->busbw, kThreeDigits) + " GB/s", large->busbw) +
              "**")
      .set("large_busbw", large->busbw, kThreeDigits)
      .set("small", small->size)
      .set("small_busbw", small->busbw, kThreeDigits)
      .when("linked", link.has_value() && large->panel.starts_with(describe(Collectives::kNccl)),
            Facts()
                .set("link", link ? link->name : "")
                .set_markdown("share", keyed(share, kAsPercent))
                .set_markdown("rate", keyed(rate, kAsCount)));
}

constexpr double kGigabytesPerSecondInMs = 1e6;  // Bytes in a millisecond at 1 GB/s.

/// Returns the bus bandwidth of nccl-tests in GB/s; missing if the name is not a size's.
Value bus_bandwidth(const std::string& size, const std::string& setting, const Value& ms) {
  CellSpec all_reduce;
  all_reduce.kind = CellKind::kAllReduce;
  for (const Measure measure : measures_of(all_reduce)) {
    if (describe(measure) != size) continue;
    const double bytes = static_cast<double>(message_bytes(measure));
    const auto ranks = static_cast<std::int64_t>(number_in(setting));
    Value busbw = bytes * bus_factor(ranks) / (*ms.number() * kGigabytesPerSecondInMs);
    busbw.key = "busbw/" + ms.key;
    return busbw;
  }
  return {};
}

/// Draws the bus bandwidth of an all-reduce by its size, in a panel for each backend and number of
/// ranks.
TopicFigure all_reduce_figure(const Topic& topic, const std::vector<GpuRuns>& gpus) {
  std::vector<AllReduceTime> times;
  for (const ValueRow& row : value_rows(topic.name, gpus)) {
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
      if (!row.by_gpu[gpu]) continue;
      const Value ms = row.value(gpu, kTopicToRoot);
      times.push_back({row.quantity().setting, row.name, gpus[gpu].short_name, ms,
                       bus_bandwidth(row.name, row.quantity().setting, ms),
                       row.by_gpu[gpu]->quantity->is_set_by_cpu(row.name)});
    }
  }
  return {{make_dataset("all-reduces", kAllReduceColumns, times)},
          Facts()
              .when("reached", times.empty() ? std::nullopt : bandwidth_facts(times, gpus))
              .flag("pale", std::ranges::any_of(times, &AllReduceTime::is_set_by_cpu))};
}

/// The memory peak of a step that saves memory in one way, and the time of this step.
struct SavingStep {
  std::string panel, way, device;
  Value gib;  ///< Missing where memory ran out.
  Value ms;   ///< Missing if unknown, or if the CPU sets it.
};

const std::vector<Column<SavingStep>> kSavingColumns{
    {"panel", "Network", &SavingStep::panel},
    {"way", "Way", &SavingStep::way},
    {"device", "GPU", &SavingStep::device},
    {"peak", "Peak", &SavingStep::gib, "GiB"},
    {"ms", "Step", &SavingStep::ms, "ms"},
    {"words", "Label", [](const SavingStep& step) {
       if (step.gib.is_missing()) return Value(step.device + ": " + kOutOfMemory);
       const std::string peak = format_value(step.gib, kThreeDigits) + " GiB";
       return Value(step.ms.is_missing()
                        ? peak
                        : peak + ", " + format_value(step.ms, brief_ms(*step.ms.number())) + " ms");
     }}};

/// Returns the facts of the lowest and the highest peak of the first panel, on the GPU on which
/// they differ most. Nothing unless the times of both steps are known.
std::optional<Facts> saving_facts(const std::vector<SavingStep>& steps) {
  const SavingStep *least = nullptr, *most = nullptr;
  const auto gib = [](const SavingStep& step) { return *step.gib.number(); };
  for (const SavingStep& one : steps) {
    for (const SavingStep& other : steps) {
      if (one.panel != steps.front().panel || other.panel != one.panel ||
          other.device != one.device || one.ms.is_missing() || other.ms.is_missing() ||
          one.gib.is_missing() || other.gib.is_missing())
        continue;
      if (most == nullptr || gib(other) - gib(one) > gib(*most) - gib(*least))
        least = &one, most = &other;
    }
  }
  if (most == nullptr || least == most) return std::nullopt;
  return Facts()
      .set("gpu", most->device)
      .set("least", least->way)
      .set("least_gib", least->gib, kThreeDigits)
      .set("least_ms", least->ms, brief_ms(*least->ms.number()))
      .set("most", most->way)
      .set("most_gib", most->gib, kThreeDigits)
      .set("most_ms", most->ms, brief_ms(*most->ms.number()));
}

/// Names the ways of the first panel in which memory ran out wherever they were tried: "with no
/// checkpoints".
std::vector<std::string> refused_ways(const std::vector<SavingStep>& steps) {
  std::vector<std::string> ways;
  for (const SavingStep& step : steps) {
    const auto fits = [&](const SavingStep& other) {
      return std::tie(other.panel, other.way) == std::tie(step.panel, step.way) &&
             !other.gib.is_missing();
    };
    if (step.panel == steps.front().panel && std::ranges::none_of(steps, fits))
      ways.push_back("with " + step.way);
  }
  return distinct(ways);
}

/// Draws the memory peaks of a step by the ways to lower them, in a panel for each network.
TopicFigure savings_figure(const Topic& topic, const std::vector<GpuRuns>& gpus) {
  const auto peaks = series_in(topic, gpus, "GiB"), times = series_in(topic, gpus, "ms");
  std::vector<const Quantity*> quantities;
  for (const std::vector<Series>& all : peaks) {
    for (const Series& series : all) quantities.push_back(series.front().quantity);
  }
  std::ranges::stable_sort(quantities, std::greater(), &Quantity::parameters);
  const auto panel_of = [&](const Quantity& quantity) {
    return network_name(gpus, quantity) + ", " + quantity.words();
  };
  const auto time_of = [&](std::size_t gpu, Quantity quantity, const std::string& name) {
    quantity.unit = "ms";
    for (const Series& series : times[gpu]) {
      const auto chosen = chosen_measurement(series, name);
      if (chosen && chosen->quantity->matches(quantity) && !chosen->quantity->is_set_by_cpu(name))
        return chosen->value(name, kTopicToRoot);
    }
    return Value();
  };
  std::vector<SavingStep> steps;
  for (const std::string& panel :
       distinct(each(quantities, [&](const Quantity* quantity) { return panel_of(*quantity); }))) {
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
      for (const Series& series : peaks[gpu]) {
        const Quantity& quantity = *series.front().quantity;
        if (panel_of(quantity) != panel) continue;
        for (const auto& [name, gib] : curve_values(series))
          steps.push_back({panel, name, gpus[gpu].short_name, gib, time_of(gpu, quantity, name)});
      }
    }
  }
  const std::vector<std::string> refused = refused_ways(steps);
  return {.data = {make_dataset("savings", kSavingColumns, steps)},
          .facts = Facts()
                       .when("saving", saving_facts(steps))
                       .when("refused", !refused.empty(), "ways", join_words(refused)),
          .labels_all_numbers = true};
}

/// A step of a ladder.
struct RungPoint {
  std::string network, panel, device, change;
  Value ms;
  bool is_set_by_cpu;
};

/// Returns the facts of the ladder that gains most, of those whose first step the GPU sets.
std::optional<Facts> largest_gain_facts(const std::vector<RungPoint>& rungs) {
  const RungPoint *first = nullptr, *best = nullptr;
  const auto gain = [](const RungPoint& from, const RungPoint& to) {
    return *from.ms.number() / *to.ms.number();
  };
  const RungPoint* begin = nullptr;  // The first rung of the ladder.
  for (const RungPoint& rung : rungs) {
    if (begin == nullptr ||
        std::tie(begin->panel, begin->device) != std::tie(rung.panel, rung.device))
      begin = &rung;
    if (begin->is_set_by_cpu || rung.is_set_by_cpu) continue;
    if (first == nullptr || gain(*begin, rung) > gain(*first, *best)) first = begin, best = &rung;
  }
  if (best == nullptr || best == first) return std::nullopt;
  return Facts()
      .set("ladder", first->panel)
      .set("gpu", first->device)
      .set("from", first->ms, brief_ms(*first->ms.number()))
      .set("to", best->ms, brief_ms(*best->ms.number()))
      .set("times", gain(*first, *best), kThreeDigits);
}

/// A part of a ladder's step, from the step's begin.
struct StripPart {
  std::string panel;  ///< "xl (3.4 B), BF16, H200"
  const RungPoint* rung;
  std::string part;
  Value ms;
  double from_ms;
  bool is_last = false;

  double to_ms() const { return from_ms + *ms.number(); }
};

const std::vector<Column<StripPart>> kStripColumns{
    {"panel", "Network and GPU", &StripPart::panel},
    {"network", "Network", [](const StripPart& part) { return part.rung->network; }},
    {"change", "Change", [](const StripPart& part) { return part.rung->change; }},
    {"part", "Part", &StripPart::part},
    {"ms", "Time", &StripPart::ms, "ms"},
    {"from", "From", &StripPart::from_ms},
    {"to", "To", &StripPart::to_ms},
    {"bound", "Set by",
     [](const StripPart& part) { return bound_words(part.rung->is_set_by_cpu); }},
    {"step", "Step", [](const StripPart& part) { return part.is_last ? part.rung->ms : Value(); },
     "ms"}};

/// Draws the steps of all ladders by their parts, in a panel for each network, precision and GPU.
/// FP32 has a change that the others lack, and comes first, so that the changes
/// of all panels are in the order of the ladder.
TopicFigure ladders_figure(const Topic& topic, const std::vector<GpuRuns>& gpus) {
  const std::vector<ValueRow> rows = value_rows(topic.name, gpus);
  const bool one_setting = !common_setting(rows).empty();
  const auto panel_of = [&](const ValueRow& row) {
    return row.network + ", " + (one_setting ? row.quantity().precision : row.quantity().words());
  };
  std::vector<RungPoint> rungs;
  std::vector<Measurement> measurements;
  for (const std::string& panel : distinct(each(rows, panel_of))) {
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
      for (const ValueRow& row : rows) {
        if (panel_of(row) != panel || !row.by_gpu[gpu]) continue;
        measurements.push_back(*row.by_gpu[gpu]);
        rungs.push_back({row.network, panel, gpus[gpu].short_name, row.name,
                         row.value(gpu, kTopicToRoot),
                         row.by_gpu[gpu]->quantity->is_set_by_cpu(row.name)});
      }
    }
  }
  constexpr double kNanosecondInMs = 1e-6;  // Smaller times are rounding errors of differences.
  const auto takes_time = [](const StripPart& part) { return *part.ms.number() > 0; };
  std::vector<StripPart> strips;
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    const RungPoint& rung = rungs[i];
    const Quantity* parts =
        other_quantity(measurements[i], topic::kLadderParts, ", " + rung.change);
    if (parts == nullptr) continue;
    double end_ms = 0;
    for (const auto& [part, ms] : parts->values) {
      const Value value = ms < kNanosecondInMs
                              ? Value(0.0)
                              : Measurement{measurements[i].run, parts}.value(part, kTopicToRoot);
      strips.push_back({rung.panel + ", " + rung.device, &rung, part, value, end_ms});
      end_ms += ms;
    }
    const auto last = std::find_if(strips.rbegin(), strips.rend(), takes_time);
    if (last != strips.rend() && last->rung == &rung) last->is_last = true;
  }
  return {{make_dataset("ladder-strips", kStripColumns, only(strips, takes_time))},
          Facts()
              .when("gain", largest_gain_facts(rungs))
              .flag("networks", distinct(each(rungs, &RungPoint::network)).size() > 1)
              .flag("hollow", std::ranges::any_of(rungs, &RungPoint::is_set_by_cpu))};
}

}  // namespace

TopicFigure topic_figure(const Topic& topic, const std::vector<GpuRuns>& gpus) {
  using MakeFigure = TopicFigure (*)(const Topic&, const std::vector<GpuRuns>&);
  const std::map<std::string_view, MakeFigure> figures{
      {topic::kTrainingStep, training_step_figure},
      {topic::kFastestStep, ladders_figure},
      {topic::kKernels, kernels_figure},
      {topic::kMixedPrecision, speedups_figure},
      {topic::kAttention, attention_figure},
      {topic::kAttentionMemory, attention_bytes_figure},
      {topic::kMemory, memory_figure},
      {topic::kCheckpointing, savings_figure},
      {topic::kSharding, savings_figure},
      {topic::kSeveralGpus, several_gpus_figure},
      {topic::kAllReduce, all_reduce_figure}};
  const auto found = figures.find(topic.name);
  return found == figures.end() ? TopicFigure() : found->second(topic, gpus);
}

}  // namespace labreport
