#include "analysis/traced_parts.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "plan/datasheet.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

constexpr double kNsPerMs = 1e6;

double factor(PartKind kind, const GpuLimits& from, const GpuLimits& to) {
  switch (kind) {
    case PartKind::kGemms:
    case PartKind::kAttention:
      return from.flops_per_second / to.flops_per_second;
    case PartKind::kExposed:
      return from.link_bytes_per_second / to.link_bytes_per_second;
    case PartKind::kIdle:
      return 1;
    default:
      return from.bytes_per_second / to.bytes_per_second;
  }
}

}  // namespace

std::string_view describe(PartKind kind) {
  constexpr std::array<std::string_view, 6> kWords{"GEMMs",  "attention",     "compiled",
                                                   "others", "exposed comm.", "GPU idle"};
  return kWords.at(static_cast<std::size_t>(kind));
}

std::string_view limit_of(PartKind kind) {
  constexpr std::array<std::string_view, 6> kWords{
      "BF16 rate", "BF16 rate", "memory bandwidth", "memory bandwidth", "link", "nothing"};
  return kWords.at(static_cast<std::size_t>(kind));
}

std::vector<TracedPart> traced_parts(const Launch& launch) {
  const auto ranks = measured_rows(launch, metric::kRankSteps);
  if (ranks.empty()) return {};
  const auto traced = ranks.front().number(column::kTracedNs);
  const auto communication = ranks.front().number(column::kCommunicationNs);
  const auto overlap = ranks.front().number(column::kOverlapNs);
  std::map<std::string, double> class_ms;
  for (const MeasuredRow& row : measured_rows(launch, metric::kStepClasses)) {
    if (row.number(column::kRank) == 0)
      class_ms[row.text(column::kClass)] += row.number(column::kTotalNs).value_or(0) / kNsPerMs;
  }
  if (class_ms.empty() || !traced || !communication || !overlap) return {};
  const auto ms_of = [&](std::string_view kind) { return class_ms[std::string(kind)]; };
  std::vector<TracedPart> parts{{PartKind::kGemms, ms_of(metric::kGemms)},
                                {PartKind::kAttention, ms_of(metric::kAttention)},
                                {PartKind::kCompiled, ms_of(metric::kFused)},
                                {PartKind::kOthers, ms_of(metric::kOther) + ms_of(metric::kCopies) +
                                                        ms_of(metric::kOptimizer)},
                                {PartKind::kExposed, (*communication - *overlap) / kNsPerMs}};
  const double idle_ms = std::max(0.0, *traced / kNsPerMs - total_ms(parts));
  parts.push_back({PartKind::kIdle, idle_ms});
  return parts;
}

double total_ms(const std::vector<TracedPart>& parts) {
  double sum = 0;
  for (const TracedPart& part : parts) sum += part.ms;
  return sum;
}

std::optional<GpuLimits> datasheet_limits(std::string_view device) {
  const auto rate = datasheet_peak(device, Precision::kBf16);
  const auto bandwidth = datasheet_bandwidth(device);
  const auto link = datasheet_link(device);
  if (!rate || !bandwidth || !link) return std::nullopt;
  return GpuLimits{*rate, *bandwidth, link->bytes_per_second};
}

std::vector<TracedPart> scaled_to(std::vector<TracedPart> parts, const GpuLimits& from,
                                  const GpuLimits& to) {
  for (TracedPart& part : parts) part.ms *= factor(part.kind, from, to);
  return parts;
}

}  // namespace labreport
