#include "experiments/common/kernel_profiles.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "base/format.h"
#include "base/lists.h"
#include "base/statistics.h"
#include "plan/editions.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

constexpr std::string_view kNumberColumns[]{column::kKernel,  column::kInstances, column::kTotalNs,
                                            column::kMinNs,   column::kMedianNs,  column::kMaxNs,
                                            column::kStddevNs};
constexpr const char* kLabelComma = ",\u00a0";  // A no-break space keeps a label on one line.

/// Reads a kernel's place in the network from a row of the table `kernels`.
KernelPlace kernel_place(const MeasuredRow& row) {
  const std::string kind = row.text(column::kClass);
  std::string op = row.text(column::kOperator);
  // A memset that prepares a GEMM must not count as a GEMM.
  if (kind == "memset") op.clear();
  // A GEMM's place depends on its operator, which the profiler may not know.
  if (kind == "gemm" && op.empty()) op = "aten::mm";
  return place_of(row.text(column::kModule), row.text(column::kOperation), op);
}

/// Converts a row of the table `kernels`, which must have every number.
KernelRow kernel_row(const MeasuredRow& row, KernelNames& names, bool own_network) {
  const auto number = [&](std::string_view name) { return *row.number(name); };
  const auto ms = [&](std::string_view name) { return number(name) / kNanosecondsPerMillisecond; };
  const auto id = static_cast<std::int64_t>(number(column::kKernel));
  const KernelPlace place = kernel_place(row);
  return {.phase = row.text(column::kPhase),
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
          .group = kernel_group(place, row.text(column::kModule), row.text(column::kClass),
                                own_network)};
}

/// True if a kernel belongs to attention's own level, not to a layer inside, and nothing tells
/// more.
bool is_rest_of_attention(const KernelRow& row) {
  const std::string_view innermost = std::string_view(row.module).substr(row.module.rfind('/') + 1);
  return row.phase == metric::kForward && row.place.part == role::kAttention &&
         row.place.stage.empty() && place_of(innermost, "", "").part == role::kAttention;
}

/// Finds the five operators of a softmax that a user's attention writes out: a forward pass
/// launches each of them equally often. A division by a number, the scale, runs another kernel than
/// one by the sum. Does nothing if an operator is missing or ambiguous.
void find_written_out_softmax(std::vector<KernelRow>& rows) {
  const auto rows_of = [&](std::string_view op, double instances) {
    std::vector<KernelRow*> found;
    for (KernelRow& row : rows) {
      const bool is_counted = instances == 0 || row.instances == instances;
      if (is_rest_of_attention(row) && row.op == op && is_counted) found.push_back(&row);
    }
    return found;
  };
  const auto exponentials = rows_of("aten::exp", 0);
  if (exponentials.size() != 1) return;
  std::vector<KernelRow*> softmax = exponentials;
  for (const std::string_view op : {"aten::max", "aten::sub", "aten::sum", "aten::div"}) {
    auto found = rows_of(op, softmax.front()->instances);
    if (found.size() > 1)
      std::erase_if(found, [](const KernelRow* row) {
        return row->kernel.find("DivFunctor") == std::string::npos;
      });
    if (found.size() != 1) return;
    softmax.push_back(found.front());
  }
  for (KernelRow* row : softmax) {
    row->place.stage = stage::kSoftmax;
    row->group = kernel_group(row->place, row->module, row->kind, /*own_network=*/false);
  }
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
  if (!cell.spec.implementation.empty()) find_written_out_softmax(step.rows);
  return step;
}

void add_cell(KernelProfile& profile, const Cell& cell) {
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

void label_kernel_profiles(std::vector<KernelProfile>& profiles) {
  std::set<std::optional<Precision>> precisions;
  for (const KernelProfile& profile : profiles) precisions.insert(profile.spec.precision);
  for (KernelProfile& profile : profiles) {
    const std::string context = format_count(profile.spec.context.value_or(0));
    profile.label = profile.spec.size + kLabelComma + context;
    profile.network = profile.full_name = profile.spec.size + " at context " + context;
    if (precisions.size() < 2 || !profile.spec.precision) continue;
    const std::string precision(describe(profile.precision()));
    // A label without a precision means FP32.
    if (profile.precision() != Precision::kFp32) profile.label += kLabelComma + precision;
    profile.full_name += " in " + precision;
  }
}

/// The groups of kernels outside attention in labreport's own network, by `KernelPlace::part`.
const std::map<std::string, std::string> kOwnNetworkGroups{
    {role::kNorms, "RMSNorm"}, {role::kFeedForward, "SwiGLU"}, {role::kBlocks, "residual"}};

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
  if (phase == metric::kOther) return whole_step;
  const bool backward = phase == metric::kLoss || phase == metric::kBackward;
  return backward && (pass == Pass::kBackward || forward_backward);
}

/// Returns whether nearly all kernels of the step have no operator, as those of a captured CUDA
/// graph. Compiled code still calls operators for GEMMs.
bool replays_a_graph(const ProfiledStep& step) {
  constexpr double kMinShare = 0.9;
  double all_ms = 0, without_operator_ms = 0;
  for (const KernelRow& row : step.rows) {
    all_ms += row.total_ms;
    if (row.op.empty()) without_operator_ms += row.total_ms;
  }
  return all_ms > 0 && without_operator_ms > kMinShare * all_ms;
}

}  // namespace

std::string kernel_group(const KernelPlace& place, std::string_view module, const std::string& kind,
                         bool own_network) {
  if (place.stage.empty() && place.part != role::kNorms) {
    if (kind == "copy") return "other copies";
    if (kind == "memset") return kOtherKernels;
  }
  if (!own_network) {
    const bool rest_of_attention = place.part == role::kAttention && place.stage.empty();
    return rest_of_attention ? place.part + ": " + kOtherKernels : place.words();
  }
  if (!place.stage.empty()) return place.stage;
  if (place.part == role::kFeedForward && !module.ends_with("/ffn")) return kOtherKernels;
  const auto group = kOwnNetworkGroups.find(place.part);
  return group == kOwnNetworkGroups.end() ? kOtherKernels : group->second;
}

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

KernelRows KernelProfile::rows(Pass pass) const {
  const auto& profiled = pass == Pass::kForward && inference ? inference : step;
  KernelRows kernels;
  if (profiled && replays_a_graph(*profiled)) return kernels;
  if (!profiled || profiled->spec->mode.value_or(Mode::kInference) < shortest_mode(pass)) {
    return kernels;
  }
  for (const KernelRow& row : profiled->rows) {
    if (is_in_pass(row.phase, pass)) kernels.push_back(&row);
  }
  return kernels;
}

std::string KernelProfile::why_missing(Pass pass) const {
  if (reason.empty()) {
    const bool is_unseen = step && rows(pass).empty() &&
                           std::ranges::count(step->rows, metric::kOther, &KernelRow::phase) > 0;
    return is_unseen ? "its phases are unknown" : "";
  }
  const std::string step = std::string(describe(missing_mode)) + ": " + reason;
  const bool only_longer_tried = pass == Pass::kForward && missing_mode > Mode::kForward;
  return only_longer_tried ? "not measured (" + step + ")" : step;
}

double KernelProfile::parameters() const {
  return static_cast<double>(parameter_count(spec.model.value_or(ModelShape{})));
}

KernelRows matching(const KernelRows& rows,
                    const std::function<bool(const KernelRow&)>& predicate) {
  return only(rows, [&](const KernelRow* row) { return predicate(*row); });
}

double total_ms(const KernelRows& rows) {
  double sum = 0;
  for (const KernelRow* row : rows) sum += row->total_ms;
  return sum;
}

bool is_gemm(const KernelRow& row) { return row.kind == "gemm" || row.kind == "gemm helper"; }

bool is_non_gemm(const KernelRow& row) { return !is_gemm(row); }

std::vector<KernelProfile> kernel_profiles(const RunView& view) {
  std::vector<KernelProfile> profiles;
  const auto has_unprofiled_steps = [](const CellSpec& spec) { return spec.steps != 0; };
  for (const Cell* cell : view.cells(CellKind::kKernels, has_unprofiled_steps)) {
    auto profile = std::ranges::find_if(
        profiles, [&](const KernelProfile& known) { return same_setting(known.spec, cell->spec); });
    if (profile == profiles.end()) {
      profile = profiles.insert(profiles.end(), KernelProfile{});
      profile->spec = cell->spec;
    }
    add_cell(*profile, *cell);
  }
  // The cells are in the order in which contexts were tried; readers look for a size.
  std::ranges::stable_sort(profiles, {}, [](const KernelProfile& profile) {
    return std::tuple(profile.spec.precision, profile.parameters(), profile.spec.context);
  });
  std::set<std::string> sizes_with_inference;
  for (const KernelProfile& profile : profiles) {
    if (profile.inference) sizes_with_inference.insert(profile.spec.size);
  }
  // At a context that the search only passed through, a step ran and inference was not planned.
  std::erase_if(profiles, [&](const KernelProfile& profile) {
    return sizes_with_inference.contains(profile.spec.size) && profile.step && !profile.inference &&
           profile.reason.empty();
  });
  label_kernel_profiles(profiles);
  return profiles;
}

}  // namespace labreport
