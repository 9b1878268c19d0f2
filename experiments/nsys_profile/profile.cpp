#include "experiments/nsys_profile/profile.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/format.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::nsys_profile {
namespace {

constexpr const char* kComma = ",\u00a0";  // A label stays on one line.

bool is_warm(const CellSpec& spec) { return spec.steps != 0; }

KernelRow kernel_row(const MeasuredRow& row, KernelNames& names) {
  const auto number = [&](std::string_view name) { return row.number(name).value_or(0); };
  const auto ms = [&](std::string_view name) { return number(name) / kNanosecondsPerMillisecond; };
  const auto id = static_cast<std::int64_t>(number(column::kKernel));
  return {row.text(column::kPhase),    row.text(column::kModule), row.text(column::kOperation),
          row.text(column::kOperator), row.text(column::kClass),  names[id],
          number(column::kInstances),  ms(column::kTotalNs),      ms(column::kMinNs),
          ms(column::kMedianNs),       ms(column::kMaxNs),        ms(column::kStddevNs)};
}

ProfiledStep read_step(const Cell& cell, const Launch& launch) {
  ProfiledStep step{&cell.spec, &launch, {}};
  KernelNames names = kernel_names(launch);
  for (const MeasuredRow& row : measured_rows(launch, metric::kKernels)) {
    KernelRow read = kernel_row(row, names);
    if (read.instances >= 1) step.rows.push_back(std::move(read));  // else it did not run
  }
  return step;
}

bool fuller(const CellSpec& a, const std::optional<ProfiledStep>& known) {
  return !known || a.mode > known->spec->mode;
}

void add_cell(Profile& profile, const Cell& cell) {
  profile.cells.push_back(&cell);
  const Launch* launch = ok_launch(cell);
  if (launch == nullptr) {
    const std::string mode(labreport::describe(cell.spec.mode.value_or(Mode::kForward)));
    if (profile.missing.empty()) {
      profile.missing = mode + ": " + reason_missing(cell);
    }
  } else if (cell.spec.mode == Mode::kInference) {
    profile.inference = read_step(cell, *launch);
  } else if (fuller(cell.spec, profile.step)) {
    profile.step = read_step(cell, *launch);
  }
}

void name_profiles(std::vector<Profile>& profiles) {
  std::set<std::optional<Precision>> precisions;
  for (const Profile& profile : profiles) precisions.insert(profile.spec.precision);
  for (Profile& profile : profiles) {
    const std::string context = format_count(profile.spec.context.value_or(0));
    profile.label = profile.spec.size + kComma + context;
    profile.words = profile.spec.size + " at context " + context;
    if (precisions.size() < 2 || !profile.spec.precision) continue;
    const std::string precision(labreport::describe(*profile.spec.precision));
    // FP32 is what a label without a precision means.
    if (profile.spec.precision != Precision::kFp32) profile.label += kComma + precision;
    profile.words += " in " + precision;
  }
}

/// Of a profile that was not begun no single step is missing.
void name_what_waits(Profile& profile) {
  const auto waits = [](const Cell* cell) { return cell->launches.empty(); };
  if (std::ranges::all_of(profile.cells, waits))
    profile.missing = reason_missing(*profile.cells[0]);
}

/// Its step ran on the way to a longer context, and nothing else was asked of it.
bool passed_by(const Profile& profile, const std::vector<Profile>& all) {
  const bool any_inference = std::ranges::any_of(all, [&](const Profile& other) {
    return other.spec.size == profile.spec.size && other.inference;
  });
  return any_inference && profile.step && !profile.inference && profile.missing.empty();
}

}  // namespace

KernelNames kernel_names(const Launch& launch) {
  KernelNames names;
  for (const MeasuredRow& row : measured_rows(launch, metric::kKernelNames)) {
    names[static_cast<std::int64_t>(row.number(column::kId).value_or(-1))] =
        row.text(column::kName);
  }
  return names;
}

std::optional<double> ProfiledStep::value(std::string_view tag, std::string_view name) const {
  return single_milliseconds(*launch, tag, name);
}

std::vector<double> ProfiledStep::samples(std::string_view tag, std::string_view name) const {
  return milliseconds(*launch, tag, name);
}

std::vector<Profile> profiles_of(const RunView& view) {
  std::vector<Profile> profiles;
  for (const Cell* cell : view.cells(CellKind::kKernels, is_warm)) {
    auto found = std::ranges::find_if(
        profiles, [&](const Profile& profile) { return same_setting(profile.spec, cell->spec); });
    if (found == profiles.end()) {
      found = profiles.insert(profiles.end(), Profile{});
      found->spec = cell->spec;
    }
    add_cell(*found, *cell);
  }
  for (Profile& profile : profiles) name_what_waits(profile);
  // Doubling goes context by context; readers go size by size.
  std::ranges::stable_sort(profiles, {}, [](const Profile& profile) {
    const std::int64_t parameters = parameter_count(profile.spec.model.value_or(ModelShape{}));
    return std::tuple(profile.spec.precision, parameters, profile.spec.context);
  });
  const std::vector<Profile> all = profiles;
  std::erase_if(profiles, [&](const Profile& profile) { return passed_by(profile, all); });
  name_profiles(profiles);
  return profiles;
}

}  // namespace labreport::nsys_profile
