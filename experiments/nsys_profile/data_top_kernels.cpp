// Presents part (b): the kernel with the most GPU time, with and without the backward pass.
#include <cmath>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/common/launch_costs.h"
#include "experiments/nsys_profile/kernel_name.h"
#include "experiments/nsys_profile/kernel_sums.h"
#include "experiments/nsys_profile/model_parts.h"
#include "experiments/nsys_profile/presenters.h"
#include "results/metric_names.h"

namespace labreport::nsys_profile {
namespace {

constexpr std::size_t kMaxNameBytes = 58;  // See `cut_name`.

/// All launches of one kernel in a pass.
struct RankedKernel {
  KernelSum sum;
  double share = 0;  ///< Share of the pass's GPU time.

  std::string short_name() const { return short_kernel_name(sum.name); }
};

/// Returns the kernels of a pass, the longest total first.
std::vector<RankedKernel> ranked_kernels(const KernelRows& rows) {
  std::vector<RankedKernel> kernels;
  const double pass_ms = total_ms(rows);
  for (KernelSum& sum : sums_by_kernel(rows)) {
    const double share = pass_ms > 0 ? sum.total_ms / pass_ms : 0;
    kernels.push_back({std::move(sum), share});
  }
  return kernels;
}

const std::vector<Column<RankedKernel>>& ranked_columns() {
  const auto microseconds = [](double (*ms)(const KernelSum&)) {
    return
        [ms](const RankedKernel& kernel) { return ms(kernel.sum) * kMicrosecondsPerMillisecond; };
  };
  static const std::vector<Column<RankedKernel>> columns{
      {"share", "Time", &RankedKernel::share, "%", kAsPercent},
      {"ms", "Total", [](const RankedKernel& k) { return k.sum.total_ms; }, "ms"},
      {"calls", "Calls", [](const RankedKernel& k) { return k.sum.calls; }, "", kAsCount},
      {"mean", "Avg", microseconds([](const KernelSum& sum) { return sum.mean_ms(); }), "µs"},
      {"median", "Med", microseconds([](const KernelSum& sum) { return sum.median_ms; }), "µs"},
      {"deviation", "StdDev", microseconds([](const KernelSum& sum) { return sum.stddev_ms; }),
       "µs"},
      {"name", "Name", &RankedKernel::short_name}};
  return columns;
}

/// Writes how often a part launches a kernel: "3 FFN projections", "QKᵀ", "4 × softmax".
std::string describe_launches(double count, const std::string& part) {
  if (part.ends_with("projection"))
    return format_fixed(count, 0) + " " + part + (count == 1 ? "" : "s");
  return count == 1 ? part : format_fixed(count, 0) + " × " + part;
}

/// Says which parts launch a kernel: "3 FFN projections in each of 32 layers, and the LM head".
std::string describe_callers(const KernelSum& sum, const KernelProfile& profile) {
  const auto layers = static_cast<double>(profile.spec.model.value_or(ModelShape{}).layers);
  std::vector<std::string> in_layers, others;
  for (const KernelSum& part : sums_by(sum.rows, caller_name)) {
    const double calls_per_layer = part.calls / layers;
    const bool in_each_layer =
        calls_per_layer >= 1 && calls_per_layer == std::floor(calls_per_layer) &&
        std::ranges::all_of(part.rows,
                            [](const KernelRow* row) { return row->module.starts_with("layers"); });
    in_each_layer ? in_layers.push_back(describe_launches(calls_per_layer, part.name))
                  : others.push_back(describe_launches(part.calls, part.name));
  }
  std::string words = join_words(in_layers);
  if (!in_layers.empty()) words += " in each of " + format_fixed(layers, 0) + " layers";
  if (!in_layers.empty() && !others.empty()) words += ", and ";
  return words + join_words(others);
}

/// The top kernel of one profile's forward pass, and that of forward and backward together.
struct TopKernels {
  std::string profile;         ///< `KernelProfile::label`
  std::string full_name;       ///< `KernelProfile::full_name`
  std::string reason = {};     ///< Why the forward pass was not measured; empty if it was.
  std::string called_in = {};  ///< See `describe_callers`.
  RankedKernel forward = {};
  std::optional<RankedKernel> both = {};  ///< Empty if no backward pass was measured.
  double forward_in_both_ms = 0;          ///< The time of `forward` with the backward pass.

  bool is_top_in_both() const { return both && both->sum.name == forward.sum.name; }
};

std::vector<TopKernels> top_rows(const std::vector<const KernelProfile*>& profiles) {
  std::vector<TopKernels> rows;
  for (const KernelProfile* profile : profiles) {
    const auto forward = ranked_kernels(profile->rows(Pass::kForward));
    const auto both = ranked_kernels(profile->rows(Pass::kForwardBackward));
    if (forward.empty() && profile->why_missing(Pass::kForward).empty()) continue;
    TopKernels& top =
        rows.emplace_back(TopKernels{.profile = profile->label, .full_name = profile->full_name});
    if (forward.empty()) {
      top.reason = profile->why_missing(Pass::kForward);
      continue;
    }
    top.called_in = describe_callers(forward.front().sum, *profile);
    top.forward = forward.front();
    if (both.empty()) continue;
    top.both = both.front();
    const auto is_top = [&](const RankedKernel& kernel) {
      return kernel.sum.name == top.forward.sum.name;
    };
    if (const auto found = std::ranges::find_if(both, is_top); found != both.end())
      top.forward_in_both_ms = found->sum.total_ms;
  }
  return rows;
}

/// Cuts a long name at its last underscore within `kMaxNameBytes` bytes, for answers and for
/// tables outside the collapsed details.
std::string cut_name(const std::string& name) {
  return name.size() <= kMaxNameBytes ? name : name.substr(0, name.rfind('_', kMaxNameBytes)) + "…";
}

const std::vector<Column<TopKernels>>& top_columns() {
  const auto of_both = [](double (*value)(const RankedKernel&)) {
    return [value](const TopKernels& top) { return top.both ? Value(value(*top.both)) : Value(); };
  };
  static const std::vector<Column<TopKernels>> columns{
      {"profile", "Profile", &TopKernels::profile},
      {"ms", "Total",
       or_reason<TopKernels>([](const TopKernels& top) { return top.forward.sum.total_ms; }), "ms"},
      {"share", "Time",
       or_reason<TopKernels>([](const TopKernels& top) { return top.forward.share; }), "%",
       kAsPercent},
      {"calls", "Calls",
       or_reason<TopKernels>([](const TopKernels& top) { return top.forward.sum.calls; }), "",
       kAsCount},
      {"short_name", "Name",
       [](const TopKernels& top) { return cut_name(top.forward.short_name()); }},
      {"name", "Name", [](const TopKernels& top) { return top.forward.short_name(); }},
      {"called_in", "Called in", &TopKernels::called_in},
      {"own_both_ms", "The same kernel's total in the training step",
       [](const TopKernels& top) { return top.both ? Value(top.forward_in_both_ms) : Value(); },
       "ms"},
      {"both_ms", "Total, fwd+bwd", of_both([](const RankedKernel& k) { return k.sum.total_ms; }),
       "ms"},
      {"both_share", "Time, fwd+bwd", of_both([](const RankedKernel& k) { return k.share; }), "%",
       kAsPercent},
      {"both_calls", "Calls, fwd+bwd", of_both([](const RankedKernel& k) { return k.sum.calls; }),
       "", kAsCount},
      {"both_name", "Name, fwd+bwd",
       [](const TopKernels& top) { return top.both ? top.both->short_name() : ""; }}};
  return columns;
}

/// Names the top kernel of the forward pass, and the one that the backward pass puts in its place.
Facts top_sentences(const TopKernels& top, bool on_gpu) {
  const RankedKernel both = top.both.value_or(RankedKernel{});
  const auto launches = static_cast<std::int64_t>(top.forward.sum.calls);
  return Facts()
      .set("profile", top.full_name)
      .set_markdown("name", kernel_code(cut_name(top.forward.short_name())))
      .set("ms", top.forward.sum.total_ms, kThreeDigits)
      .set("share", top.forward.share, kAsPercent)
      .set("launches",
           format_plural(launches, on_gpu ? "launch" : "call", on_gpu ? "launches" : "calls"))
      .set("called_in", top.called_in)
      .flag("same", top.is_top_in_both())
      .flag("changed", top.both && !top.is_top_in_both())
      .set_markdown("both_name", kernel_code(cut_name(both.short_name())))
      .set("both_ms", both.sum.total_ms, kThreeDigits)
      .set("own_ms", top.forward_in_both_ms, kThreeDigits);
}

}  // namespace

PartContent top_kernels(const Profiles& profiles) {
  PartContent part;
  const std::vector<TopKernels> rows =
      profiles.in_answers == nullptr ? std::vector<TopKernels>() : top_rows({profiles.in_answers});
  part.has_numbers = !rows.empty() && rows.front().reason.empty();
  part.facts = profiles.facts();
  if (part.has_numbers) part.facts.add(top_sentences(rows.front(), profiles.view.on_gpu()));
  const KernelRows forward =
      profiles.in_answers == nullptr ? KernelRows() : profiles.in_answers->rows(Pass::kForward);
  part.datasets = {make_dataset("top-kernels", top_columns(), top_rows(profiles.in_tables)),
                   make_dataset("every-top-kernel", top_columns(), top_rows(profiles.in_details)),
                   make_dataset("kernel-summary", ranked_columns(), ranked_kernels(forward))};
  part.attachments = {{kKernelsFile, kernels_csv(profiles.all), {}}};
  return part;
}

}  // namespace labreport::nsys_profile
