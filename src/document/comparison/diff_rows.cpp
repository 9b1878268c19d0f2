// Lists the rows of a comparison: both sides' values, their ratio, its verdict and its launches.
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "document/comparison/diff_facts.h"

namespace labreport {
namespace {

constexpr Notation kTwoDecimals{Notation::kFixed, 2};

/// Names the handout's problem that asks for the numbers of such a cell.
const char* problem_of(const CellSpec& spec) {
  switch (spec.kind) {
    case CellKind::kKernels:
      return "nsys_profile";
    case CellKind::kMemory:
      return "memory_profiling";
    case CellKind::kAllReduce:
      return "distributed_communication_single_node";
    case CellKind::kDataParallel:
      return "data_parallel";
    case CellKind::kLeaderboard:
      return "leaderboard";
    case CellKind::kSharding:
      return "optimizer_state_sharding_accounting";
    default:
      return spec.precision.value_or(Precision::kFp32) == Precision::kFp32
                 ? "benchmarking_script"
                 : "benchmarking_mixed_precision";
  }
}

double in_gib_or_ms(const DiffRow& row, double value) {
  return value / (row.is_in_bytes() ? kBytesPerGibibyte : kNanosecondsPerMillisecond);
}

const char* unit_of(const DiffRow& row) { return row.is_in_bytes() ? "GiB" : "ms"; }

std::function<Value(const DiffRow&)> value_of(RowSide ComparedRow::* side, const ComparedRun& run) {
  return [=](const DiffRow& row) {
    const auto& number = (row.compared->*side).value;
    if (!number) return Value();
    Value value = in_gib_or_ms(row, *number);
    value.key = cell_key(*row.compared, run);
    return value;
  };
}

/// The launches of a side that has several; the value of a single one is the side's value.
std::function<Value(const DiffRow&)> launches_of(RowSide ComparedRow::* side) {
  return [=](const DiffRow& row) {
    const std::vector<double>& launches = (row.compared->*side).launch_values;
    if (launches.size() < 2) return Value();
    std::vector<std::string> texts;
    for (const double value : launches) {
      texts.push_back(format_significant(in_gib_or_ms(row, value), 5));
    }
    return Value(join(texts, "; "));
  };
}

std::function<Value(const DiffRow&)> busbw_of(RowSide ComparedRow::* side) {
  return [=](const DiffRow& row) {
    const auto& busbw = (row.compared->*side).busbw;
    return busbw ? Value(*busbw / 1e9) : Value();
  };
}

Value speedup_of(const DiffRow& row) {
  const auto& ratio = row.compared->ratio;
  return ratio && !row.is_in_bytes() ? Value(1 / *ratio) : Value();
}

Value ratio_of_bytes(const DiffRow& row) {
  return row.is_in_bytes() ? Value(row.compared->ratio) : Value();
}

Value interval_cell(const DiffRow& row) {
  if (!row.compared->interval || row.is_in_bytes()) return {};
  const auto [low, high] = *row.compared->interval;
  return format_fixed(1 / high, 3) + " to " + format_fixed(1 / low, 3);
}

/// Returns the smallest difference of the ratio from 1 that the row's launches would have shown.
Value detectable_cell(const DiffRow& row) {
  const auto ratio =
      row.compared->judgment ? row.compared->judgment->detectable_ratio : std::nullopt;
  return ratio && std::isfinite(*ratio) ? Value(*ratio - 1) : Value();
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

DiffRow diff_row(const ComparedRow& row, const SideNames& names) {
  DiffRow result{.compared = &row};
  for (const auto& [side_name, side] :
       {std::pair{names.title_a, &row.a}, std::pair{names.title_b, &row.b}}) {
    if (!side->missing_reason.empty())
      result.flags.push_back(side_name + ": " + side->missing_reason);
    for (const std::string& disturbance : side->disturbances) {
      result.flags.push_back(side_name + ": " + disturbance);
    }
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

Dataset row_data(const std::string& name, const std::vector<DiffRow>& rows,
                 const Comparison& comparison) {
  const SideNames names = side_names(comparison);
  const std::string &a = names.title_a, &b = names.title_b;
  const bool units_differ = std::ranges::any_of(
      rows, [&](const DiffRow& row) { return row.is_in_bytes() != rows.front().is_in_bytes(); });
  const std::string unit = units_differ || rows.empty() ? "" : unit_of(rows.front());
  const std::vector<Column<DiffRow>> columns{
      {"cell", "Cell",
       [](const auto& row) { return cell_label(row.compared->spec, row.compared->size); }},
      {"what", "What",
       [=](const auto& row) {
         const std::string words = describe(row.compared->measure);
         return units_differ ? words + " (" + unit_of(row) + ")" : words;
       }},
      {"a", a, value_of(&ComparedRow::a, comparison.a), unit},
      {"b", b, value_of(&ComparedRow::b, comparison.b), unit},
      {"speedup", "Advantage of " + b, speedup_of, "×", kTwoDecimals},
      {"ratio", b + " ÷ " + a, ratio_of_bytes, "×", kTwoDecimals},
      {"interval", "95 % interval", interval_cell},
      {"verdict", "Verdict", [](const auto& row) { return verdict_cell(*row.compared); }},
      {"detectable", "Detectable", detectable_cell, "%", {Notation::kPercent}},
      {"busbw_a", "busbw, " + a, busbw_of(&ComparedRow::a), "GB/s"},
      {"busbw_b", "busbw, " + b, busbw_of(&ComparedRow::b), "GB/s"},
      {"problem", "Problem", [](const auto& row) { return problem_of(row.compared->spec); }},
      {"launches_a", "Launches, " + a, launches_of(&ComparedRow::a), unit},
      {"launches_b", "Launches, " + b, launches_of(&ComparedRow::b), unit}};
  return make_dataset(name, columns, rows);
}

}  // namespace labreport
