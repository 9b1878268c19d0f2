#include "experiments/data_parallel/lanes.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "base/format.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::data_parallel {
namespace {

struct LaneBar {
  std::string scheme, lane;
  std::string activity;   ///< "backward"; "all-reduce"; "other" for computation of no phase
  double from_ns, to_ns;  ///< Since the start of the step.
};

double milliseconds_of(double ns) { return ns / kNanosecondsPerMillisecond; }

const std::vector<Column<LaneBar>> kBarColumns{
    {"scheme", "Gradients", &LaneBar::scheme},
    {"lane", "Lane", &LaneBar::lane},
    {"what", "What", &LaneBar::activity},
    {"from", "From", [](const LaneBar& bar) { return milliseconds_of(bar.from_ns); }, "ms"},
    {"to", "To", [](const LaneBar& bar) { return milliseconds_of(bar.to_ns); }, "ms"}};

/// Returns the ranks whose lanes were recorded, or only "no rank" where all lanes are rank 0's.
std::set<std::optional<double>> ranks_of(const Launch& launch) {
  std::set<std::optional<double>> ranks;
  for (const MeasuredRow& row : measured_rows(launch, metric::kLanes))
    ranks.insert(row.number(column::kRank));
  return ranks;
}

/// Returns the bars of one lane by start. Collectives of one kind that overlap in time become one
/// bar.
std::vector<LaneBar> bars_of_lane(const std::string& label, const Launch& launch,
                                  std::optional<double> rank, std::string_view lane) {
  const bool is_communication = lane == metric::kCommunication;
  std::vector<LaneBar> bars;
  for (const MeasuredRow& row : measured_rows(launch, metric::kLanes)) {
    const auto from = row.number(column::kStartNs), duration = row.number(column::kDurationNs);
    if (row.text(column::kLane) != lane || row.number(column::kRank) != rank) continue;
    if (!from || !duration) continue;
    std::string activity = row.text(column::kPhase);
    if (activity.empty()) activity = is_communication ? "all-reduce" : "other";
    bars.push_back({label, std::string(lane), activity, *from, *from + *duration});
  }
  std::ranges::sort(bars, {}, &LaneBar::from_ns);
  if (!is_communication) return bars;
  std::vector<LaneBar> merged;
  for (const LaneBar& bar : bars) {
    if (merged.empty() || bar.from_ns > merged.back().to_ns ||
        bar.activity != merged.back().activity) {
      merged.push_back(bar);
    } else {
      merged.back().to_ns = std::max(merged.back().to_ns, bar.to_ns);
    }
  }
  return merged;
}

struct LaneSum {
  std::string scheme, lane, activity;
  std::int64_t bar_count = 0;
  double duration_ns = 0;
};

const std::vector<Column<LaneSum>> kSumColumns{
    {"scheme", "Gradients", &LaneSum::scheme},
    {"lane", "Lane", &LaneSum::lane},
    {"what", "What", &LaneSum::activity},
    {"bars", "Bars", &LaneSum::bar_count, "", {Notation::kCount}},
    {"ms", "Together", [](const LaneSum& sum) { return milliseconds_of(sum.duration_ns); }, "ms"}};

std::vector<LaneSum> lane_sums(const std::vector<LaneBar>& bars) {
  std::vector<LaneSum> sums;
  for (const LaneBar& bar : bars) {
    auto sum = std::ranges::find_if(sums, [&](const LaneSum& known) {
      return known.scheme == bar.scheme && known.lane == bar.lane && known.activity == bar.activity;
    });
    if (sum == sums.end()) sum = sums.insert(sum, {bar.scheme, bar.lane, bar.activity});
    ++sum->bar_count;
    sum->duration_ns += bar.to_ns - bar.from_ns;
  }
  return sums;
}

/// Returns "flat", "make_step, rank 1" or, if nothing else is drawn, "rank 1".
std::string lane_label(const SchemeResult& result, std::optional<double> rank, bool is_alone) {
  if (!rank) return result.words();
  const std::string words = "rank " + format_fixed(*rank, 0);
  return is_alone ? words : result.words() + ", " + words;
}

std::vector<LaneBar> bars_of_network(const MeasuredNetwork& network,
                                     std::initializer_list<Scheme> schemes) {
  std::vector<LaneBar> bars;
  const bool is_drawn_alone = network.schemes.size() == 1;
  for (const SchemeResult& result : network.schemes) {
    const Launch* launch = ok_launch(*result.cell);
    const bool is_drawn = std::ranges::find(schemes, result.scheme()) != schemes.end();
    if (launch == nullptr || !is_drawn || result.traced_slowdown) continue;
    for (const std::optional<double> rank : ranks_of(*launch)) {
      const std::string label = lane_label(result, rank, is_drawn_alone);
      for (const auto lane : {metric::kCompute, metric::kCommunication})
        std::ranges::move(bars_of_lane(label, *launch, rank, lane), std::back_inserter(bars));
    }
  }
  return bars;
}

}  // namespace

std::vector<Dataset> lane_datasets(const MeasuredNetworks& networks,
                                   std::initializer_list<Scheme> schemes,
                                   const std::string& variant_suffix) {
  std::vector<Dataset> datasets;
  for (const MeasuredNetwork& network : networks) {
    const std::vector<LaneBar> bars = bars_of_network(network, schemes);
    if (bars.empty()) continue;
    for (Dataset dataset : {make_dataset("lanes", kBarColumns, bars),
                            make_dataset("lane-sums", kSumColumns, lane_sums(bars))}) {
      dataset.family = networks.size() > 1 ? "Network" : "";
      dataset.variant = variant_suffix;
      if (networks.size() > 1)
        dataset.variant = network.words + (variant_suffix.empty() ? "" : ", " + variant_suffix);
      datasets.push_back(std::move(dataset));
    }
  }
  return datasets;
}

}  // namespace labreport::data_parallel
