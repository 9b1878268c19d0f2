#include "document/index/ladders.h"

#include <algorithm>
#include <tuple>

namespace labreport {
namespace {

struct RungRow {
  std::string device, change;
  Value ms;
};

const std::vector<Column<RungRow>> kRungColumns{
    {"device", "GPU", &RungRow::device},
    {"change", "Change", &RungRow::change},
    {"ms", "Training step", &RungRow::ms, "ms", {Notation::kSignificant, 4}}};

}  // namespace

Value GpuLadder::ms(const std::string& change) const {
  Value ms = chosen_measurement(series, change)->value(change, "");
  ms.link.clear();  // Pages in several folders show it.
  return ms;
}

Value GpuLadder::first() const { return ms(quantity().values.front().first); }

Value GpuLadder::best() const { return ms(quantity().smallest()); }

std::size_t GpuLadder::changes_to_best() const {
  const std::string& best = quantity().smallest();
  return std::ranges::find(quantity().values, best,
                           &decltype(quantity().values)::value_type::first) -
         quantity().values.begin();
}

std::vector<GpuLadder> common_ladders(const std::vector<GpuRuns>& gpus) {
  std::vector<std::vector<GpuLadder>> all;
  for (const GpuRuns& gpu : gpus) {
    for (const Series& series : quantity_series(gpu, topic::kFastestStep)) {
      const Quantity& ladder = *series.front().quantity;
      // A step that the CPU sets is no finding about a GPU.
      const std::string& first = ladder.values.front().first;
      if (ladder.is_set_by_cpu(first) || ladder.smallest() == first) continue;
      auto known = std::ranges::find_if(
          all, [&](const auto& other) { return other.front().quantity().matches(ladder); });
      if (known == all.end()) known = all.insert(known, std::vector<GpuLadder>());
      known->push_back({&gpu, series, network_name(gpus, ladder)});
    }
  }
  if (all.empty()) return {};
  return std::ranges::max(all, {}, [](const std::vector<GpuLadder>& ladders) {
    const Quantity& ladder = ladders.front().quantity();
    return std::tuple(ladders.size(), ladder.parameters, !ladder.precision.starts_with("FP32"));
  });
}

Dataset ladder_data(const std::vector<GpuLadder>& ladders) {
  std::vector<RungRow> rungs;
  for (const GpuLadder& ladder : ladders) {
    for (const auto& [change, ms] : ladder.quantity().values) {
      if (!ladder.quantity().is_set_by_cpu(change))
        rungs.push_back({ladder.gpu->short_name, change,
                         chosen_measurement(ladder.series, change)->value(change, "")});
    }
  }
  return make_dataset("ladders", kRungColumns, rungs);
}

}  // namespace labreport
