// Part (c): the same peaks under autocast, and whether it matters.
#include <cmath>
#include <ranges>

#include "base/text.h"
#include "experiments/memory_profiling/byte_cells.h"
#include "experiments/memory_profiling/parts.h"
#include "experiments/memory_profiling/peak_chart.h"
#include "experiments/memory_profiling/timeline.h"
#include "results/metric_names.h"

namespace labreport::memory_profiling {
namespace {

constexpr double kMatters = 0.05;  // Of the full step's peak.
constexpr double kSame = 0.001;

/// One network at one context in both precisions.
struct Pair {
  const Profile* own;
  const Profile* reduced;
};

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

std::optional<double> peak_of(const Profile& profile, Mode mode) {
  const Step* step = profile.ran(mode);
  return step == nullptr ? std::nullopt : step->bytes(metric::kMemory, metric::kPeakAllocated);
}

bool both_ran(const Pair& pair, Mode mode) { return pair.own->ran(mode) && pair.reduced->ran(mode); }

/// The longest context at which the fullest mode ran in both.
std::optional<Pair> spoken_of(const std::vector<Pair>& pairs) {
  for (const Mode mode : kModes | std::views::reverse) {
    for (const Pair& pair : pairs | std::views::reverse) {
      if (both_ran(pair, mode)) return pair;
    }
  }
  return std::nullopt;
}

/// "raises the inference peak from 13.44 GiB to 19.75 GiB", as flags and numbers.
void set_change(Facts& facts, const std::string& prefix, const std::optional<Pair>& pair,
                Mode mode) {
  const bool known = pair && both_ran(*pair, mode);
  const double from = known ? peak_of(*pair->own, mode).value_or(0) : 0;
  const double to = known ? peak_of(*pair->reduced, mode).value_or(0) : 0;
  const double share = from > 0 ? to / from - 1 : 0;
  facts.flag(prefix, known);
  facts.flag(prefix + "_rises", known && share > kSame);
  facts.flag(prefix + "_falls", known && share < -kSame);
  facts.set(prefix + "_from", format_bytes(from));
  facts.set(prefix + "_to", format_bytes(to));
  facts.set(prefix + "_share", format_percent(std::abs(share)));
}

/// At the end of a phase in both; nothing where either was not recorded.
std::optional<std::pair<Instant, Instant>> ends_of(const Pair& pair, Mode mode,
                                                   std::string_view phase) {
  if (!both_ran(pair, mode)) return std::nullopt;
  const Timeline own = timeline_of(*pair.own->ran(mode)->launch);
  const Timeline other = timeline_of(*pair.reduced->ran(mode)->launch);
  const Instant* first = own.end_of(phase);
  const Instant* second = other.end_of(phase);
  if (first == nullptr || second == nullptr) return std::nullopt;
  return std::pair(*first, *second);
}

double held(const Instant& instant) {
  return instant.of(metric::kParameters) + instant.of(metric::kGradients) +
         instant.of(metric::kOptimizerStates);
}

void set_reasons(Facts& facts, const std::optional<Pair>& pair) {
  const Step* inference = pair ? pair->reduced->ran(Mode::kInference) : nullptr;
  const double copies =
      inference == nullptr
          ? 0
          : inference->bytes(metric::kCategory, metric::kWeightCopies).value_or(0);
  facts.flag("copies", copies > 0);
  facts.set("copies_bytes", format_bytes(copies));
  auto kept = pair ? ends_of(*pair, Mode::kForward, metric::kForward) : std::nullopt;
  if (pair && !kept) kept = ends_of(*pair, Mode::kTrainStep, metric::kLoss);
  const double own = kept ? kept->first.of(metric::kActivations) : 0;
  const double other = kept ? kept->second.of(metric::kActivations) : 0;
  facts.flag("activations", own > 0 && other > 0);
  facts.flag("shrink", other < own);
  facts.set("activations_from", format_bytes(own));
  facts.set("activations_to", format_bytes(other));
  const auto after =
      pair ? ends_of(*pair, Mode::kTrainStep, metric::kBackward) : std::nullopt;
  const bool stays = after && std::abs(held(after->second) / held(after->first) - 1) < kSame;
  facts.flag("stays", stays);
  facts.set("stays_bytes", format_bytes(stays ? held(after->second) : 0));
}

void set_verdict(Facts& facts, const std::optional<Pair>& pair, const std::vector<Pair>& pairs) {
  const bool step = pair && both_ran(*pair, Mode::kTrainStep);
  const double change = step ? *peak_of(*pair->reduced, Mode::kTrainStep) /
                                       *peak_of(*pair->own, Mode::kTrainStep) -
                                   1
                             : 0;
  facts.flag("judged", step);
  facts.flag("matters", std::abs(change) >= kMatters);
  std::vector<std::string> more;
  for (const Pair& other : pairs) {
    const Step* refused = other.own->asked(Mode::kTrainStep);
    const bool only = refused != nullptr && refused->launch != nullptr &&
                      does_not_fit(refused->launch->outcome) &&
                      other.reduced->ran(Mode::kTrainStep) != nullptr;
    if (only) more.push_back(format_count(other.own->context()));
  }
  facts.flag("fits_more", !more.empty());
  facts.set("more", join_words(more));
}

constexpr Mode kShown[]{Mode::kInference, Mode::kForward, Mode::kForwardBackward,
                        Mode::kTrainStep};

std::string mode_words(Mode mode) {
  return mode == Mode::kForward ? "forward, with grad" : std::string(describe(mode));
}

TableView changes_table(const std::vector<Pair>& pairs, const std::string& own,
                        const std::string& other) {
  double most = 0;
  for (const Pair& pair : pairs) {
    for (const Mode mode : kShown) most = std::max(most, peak_of(*pair.own, mode).value_or(0));
  }
  const ByteUnit unit = byte_unit(most);
  TableView table{"precisions",
                  "Peak of allocated memory in both precisions",
                  {{"Context", "", Align::kLeft},
                   {"Step", "", Align::kLeft},
                   {own, unit.name, Align::kRight},
                   {other, unit.name, Align::kRight},
                   {"Difference", unit.name, Align::kRight},
                   {"Ratio", "×", Align::kRight}},
                  {}};
  for (const Pair& pair : pairs) {
    for (const Mode mode : kShown) {
      const Step* first = pair.own->asked(mode);
      const Step* second = pair.reduced->asked(mode);
      if (first == nullptr || second == nullptr) continue;
      const auto from = peak_of(*pair.own, mode);
      const auto to = peak_of(*pair.reduced, mode);
      RowView row{{text_cell(format_count(pair.own->context())), text_cell(mode_words(mode))},
                  {},
                  ""};
      row.cells.push_back(bytes_cell(from, unit));
      row.cells.push_back(bytes_cell(to, unit));
      row.cells.push_back(from && to ? bytes_cell(*to - *from, unit) : missing_cell());
      row.cells.push_back(from && to && *from > 0 ? number_cell(format_ratio(*to / *from), *to / *from)
                                                  : missing_cell());
      std::vector<std::string> reasons;
      if (!from) reasons.push_back(own + ": " + first->missing());
      if (!to) reasons.push_back(other + ": " + second->missing());
      explain(row, join(reasons, "; "), 2);
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

TableView categories_table(const Pair& pair, const std::string& own, const std::string& other) {
  TableView table{"precision-categories",
                  "Requested bytes at the peak, context " + format_count(pair.own->context()),
                  {{"Category", "", Align::kLeft}},
                  {}};
  double most = 0;
  std::vector<const Step*> steps;
  for (const Mode mode : {Mode::kInference, Mode::kForward, Mode::kTrainStep}) {
    if (!both_ran(pair, mode)) continue;
    for (const auto& [profile, name] : {std::pair(pair.own, own), std::pair(pair.reduced, other)}) {
      steps.push_back(profile->ran(mode));
      table.columns.push_back({mode_words(mode) + ", " + name, "", Align::kRight});
      most = std::max(most,
                      steps.back()->bytes(metric::kMemory, metric::kPeakRequested).value_or(0));
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
                         const std::string& own, const std::string& other) {
  PeakChart chart{"Context and step", {}, {own, other}, {}, 0};
  for (const Pair& pair : pairs) {
    for (const Mode mode : {Mode::kInference, Mode::kForward, Mode::kTrainStep}) {
      const std::string group = format_count(pair.own->context()) + ", " + std::string(describe(mode));
      for (const auto& [profile, name] :
           {std::pair(pair.own, own), std::pair(pair.reduced, other)}) {
        const Step* step = profile->asked(mode);
        if (step == nullptr) continue;
        chart.capacity = std::max(chart.capacity, capacity(view, *step));
        if (const auto peak = peak_of(*profile, mode)) {
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
          .caption = "Allocated bytes; each row is a context and a step. *Forward* is with grad.",
          .alt = "Bars of peak memory for each context and step, one for each precision. The table "
                 "below holds the same numbers.",
          .spec = peak_chart(chart),
          .data = {}};
}

}  // namespace

PartContent present_precisions(const RunView& view, const std::vector<Profile>& profiles) {
  PartContent part;
  set_common(part.facts, view, profiles);
  const std::vector<Pair> pairs = pairs_of(profiles);
  const auto pair = spoken_of(pairs);
  const std::string own(describe(answered(profiles).front()->spec.precision.value_or(Precision::kFp32)));
  const std::string other(describe(reduced(profiles).value_or(Precision::kBf16)));
  part.facts.flag("nothing", !pair);
  part.facts.flag("answer", pair.has_value());
  part.facts.set("context", pair ? format_count(pair->own->context()) : "");
  part.facts.set("own", own);
  part.facts.set("reduced", other);
  set_change(part.facts, "inference", pair, Mode::kInference);
  set_change(part.facts, "forward", pair, Mode::kForward);
  set_change(part.facts, "step", pair, Mode::kTrainStep);
  set_reasons(part.facts, pair);
  set_verdict(part.facts, pair, pairs);
  if (pair) part.figures = {precisions_figure(view, pairs, own, other)};
  part.tables = {changes_table(pairs, own, other)};
  if (pair) part.drawer.tables = {categories_table(*pair, own, other)};
  return part;
}

}  // namespace labreport::memory_profiling
