#include "experiments/nsys_profile/attention_figures.h"

#include <algorithm>

#include "base/format.h"
#include "experiments/nsys_profile/kernel_name.h"
#include "experiments/nsys_profile/roofline_chart.h"
#include "experiments/nsys_profile/share_chart.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::nsys_profile {
namespace {

constexpr double kMicrosecond = 1e3;  // In ns.
constexpr double kTeraFlops = 1e12;

TableView points_table(const Roofline& roofline) {
  TableView table{"roofline-points",
                  "Points of the figure",
                  {{"Part", "", Align::kLeft},
                   {"Intensity", "FLOP/B", Align::kRight},
                   {"Rate", "TFLOP/s", Align::kRight}},
                  {}};
  for (const RooflinePoint& point : roofline.points) {
    table.rows.push_back(
        {{text_cell(point.label),
          number_cell(format_significant(point.intensity, 3), point.intensity),
          number_cell(format_significant(point.rate / kTeraFlops, 3), point.rate / kTeraFlops)},
         {},
         ""});
  }
  return table;
}

/// The lane of one kernel: a projection by its own name, the rest by stage.
std::string lane_of(const std::string& module, const std::string& stage) {
  const auto slash = module.rfind('/');
  return stage == kProjections && slash != std::string::npos ? module.substr(slash + 1) : stage;
}

std::vector<Stretch> stretches_of(const Launch& launch) {
  KernelNames names = kernel_names(launch);
  std::vector<Stretch> found;
  for (const MeasuredRow& row : measured_rows(launch, metric::kLayer)) {
    const std::string kind = row.text(column::kClass);
    const std::string stage =
        stage_of(row.text(column::kModule), row.text(column::kOperation), kind.starts_with("gemm"));
    const double start = row.number(column::kStartNs).value_or(0) / kMicrosecond;
    const double length = row.number(column::kDurationNs).value_or(0) / kMicrosecond;
    const auto id = static_cast<std::int64_t>(row.number(column::kKernel).value_or(-1));
    found.push_back({lane_of(row.text(column::kModule), stage), kind, short_kernel_name(names[id]),
                     start, start + length});
  }
  // What belongs to no stage is drawn below them.
  std::ranges::stable_partition(found,
                                [](const Stretch& stretch) { return stretch.lane != kOtherStage; });
  return found;
}

TableView layer_data(const std::vector<Stretch>& stretches) {
  TableView table{"layer-kernels",
                  "Kernels of the figure",
                  {{"Start", "µs", Align::kRight},
                   {"Duration", "µs", Align::kRight},
                   {"Stage", "", Align::kLeft},
                   {"Class", "", Align::kLeft},
                   {"Kernel", "", Align::kLeft}},
                  {}};
  for (const Stretch& stretch : stretches) {
    table.rows.push_back(
        {{ms_cell(stretch.start), ms_cell(stretch.end - stretch.start), text_cell(stretch.lane),
          text_cell(stretch.kind), text_cell(stretch.text)},
         {},
         ""});
  }
  return table;
}

}  // namespace

std::optional<double> copy_bandwidth(const RunView& view) {
  const Cell* cell = view.cell(CellKind::kLimits, {});
  const Launch* launch = cell == nullptr ? nullptr : representative(*cell);
  if (launch == nullptr || !is_ok(launch->outcome)) return std::nullopt;
  const Metric* metric = launch->find(metric::kCopy, metric::kBandwidth);
  if (metric == nullptr || metric->numbers().empty()) return std::nullopt;
  return median(metric->numbers());
}

std::optional<Figure> roofline_figure(const RunView& view, const Profile& profile) {
  const Precision precision = profile.spec.precision.value_or(Precision::kFp32);
  const auto bandwidth = copy_bandwidth(view);
  const auto rate = matrix_rate(view, precision);
  if (!bandwidth || !rate || *bandwidth <= 0 || *rate <= 0) return std::nullopt;
  Roofline roofline{*bandwidth, *rate, std::string(labreport::describe(precision)), {}};
  for (const auto& parts : {attention_work(profile), work_around_attention(profile)}) {
    for (const Work& work : parts) {
      const bool drawable = work.rate() > 0 && work.intensity() > 0;  // the axes are logarithmic
      if (drawable) roofline.points.push_back({work.stage, work.intensity(), work.rate()});
    }
  }
  if (roofline.points.empty()) return std::nullopt;
  return Figure{
      .slug = "attention-roofline",
      .title = "Parts of a step under the device's measured limits, " + profile.words,
      .caption =
          "Each part's attained rate by its arithmetic intensity; the line is what memory "
          "(rising) and arithmetic (level) allow. Both axes are logarithmic.",
      .alt =
          "Parts of the network under the roofline of the device. The table below holds "
          "the same numbers.",
      .spec = roofline_chart(roofline),
      .data = points_table(roofline)};
}

std::optional<Figure> layer_figure(const Profile& profile) {
  const auto& step = profile.inference ? profile.inference : profile.step;
  const std::vector<Stretch> stretches =
      step ? stretches_of(*step->launch) : std::vector<Stretch>();
  if (stretches.empty()) return std::nullopt;
  return Figure{.slug = "attention-layer",
                .title = "The kernels of one layer's attention, " + profile.words,
                .caption =
                    "One forward pass through one layer, kernel by kernel, as a profiler "
                    "draws it; the colour is the class.",
                .alt =
                    "Bars on a time axis, a lane for each stage of one layer's attention. The "
                    "table below holds the same kernels.",
                .spec = time_axis_chart(stretches),
                .data = layer_data(stretches)};
}

}  // namespace labreport::nsys_profile
