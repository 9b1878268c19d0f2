// Peaks of one network in two precisions, side by side.
#include "base/text.h"
#include "experiments/memory_profiling/byte_cells.h"
#include "experiments/memory_profiling/peak_chart.h"
#include "experiments/memory_profiling/precision_pairs.h"
#include "experiments/memory_profiling/timeline.h"
#include "results/metric_names.h"

namespace labreport::memory_profiling {
namespace {

constexpr Mode kShown[]{Mode::kInference, Mode::kForward, Mode::kForwardBackward, Mode::kTrainStep};

}  // namespace

std::vector<Pair> pairs_of(const std::vector<Profile>& profiles) {
  const auto precision = reduced(profiles);
  const Profiles own = answered(profiles);
  std::vector<Pair> pairs;
  if (!precision) return pairs;
  for (const Profile* other : alike(profiles, *own.front(), *precision)) {
    const auto same = std::ranges::find(own, other->context(), &Profile::context);
    if (same != own.end()) pairs.push_back({*same, other});
  }
  return pairs;
}

TableView changes_table(const std::vector<Pair>& pairs, const PairNames& names) {
  double most = 0;
  for (const Pair& pair : pairs) {
    for (const Mode mode : kShown) most = std::max(most, pair.own->peak(mode).value_or(0));
  }
  const ByteUnit unit = byte_unit(most);
  TableView table{"precisions",
                  "Peak of allocated memory in both precisions",
                  {{"Context", "", Align::kLeft},
                   {"Step", "", Align::kLeft},
                   {names.own, unit.name, Align::kRight},
                   {names.reduced, unit.name, Align::kRight},
                   {"Difference", unit.name, Align::kRight},
                   {"Ratio", "×", Align::kRight}},
                  {}};
  for (const Pair& pair : pairs) {
    for (const Mode mode : kShown) {
      const Step* first = pair.own->asked(mode);
      const Step* second = pair.reduced->asked(mode);
      if (first == nullptr || second == nullptr) continue;
      const auto from = pair.own->peak(mode);
      const auto to = pair.reduced->peak(mode);
      RowView row{
          {text_cell(format_count(pair.own->context())), text_cell(mode_words(mode))}, {}, ""};
      row.cells.push_back(bytes_cell(from, unit));
      row.cells.push_back(bytes_cell(to, unit));
      row.cells.push_back(from && to ? bytes_cell(*to - *from, unit) : missing_cell());
      row.cells.push_back(from && to && *from > 0
                              ? number_cell(format_ratio(*to / *from), *to / *from)
                              : missing_cell());
      std::vector<std::string> reasons;
      if (!from) reasons.push_back(names.own + ": " + first->missing());
      if (!to) reasons.push_back(names.reduced + ": " + second->missing());
      explain(row, join(reasons, "; "), 2);
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

TableView categories_table(const Pair& pair, const PairNames& names) {
  TableView table{"precision-categories",
                  "Requested bytes at the peak, context " + format_count(pair.own->context()),
                  {{"Category", "", Align::kLeft}},
                  {}};
  double most = 0;
  std::vector<const Step*> steps;
  for (const Mode mode : {Mode::kInference, Mode::kForward, Mode::kTrainStep}) {
    if (!pair.both_ran(mode)) continue;
    for (const auto& [profile, name] :
         {std::pair(pair.own, names.own), std::pair(pair.reduced, names.reduced)}) {
      steps.push_back(profile->ran(mode));
      table.columns.push_back({mode_words(mode) + ", " + name, "", Align::kRight});
      most =
          std::max(most, steps.back()->bytes(metric::kMemory, metric::kPeakRequested).value_or(0));
    }
  }
  const ByteUnit unit = byte_unit(most);
  for (std::size_t i = 1; i < table.columns.size(); ++i) table.columns[i].unit = unit.name;
  for (const Category& category : categories()) {
    RowView row{{text_cell(std::string(category.words))}, {}, ""};
    bool any = false;
    for (const Step* step : steps) {
      const auto bytes = step->bytes(metric::kCategory, category.name);
      any = any || bytes.value_or(0) > 0;
      row.cells.push_back(bytes_cell(bytes, unit));
    }
    if (any) table.rows.push_back(std::move(row));
  }
  return table;
}

Figure precisions_figure(const RunView& view, const std::vector<Pair>& pairs,
                         const PairNames& names) {
  PeakChart chart{"Context and step", {}, {names.own, names.reduced}, {}, 0};
  for (const Pair& pair : pairs) {
    for (const Mode mode : {Mode::kInference, Mode::kForward, Mode::kTrainStep}) {
      const std::string group =
          format_count(pair.own->context()) + ", " + std::string(describe(mode));
      for (const auto& [profile, name] :
           {std::pair(pair.own, names.own), std::pair(pair.reduced, names.reduced)}) {
        const Step* step = profile->asked(mode);
        if (step == nullptr) continue;
        chart.capacity = std::max(chart.capacity, capacity(view, *step));
        if (const auto peak = profile->peak(mode)) {
          chart.bars.push_back({group, name, *peak});
        } else {
          const std::string reason = step->missing();
          chart.gaps.push_back({group, name, name + ": " + reason.substr(0, reason.find(':'))});
        }
      }
    }
  }
  return {.slug = "memory-precisions",
          .title = "Peak memory in both precisions",
          .caption = "Allocated bytes; each row is a context and a step. *Forward* is with grad." +
                     capacity_words(chart),
          .alt =
              "Bars of peak memory for each context and step, one for each precision. The table "
              "below holds the same numbers.",
          .spec = peak_chart(chart),
          .data = {}};
}

}  // namespace labreport::memory_profiling
