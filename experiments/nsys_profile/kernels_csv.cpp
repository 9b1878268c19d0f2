#include "experiments/nsys_profile/kernels_csv.h"

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

void add_sum(CsvFields& fields, const KernelSum& sum, double whole) {
  const auto ns = [](double ms, int decimals) {
    return csv_fixed(ms * kNanosecondsPerMillisecond, decimals);
  };
  for (const CsvField& field :
       {csv_fixed(100 * sum.total / whole, 2), ns(sum.total, 0), csv_number(sum.instances),
        ns(sum.total / static_cast<double>(sum.instances), 1), ns(sum.median, 1), ns(sum.min, 0),
        ns(sum.max, 0), ns(sum.stddev, 1), csv_text(sum.name)}) {
    fields.push_back(field);
  }
}

void add_step(std::string& text, const Profile& profile, const ProfiledStep& step) {
  const std::string_view mode = labreport::describe(step.spec->mode.value_or(Mode::kForward));
  for (const std::string& phase : phases_of(step)) {
    const Rows rows = rows_in(step, phase);
    const double whole = total(rows);
    for (const KernelSum& sum : by_kernel(rows)) {
      CsvFields fields{csv_text(profile.words), csv_text(mode), csv_text(phase)};
      add_sum(fields, sum, whole);
      text += csv_line(fields);
    }
  }
}

}  // namespace

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
