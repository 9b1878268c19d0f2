// What stands beside the ratios: speedups of both sides, kernels that the libraries chose
// otherwise.
#include "base/format.h"
#include "document/comparison/diff_parts.h"

namespace labreport {
namespace {

CellView ratio_cell(std::optional<double> ratio) {
  if (!ratio) return {.text = "–", .sort = {}, .muted = true};
  return diff_number(format_ratio(*ratio), *ratio);
}

}  // namespace

TableView speedup_table(const std::vector<SpeedupRow>& speedups) {
  TableView table{
      .slug = "speedups",
      .title = "FP32’s time over the other precision’s, side by side",
      .columns = {diff_left("Cell"), diff_left("What"), diff_right("A", "×"), diff_right("B", "×")},
      .rows = {}};
  for (const SpeedupRow& row : speedups) {
    table.rows.push_back({{diff_words(cell_label(row.spec, row.size)),
                           diff_words(describe(row.measure)), ratio_cell(row.a), ratio_cell(row.b)},
                          {},
                          {}});
  }
  return table;
}

TableView kernel_table(const std::vector<KernelChange>& changes) {
  TableView table{
      .slug = "kernels",
      .title = "Longest kernels of another family",
      .columns = {diff_left("Cell"), diff_left("Class"), diff_left("A"),
                  diff_right("A’s share", "%"), diff_left("B"), diff_right("B’s share", "%")},
      .rows = {}};
  for (const KernelChange& change : changes) {
    table.rows.push_back(
        {{diff_words(cell_label(change.spec, change.size)), diff_words(change.kernel_class),
          diff_words(change.a), diff_number(format_percent(change.share_a), change.share_a),
          diff_words(change.b), diff_number(format_percent(change.share_b), change.share_b)},
         {},
         {}});
  }
  return table;
}

}  // namespace labreport
