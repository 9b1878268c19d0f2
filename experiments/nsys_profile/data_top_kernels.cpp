// Part (b): the kernel with the most GPU time, with and without the backward pass.
#include <cmath>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/nsys_profile/kernel_name.h"
#include "experiments/nsys_profile/kernel_sums.h"
#include "experiments/nsys_profile/model_parts.h"
#include "experiments/nsys_profile/presenters.h"
#include "results/metric_names.h"

namespace labreport::nsys_profile {
namespace {

constexpr std::size_t kShortName = 58;  // The most bytes of a name in the open table.
constexpr Notation kTopCount{Notation::kCount};
constexpr Notation kTopShare{Notation::kPercent};
constexpr double kMicrosecondsPerMillisecond = 1e3;

/// All launches of one kernel in a pass; `share` is of the pass's GPU time.
struct RankedKernel {
  KernelSum sum;
  double share = 0;
  std::string name;  ///< The short name.
};

/// Sorted by time, longest first.
std::vector<RankedKernel> ranked(const Rows& rows) {
  std::vector<RankedKernel> kernels;
  const double whole = total(rows);
  for (KernelSum& sum : by_kernel(rows)) {
    const double share = whole > 0 ? sum.total / whole : 0;
    const std::string name = short_kernel_name(sum.name);
    kernels.push_back({std::move(sum), share, name});
  }
  return kernels;
}

const std::vector<Column<RankedKernel>>& ranked_columns() {
  const auto micro = [](double (*time)(const KernelSum&)) {
    return [time](const RankedKernel& kernel) {
      return time(kernel.sum) * kMicrosecondsPerMillisecond;
    };
  };
  static const std::vector<Column<RankedKernel>> columns{
      {"share", "Time", &RankedKernel::share, "%", kTopShare},
      {"ms", "Total", [](const RankedKernel& k) { return k.sum.total; }, "ms"},
      {"calls", "Calls", [](const RankedKernel& k) { return k.sum.calls; }, "", kTopCount},
      {"mean", "Avg", micro([](const KernelSum& sum) { return sum.mean(); }), "µs"},
      {"median", "Med", micro([](const KernelSum& sum) { return sum.median; }), "µs"},
      {"deviation", "StdDev", micro([](const KernelSum& sum) { return sum.stddev; }), "µs"},
      {"name", "Name", &RankedKernel::name}};
  return columns;
}

/// "3 FFN projections", "QKᵀ", "4 × softmax".
std::string times_place(double times, const std::string& place) {
  if (place.ends_with("projection"))
    return format_fixed(times, 0) + " " + place + (times == 1 ? "" : "s");
  return times == 1 ? place : format_fixed(times, 0) + " × " + place;
}

/// "3 FFN projections in each of 32 layers, and the LM head"
std::string called_in(const KernelSum& sum, const Profile& profile) {
  const auto layers = static_cast<double>(profile.spec.model.value_or(ModelShape{}).layers);
  std::vector<std::string> in_layers, others;
  for (const KernelSum& place : summed(sum.rows, calls_of)) {
    const double each = place.calls / layers;
    const bool whole = each >= 1 && each == std::floor(each) &&
                       std::ranges::all_of(place.rows, [](const KernelRow* row) {
                         return row->module.starts_with("layers");
                       });
    whole ? in_layers.push_back(times_place(each, place.name))
          : others.push_back(times_place(place.calls, place.name));
  }
  std::string words = join_words(in_layers);
  if (!in_layers.empty()) words += " in each of " + format_fixed(layers, 0) + " layers";
  if (!in_layers.empty() && !others.empty()) words += ", and ";
  return words + join_words(others);
}

/// The top kernels of one profile; or why its forward pass was not measured.
struct Top {
  std::string profile, words, missing = {}, called_in = {};
  RankedKernel forward = {};
  std::optional<RankedKernel> both = {};

  bool same() const { return both && both->sum.name == forward.sum.name; }
  bool changed() const { return both && !same(); }
};

std::vector<Top> tops_of(const std::vector<const Profile*>& profiles) {
  std::vector<Top> tops;
  for (const Profile* profile : profiles) {
    const auto forward = ranked(profile->rows(Pass::kForward));
    const auto both = ranked(profile->rows(Pass::kForwardBackward));
    if (forward.empty() && profile->reason.empty()) continue;
    Top& top = tops.emplace_back(Top{.profile = profile->label, .words = profile->words});
    if (forward.empty()) {
      top.missing = profile->why_missing(Pass::kForward);
      continue;
    }
    top.called_in = called_in(forward.front().sum, *profile);
    top.forward = forward.front();
    if (!both.empty()) top.both = both.front();
  }
  return tops;
}

/// The name up to its last underscore within `kShortName` bytes; only an expert reads on.
std::string beginning(const std::string& name) {
  return name.size() <= kShortName ? name : name.substr(0, name.rfind('_', kShortName)) + "…";
}

const std::vector<Column<Top>>& top_columns() {
  const auto of_both = [](double (*value)(const RankedKernel&)) {
    return [value](const Top& top) { return top.both ? Value(value(*top.both)) : Value(); };
  };
  const auto with_backward = [](const Top& top) {
    return top.both ? Value(top.same() ? "yes" : "no") : Value();
  };
  static const std::vector<Column<Top>> columns{
      {"profile", "Profile", &Top::profile},
      {"ms", "Total", or_reason<Top>([](const Top& top) { return top.forward.sum.total; }), "ms"},
      {"share", "Time", or_reason<Top>([](const Top& top) { return top.forward.share; }), "%",
       kTopShare},
      {"calls", "Calls", or_reason<Top>([](const Top& top) { return top.forward.sum.calls; }), "",
       kTopCount},
      {"short_name", "Name", [](const Top& top) { return beginning(top.forward.name); }},
      {"name", "Name", [](const Top& top) { return top.forward.name; }},
      {"called_in", "Called in", &Top::called_in},
      {"with_backward", "Same in fwd+bwd", with_backward},
      {"both_ms", "Total, fwd+bwd", of_both([](const RankedKernel& k) { return k.sum.total; }),
       "ms"},
      {"both_share", "Time, fwd+bwd", of_both([](const RankedKernel& k) { return k.share; }), "%",
       kTopShare},
      {"both_calls", "Calls, fwd+bwd", of_both([](const RankedKernel& k) { return k.sum.calls; }),
       "", kTopCount},
      {"both_name", "Name, fwd+bwd",
       [](const Top& top) { return top.both ? top.both->name : ""; }}};
  return columns;
}

std::string launches(double count) {
  return format_count(static_cast<std::int64_t>(count)) + (count == 1 ? " launch" : " launches");
}

/// The answer's top kernel and what the backward pass does to it.
Facts top_facts(const Profiles& profiles) {
  constexpr Notation kThree{Notation::kSignificant, 3};
  const std::vector<Top> tops =
      profiles.described == nullptr ? std::vector<Top>() : tops_of({profiles.described});
  Facts facts = profiles.facts();
  const bool ran = !tops.empty() && tops.front().missing.empty();
  facts.flag("nothing", !ran);
  if (!ran) return facts.when("top", std::nullopt);
  const Top& top = tops.front();
  const RankedKernel both = top.both.value_or(RankedKernel{});
  return facts.when("top", Facts()
                               .set("profile", top.words)
                               .set_markdown("name", kernel_code(beginning(top.forward.name)))
                               .set("ms", top.forward.sum.total, kThree)
                               .set("share", top.forward.share, kTopShare)
                               .set("launches", launches(top.forward.sum.calls))
                               .set("called_in", top.called_in)
                               .flag("same", top.same())
                               .flag("forward_only", !top.both)
                               .flag("changed", top.changed())
                               .set_markdown("both_name", kernel_code(beginning(both.name)))
                               .set("both_ms", both.sum.total, kThree));
}

}  // namespace

PartContent top_kernels(const Profiles& profiles) {
  PartContent part;
  part.facts = top_facts(profiles);
  const Rows forward =
      profiles.described == nullptr ? Rows() : profiles.described->rows(Pass::kForward);
  part.datasets = {make_dataset("top-kernels", top_columns(), tops_of(profiles.in_tables)),
                   make_dataset("every-top-kernel", top_columns(), tops_of(profiles.in_details)),
                   make_dataset("kernel-summary", ranked_columns(), ranked(forward))};
  part.attachments = {{kKernelsFile, kernels_csv(profiles.all), {}}};
  return part;
}

}  // namespace labreport::nsys_profile
