#include "experiments/nsys_profile/kernel_sums.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/csv.h"
#include "base/format.h"
#include "base/lists.h"

namespace labreport::nsys_profile {
namespace {

double weighted_median(Rows rows, double calls) {
  std::ranges::sort(rows, {}, &KernelRow::median);
  double seen = 0;
  for (const KernelRow* row : rows) {
    seen += row->instances;
    if (seen * 2 >= calls) return row->median;
  }
  return 0;
}

/// The standard deviation over all calls, from each row's own mean and deviation.
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
  sum.calls = calls(rows);
  sum.total = total(rows);
  sum.kind = (*std::ranges::max_element(rows, {}, &KernelRow::total))->kind;
  sum.min = (*std::ranges::min_element(rows, {}, &KernelRow::min))->min;
  sum.max = (*std::ranges::max_element(rows, {}, &KernelRow::max))->max;
  sum.median = weighted_median(rows, sum.calls);
  sum.stddev = pooled_deviation(rows, sum.mean(), sum.calls);
  sum.rows = rows;
  return sum;
}

void add_step(std::string& text, const Profile& profile, const ProfiledStep& step) {
  const std::string_view mode = labreport::describe(step.spec->mode.value_or(Mode::kForward));
  const auto ns = [](double ms, int decimals) {
    return csv_fixed(ms * kNanosecondsPerMillisecond, decimals);
  };
  for (const std::string& phase : distinct(each(step.rows, &KernelRow::phase))) {
    Rows rows;
    for (const KernelRow& row : step.rows) {
      if (row.phase == phase) rows.push_back(&row);
    }
    const double whole = total(rows);
    for (const KernelSum& sum : by_kernel(rows)) {
      text += csv_line({csv_text(profile.words), csv_text(mode), csv_text(phase),
                        csv_fixed(whole > 0 ? 100 * sum.total / whole : 0, 2), ns(sum.total, 0),
                        csv_fixed(sum.calls, 0), ns(sum.mean(), 1), ns(sum.median, 1),
                        ns(sum.min, 0), ns(sum.max, 0), ns(sum.stddev, 1), csv_text(sum.name)});
    }
  }
}

}  // namespace

const std::vector<std::string>& drawn_classes() {
  static const std::vector<std::string> classes{"GEMM", "elementwise", "reduction", "copy",
                                                "other"};
  return classes;
}

std::function<bool(const KernelRow&)> of_class(const std::string& drawn) {
  return [drawn](const KernelRow& row) { return drawn_class(row.kind) == drawn; };
}

std::string drawn_class(std::string_view kind) {
  if (kind.starts_with("gemm")) return "GEMM";
  if (kind == "exponential" || kind == "where") return "elementwise";
  const bool drawn = kind == "elementwise" || kind == "reduction" || kind == "copy";
  return drawn ? std::string(kind) : "other";
}

std::string class_words(const std::string& drawn, const std::string& kernels) {
  if (drawn == "reduction") return "reductions";
  if (drawn == "copy") return "copies";
  return drawn + " " + kernels;
}

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

std::string kernels_csv(const std::vector<Profile>& profiles) {
  std::string text =
      csv_line(csv_texts({"Profile", "Step", "Phase", "Time (%)", "Total Time (ns)", "Instances",
                          "Avg (ns)", "Med (ns)", "Min (ns)", "Max (ns)", "StdDev (ns)", "Name"}));
  for (const Profile& profile : profiles) {
    for (const auto* step : {&profile.inference, &profile.step}) {
      if (*step) add_step(text, profile, **step);
    }
  }
  return text;
}

}  // namespace labreport::nsys_profile
