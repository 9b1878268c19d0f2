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
std::string lane_of(const std::string& module, const std::string& stage) {
  const auto slash = module.rfind('/');
  return stage == kProjections && slash != std::string::npos ? module.substr(slash + 1) : stage;
}

std::vector<LayerKernel> layer_kernels(const Launch& launch) {
  KernelNames names = kernel_names(launch);
  std::vector<LayerKernel> found;
  for (const MeasuredRow& row : measured_rows(launch, metric::kLayer)) {
    const std::string kind = row.text(column::kClass), module = row.text(column::kModule);
    const std::string stage =
        stage_of(module, row.text(column::kOperation), kind.starts_with("gemm"));
    const auto id = static_cast<std::int64_t>(row.number(column::kKernel).value_or(-1));
    found.push_back({row.number(column::kStartNs).value_or(0) / kMicrosecond,
                     row.number(column::kDurationNs).value_or(0) / kMicrosecond,
                     lane_of(module, stage), replaced(kind, "gemm", "GEMM"),
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
