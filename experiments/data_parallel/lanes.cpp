#include "experiments/data_parallel/lanes.h"

#include <algorithm>
#include <iterator>

#include "base/format.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::data_parallel {
namespace {

struct LaneRow {
  std::string scheme, lane, what;
  double from, to;  ///< ns
};

double milliseconds_of(double ns) { return ns / kNanosecondsPerMillisecond; }

const std::vector<Column<LaneRow>> kLanes{
    {"scheme", "Gradients", &LaneRow::scheme},
    {"lane", "Lane", &LaneRow::lane},
    {"what", "What", &LaneRow::what},
    {"from", "From", [](const LaneRow& row) { return milliseconds_of(row.from); }, "ms"},
    {"to", "To", [](const LaneRow& row) { return milliseconds_of(row.to); }, "ms"}};

/// The bars of one lane, ordered by time. Collectives that overlap in time are merged into one bar.
std::vector<LaneRow> lane_rows(const SchemeResult& result, const Launch& launch,
                               std::string_view lane) {
  const bool communication = lane == metric::kCommunication;
  std::vector<LaneRow> rows;
  for (const MeasuredRow& row : measured_rows(launch, metric::kLanes)) {
    const auto from = row.number(column::kStartNs), duration = row.number(column::kDurationNs);
    if (row.text(column::kLane) != lane || !from || !duration) continue;
    std::string what = row.text(column::kPhase);
    if (what.empty()) what = communication ? "all-reduce" : "other";
    rows.push_back({result.words(), std::string(lane), what, *from, *from + *duration});
  }
  std::ranges::sort(rows, {}, &LaneRow::from);
  if (!communication) return rows;
  std::vector<LaneRow> merged;
  for (const LaneRow& row : rows) {
    if (merged.empty() || row.from > merged.back().to) {
      merged.push_back(row);
    } else {
      merged.back().to = std::max(merged.back().to, row.to);
    }
  }
  return merged;
}

struct LaneSum {
  std::string scheme, lane, what;
  std::int64_t bars = 0;
  double ns = 0;
};

const std::vector<Column<LaneSum>> kLaneSums{
    {"scheme", "Gradients", &LaneSum::scheme},
    {"lane", "Lane", &LaneSum::lane},
    {"what", "What", &LaneSum::what},
    {"bars", "Bars", &LaneSum::bars, "", {Notation::kCount}},
    {"ms", "Together", [](const LaneSum& row) { return milliseconds_of(row.ns); }, "ms"}};

std::vector<LaneSum> sums_of(const std::vector<LaneRow>& rows) {
  std::vector<LaneSum> sums;
  for (const LaneRow& row : rows) {
    auto sum = std::ranges::find_if(sums, [&](const LaneSum& known) {
      return known.scheme == row.scheme && known.lane == row.lane && known.what == row.what;
    });
    if (sum == sums.end()) sum = sums.insert(sum, {row.scheme, row.lane, row.what});
    ++sum->bars;
    sum->ns += row.to - row.from;
  }
  return sums;
}

std::vector<LaneRow> rows_of(const Network& network, std::initializer_list<Scheme> schemes) {
  std::vector<LaneRow> rows;
  for (const SchemeResult& result : network.schemes) {
    const Launch* launch = ok_launch(*result.cell);
    const bool drawn = std::ranges::find(schemes, result.scheme()) != schemes.end();
    if (launch == nullptr || !drawn || result.disturbed) continue;
    for (const auto lane : {metric::kCompute, metric::kCommunication}) {
      std::ranges::move(lane_rows(result, *launch, lane), std::back_inserter(rows));
    }
  }
  return rows;
}

}  // namespace

std::vector<Dataset> lanes_of(const std::vector<Network>& networks,
                              std::initializer_list<Scheme> schemes, const std::string& words) {
  std::vector<Dataset> datasets;
  for (const Network& network : networks) {
    const std::vector<LaneRow> rows = rows_of(network, schemes);
    if (rows.empty()) continue;
    for (Dataset dataset : {make_dataset("lanes", kLanes, rows),
                            make_dataset("lane-sums", kLaneSums, sums_of(rows))}) {
      dataset.family = networks.size() > 1 ? "Network" : "";
      dataset.variant = words;
      if (networks.size() > 1)
        dataset.variant = network.words + (words.empty() ? "" : ", " + words);
      datasets.push_back(std::move(dataset));
    }
  }
  return datasets;
}

}  // namespace labreport::data_parallel
