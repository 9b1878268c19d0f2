// Lists ratios and the numbers behind each.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "document/comparison/diff_facts.h"

namespace labreport {
namespace {

constexpr Notation kRatio{Notation::kFixed, 2};
constexpr Notation kShare{Notation::kPercent};

double in_unit(double value, bool bytes) {
  return value / (bytes ? kBytesPerGibibyte : kNanosecondsPerMillisecond);
}

Value value_of(const RowSide& side, bool bytes) {
  return side.value ? Value(in_unit(*side.value, bytes)) : Value();
}

/// Returns B's speedup, A ÷ B, for times, and B ÷ A for bytes.
std::optional<double> stated_ratio(const DiffRow& row) {
  const auto& ratio = row.row->ratio;
  return ratio && !row.in_bytes() ? std::optional(1 / *ratio) : ratio;
}

Value linked_ratio(const DiffRow& row) {
  Value ratio(stated_ratio(row));
  if (!ratio.is_missing()) ratio.link = "#row-" + std::to_string(row.number);
  return ratio;
}

Value interval(const DiffRow& row) {
  if (!row.row->interval || row.in_bytes()) return {};
  const auto [low, high] = *row.row->interval;
  return format_fixed(1 / high, 3) + " to " + format_fixed(1 / low, 3);
}

Value inverse(const std::optional<double>& ratio) { return ratio ? Value(1 / *ratio) : Value(); }

Value detectable(const DiffRow& row) {
  const auto& judged = row.row->judgment;
  const bool known = judged && judged->detectable_ratio && std::isfinite(*judged->detectable_ratio);
  return known ? Value(*judged->detectable_ratio - 1) : Value();
}

/// The share that a side reaches of its matrix rate, or else of its bandwidth; missing between
/// devices of one model, whose limits are equal up to noise.
Value share(const DiffRow& row, const RowSide& side) {
  const Prediction& predicted = row.row->prediction;
  if (!predicted.by_matrix_rate && !predicted.by_bandwidth) return {};
  return side.matrix_rate_share ? side.matrix_rate_share : side.bandwidth_share;
}

/// The bus bandwidth in GB/s.
Value busbw(const RowSide& side) { return side.busbw ? Value(*side.busbw / 1e9) : Value(); }

std::vector<Column<DiffRow>> ratio_columns(bool bytes, bool medians, const SideNames& names) {
  const std::string unit = bytes ? "GiB" : "ms", of_steps = medians ? ", median" : "";
  const std::string &a = names.head_a, &b = names.head_b;
  const auto in = [bytes](RowSide ComparedRow::* side) {
    return [=](const DiffRow& row) { return value_of(row.row->*side, bytes); };
  };
  return {
      {"cell", "Cell", [](const auto& row) { return cell_label(row.row->spec, row.row->size); }},
      {"what", "What", [](const auto& row) { return describe(row.row->measure); }},
      {"a", a + of_steps, in(&ComparedRow::a), unit},
      {"b", b + of_steps, in(&ComparedRow::b), unit},
      {"ratio", bytes ? b + " ÷ " + a : "Speedup of " + b, linked_ratio, "×", kRatio},
      {"interval", "95 % interval", interval},
      {"verdict", "Verdict", [](const auto& row) { return verdict_cell(*row.row); }},
      {"detectable", "Detectable", detectable, "%", kShare},
      {"by_peak", "By peak",
       [](const auto& row) { return inverse(row.row->prediction.by_matrix_rate); }, "×", kRatio},
      {"by_bandwidth", "By bandwidth",
       [](const auto& row) { return inverse(row.row->prediction.by_bandwidth); }, "×", kRatio},
      {"share_a", "Share, " + a, [](const auto& row) { return share(row, row.row->a); }, "%",
       kShare},
      {"share_b", "Share, " + b, [](const auto& row) { return share(row, row.row->b); }, "%",
       kShare},
      {"busbw_a", "busbw, " + a, [](const auto& row) { return busbw(row.row->a); }, "GB/s"},
      {"busbw_b", "busbw, " + b, [](const auto& row) { return busbw(row.row->b); }, "GB/s"}};
}

struct DrawnRow {
  std::string cell, what;
  double ratio;
  std::optional<double> low = {}, high = {};
  std::string href;
};

const std::vector<Column<DrawnRow>> kDrawn{{"cell", "Cell", &DrawnRow::cell},
                                           {"what", "What", &DrawnRow::what},
                                           {"ratio", "Ratio", &DrawnRow::ratio, "", kRatio},
                                           {"low", "From", &DrawnRow::low},
                                           {"high", "To", &DrawnRow::high},
                                           {"href", "Row", &DrawnRow::href}};

struct SideRow {
  const DiffRow* row;
  std::string who;
  const RowSide* side;
  std::string id = {};
  std::vector<std::string> flags = {};
};

std::string launches(const SideRow& side) {
  std::vector<std::string> texts;
  for (const double value : side.side->launch_values) {
    texts.push_back(format_significant(in_unit(value, side.row->in_bytes()), 5));
  }
  return join(texts, "; ");
}

std::vector<Column<SideRow>> evidence_columns(bool bytes) {
  const std::string unit = bytes ? "GiB" : "ms";
  return {
      {"row", "Row",
       [](const auto& side) {
         const ComparedRow& row = *side.row->row;
         return cell_label(row.spec, row.size) + ", " + describe(row.measure);
       }},
      {"side", "Side", &SideRow::who},
      {"value", "Value", [bytes](const auto& side) { return value_of(*side.side, bytes); }, unit},
      {"launches", "Launches", launches, unit},
      {"id", "Cell’s id", [](const auto& side) {
         const ComparedRow& row = *side.row->row;
         return side.side == &row.b && !row.cell_id_b.empty() ? row.cell_id_b : row.cell_id;
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
  DiffRow result{.number = number, .row = &row};
  for (const auto& [who, side] :
       {std::pair{names.head_a, &row.a}, std::pair{names.head_b, &row.b}}) {
    if (!side->missing_reason.empty()) result.flags.push_back(who + ": " + side->missing_reason);
    for (const std::string& flag : side->disturbances) result.flags.push_back(who + ": " + flag);
  }
  if (row.prediction.departure) {
    result.flags.push_back(departure_words(*row.prediction.departure) + " than predicted");
  }
  for (const std::string& remark : row.remarks) {
    const bool of_side = remark.starts_with("A: ") || remark.starts_with("B: ");
    if (!of_side) result.flags.push_back(remark);  // The flags of a side are there already.
  }
  const bool unclear = is_judged(row) && row.judgment->verdict == Verdict::kUnclear;
  if (unclear && !is_disturbed(row)) result.flags.push_back(row.judgment->reason);
  return result;
}

std::vector<Dataset> ratio_data(const std::vector<DiffRow>& rows, const Comparison& comparison) {
  const SideNames names = side_names(comparison);
  const bool bytes = !rows.empty() && rows.front().in_bytes();
  // Values of steps are medians; a kernel time, a peak and a published time are single numbers.
  const bool of_steps = std::ranges::any_of(rows, [](const DiffRow& row) {
    const CellKind kind = row.row->spec.kind;
    return kind == CellKind::kTiming || kind == CellKind::kDataParallel ||
           kind == CellKind::kSharding;
  });
  const bool medians = comparison.machines.relation != Relation::kImported && of_steps;
  std::vector<DrawnRow> drawn;
  std::vector<SideRow> sides;
  for (const DiffRow& row : rows) {
    const ComparedRow& compared = *row.row;
    const std::string id = "row-" + std::to_string(row.number);
    for (const RowSide* side : {&compared.a, &compared.b}) {
      const bool is_a = side == &compared.a;
      sides.push_back(
          {&row, is_a ? names.head_a : names.head_b, side, is_a ? id : "", side->disturbances});
      if (!side->missing_reason.empty()) sides.back().flags.push_back(side->missing_reason);
    }
    if (!compared.ratio) continue;
    drawn.push_back({.cell = cell_label(compared.spec, compared.size),
                     .what = describe(compared.measure),
                     .ratio = *stated_ratio(row),
                     .href = "#" + id});
    if (!compared.interval || row.in_bytes()) continue;
    drawn.back().low = 1 / compared.interval->second;
    drawn.back().high = 1 / compared.interval->first;
  }
  if (drawn.size() == 1) drawn.clear();  // A single dot makes no figure.
  return {make_dataset("ratios", ratio_columns(bytes, medians, names), rows),
          make_dataset("drawn", kDrawn, drawn),
          make_dataset("evidence", evidence_columns(bytes), sides)};
}

}  // namespace labreport
