#include "measure/data_parallel/contention.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "measure/data_parallel/overlap.h"
#include "measure/kernels/attribution.h"
#include "measure/kernels/kernel_class.h"
#include "results/metric_names.h"
#include "results/module_path.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

struct Sums {
  std::int64_t beside = 0, beside_total_ns = 0;  // kernels that some collective runs beside
  std::int64_t covered_ns = 0;                   // the time in which collectives run beside them
  std::int64_t alone = 0, alone_total_ns = 0;
};

/// Returns how many ns of the activity are within the spans, which are disjoint and in order.
std::int64_t covered_ns(const TraceEvent& activity, const std::vector<Span>& spans) {
  std::int64_t sum_ns = 0;
  auto span = std::ranges::upper_bound(spans, activity.start_ns, {}, &Span::second);
  for (; span != spans.end() && span->first < activity.end_ns(); ++span) {
    sum_ns += std::min(span->second, activity.end_ns()) - std::max(span->first, activity.start_ns);
  }
  return sum_ns;
}

}  // namespace

Table contention_table(const Trace& trace) {
  const std::vector<Attribution> activities = attribute(trace);
  std::vector<Interval> collectives;
  for (const Attribution& activity : activities) {
    const TraceEvent& event = *activity.activity;
    if (on_device(event) && !collective_of(event.name).empty())
      collectives.push_back({"", event.start_ns, event.end_ns()});
  }
  const std::vector<Span> spans = merged_spans(collectives);
  std::map<std::tuple<std::string, std::string, std::string>, std::int64_t> next_places;
  std::map<std::tuple<std::string, std::string, std::string, std::int64_t>, Sums> sums_by_key;
  for (const Attribution& kernel : activities) {
    const TraceEvent& event = *kernel.activity;
    const bool is_in_pass = kernel.phase == metric::kForward || kernel.phase == metric::kBackward;
    if (!on_device(event) || !is_in_pass || kernel.module.empty()) continue;
    if (!collective_of(event.name).empty()) continue;
    const std::string kind(kernel_class(kernel, true));
    const std::int64_t place = next_places[{kernel.phase, kernel.module, kind}]++;
    Sums& sums = sums_by_key[{kernel.phase, without_layer(kernel.module), kind, place}];
    const std::int64_t ns = covered_ns(event, spans);
    (ns > 0 ? sums.beside : sums.alone) += 1;
    (ns > 0 ? sums.beside_total_ns : sums.alone_total_ns) += event.duration_ns;
    sums.covered_ns += ns;
  }
  Table table = empty_table(metric::kContention);
  for (const auto& [key, sums] : sums_by_key) {
    const auto& [phase, module, kind, place] = key;
    table.rows.push_back({phase, module, kind, place, sums.beside, sums.beside_total_ns,
                          sums.covered_ns, sums.alone, sums.alone_total_ns});
  }
  return table;
}

}  // namespace labreport
