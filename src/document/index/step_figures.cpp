#include "document/index/step_figures.h"

#include <algorithm>
#include <optional>
#include <string>

#include "analysis/measures.h"
#include "base/format.h"
#include "base/lists.h"
#include "document/index/value_rows.h"
#include "document/keyed_number.h"

namespace labreport {
namespace {

/// Kinds of kernels, in the order of a bar.
constexpr const char* kGemms = "GEMMs";
constexpr const char* kOthers = "other kernels";
constexpr const char* kKinds[]{kGemms, kOthers, step_part::kOptimizer, step_part::kIdle};

/// Returns the kind of a part: "GEMMs" for "forward: GEMMs".
std::string kind_of(const std::string& part) {
  if (part.ends_with(step_part::kGemms)) return kGemms;
  const bool is_known = part == step_part::kOptimizer || part == step_part::kIdle;
  return is_known ? part : kOthers;
}

/// A part of a training step, from the begin of the step's bar.
struct KernelBar {
  std::string panel;  ///< "xl (3.4 B), context 512, batch 4"
  std::string row;    ///< "BF16, H200"
  std::string part;   ///< "forward: GEMMs"
  Value ms;
  double from_ms;
  double step_ms = 0;  ///< 0 unless the part is the row's last.

  double to_ms() const { return from_ms + *ms.number(); }
  std::string kind() const { return kind_of(part); }
};

const std::vector<Column<KernelBar>> kBarColumns{
    {"panel", "Network", &KernelBar::panel},
    {"row", "Precision and GPU", &KernelBar::row},
    {"part", "Part", &KernelBar::part},
    {"kind", "Kind", &KernelBar::kind},
    {"ms", "Time", &KernelBar::ms, "ms"},
    {"from", "From", &KernelBar::from_ms},
    {"to", "To", &KernelBar::to_ms},
    {"words", "Step", [](const KernelBar& bar) {
       return bar.step_ms > 0 ? Value(format_value(bar.step_ms, brief_ms(bar.step_ms)) + " ms")
                              : Value();
     }}};

/// The parts of one network's step in one precision on one GPU.
struct DividedStep {
  std::string panel, precision, device;
  std::vector<const ValueRow*> parts = {};
  std::size_t gpu;

  double ms_of(const std::string& kind) const {
    double sum_ms = 0;
    for (const ValueRow* part : parts) {
      if (kind.empty() || kind_of(part->name) == kind) sum_ms += *part->value(gpu, "").number();
    }
    return sum_ms;
  }
};

std::vector<DividedStep> divided_steps(const std::vector<ValueRow>& rows,
                                       const std::vector<GpuRuns>& gpus) {
  std::vector<DividedStep> steps;
  for (const ValueRow& row : rows) {
    const std::string panel = row.network + ", " + row.quantity().setting;
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
      if (!row.by_gpu[gpu]) continue;
      auto step = std::ranges::find_if(steps, [&](const DividedStep& known) {
        return known.panel == panel && known.precision == row.quantity().precision &&
               known.gpu == gpu;
      });
      if (step == steps.end()) {
        step = steps.insert(step, {.panel = panel,
                                   .precision = row.quantity().precision,
                                   .device = gpus[gpu].short_name,
                                   .gpu = gpu});
      }
      step->parts.push_back(&row);
    }
  }
  return steps;
}

/// Returns the shares of GEMMs in the first step and in that of the same network and GPU in another
/// precision; nothing if there is none.
std::optional<Facts> gemm_facts(const std::vector<DividedStep>& steps) {
  const auto share = [](const DividedStep& step) {
    return Value(step.ms_of(kGemms) / step.ms_of(""));
  };
  for (const DividedStep& other : steps) {
    const DividedStep& first = steps.front();
    if (other.panel != first.panel || other.gpu != first.gpu || other.precision == first.precision)
      continue;
    return Facts()
        .set("gpu", first.device)
        .set("panel", first.panel)
        .set("precision", first.precision)
        .set("share", share(first), kAsPercent)
        .set("other_precision", other.precision)
        .set("other_share", share(other), kAsPercent);
  }
  return std::nullopt;
}

/// A pass's time in FP32 divided by its time in another precision.
struct SpeedupPoint {
  std::string pass;     ///< "step"
  std::string network;  ///< "xl (3.4 B)", with its precision if there are several
  std::string device;
  Value times;
};

const std::vector<Column<SpeedupPoint>> kSpeedupColumns{
    {"pass", "Pass", &SpeedupPoint::pass},
    {"network", "Network", &SpeedupPoint::network},
    {"device", "GPU", &SpeedupPoint::device},
    {"times", "Speedup", &SpeedupPoint::times, "×", {Notation::kFixed, 2}}};

/// Returns the smallest and the largest speedup of whole steps on the GPU with the largest one;
/// nothing unless they differ.
std::optional<Facts> speedup_facts(const std::vector<SpeedupPoint>& points) {
  const std::vector<SpeedupPoint> steps = only(
      points, [](const SpeedupPoint& point) { return point.pass == describe(Measure::kStep); });
  const auto times = [](const SpeedupPoint& point) { return *point.times.number(); };
  const SpeedupPoint* most = largest(steps, times);
  if (steps.empty()) return std::nullopt;
  const SpeedupPoint* least = most;
  for (const SpeedupPoint& point : steps) {
    if (point.device == most->device && times(point) < times(*least)) least = &point;
  }
  if (least == most) return std::nullopt;
  return Facts()
      .set("gpu", most->device)
      .set("most", most->network)
      .set("most_times", format_ratio(times(*most)))
      .set("least", least->network)
      .set("least_times", format_ratio(times(*least)));
}

}  // namespace

TopicFigure kernels_figure(const Topic& topic, const std::vector<GpuRuns>& gpus) {
  // Networks of users stand in their reports alone.
  const std::vector<ValueRow> rows = only(value_rows(topic.name, gpus), [](const ValueRow& row) {
    return row.quantity().parameters > 0;
  });
  const std::vector<DividedStep> steps = divided_steps(rows, gpus);
  if (steps.empty()) return {};
  std::vector<KernelBar> bars;
  for (const DividedStep& step : steps) {
    double end_ms = 0;
    for (const char* kind : kKinds) {
      for (const ValueRow* part : step.parts) {
        if (kind_of(part->name) != kind) continue;
        bars.push_back({step.panel, step.precision + ", " + step.device, part->name,
                        part->value(step.gpu, kTopicToRoot), end_ms});
        end_ms = bars.back().to_ms();
      }
    }
    bars.back().step_ms = end_ms;
  }
  return {{make_dataset("kernel-bars", kBarColumns, bars)},
          Facts().when("gemms", gemm_facts(steps))};
}

TopicFigure speedups_figure(const Topic& topic, const std::vector<GpuRuns>& gpus) {
  std::vector<SpeedupPoint> points;
  std::vector<ValueRow> rows = value_rows(topic.name, gpus);
  std::ranges::stable_partition(rows, &ValueRow::is_on_several_gpus);
  const bool one_precision =
      distinct(each(rows, [](const ValueRow& row) { return row.quantity().precision; })).size() ==
      1;
  for (const ValueRow& row : rows) {
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
      if (!row.by_gpu[gpu] || row.by_gpu[gpu]->quantity->is_set_by_cpu(row.name)) continue;
      points.push_back({row.name,
                        row.network + (one_precision ? "" : ", " + row.quantity().precision),
                        gpus[gpu].short_name, row.value(gpu, kTopicToRoot)});
    }
  }
  return {{make_dataset("speedups", kSpeedupColumns, points)},
          Facts().when("growth", speedup_facts(points))};
}

}  // namespace labreport
