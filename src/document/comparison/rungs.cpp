// Compares the leaderboard's steps of two runs, rung by rung, and checks with them how well a step
// scales from one GPU to another.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "analysis/verdict.h"
#include "base/format.h"
#include "base/lists.h"
#include "document/comparison/diff_facts.h"
#include "document/keyed_number.h"
#include "plan/leaderboard.h"
#include "results/leaderboard_rung.h"

namespace labreport {
namespace {

constexpr Notation kRungTimeFormat{Notation::kSignificant, 4},
    kRungRatioFormat{Notation::kFixed, 2};

/// One rung on both sides; a null row was not planned.
struct ComparedRung {
  const ComparedRow* step = nullptr;
  const ComparedRow* peak = nullptr;
  const ComparedRow* benched = nullptr;

  std::string words() const {
    const ComparedRow& row = step != nullptr ? *step : *benched;
    const auto rung = leaderboard_rung(row.spec);
    const std::string name =
        rung ? std::string(describe(*rung)) : name_without_digest(row.spec.implementation);
    return step != nullptr ? name : name + ", do_bench";
  }
  const ComparedRow& time() const { return step != nullptr ? *step : *benched; }
};

bool is_of_leaderboard(const ComparedRow& row) {
  return row.spec.kind == CellKind::kLeaderboard && row.spec.model;
}

/// Returns the rungs as the ladder climbs, and then do_bench's rows.
std::vector<ComparedRung> rung_rows(const Comparison& comparison) {
  std::vector<ComparedRung> rows;
  for (const ComparedRow& row : comparison.rows) {
    if (!is_of_leaderboard(row)) continue;
    if (row.measure == Measure::kStep) rows.push_back({.step = &row});
    if (row.measure == Measure::kDoBench) rows.push_back({.benched = &row});
  }
  for (ComparedRung& rung : rows) {
    const auto peak = std::ranges::find_if(comparison.rows, [&](const ComparedRow& row) {
      return row.measure == Measure::kPeakMemory && row.cell_id == rung.time().cell_id;
    });
    if (rung.step != nullptr && peak != comparison.rows.end()) rung.peak = &*peak;
  }
  std::ranges::stable_sort(rows, {}, [](const ComparedRung& rung) {
    const auto place = leaderboard_rung(rung.time().spec);
    return std::tuple(rung.step == nullptr, -rung.time().spec.model->layers,
                      place ? static_cast<std::size_t>(*place) : kLeaderboardRungs.size());
  });
  return rows;
}

Value time_or_reason(const Comparison& comparison, const ComparedRow& row,
                     RowSide ComparedRow::* side) {
  return (row.*side).value ? step_ms(comparison, row, side)
                           : Value::missing((row.*side).missing_reason);
}

Value peak_of(const ComparedRung& rung, RowSide ComparedRow::* side, const ComparedRun& run) {
  if (rung.peak == nullptr || !(rung.peak->*side).value) return {};
  Value peak = *(rung.peak->*side).value / kBytesPerGibibyte;
  peak.key = cell_key(*rung.peak, run);
  return peak;
}

/// Returns the rung with the shortest step on the side; null if none ran.
const ComparedRow* fastest_step(const std::vector<ComparedRung>& rows,
                                RowSide ComparedRow::* side) {
  const ComparedRow* fastest = nullptr;
  for (const ComparedRung& rung : rows) {
    if (rung.step == nullptr || !(rung.step->*side).value) continue;
    if (fastest == nullptr || *(rung.step->*side).value < *(fastest->*side).value)
      fastest = rung.step;
  }
  return fastest;
}

std::string keyed_step(const Value& ms) {
  return keyed_number(format_value(ms, brief_ms(*ms.number())) + " ms", ms);
}

std::optional<Facts> fastest_rung_facts(const Comparison& comparison) {
  const std::vector<ComparedRung> rows = rung_rows(comparison);
  const ComparedRow *a = fastest_step(rows, &ComparedRow::a),
                    *b = fastest_step(rows, &ComparedRow::b);
  if (a == nullptr || b == nullptr || a->spec.model != b->spec.model ||
      a->spec.ranks != b->spec.ranks)
    return std::nullopt;
  const SideNames names = side_names(comparison);
  const Value a_ms = step_ms(comparison, *a, &ComparedRow::a);
  const Value b_ms = step_ms(comparison, *b, &ComparedRow::b);
  const bool b_is_faster = *b_ms.number() < *a_ms.number();
  const Value& fastest_ms = b_is_faster ? b_ms : a_ms;
  const Value times = slower_over_faster(a_ms, b_ms);
  const std::string a_words = ComparedRung{.step = a}.words(),
                    b_words = ComparedRung{.step = b}.words();
  return Facts()
      .set("capital_first", with_capital_the(b_is_faster ? names.b : names.a))
      .set("first", b_is_faster ? names.b : names.a)
      .set("second", b_is_faster ? names.a : names.b)
      .set("rung", b_is_faster ? b_words : a_words)
      .set("other_rung", b_is_faster ? a_words : b_words)
      .set_markdown("ms", keyed_step(fastest_ms))
      .set_markdown("other_ms", keyed_step(b_is_faster ? a_ms : b_ms))
      .set("shortest", format_value(fastest_ms, brief_ms(*fastest_ms.number())) + " ms")
      .when("differ", *times.number() > 1 + kSmallestEffect,
            Facts().set_markdown("times", keyed_ratio(times)));
}

/// A side's traced steps, and what limits them.
struct TracedSide {
  std::string name;
  std::optional<GpuLimits> limits;
  std::vector<TracedPart> TracedRung::* parts;
};

bool is_within(const GpuLimits& slow, const GpuLimits& fast) {
  return slow.flops_per_second <= fast.flops_per_second &&
         slow.bytes_per_second <= fast.bytes_per_second &&
         slow.link_bytes_per_second <= fast.link_bytes_per_second;
}

/// True if both sides traced the rung and do the same work in it. The rung that saves products does
/// so in as many blocks as the memory allows, so GPUs with different memories do different work.
bool is_same_work(const TracedRung& rung) {
  return !rung.a.empty() && !rung.b.empty() &&
         leaderboard_rung(rung.spec) != LeaderboardRung::kSavedProducts;
}

/// Returns the rung whose traced step is shortest on the side, of one or more.
TracedRung shortest(const std::vector<TracedRung>& rungs,
                    std::vector<TracedPart> TracedRung::* parts) {
  return *std::ranges::min_element(rungs, {},
                                   [&](const TracedRung& rung) { return total_ms(rung.*parts); });
}

/// Predicts the faster GPU's step from the slower one's. Nothing if a run lacks traces or its GPU a
/// data sheet, or if neither GPU's limits are all as high as the other's.
std::optional<Facts> scaled_facts(const Comparison& comparison) {
  const SideNames names = side_names(comparison);
  TracedSide from{names.a, datasheet_limits(comparison.a.device), &TracedRung::a};
  TracedSide to{names.b, datasheet_limits(comparison.b.device), &TracedRung::b};
  if (comparison.a.device == comparison.b.device || !from.limits || !to.limits) return std::nullopt;
  if (!is_within(*from.limits, *to.limits)) std::swap(from, to);
  const std::vector<TracedRung> common = only(comparison.traced_rungs, is_same_work);
  if (common.empty() || !is_within(*from.limits, *to.limits)) return std::nullopt;
  const TracedRung rung = shortest(common, to.parts);
  const double predicted_ms = total_ms(scaled_to(rung.*from.parts, *from.limits, *to.limits));
  const double traced_ms = total_ms(rung.*to.parts);
  const TracedRung fastest =
      shortest(only(comparison.traced_rungs,
                    [&](const TracedRung& traced) { return !(traced.*to.parts).empty(); }),
               to.parts);
  const bool is_of_handout = fastest.spec.model == leaderboard::kShape && fastest.spec.ranks &&
                             fastest.spec.ranks->count == leaderboard::kHandoutRanks;
  return Facts()
      .set("from", from.name)
      .set("to", to.name)
      .set("rung", describe(*leaderboard_rung(rung.spec)))
      .set("predicted", format_value(predicted_ms, brief_ms(predicted_ms)) + " ms")
      .set("traced", format_value(traced_ms, brief_ms(traced_ms)) + " ms")
      .set("error", format_percent(std::abs(predicted_ms / traced_ms - 1)))
      .when(
          "b200", is_of_handout,
          Facts()
              .set("whose", to.name)
              .set("seconds", total_ms(scaled_to(fastest.*to.parts, *to.limits, kB200Limits)) / 1e3,
                   kThreeDigits));
}

}  // namespace

Dataset rung_data(const Comparison& comparison) {
  const SideNames names = side_names(comparison);
  const std::string &a = names.title_a, &b = names.title_b;
  const auto time_of = [&](RowSide ComparedRow::* side) {
    return [&, side](const ComparedRung& rung) {
      return time_or_reason(comparison, rung.time(), side);
    };
  };
  const std::vector<Column<ComparedRung>> columns{
      {"rung", "Rung", &ComparedRung::words},
      {"a", a, time_of(&ComparedRow::a), "ms", kRungTimeFormat},
      {"b", b, time_of(&ComparedRow::b), "ms", kRungTimeFormat},
      {"speedup", "Advantage of " + b,
       [](const ComparedRung& rung) {
         return rung.time().ratio ? Value(1 / *rung.time().ratio) : Value();
       },
       "×", kRungRatioFormat},
      {"peak_a", "Peak memory, " + a,
       [&](const ComparedRung& rung) { return peak_of(rung, &ComparedRow::a, comparison.a); },
       "GiB", kThreeDigits},
      {"peak_b", "Peak memory, " + b,
       [&](const ComparedRung& rung) { return peak_of(rung, &ComparedRow::b, comparison.b); },
       "GiB", kThreeDigits}};
  return make_dataset("rungs", columns, rung_rows(comparison));
}

Dataset rung_dot_data(const Comparison& comparison) {
  struct Dot {
    std::string rung, side;
    Value ms;
  };
  const SideNames names = side_names(comparison);
  std::vector<Dot> dots;
  for (const ComparedRung& rung : rung_rows(comparison)) {
    if (rung.step == nullptr || !rung.step->ratio) continue;
    dots.push_back({rung.words(), names.title_a, step_ms(comparison, *rung.step, &ComparedRow::a)});
    dots.push_back({rung.words(), names.title_b, step_ms(comparison, *rung.step, &ComparedRow::b)});
  }
  if (dots.size() == 2) dots.clear();  // A single row makes no figure.
  const std::vector<Column<Dot>> columns{{"row", "Rung", &Dot::rung},
                                         {"device", "Side", &Dot::side},
                                         {"value", "Step", &Dot::ms, "ms"}};
  return make_dataset("dots", columns, dots);
}

Facts rung_facts(const Comparison& comparison) {
  return Facts()
      .when("leaderboard", fastest_rung_facts(comparison))
      .when("scaled", scaled_facts(comparison));
}

}  // namespace labreport
