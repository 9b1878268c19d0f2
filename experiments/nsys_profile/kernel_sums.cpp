#include "experiments/nsys_profile/kernel_sums.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/csv.h"
#include "base/format.h"
#include "base/lists.h"
#include "experiments/nsys_profile/kernel_name.h"

namespace labreport::nsys_profile {
namespace {

double weighted_median_ms(KernelRows rows, double calls) {
  std::ranges::sort(rows, {}, &KernelRow::median_ms);
  double counted_calls = 0;
  for (const KernelRow* row : rows) {
    counted_calls += row->instances;
    if (counted_calls * 2 >= calls) return row->median_ms;
  }
  return 0;
}

/// The sample standard deviation over all calls in ms, pooled from each row's mean and deviation.
double pooled_stddev_ms(const KernelRows& rows, double mean_ms, double calls) {
  if (calls < 2) return 0;
  double squares = 0;
  for (const KernelRow* row : rows) {
    const double distance = row->total_ms / row->instances - mean_ms;
    squares += (row->instances - 1) * row->stddev_ms * row->stddev_ms +
               row->instances * distance * distance;
  }
  return std::sqrt(squares / (calls - 1));
}

KernelSum sum_of(const std::string& name, const KernelRows& rows) {
  KernelSum sum;
  sum.name = name;
  for (const KernelRow* row : rows) sum.calls += row->instances;
  sum.total_ms = total_ms(rows);
  sum.kind = (*std::ranges::max_element(rows, {}, &KernelRow::total_ms))->kind;
  sum.min_ms = (*std::ranges::min_element(rows, {}, &KernelRow::min_ms))->min_ms;
  sum.max_ms = (*std::ranges::max_element(rows, {}, &KernelRow::max_ms))->max_ms;
  sum.median_ms = weighted_median_ms(rows, sum.calls);
  sum.stddev_ms = pooled_stddev_ms(rows, sum.mean_ms(), sum.calls);
  sum.rows = rows;
  return sum;
}

void add_step(std::string& csv, const KernelProfile& profile, const ProfiledStep& step) {
  const std::string_view mode = labreport::describe(step.spec->mode.value_or(Mode::kForward));
  const auto ns = [](double ms, int decimals) {
    return csv_fixed(ms * kNanosecondsPerMillisecond, decimals);
  };
  for (const std::string& phase : distinct(each(step.rows, &KernelRow::phase))) {
    KernelRows rows;
    for (const KernelRow& row : step.rows) {
      if (row.phase == phase) rows.push_back(&row);
    }
    const double phase_ms = total_ms(rows);
    for (const KernelSum& sum : sums_by_kernel(rows)) {
      csv += csv_line({csv_text(profile.full_name), csv_text(mode), csv_text(phase),
                       csv_fixed(phase_ms > 0 ? 100 * sum.total_ms / phase_ms : 0, 2),
                       ns(sum.total_ms, 0), csv_fixed(sum.calls, 0), ns(sum.mean_ms(), 1),
                       ns(sum.median_ms, 1), ns(sum.min_ms, 0), ns(sum.max_ms, 0),
                       ns(sum.stddev_ms, 1), csv_text(sum.name)});
    }
  }
}

}  // namespace

const std::vector<std::string>& drawn_classes() {
  static const std::vector<std::string> classes{"GEMM", "elementwise", "reduction", "copy",
                                                "other"};
  return classes;
}

std::function<bool(const KernelRow&)> has_drawn_class(const std::string& drawn) {
  return [drawn](const KernelRow& row) { return drawn_class(row.kind, row.op) == drawn; };
}

std::string drawn_class(std::string_view kind, std::string_view op) {
  if (kind.starts_with("gemm")) return "GEMM";
  if (kind == "exponential" || kind == "where" || op.starts_with("aten::_foreach_"))
    return "elementwise";
  const bool is_drawn = kind == "elementwise" || kind == "reduction" || kind == "copy";
  return is_drawn ? std::string(kind) : "other";
}

std::string describe_class(const std::string& drawn, const std::string& kernels_word) {
  if (drawn == "reduction") return "reductions";
  if (drawn == "copy") return "copies";
  return drawn + " " + kernels_word;
}

std::string operator_name(const KernelRow& row) {
  if (row.op.empty()) return short_kernel_name(row.kernel);
  return row.op.starts_with("aten::") ? row.op.substr(6) : row.op;
}

std::vector<KernelSum> sums_by(const KernelRows& rows,
                               const std::function<std::string(const KernelRow&)>& key) {
  std::map<std::string, KernelRows> groups;
  for (const KernelRow* row : rows) groups[key(*row)].push_back(row);
  std::vector<KernelSum> sums;
  for (const auto& [name, members] : groups) sums.push_back(sum_of(name, members));
  std::ranges::stable_sort(sums, std::greater<>(), &KernelSum::total_ms);
  return sums;
}

std::vector<KernelSum> sums_by_kernel(const KernelRows& rows) {
  return sums_by(rows, [](const KernelRow& row) { return row.kernel; });
}

std::string kernels_csv(const std::vector<KernelProfile>& profiles) {
  std::string csv =
      csv_line(csv_texts({"Profile", "Step", "Phase", "Time (%)", "Total Time (ns)", "Instances",
                          "Avg (ns)", "Med (ns)", "Min (ns)", "Max (ns)", "StdDev (ns)", "Name"}));
  for (const KernelProfile& profile : profiles) {
    for (const auto* step : {&profile.inference, &profile.step}) {
      if (*step) add_step(csv, profile, **step);
    }
  }
  return csv;
}

}  // namespace labreport::nsys_profile
