#include "experiments/nsys_profile/kernels_csv.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/csv.h"
#include "base/format.h"
#include "experiments/common/legend.h"
#include "experiments/nsys_profile/kernel_sums.h"

namespace labreport::nsys_profile {
namespace {

std::vector<std::string> phases_of(const ProfiledStep& step) {
  std::vector<std::string> phases;
  for (const KernelRow& row : step.rows) {
    add_once(phases, row.phase);
  }
  return phases;
}

Rows rows_in(const ProfiledStep& step, const std::string& phase) {
  Rows rows;
  for (const KernelRow& row : step.rows) {
    if (row.phase == phase) rows.push_back(&row);
  }
  return rows;
}

std::string line(const KernelSum& sum, double whole) {
  const auto ns = [](double ms) { return ms * kNanosecondsPerMillisecond; };
  return fmt::format("{:.2f},{:.0f},{},{:.1f},{:.1f},{:.0f},{:.0f},{:.1f},{}\n",
                     100 * sum.total / whole, ns(sum.total), sum.instances,
                     ns(sum.total / static_cast<double>(sum.instances)), ns(sum.median),
                     ns(sum.min), ns(sum.max), ns(sum.stddev), csv_text(sum.name));
}

void add_step(std::string& text, const Profile& profile, const ProfiledStep& step) {
  const std::string mode(labreport::describe(step.spec->mode.value_or(Mode::kForward)));
  for (const std::string& phase : phases_of(step)) {
    const Rows rows = rows_in(step, phase);
    for (const KernelSum& sum : by_kernel(rows)) {
      text += csv_text(profile.words) + ',' + mode + ',' + phase + ',' + line(sum, total(rows));
    }
  }
}

}  // namespace

std::string kernels_csv(const std::vector<Profile>& profiles) {
  std::string text =
      "Profile,Step,Phase,Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),"
      "StdDev (ns),Name\n";
  for (const Profile& profile : profiles) {
    for (const auto* step : {&profile.inference, &profile.step}) {
      if (*step) add_step(text, profile, **step);
    }
  }
  return text;
}

}  // namespace labreport::nsys_profile
