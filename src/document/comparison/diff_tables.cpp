// Tables of ratios and of what stands behind each.
#include <fmt/format.h>

#include <cmath>

#include "base/format.h"
#include "base/text.h"
#include "document/comparison/diff_parts.h"

namespace labreport {
namespace {

constexpr double kPercent = 100;

CellView missing() { return {.text = "–", .sort = {}, .muted = true}; }

bool in_bytes(const ComparedRow& row) { return unit(row.measure) == "B"; }

double in_unit(double value, bool bytes) {
  return value / (bytes ? kBytesPerGibibyte : kNanosecondsPerMillisecond);
}

CellView value_cell(const RowSide& side, bool bytes) {
  if (!side.value) return side.fits ? missing() : diff_words("does not fit");
  const double value = in_unit(*side.value, bytes);
  return diff_number(format_significant(value), value);
}

CellView ratio_cell(const NumberedRow& numbered) {
  if (!numbered.row->ratio) return missing();
  CellView cell = diff_number(format_ratio(*numbered.row->ratio), *numbered.row->ratio);
  cell.link = fmt::format("#row-{}", numbered.number);
  return cell;
}

/// By its size, so that sorting brings what differs most together.
CellView effect_cell(const ComparedRow& row) {
  if (!row.ratio) return missing();
  const double change = (*row.ratio - 1) * kPercent;
  const std::string text = format_fixed(change, 1);
  const bool grows = change > 0 && text != "0.0";
  return diff_number(grows ? "+" + text : text, std::abs(std::log(*row.ratio)));
}

CellView interval_cell(const ComparedRow& row) {
  if (!row.interval) return missing();
  const auto [low, high] = *row.interval;
  const char* mark = row.interval_by_floor ? " †" : "";
  return diff_words(format_fixed(low, 3) + " to " + format_fixed(high, 3) + mark);
}

CellView optional_ratio(std::optional<double> ratio) {
  return ratio ? diff_number(format_ratio(*ratio), *ratio) : missing();
}

CellView share_cell(const RowSide& side) {
  const auto share = side.peak_share ? side.peak_share : side.bandwidth_share;
  return share ? diff_number(format_percent(*share), *share) : missing();
}

std::string departure_words(double departure) {
  return departure > 1 ? fmt::format("{} × more than predicted", format_ratio(departure))
                       : fmt::format("{} × less than predicted", format_ratio(1 / departure));
}

void add_flags(const ComparedRow& row, RowView& view) {
  for (const auto& [who, side] : {std::pair{"A", &row.a}, std::pair{"B", &row.b}}) {
    if (!side->reason.empty()) view.flags.push_back(who + (": " + side->reason));
  }
  if (row.prediction.departure) view.flags.push_back(departure_words(*row.prediction.departure));
  for (const std::string& remark : row.remarks) view.flags.push_back(remark);
  // What disturbed a side is among the remarks already.
  const bool disturbed = !row.a.flags.empty() || !row.b.flags.empty();
  if (row.judged && row.judged->verdict == Verdict::kUnclear && !disturbed) {
    view.flags.push_back(row.judged->reason);
  }
}

/// What one kind of relation shows beside the ratio.
std::vector<ColumnView> more_columns(Relation relation, bool bytes) {
  if (bytes) return {};
  if (relation == Relation::kSameMachine) {
    return {diff_left("95 % interval"), diff_left("Verdict"), diff_right("Detectable", "%")};
  }
  if (relation != Relation::kDifferentHardware) return {diff_left("95 % interval")};
  return {diff_left("95 % interval"), diff_right("By peak"), diff_right("By bandwidth"),
          diff_right("Share A", "%"), diff_right("Share B", "%")};
}

CellView detectable_cell(const ComparedRow& row) {
  if (!row.judged || !row.judged->detectable || !std::isfinite(*row.judged->detectable)) {
    return missing();
  }
  const double effect = *row.judged->detectable - 1;
  return diff_number(format_percent(effect), effect);
}

std::vector<CellView> more_cells(const ComparedRow& row, Relation relation) {
  if (in_bytes(row)) return {};
  if (relation == Relation::kSameMachine) {
    return {interval_cell(row), verdict_cell(row), detectable_cell(row)};
  }
  if (relation != Relation::kDifferentHardware) return {interval_cell(row)};
  return {interval_cell(row), optional_ratio(row.prediction.by_peak),
          optional_ratio(row.prediction.by_bandwidth), share_cell(row.a), share_cell(row.b)};
}

RowView side_row(const NumberedRow& numbered, const char* who, const RowSide& side) {
  const ComparedRow& row = *numbered.row;
  const bool bytes = in_bytes(row);
  std::vector<std::string> launches;
  for (const double value : side.launches) {
    launches.push_back(format_significant(in_unit(value, bytes), 5));
  }
  const std::string id = who == std::string("B") && !row.cell_b.empty() ? row.cell_b : row.cell;
  RowView view{.cells = {diff_words(fmt::format("{}, {}", cell_label(row.spec, row.size),
                                                describe(row.measure))),
                         diff_words(who), value_cell(side, bytes), diff_words(join(launches, "; ")),
                         diff_words(id)},
               .flags = side.flags,
               .note = {}};
  if (!side.reason.empty()) view.flags.push_back(side.reason);
  return view;
}

}  // namespace

std::string cell_label(const CellSpec& spec, const std::string& size) {
  std::vector<std::string> words;
  words.push_back(!size.empty() ? size
                  : spec.model  ? fmt::format("d_model {}", spec.model->d_model)
                                : std::string(name(spec.kind)));
  if (spec.context) words.push_back("context " + format_count(*spec.context));
  if (spec.precision && spec.precision != Precision::kFp32) {
    words.emplace_back(describe(*spec.precision));
  }
  if (spec.mode) words.emplace_back(describe(*spec.mode));
  return join(words, ", ");
}

CellView verdict_cell(const ComparedRow& row) {
  if (!row.judged) return missing();
  switch (row.judged->verdict) {
    case Verdict::kFaster:
      return diff_words("▼ faster");
    case Verdict::kSlower:
      return diff_words("▲ slower");
    case Verdict::kSame:
      return diff_words("= same");
    case Verdict::kUnclear:
      break;
  }
  return {.text = "? unclear", .sort = {}, .muted = true};
}

TableView ratio_table(const DiffRows& rows, Relation relation) {
  const bool bytes = !rows.empty() && in_bytes(*rows.front().row);
  const std::string unit = bytes ? "GiB" : "ms";
  TableView table{
      .slug = "ratios",
      .title = "B ÷ A",
      .columns = {diff_left("Cell"), diff_left("What"), diff_right("A", unit),
                  diff_right("B", unit), diff_right("B ÷ A"), diff_right("Change", "%")},
      .rows = {}};
  for (ColumnView& column : more_columns(relation, bytes)) table.columns.push_back(column);
  for (const NumberedRow& numbered : rows) {
    const ComparedRow& row = *numbered.row;
    RowView view{.cells = {diff_words(cell_label(row.spec, row.size)),
                           diff_words(describe(row.measure)), value_cell(row.a, bytes),
                           value_cell(row.b, bytes), ratio_cell(numbered), effect_cell(row)},
                 .flags = {},
                 .note = {}};
    for (CellView& cell : more_cells(row, relation)) view.cells.push_back(std::move(cell));
    add_flags(row, view);
    table.rows.push_back(std::move(view));
  }
  return table;
}

TableView evidence_table(const DiffRows& rows, const Comparison& comparison) {
  const bool bytes = !rows.empty() && in_bytes(*rows.front().row);
  const std::string unit = bytes ? "GiB" : "ms";
  TableView table{.slug = "evidence",
                  .title = fmt::format("Both sides: A is {}, B is {}", comparison.a.device,
                                       comparison.b.device),
                  .columns = {diff_left("Row"), diff_left("Side"), diff_right("Value", unit),
                              diff_left("Launches (" + unit + ")"), diff_left("Cell’s id")},
                  .rows = {}};
  for (const NumberedRow& numbered : rows) {
    table.rows.push_back(side_row(numbered, "A", numbered.row->a));
    table.rows.back().id = fmt::format("row-{}", numbered.number);
    table.rows.push_back(side_row(numbered, "B", numbered.row->b));
  }
  return table;
}

}  // namespace labreport
