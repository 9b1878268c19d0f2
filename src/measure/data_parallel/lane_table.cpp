#include "measure/data_parallel/lane_table.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

constexpr std::size_t kMostIntervals =
    1'500;  // in the lanes of one kind, since the report draws all

std::vector<std::vector<Scalar>> lane_rows(const Lanes& lanes, std::size_t most_intervals) {
  std::vector<std::vector<Scalar>> rows;
  const auto add = [&](std::string_view lane, const std::vector<Interval>& intervals) {
    for (const Interval& interval : merge_to(intervals, most_intervals)) {
      rows.push_back({std::string(lane), interval.phase, interval.start_ns,
                      interval.end_ns - interval.start_ns});
    }
  };
  add(metric::kCompute, lanes.compute);
  add(metric::kCommunication, lanes.communication);
  return rows;
}

}  // namespace

Table lanes_of_rank_0(const Lanes& lanes) {
  Table table = empty_table(metric::kLanes);
  table.rows = lane_rows(lanes, kMostIntervals);
  return table;
}

Table lanes_of_ranks(RankGroup& group, const Lanes& lanes, std::int64_t start_ns) {
  nlohmann::json own = nlohmann::json::array();
  const auto most_intervals = kMostIntervals / static_cast<std::size_t>(group.size());
  for (const std::vector<Scalar>& row : lane_rows(lanes, most_intervals)) {
    own.push_back({std::get<std::string>(row[0]), std::get<std::string>(row[1]),
                   std::get<std::int64_t>(row[2]), std::get<std::int64_t>(row[3])});
  }
  std::vector<std::int64_t> starts_ns;
  for (const auto& start : group.all_gather({start_ns})) starts_ns.push_back(start.front());
  const std::int64_t first_ns = std::ranges::min(starts_ns);
  Table table = empty_table(metric::kLanes, {column::kRank});
  std::int64_t rank = 0;
  for (const std::string& text : group.all_gather_text(own.dump())) {
    const std::int64_t shift_ns = starts_ns[static_cast<std::size_t>(rank)] - first_ns;
    for (const nlohmann::json& row : nlohmann::json::parse(text)) {
      table.rows.push_back({row[0].get<std::string>(), row[1].get<std::string>(),
                            row[2].get<std::int64_t>() + shift_ns, row[3].get<std::int64_t>(),
                            rank});
    }
    ++rank;
  }
  return table;
}

}  // namespace labreport
