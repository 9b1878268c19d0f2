#include "experiments/benchmarking_mixed_precision/present.h"

#include <algorithm>

#include "base/format.h"
#include "experiments/benchmarking_mixed_precision/parts.h"
#include "experiments/benchmarking_mixed_precision/speedup.h"
#include "experiments/common/command.h"
#include "experiments/common/table_cells.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

bool any_cell(const CellSpec&) { return true; }

/// The largest speedup of a whole pass, if something became faster at all.
std::vector<Glance> glance(const RunView& view) {
  const std::vector<Speedup> all = speedups(view);
  const auto gain = [](const Speedup& row) {
    return row.forward && row.backward ? std::max(row.forward->value, row.backward->value) : 0;
  };
  const auto best = std::ranges::max_element(all, {}, gain);
  if (best == all.end() || gain(*best) <= 1) return {};
  const bool backward = best->backward->value > best->forward->value;
  return {{"Best " + best->precision + " speedup, " + best->size +
               (backward ? ", backward" : ", forward"),
           format_ratio(gain(*best)) + " ×", std::string(kProblem) + "-c"}};
}

}  // namespace

const Launch* launch_of(const RunView& view, CellKind kind, std::string& reason) {
  const Cell* cell = view.cell(kind, any_cell);
  const Launch* launch = cell == nullptr ? nullptr : representative(*cell);
  if (launch != nullptr && is_ok(launch->outcome)) return launch;
  reason = launch == nullptr ? "not measured yet" : describe(launch->outcome);
  return nullptr;
}

TableView command_table(const RunView& view, CellKind kind) {
  TableView table{"commands",
                  "The command that measures this again",
                  {{"Cell", "", Align::kLeft}, {"Command", "", Align::kLeft, true}},
                  {}};
  if (const Cell* cell = view.cell(kind, any_cell)) {
    const std::string part = kind == CellKind::kDtypes ? ".a" : ".b";
    table.rows.push_back(
        {{text_cell(cell->id), text_cell(command_for(view.run(), kProblem + part, cell->spec))},
         {},
         ""});
  }
  return table;
}

Presentation present(const RunView& view) {
  Presentation shown;
  if (auto part = present_dtypes(view)) shown.parts.emplace("a", std::move(*part));
  if (auto part = present_layer_norm(view)) shown.parts.emplace("b", std::move(*part));
  if (auto part = present_speedups(view)) shown.parts.emplace("c", std::move(*part));
  if (!shown.parts.empty()) shown.glance = glance(view);
  return shown;
}

}  // namespace labreport::benchmarking_mixed_precision
