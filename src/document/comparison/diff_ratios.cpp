// Lists ratios, and the launches behind each ratio.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "document/comparison/diff_facts.h"

namespace labreport {
namespace {

constexpr Notation kTwoDecimals{Notation::kFixed, 2};
constexpr Notation kPercentFormat{Notation::kPercent};

double in_gib_or_ms(double value, bool in_bytes) {
  return value / (in_bytes ? kBytesPerGibibyte : kNanosecondsPerMillisecond);
}

Value side_value(const RowSide& side, bool in_bytes) {
  return side.value ? Value(in_gib_or_ms(*side.value, in_bytes)) : Value();
}

/// Returns B's speedup, A ÷ B, for times, and B ÷ A for bytes.
std::optional<double> shown_ratio(const DiffRow& row) {
  const auto& ratio = row.compared->ratio;
  return ratio && !row.is_in_bytes() ? std::optional(1 / *ratio) : ratio;
}

Value linked_ratio_cell(const DiffRow& row) {
  Value ratio(shown_ratio(row));
  if (!ratio.is_missing()) ratio.link = "#row-" + std::to_string(row.number);
  return ratio;
}

Value interval_cell(const DiffRow& row) {
  if (!row.compared->interval || row.is_in_bytes()) return {};
  const auto [low, high] = *row.compared->interval;
  return format_fixed(1 / high, 3) + " to " + format_fixed(1 / low, 3);
}

Value inverse(const std::optional<double>& ratio) { return ratio ? Value(1 / *ratio) : Value(); }

/// Returns the smallest difference of the ratio from 1 that the row's launches would have shown.
Value detectable_cell(const DiffRow& row) {
  const auto ratio =
      row.compared->judgment ? row.compared->judgment->detectable_ratio : std::nullopt;
  return ratio && std::isfinite(*ratio) ? Value(*ratio - 1) : Value();
}

/// Returns the fraction that a side reaches of its matrix rate, or else of its bandwidth. Missing
/// if the limits predict no ratio, as between devices of one model.
Value limit_share(const DiffRow& row, const RowSide& side) {
  const Prediction& predicted = row.compared->prediction;
  if (!predicted.by_matrix_rate && !predicted.by_bandwidth) return {};
  return side.matrix_rate_share ? side.matrix_rate_share : side.bandwidth_share;
}

Value busbw_of(const RowSide& side) { return side.busbw ? Value(*side.busbw / 1e9) : Value(); }

std::vector<Column<DiffRow>> ratio_columns(bool in_bytes, bool are_medians,
                                           const SideNames& names) {
  const std::string unit = in_bytes ? "GiB" : "ms", suffix = are_medians ? ", median" : "";
  const std::string &a = names.title_a, &b = names.title_b;
  const auto value_in = [in_bytes](RowSide ComparedRow::* side) {
    return [=](const DiffRow& row) { return side_value(row.compared->*side, in_bytes); };
  };
  return {
      {"cell", "Cell",
       [](const auto& row) { return cell_label(row.compared->spec, row.compared->size); }},
      {"what", "What", [](const auto& row) { return describe(row.compared->measure); }},
      {"a", a + suffix, value_in(&ComparedRow::a), unit},
      {"b", b + suffix, value_in(&ComparedRow::b), unit},
      {"ratio", in_bytes ? b + " ÷ " + a : "Speedup of " + b, linked_ratio_cell, "×", kTwoDecimals},
      {"interval", "95 % interval", interval_cell},
      {"verdict", "Verdict", [](const auto& row) { return verdict_cell(*row.compared); }},
      {"detectable", "Detectable", detectable_cell, "%", kPercentFormat},
      {"by_peak", "By peak",
       [](const auto& row) { return inverse(row.compared->prediction.by_matrix_rate); }, "×",
       kTwoDecimals},
      {"by_bandwidth", "By bandwidth",
       [](const auto& row) { return inverse(row.compared->prediction.by_bandwidth); }, "×",
       kTwoDecimals},
      {"share_a", "Share, " + a, [](const auto& row) { return limit_share(row, row.compared->a); },
       "%", kPercentFormat},
      {"share_b", "Share, " + b, [](const auto& row) { return limit_share(row, row.compared->b); },
       "%", kPercentFormat},
      {"busbw_a", "busbw, " + a, [](const auto& row) { return busbw_of(row.compared->a); }, "GB/s"},
      {"busbw_b", "busbw, " + b, [](const auto& row) { return busbw_of(row.compared->b); },
       "GB/s"}};
}

/// A ratio in the figure. `low` and `high` are the ends of its interval.
struct DrawnRow {
  std::string cell, what;
  double ratio;
  std::optional<double> low = {}, high = {};
  std::string href;
};

const std::vector<Column<DrawnRow>> kDrawnColumns{
    {"cell", "Cell", &DrawnRow::cell},
    {"what", "What", &DrawnRow::what},
    {"ratio", "Ratio", &DrawnRow::ratio, "", kTwoDecimals},
    {"low", "From", &DrawnRow::low},
    {"high", "To", &DrawnRow::high},
    {"href", "Row", &DrawnRow::href}};

struct EvidenceRow {
  const DiffRow* row;
  std::string side_name;
  const RowSide* side;
  std::string id = {};
  std::vector<std::string> flags = {};
};

std::string joined_launches(const EvidenceRow& row) {
  std::vector<std::string> texts;
  for (const double value : row.side->launch_values) {
    texts.push_back(format_significant(in_gib_or_ms(value, row.row->is_in_bytes()), 5));
  }
  return join(texts, "; ");
}

std::vector<Column<EvidenceRow>> evidence_columns(bool in_bytes) {
  const std::string unit = in_bytes ? "GiB" : "ms";
  return {{"row", "Row",
           [](const auto& evidence) {
             const ComparedRow& row = *evidence.row->compared;
             return cell_label(row.spec, row.size) + ", " + describe(row.measure);
           }},
          {"side", "Side", &EvidenceRow::side_name},
          {"value", "Value",
           [in_bytes](const auto& row) { return side_value(*row.side, in_bytes); }, unit},
          {"launches", "Launches", joined_launches, unit},
          {"id", "Cell’s id", [](const auto& evidence) {
             const ComparedRow& row = *evidence.row->compared;
             return evidence.side == &row.b && !row.cell_id_b.empty() ? row.cell_id_b : row.cell_id;
           }}};
}

bool is_disturbed(const ComparedRow& row) {
  return !row.a.disturbances.empty() || !row.b.disturbances.empty();
}

}  // namespace

bool is_judged(const ComparedRow& row) {
  return row.judgment && (row.judgment->adjusted_p || row.judgment->verdict != Verdict::kUnclear ||
                          is_disturbed(row));
}

Value verdict_cell(const ComparedRow& row) {
  if (!is_judged(row)) return {};
  switch (row.judgment->verdict) {
    case Verdict::kFaster:
      return "▼ faster";
    case Verdict::kSlower:
      return "▲ slower";
    case Verdict::kSame:
      return "= same";
    case Verdict::kUnclear:
      break;
  }
  return "? unclear";
}

DiffRow diff_row(std::size_t number, const ComparedRow& row, const SideNames& names) {
  DiffRow result{.number = number, .compared = &row};
  for (const auto& [side_name, side] :
       {std::pair{names.title_a, &row.a}, std::pair{names.title_b, &row.b}}) {
    if (!side->missing_reason.empty())
      result.flags.push_back(side_name + ": " + side->missing_reason);
    for (const std::string& disturbance : side->disturbances) {
      result.flags.push_back(side_name + ": " + disturbance);
    }
  }
  if (const auto& ratio = row.prediction.ratio_to_prediction) {
    result.flags.push_back(time_change_words(*ratio) + " than predicted");
  }
  for (const std::string& remark : row.remarks) {
    // Remarks on one side are its disturbances, which are among the flags already.
    const bool is_on_side = remark.starts_with("A: ") || remark.starts_with("B: ");
    if (!is_on_side) result.flags.push_back(remark);
  }
  const bool is_unclear = is_judged(row) && row.judgment->verdict == Verdict::kUnclear;
  if (is_unclear && !is_disturbed(row)) result.flags.push_back(row.judgment->reason);
  return result;
}

std::vector<Dataset> ratio_data(const std::vector<DiffRow>& rows, const Comparison& comparison) {
  const SideNames names = side_names(comparison);
  const bool in_bytes = !rows.empty() && rows.front().is_in_bytes();
  // Values of steps are medians. A kernel time, a peak and a published time are single numbers.
  const bool has_steps = std::ranges::any_of(rows, [](const DiffRow& row) {
    const CellKind kind = row.compared->spec.kind;
    return kind == CellKind::kTiming || kind == CellKind::kDataParallel ||
           kind == CellKind::kSharding;
  });
  const bool are_medians = comparison.machines.relation != Relation::kImported && has_steps;
  std::vector<DrawnRow> drawn;
  std::vector<EvidenceRow> evidence;
  for (const DiffRow& row : rows) {
    const ComparedRow& compared = *row.compared;
    const std::string id = "row-" + std::to_string(row.number);
    for (const RowSide* side : {&compared.a, &compared.b}) {
      const bool is_a = side == &compared.a;
      evidence.push_back(
          {&row, is_a ? names.title_a : names.title_b, side, is_a ? id : "", side->disturbances});
      if (!side->missing_reason.empty()) evidence.back().flags.push_back(side->missing_reason);
    }
    if (!compared.ratio) continue;
    drawn.push_back({.cell = cell_label(compared.spec, compared.size),
                     .what = describe(compared.measure),
                     .ratio = *shown_ratio(row),
                     .href = "#" + id});
    if (!compared.interval || row.is_in_bytes()) continue;
    drawn.back().low = 1 / compared.interval->second;
    drawn.back().high = 1 / compared.interval->first;
  }
  if (drawn.size() == 1) drawn.clear();  // A single dot makes no figure.
  return {make_dataset("ratios", ratio_columns(in_bytes, are_medians, names), rows),
          make_dataset("drawn", kDrawnColumns, drawn),
          make_dataset("evidence", evidence_columns(in_bytes), evidence)};
}

}  // namespace labreport
