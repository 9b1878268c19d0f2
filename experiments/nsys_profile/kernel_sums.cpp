#include "experiments/nsys_profile/kernel_sums.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/format.h"
#include "experiments/common/table_cells.h"
#include "experiments/nsys_profile/kernel_name.h"

namespace labreport::nsys_profile {
namespace {

constexpr double kMicro = 1e3;

double weighted_median(Rows rows, double calls) {
  std::ranges::sort(rows, {}, &KernelRow::median);
  double seen = 0;
  for (const KernelRow* row : rows) {
    seen += row->instances;
    if (seen * 2 >= calls) return row->median;
  }
  return 0;
}

/// Of all calls, from each row's own mean and deviation.
double pooled_deviation(const Rows& rows, double mean, double calls) {
  if (calls < 2) return 0;
  double squares = 0;
  for (const KernelRow* row : rows) {
    const double distance = row->total / row->instances - mean;
    squares +=
        (row->instances - 1) * row->stddev * row->stddev + row->instances * distance * distance;
  }
  return std::sqrt(squares / (calls - 1));
}

KernelSum sum_of(const std::string& name, const Rows& rows) {
  KernelSum sum;
  sum.name = name;
  sum.instances = instances(rows);
  sum.total = total(rows);
  const auto calls = static_cast<double>(sum.instances);
  const auto longest = [](const KernelRow* row) { return row->total; };
  sum.kind = (*std::ranges::max_element(rows, {}, longest))->kind;
  sum.min = (*std::ranges::min_element(rows, {}, &KernelRow::min))->min;
  sum.max = (*std::ranges::max_element(rows, {}, &KernelRow::max))->max;
  sum.median = weighted_median(rows, calls);
  sum.stddev = pooled_deviation(rows, sum.total / calls, calls);
  return sum;
}

CellView micro_cell(double ms) { return ms_cell(ms * kMicro); }

RowView nsight_row(const KernelSum& sum, double whole) {
  return {{share_cell(sum.total / whole), ms_cell(sum.total), count_cell(sum.instances),
           micro_cell(sum.total / static_cast<double>(sum.instances)), micro_cell(sum.median),
           micro_cell(sum.stddev), text_cell(short_kernel_name(sum.name))},
          {},
          ""};
}

RowView other_row(const std::vector<KernelSum>& sums, std::size_t from, double whole) {
  double rest = 0;
  std::int64_t calls = 0;
  for (std::size_t i = from; i < sums.size(); ++i) {
    rest += sums[i].total;
    calls += sums[i].instances;
  }
  RowView row{{share_cell(rest / whole), ms_cell(rest), count_cell(calls)}, {}, ""};
  for (int i = 0; i < 3; ++i) row.cells.push_back(missing_cell());
  const auto count = static_cast<std::int64_t>(sums.size() - from);
  row.cells.push_back(text_cell(format_plural(count, "other kernel")));
  return row;
}

}  // namespace

std::vector<KernelSum> summed(const Rows& rows, const NameOf& name) {
  std::map<std::string, Rows> groups;
  for (const KernelRow* row : rows) groups[name(*row)].push_back(row);
  std::vector<KernelSum> sums;
  for (const auto& [key, members] : groups) sums.push_back(sum_of(key, members));
  std::ranges::stable_sort(sums, std::greater<>(), &KernelSum::total);
  return sums;
}

std::vector<KernelSum> by_kernel(const Rows& rows) {
  return summed(rows, [](const KernelRow& row) { return row.kernel; });
}

TableView nsight_table(const std::string& slug, const std::string& title, const Rows& rows,
                       std::size_t most) {
  TableView table{slug,
                  title,
                  {{"Time", "%", Align::kRight},
                   {"Total", "ms", Align::kRight},
                   {"Instances", "", Align::kRight},
                   {"Avg", "µs", Align::kRight},
                   {"Med", "µs", Align::kRight},
                   {"StdDev", "µs", Align::kRight},
                   {"Name", "", Align::kLeft}},
                  {}};
  const std::vector<KernelSum> sums = by_kernel(rows);
  const double whole = total(rows);
  for (std::size_t i = 0; i < std::min(most, sums.size()); ++i) {
    table.rows.push_back(nsight_row(sums[i], whole));
  }
  if (sums.size() > most) table.rows.push_back(other_row(sums, most, whole));
  return table;
}

}  // namespace labreport::nsys_profile
