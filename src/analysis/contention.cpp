#include "analysis/contention.h"

#include <cmath>
#include <map>
#include <string>
#include <tuple>

#include "base/format.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

using Key = std::tuple<std::string, std::string, std::string, double>;

Key key_of(const MeasuredRow& row) {
  return {row.text(column::kPhase), row.text(column::kModule), row.text(column::kClass),
          row.number(column::kPlace).value_or(0)};
}

/// Returns the mean ns of each kernel that the step runs alone.
std::map<Key, double> mean_ns_alone(const Launch& launch) {
  std::map<Key, double> means_ns;
  for (const MeasuredRow& row : measured_rows(launch, metric::kContention)) {
    const double count = row.number(column::kAloneInstances).value_or(0);
    if (count > 0) means_ns[key_of(row)] = row.number(column::kAloneTotalNs).value_or(0) / count;
  }
  return means_ns;
}

}  // namespace

std::optional<Contention> contention(const Launch& overlapped, const Launch& alone,
                                     std::string_view phase) {
  const std::map<Key, double> means_ns = mean_ns_alone(alone);
  double beside_ns = 0, expected_beside_ns = 0, alone_ns = 0, expected_alone_ns = 0;
  for (const MeasuredRow& row : measured_rows(overlapped, metric::kContention)) {
    const auto mean_ns = means_ns.find(key_of(row));
    const bool is_in_phase = phase.empty() || row.text(column::kPhase) == phase;
    if (mean_ns == means_ns.end() || !is_in_phase) continue;
    const auto number = [&](std::string_view name) { return row.number(name).value_or(0); };
    beside_ns += number(column::kBesideTotalNs);
    expected_beside_ns += number(column::kBesideInstances) * mean_ns->second;
    alone_ns += number(column::kAloneTotalNs);
    expected_alone_ns += number(column::kAloneInstances) * mean_ns->second;
  }
  if (expected_beside_ns <= 0) return std::nullopt;
  Contention found{(beside_ns - expected_beside_ns) / kNanosecondsPerMillisecond,
                   expected_beside_ns / kNanosecondsPerMillisecond,
                   {}};
  if (expected_alone_ns > 0)
    found.error_ms = std::abs(alone_ns / expected_alone_ns - 1) * found.alone_ms;
  return found.longer_ms > found.error_ms.value_or(0) ? std::optional(found) : std::nullopt;
}

}  // namespace labreport
