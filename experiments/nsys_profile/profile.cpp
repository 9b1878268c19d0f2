#include "experiments/nsys_profile/profile.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "base/format.h"
#include "base/lists.h"
#include "base/statistics.h"
#include "experiments/nsys_profile/model_parts.h"
#include "plan/editions.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::nsys_profile {
namespace {

constexpr std::string_view kNumberColumns[]{column::kKernel,  column::kInstances, column::kTotalNs,
                                            column::kMinNs,   column::kMedianNs,  column::kMaxNs,
                                            column::kStddevNs};
constexpr const char* kLabelComma = ",\u00a0";  // A no-break space keeps a label on one line.

/// Converts a row of the table `kernels`, which must have every number.
KernelRow kernel_row(const MeasuredRow& row, KernelNames& names, bool own_network) {
  const auto number = [&](std::string_view name) { return *row.number(name); };
  const auto ms = [&](std::string_view name) { return number(name) / kNanosecondsPerMillisecond; };
  const auto id = static_cast<std::int64_t>(number(column::kKernel));
  const KernelPlace place = kernel_place(row);
  return {
      .phase = row.text(column::kPhase),
      .module = row.text(column::kModule),
      .op = row.text(column::kOperator),
      .kind = row.text(column::kClass),
      .kernel = names.try_emplace(id, "kernel-" + std::to_string(id)).first->second,
      .instances = number(column::kInstances),
      .total_ms = ms(column::kTotalNs),
      .min_ms = ms(column::kMinNs),
      .median_ms = ms(column::kMedianNs),
      .max_ms = ms(column::kMaxNs),
      .stddev_ms = ms(column::kStddevNs),
      .place = place,
      .group = group_of(place, row.text(column::kModule), row.text(column::kClass), own_network)};
}

ProfiledStep read_step(const Cell& cell, const Launch& launch) {
  ProfiledStep step{&cell.spec, &launch, {}};
  KernelNames names = kernel_names(launch);
  const auto rows = measured_rows(launch, metric::kKernels);
  const bool complete = std::ranges::all_of(rows, [](const MeasuredRow& row) {
    return std::ranges::all_of(kNumberColumns,
                               [&](auto name) { return row.number(name).has_value(); });
  });
  if (!complete) return step;  // A sum over incomplete rows would be too small.
  for (const MeasuredRow& row : rows) {
    KernelRow kernel = kernel_row(row, names, cell.spec.implementation.empty());
    if (kernel.instances >= 1) step.rows.push_back(std::move(kernel));
  }
  return step;
}

void add_cell(Profile& profile, const Cell& cell) {
  const Mode mode = cell.spec.mode.value_or(Mode::kForward);
  const Launch* launch = ok_launch(cell);
  profile.cells.push_back(&cell);
  if (launch == nullptr) {
    if (!profile.reason.empty()) return;
    profile.missing_mode = mode;
    profile.reason = reason_missing(cell);
  } else if (mode == Mode::kInference) {
    profile.inference = read_step(cell, *launch);
  } else if (!profile.step || mode > profile.step->spec->mode) {
    profile.step = read_step(cell, *launch);
  }
}

void name_profiles(std::vector<Profile>& profiles) {
  std::set<std::optional<Precision>> precisions;
  for (const Profile& profile : profiles) precisions.insert(profile.spec.precision);
  for (Profile& profile : profiles) {
    const std::string context = format_count(profile.spec.context.value_or(0));
    profile.label = profile.spec.size + kLabelComma + context;
    profile.network = profile.full_name = profile.spec.size + " at context " + context;
    if (precisions.size() < 2 || !profile.spec.precision) continue;
    const std::string precision(labreport::describe(profile.precision()));
    // A label without a precision means FP32.
    if (profile.precision() != Precision::kFp32) profile.label += kLabelComma + precision;
    profile.full_name += " in " + precision;
  }
}

std::vector<Profile> read_profiles(const RunView& view) {
  std::vector<Profile> profiles;
  const auto has_unprofiled_steps = [](const CellSpec& spec) { return spec.steps != 0; };
  for (const Cell* cell : view.cells(CellKind::kKernels, has_unprofiled_steps)) {
    auto profile = std::ranges::find_if(
        profiles, [&](const Profile& known) { return same_setting(known.spec, cell->spec); });
    if (profile == profiles.end()) {
      profile = profiles.insert(profiles.end(), Profile{});
      profile->spec = cell->spec;
    }
    add_cell(*profile, *cell);
  }
  // The cells are in the order in which contexts were tried; readers look for a size.
  std::ranges::stable_sort(profiles, {}, [](const Profile& profile) {
    return std::tuple(profile.spec.precision, profile.parameters(), profile.spec.context);
  });
  std::set<std::string> sizes_with_inference;
  for (const Profile& profile : profiles) {
    if (profile.inference) sizes_with_inference.insert(profile.spec.size);
  }
  // At a context that the search only passed through, a step ran and inference was not planned.
  std::erase_if(profiles, [&](const Profile& profile) {
    return sizes_with_inference.contains(profile.spec.size) && profile.step && !profile.inference &&
           profile.reason.empty();
  });
  name_profiles(profiles);
  return profiles;
}

/// Returns the shortest mode whose step contains the pass.
Mode shortest_mode(Pass pass) {
  if (pass == Pass::kForward) return Mode::kInference;
  const bool has_optimizer = pass == Pass::kTrainStep || pass == Pass::kOptimizer;
  return has_optimizer ? Mode::kTrainStep : Mode::kForwardBackward;
}

bool is_in_pass(const std::string& phase, Pass pass) {
  const bool whole_step = pass == Pass::kTrainStep;
  const bool forward_backward = pass == Pass::kForwardBackward || whole_step;
  if (phase == metric::kForward) return pass == Pass::kForward || forward_backward;
  if (phase == metric::kOptimizer) return pass == Pass::kOptimizer || whole_step;
  const bool backward = phase == metric::kLoss || phase == metric::kBackward;
  return backward && (pass == Pass::kBackward || forward_backward);
}

/// Chooses the profile that the 2025 answers describe, at the reference context if it ran, or else
/// at the longest. A training step answers more parts than a larger network's forward pass.
const Profile* choose_for_2025(const RunView& view, std::vector<const Profile*> ran) {
  const auto context = [](const Profile* profile) { return profile->spec.context.value_or(0); };
  const std::int64_t reference = view.edition().reference_context;
  const bool has_reference = std::ranges::count(ran, reference, context) > 0;
  const std::int64_t chosen =
      has_reference ? reference : context(*std::ranges::max_element(ran, {}, context));
  std::erase_if(ran, [&](const Profile* profile) { return profile->spec.context != chosen; });
  return *std::ranges::max_element(ran, {}, [](const Profile* profile) {
    const bool has_train_step = profile->step && profile->step->spec->mode == Mode::kTrainStep;
    return std::pair(has_train_step, profile->parameters());
  });
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

std::optional<double> ProfiledStep::value_ms(std::string_view tag, std::string_view name) const {
  return single_milliseconds(*launch, tag, name);
}

std::vector<double> ProfiledStep::samples_ms(std::string_view tag, std::string_view name) const {
  return milliseconds(*launch, tag, name);
}

bool ProfiledStep::is_perturbed() const {
  constexpr double kMaxDifference = 0.05;  // Difference of two shares of time.
  const auto steps_ms = samples_ms(metric::kStep, metric::kTotal);
  const auto busy_ms = value_ms(metric::kProfile, metric::kBusy);
  const auto span_ms = value_ms(metric::kProfile, metric::kSpan);
  return !steps_ms.empty() && busy_ms && span_ms && *span_ms > 0 &&
         std::abs(*busy_ms / mean(steps_ms) - *busy_ms / *span_ms) > kMaxDifference;
}

std::string_view describe(Pass pass) {
  switch (pass) {
    case Pass::kForward:
      return "forward";
    case Pass::kBackward:
      return "backward";
    case Pass::kOptimizer:
      return "optimizer";
    case Pass::kForwardBackward:
      return "forward+backward";
    case Pass::kTrainStep:
      break;
  }
  return "training step";
}

Rows Profile::rows(Pass pass) const {
  const auto& profiled = pass == Pass::kForward && inference ? inference : step;
  Rows kernels;
  if (!profiled || profiled->spec->mode.value_or(Mode::kInference) < shortest_mode(pass)) {
    return kernels;
  }
  for (const KernelRow& row : profiled->rows) {
    if (is_in_pass(row.phase, pass)) kernels.push_back(&row);
  }
  return kernels;
}

std::string Profile::why_missing(Pass pass) const {
  if (reason.empty()) return "";
  const std::string step = std::string(labreport::describe(missing_mode)) + ": " + reason;
  const bool only_longer_tried = pass == Pass::kForward && missing_mode > Mode::kForward;
  return only_longer_tried ? "not measured (" + step + ")" : step;
}

double Profile::parameters() const {
  return static_cast<double>(parameter_count(spec.model.value_or(ModelShape{})));
}

Rows matching(const Rows& rows, const std::function<bool(const KernelRow&)>& predicate) {
  return only(rows, [&](const KernelRow* row) { return predicate(*row); });
}

double total_ms(const Rows& rows) {
  double sum = 0;
  for (const KernelRow* row : rows) sum += row->total_ms;
  return sum;
}

double call_count(const Rows& rows) {
  double sum = 0;
  for (const KernelRow* row : rows) sum += row->instances;
  return sum;
}

bool is_gemm(const KernelRow& row) { return row.kind == "gemm" || row.kind == "gemm helper"; }

bool is_non_gemm(const KernelRow& row) { return !is_gemm(row); }

double time_share(const Rows& rows, const std::function<bool(const KernelRow&)>& predicate) {
  const double all_ms = total_ms(rows);
  return all_ms > 0 ? total_ms(matching(rows, predicate)) / all_ms : 0;
}

double gemm_share(const Rows& rows) { return time_share(rows, is_gemm); }

Value share_or_reason(const Profile& profile, Pass pass,
                      const std::function<bool(const KernelRow&)>& predicate) {
  const Rows rows = profile.rows(pass);
  return rows.empty() ? Value::missing(profile.why_missing(pass))
                      : Value(time_share(rows, predicate));
}

Profiles::Profiles(const RunView& run) : view(run), all(read_profiles(run)) { choose_described(); }

void Profiles::choose_described() {
  std::vector<const Profile*> ran;
  for (const Profile& profile : all) {
    in_details.push_back(&profile);
    if (!profile.empty()) ran.push_back(&profile);
  }
  in_tables = in_details;
  if (ran.empty()) return;
  const bool is_2025 = view.edition().name != "2026";
  const Precision precision = ran.front()->precision();
  const auto differs = [&](const Profile* profile) { return profile->precision() != precision; };
  const auto size_and_context = [](const Profile* profile) {
    return std::pair(profile->parameters(), profile->spec.context);
  };
  std::erase_if(ran, differs);
  in_answers =
      is_2025 ? choose_for_2025(view, ran) : *std::ranges::max_element(ran, {}, size_and_context);
  const auto sixteen_bits = std::ranges::find_if(all, [&](const Profile& profile) {
    return size_and_context(&profile) == size_and_context(in_answers) && !profile.empty() &&
           &profile != in_answers && profile.precision() >= Precision::kBf16;
  });
  if (sixteen_bits != all.end()) in_answers_16_bit = &*sixteen_bits;
  std::erase_if(in_tables, [&](const Profile* profile) {
    const bool other_context = is_2025 && profile->spec.context != in_answers->spec.context;
    return (other_context || differs(profile)) && profile != in_answers_16_bit;
  });
}

std::string Profiles::kernels_word() const { return view.on_gpu() ? "kernels" : "operators"; }

Facts Profiles::facts() const {
  Facts facts;
  facts.flag("gpu", view.on_gpu()).flag("cpu", !view.on_gpu());
  facts.flag("own", in_answers == nullptr || in_answers->is_own_network());
  facts.set("kernel", view.on_gpu() ? "kernel" : "operator");
  facts.set("kernels", kernels_word());
  facts.set("Kernels", view.on_gpu() ? "Kernels" : "Operators");
  facts.set("words", in_answers == nullptr ? "" : in_answers->full_name);
  facts.set("network", in_answers == nullptr ? "" : in_answers->network);
  return facts;
}

}  // namespace labreport::nsys_profile
