// What stands beside the ratios: speedups of both sides, kernels that the libraries chose
// otherwise.
#include "base/format.h"
#include "report/diff_parts.h"

namespace labreport {
namespace {

CellView words(std::string text) { return {.text = std::move(text), .sort = {}}; }
CellView number(std::string text, double sort) { return {.text = std::move(text), .sort = sort}; }
CellView ratio_cell(std::optional<double> ratio) {
  if (!ratio) return {.text = "–", .sort = {}, .muted = true};
  return number(format_ratio(*ratio), *ratio);
}

ColumnView left(std::string title) {
  return {.title = std::move(title), .unit = {}, .align = Align::kLeft};
}
ColumnView right(std::string title, std::string unit) {
  return {.title = std::move(title), .unit = std::move(unit)};
}

}  // namespace

TableView speedup_table(const std::vector<SpeedupRow>& speedups) {
  TableView table{.slug = "speedups",
                  .title = "FP32’s time over the other precision’s, side by side",
                  .columns = {left("Cell"), left("What"), right("A", "×"), right("B", "×")},
                  .rows = {}};
  for (const SpeedupRow& row : speedups) {
    table.rows.push_back({{words(cell_label(row.spec, row.size)), words(describe(row.measure)),
                           ratio_cell(row.a), ratio_cell(row.b)},
                          {},
                          {}});
  }
  return table;
}

TableView kernel_table(const std::vector<KernelChange>& changes) {
  TableView table{.slug = "kernels",
                  .title = "Longest kernels of another family",
                  .columns = {left("Cell"), left("Class"), left("A"), right("A’s share", "%"),
                              left("B"), right("B’s share", "%")},
                  .rows = {}};
  for (const KernelChange& change : changes) {
    table.rows.push_back({{words(cell_label(change.spec, change.size)), words(change.kernel_class),
                           words(change.a), number(format_percent(change.share_a), change.share_a),
                           words(change.b), number(format_percent(change.share_b), change.share_b)},
                          {},
                          {}});
  }
  return table;
}

}  // namespace labreport
