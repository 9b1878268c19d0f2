#include "experiments/common/datasheet_check.h"

#include <fmt/format.h>

#include "base/format.h"
#include "plan/arithmetic.h"
#include "plan/datasheet.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

/// Returns the fewest FLOPs of a forward pass.
double fewest_forward_flops(const CellSpec& spec) {
  const auto attended = static_cast<double>(*spec.batch * *spec.context * *spec.context);
  const double masked_half =
      2 * attended * static_cast<double>(spec.model->d_model * spec.model->layers);
  return forward_flops(*spec.model, *spec.batch, *spec.context) - masked_half;
}

std::string words_for_rate(const std::string& device, Precision precision, double rate) {
  const double peak = *datasheet_peak(device, precision);
  const auto tf32_peak = datasheet_peak(device, Precision::kTf32);
  const bool may_be_tf32 = precision == Precision::kFp32 && tf32_peak && rate <= *tf32_peak;
  return fmt::format("{} TFLOP/s, faster than {} can be on this GPU ({}){}",
                     format_significant(rate / 1e12, 3), describe(precision),
                     format_significant(peak / 1e12, 3),
                     may_be_tf32 ? "; TF32 was probably on" : "");
}

}  // namespace

std::vector<std::string> beyond_datasheet(const Run& run) {
  std::vector<std::string> lines;
  for (const Cell& cell : run.cells) {
    const Launch& launch = cell.launches.front();
    const CellSpec& spec = cell.spec;
    const std::string& device = run.devices.front().name;
    const auto published = [&](std::string_view name) {
      return launch.number(metric::kPublished, name);
    };
    if (const auto peak = published(metric::kPeak)) {
      const auto memory = datasheet_memory(device);
      if (!memory || *peak <= *memory) continue;
      lines.push_back(fmt::format("{}: a peak of {} is more than the {} of this GPU", cell.id,
                                  format_bytes(*peak), format_bytes(*memory)));
    }
    if (spec.kind != CellKind::kTiming || !datasheet_peak(device, *spec.precision)) continue;
    const double forward = fewest_forward_flops(spec);
    for (const auto& [name, passes] : {std::pair{metric::kForward, 1},
                                       {metric::kBackward, 2},
                                       {metric::kTotal, has_backward(spec) ? 3 : 1}}) {
      const auto time_ns = published(name);
      if (!time_ns) continue;
      const double rate = forward * passes / *time_ns * 1e9;
      if (rate <= *datasheet_peak(device, *spec.precision)) continue;
      lines.push_back(fmt::format("{}: its {} would run at {}", cell.id,
                                  name == metric::kTotal ? "step" : fmt::format("{} pass", name),
                                  words_for_rate(device, *spec.precision, rate)));
    }
  }
  return lines;
}

}  // namespace labreport
