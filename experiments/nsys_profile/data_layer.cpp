// Of part (e), in runs before 1.2.0: the kernels of one layer's attention on a time axis.
#include <algorithm>

#include "base/text.h"
#include "experiments/nsys_profile/kernel_name.h"
#include "experiments/nsys_profile/model_parts.h"
#include "experiments/nsys_profile/parts.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::nsys_profile {
namespace {

constexpr double kMicrosecond = 1e3;  // In ns.

/// A kernel of one layer's attention; times in µs.
struct LayerKernel {
  double start, duration;
  std::string lane, kind, kernel;
};

const std::vector<Column<LayerKernel>> kLayer{
    {"start", "Start", &LayerKernel::start, "µs"},
    {"end", "End", [](const LayerKernel& k) { return k.start + k.duration; }, "µs"},
    {"duration", "Duration", &LayerKernel::duration, "µs"},
    {"lane", "Stage", &LayerKernel::lane},
    {"class", "Class", &LayerKernel::kind},
    {"kernel", "Kernel", &LayerKernel::kernel}};

/// A projection by its own name, the rest by stage.
std::string lane_of(const MeasuredRow& row) {
  const std::string stage = kernel_place(row).stage, module = row.text(column::kModule);
  if (stage == stage::kProjections) return module.substr(module.rfind('/') + 1);
  return stage.empty() ? kOther : stage;
}

std::vector<LayerKernel> layer_kernels(const Launch& launch) {
  KernelNames names = kernel_names(launch);
  std::vector<LayerKernel> found;
  for (const MeasuredRow& row : measured_rows(launch, metric::kLayer)) {
    const auto id = static_cast<std::int64_t>(row.number(column::kKernel).value_or(-1));
    found.push_back({row.number(column::kStartNs).value_or(0) / kMicrosecond,
                     row.number(column::kDurationNs).value_or(0) / kMicrosecond, lane_of(row),
                     replaced(row.text(column::kClass), "gemm", "GEMM"),
                     short_kernel_name(names[id])});
  }
  // What belongs to no stage is drawn below them.
  std::ranges::stable_partition(found, [](const auto& kernel) { return kernel.lane != kOther; });
  return found;
}

}  // namespace

Dataset layer_of(const Profile& profile) {
  const auto& step = profile.inference ? profile.inference : profile.step;
  return make_dataset("layer", kLayer, layer_kernels(*step->launch));
}

}  // namespace labreport::nsys_profile
