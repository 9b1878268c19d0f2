#include "experiments/nsys_profile/profile.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/format.h"
#include "experiments/common/measured_table.h"
#include "results/metric_names.h"

namespace labreport::nsys_profile {
namespace {

constexpr const char* kComma = ",\u00a0";  // A label stays on one line.

bool is_warm(const CellSpec& spec) { return spec.steps != 0; }

bool same_profile(const CellSpec& a, const CellSpec& b) {
  return a.model == b.model && a.context == b.context && a.batch == b.batch &&
         a.precision == b.precision;
}

std::map<std::int64_t, std::string> kernel_names(const Launch& launch) {
  std::map<std::int64_t, std::string> names;
  const Table* table = find_table(launch, metric::kKernelNames);
  for (std::size_t i = 0; table != nullptr && i < table->rows.size(); ++i) {
    const MeasuredRow row(*table, i);
    names[static_cast<std::int64_t>(row.number("id").value_or(-1))] = row.text("name");
  }
  return names;
}

KernelRow kernel_row(const MeasuredRow& row, std::map<std::int64_t, std::string>& names) {
  const auto number = [&](const char* column) { return row.number(column).value_or(0); };
  const auto ms = [&](const char* column) { return number(column) / kNanosecondsPerMillisecond; };
  return {
      row.text("phase"),    row.text("module"), row.text("operation"),
      row.text("operator"), row.text("class"),  names[static_cast<std::int64_t>(number("kernel"))],
      number("instances"),  ms("total_ns"),     ms("min_ns"),
      ms("median_ns"),      ms("max_ns"),       ms("stddev_ns")};
}

ProfiledStep read_step(const Cell& cell, const Launch& launch) {
  ProfiledStep step{&cell.spec, &launch, {}};
  auto names = kernel_names(launch);
  const Table* table = find_table(launch, metric::kKernels);
  for (std::size_t i = 0; table != nullptr && i < table->rows.size(); ++i) {
    step.rows.push_back(kernel_row(MeasuredRow(*table, i), names));
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

/// Its step ran on the way to a longer context, and nothing else was asked of it.
bool passed_by(const Profile& profile, const std::vector<Profile>& all) {
  const bool any_inference = std::ranges::any_of(all, [&](const Profile& other) {
    return other.spec.size == profile.spec.size && other.inference;
  });
  return any_inference && profile.step && !profile.inference && profile.missing.empty();
}

}  // namespace

std::optional<double> ProfiledStep::value(std::string_view tag, std::string_view name) const {
  const Metric* metric = launch->find(tag, name);
  const auto number = metric == nullptr ? std::nullopt : metric->number();
  return number ? std::optional(*number / kNanosecondsPerMillisecond) : std::nullopt;
}

std::vector<double> ProfiledStep::samples(std::string_view tag, std::string_view name) const {
  return milliseconds(*launch, tag, name);
}

std::vector<Profile> profiles_of(const RunView& view) {
  std::vector<Profile> profiles;
  for (const Cell* cell : view.cells(CellKind::kKernels, is_warm)) {
    auto found = std::ranges::find_if(
        profiles, [&](const Profile& profile) { return same_profile(profile.spec, cell->spec); });
    if (found == profiles.end()) {
      found = profiles.insert(profiles.end(), Profile{});
      found->spec = cell->spec;
    }
    add_cell(*found, *cell);
  }
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
