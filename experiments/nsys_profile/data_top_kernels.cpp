// Part (b): the kernel with the most GPU time, with and without the backward pass.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/text.h"
#include "experiments/nsys_profile/answers.h"
#include "experiments/nsys_profile/kernel_name.h"
#include "experiments/nsys_profile/kernel_sums.h"
#include "experiments/nsys_profile/model_parts.h"
#include "experiments/nsys_profile/parts.h"
#include "results/metric_names.h"

namespace labreport::nsys_profile {
namespace {

constexpr std::size_t kListed = 12;
constexpr Pass kTopPasses[]{Pass::kForward, Pass::kForwardBackward};
constexpr Notation kTopCount{Notation::kCount};
constexpr Notation kTopShare{Notation::kPercent};
constexpr double kMicroseconds = 1e3;  // In a millisecond.

/// A kernel of a pass by its full name; or why the pass was not measured.
struct RankedKernel {
  std::string profile, pass, missing;
  KernelSum sum = {};
  double share = 0;
  std::string called_in = {};  ///< "3 FFN projections in each of 32 layers"
  std::string name = {};       ///< The short one.
};

/// "3 FFN projections", "QKᵀ", "4 × softmax".
std::string times_place(double times, const std::string& place) {
  if (place.ends_with("projection")) return counted(times, place);
  return times == 1 ? place : format_fixed(times, 0) + " × " + place;
}

std::string called_in(const KernelSum& sum, const Profile& profile) {
  const auto layers = static_cast<double>(profile.spec.model.value_or(ModelShape{}).layers);
  std::vector<std::string> in_layers, others;
  for (const KernelSum& place : summed(sum.rows, place_of)) {
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

std::vector<RankedKernel> ranked(const Profile& profile, Pass pass, std::size_t most) {
  std::vector<RankedKernel> found;
  const Rows rows = profile.rows(pass);
  const double whole = total(rows);
  for (KernelSum& sum : by_kernel(rows)) {
    if (found.size() == most) break;
    const double share = whole > 0 ? sum.total / whole : 0;
    const std::string where = called_in(sum, profile), name = short_kernel_name(sum.name);
    found.push_back(
        {profile.label, std::string(describe(pass)), "", std::move(sum), share, where, name});
  }
  return found;
}

std::vector<RankedKernel> top_of(const std::vector<const Profile*>& profiles) {
  std::vector<RankedKernel> found;
  for (const Profile* profile : profiles) {
    for (const Pass pass : kTopPasses) {
      std::ranges::move(ranked(*profile, pass, 1), std::back_inserter(found));
    }
    if (!profile->missing.empty()) found.push_back({profile->label, "", profile->missing});
  }
  return found;
}

const std::vector<Column<RankedKernel>>& ranked_columns() {
  using Kernel = RankedKernel;
  // Several kernels as one row have none of these.
  const auto micro = [](const std::function<double(const KernelSum&)>& time) {
    return [time](const Kernel& kernel) {
      return kernel.sum.rows.empty() ? Value() : Value(time(kernel.sum) * kMicroseconds);
    };
  };
  static const std::vector<Column<Kernel>> columns{
      {"profile", "Profile", &Kernel::profile},
      {"pass", "Pass", &Kernel::pass},
      {"share", "Time", or_reason<Kernel>(&Kernel::share), "%", kTopShare},
      {"ms", "Total", or_reason<Kernel>([](const Kernel& k) { return k.sum.total; }), "ms"},
      {"calls", "Calls", or_reason<Kernel>([](const Kernel& k) { return k.sum.calls; }), "",
       kTopCount},
      {"mean", "Avg", micro([](const KernelSum& sum) { return sum.mean(); }), "µs"},
      {"median", "Med", micro(&KernelSum::median), "µs"},
      {"deviation", "StdDev", micro(&KernelSum::stddev), "µs"},
      {"name", "Name", &Kernel::name},
      {"called_in", "Called in", &Kernel::called_in}};
  return columns;
}

struct GemmCalls {
  std::string words;
  double linear, linear_expected;      ///< Seven in each layer and the LM head.
  double products, products_expected;  ///< QKᵀ and A·V, batched over the heads.
  Value helpers;

  bool unexpected() const { return linear != linear_expected || products != products_expected; }
};

const std::vector<Column<GemmCalls>> kGemmCalls{
    {"profile", "Profile", &GemmCalls::words},
    {"linear", "Linear layers", &GemmCalls::linear, "", kTopCount},
    {"linear_expected", "7 L + 1", &GemmCalls::linear_expected, "", kTopCount},
    {"products", "QKᵀ and A·V", &GemmCalls::products, "", kTopCount},
    {"products_expected", "2 L", &GemmCalls::products_expected, "", kTopCount},
    {"helpers", "Split-K and other helpers", &GemmCalls::helpers, "", kTopCount}};

GemmCalls gemm_calls(const Profile& profile) {
  const auto layers = static_cast<double>(profile.spec.model.value_or(ModelShape{}).layers);
  const Rows forward = profile.rows(Pass::kForward);
  const auto of_kind = [](const char* kind) {
    return [kind](const KernelRow& row) { return row.kind == kind; };
  };
  const Rows gemms = matching(forward, of_kind("gemm"));
  const double products = calls(matching(gemms, [](const KernelRow& row) {
    return place_of(row) == kScores || place_of(row) == kValues;
  }));
  const Value helpers = calls(matching(forward, of_kind("gemm helper")));
  // A CPU's operators have no helpers.
  return {profile.label,  calls(gemms) - products,
          7 * layers + 1, products,
          2 * layers,     profile.spec.device == DeviceKind::kCpu ? Value() : helpers};
}

std::vector<GemmCalls> all_gemm_calls(const Profiles& profiles) {
  std::vector<GemmCalls> found;
  for (const Profile& profile : profiles.all) {
    if (!profile.rows(Pass::kForward).empty()) found.push_back(gemm_calls(profile));
  }
  return found;
}

/// The top kernels of one profile that the answer speaks of.
struct Top {
  std::string words;
  RankedKernel forward;
  std::optional<RankedKernel> both;

  bool same() const { return both && both->sum.name == forward.sum.name; }
  bool changed() const { return both && !same(); }
  bool is_gemm() const { return forward.sum.kind == "gemm"; }
  bool only_backward() const {
    return both && std::ranges::all_of(both->sum.rows, [](const KernelRow* row) {
             return row->phase == metric::kBackward;
           });
  }
};

std::vector<Top> tops_of(const Profiles& profiles) {
  std::vector<Top> tops;
  for (const Profile* profile : profiles.answered) {
    const auto forward = ranked(*profile, Pass::kForward, 1);
    const auto both = ranked(*profile, Pass::kForwardBackward, 1);
    if (forward.empty()) continue;
    tops.push_back({profile->words, forward.front(), {}});
    if (!both.empty()) tops.back().both = both.front();
  }
  return tops;
}

void set_kernel(Facts& facts, const std::string& prefix, const RankedKernel& kernel) {
  facts.set_markdown(prefix + "name", kernel_code(kernel.sum.name));
  facts.set(prefix + "ms", kernel.sum.total, {});
  facts.set(prefix + "share", kernel.share, kTopShare);
  facts.set(prefix + "calls", counted(kernel.sum.calls, "time"));
  facts.set(prefix + "called_in", kernel.called_in);
}

Facts top_sentence(const Top& top) {
  Facts facts;
  facts.set("profile", top.words);
  set_kernel(facts, "", top.forward);
  facts.flag("both", top.both.has_value());
  facts.flag("only_backward", top.only_backward());
  set_kernel(facts, "both_", top.both.value_or(RankedKernel{}));
  return facts;
}

/// In how many of several profiles a GEMM leads, how much it takes, and where another overtakes.
void set_top_range(Facts& facts, const std::vector<Top>& tops) {
  const auto share = [](const Top& top) { return top.forward.share; };
  auto range = ranges<Top>(tops, {{"share", share, kTopShare, "%"}});
  const auto same = words_of<Top>(tops, &Top::same);
  const auto changed = words_of<Top>(tops, &Top::changed).size();
  if (range) {
    range->set("gemms", words_of<Top>(tops, &Top::is_gemm).size(), kTopCount);
    range->set("same", join_words(same));
    range->set("changed", changed, kTopCount);
  }
  facts.when("range", range);
  facts.when("always_same", !same.empty() && changed == 0 ? range : std::nullopt);
  facts.when("never_same", same.empty() && changed > 0 ? range : std::nullopt);
  facts.when("sometimes_same", !same.empty() && changed > 0 ? range : std::nullopt);
}

Facts top_facts(const Profiles& profiles) {
  const std::vector<Top> tops = tops_of(profiles);
  Facts facts = profiles.facts();
  set_situations<Top>(facts, profiles, tops, top_sentence,
                      {{"same", &Top::same},
                       {"changed", &Top::changed},
                       {"forward_only", [](const Top& top) { return !top.both; }}});
  set_top_range(facts, tops);
  const auto unexpected = words_of<GemmCalls>(all_gemm_calls(profiles), &GemmCalls::unexpected);
  facts.when("unexpected", !unexpected.empty(), "profiles", join_words(unexpected));
  return facts;
}

/// The kernels of the answered forward pass, those beyond the longest as one row.
std::vector<RankedKernel> listed(const Profiles& profiles) {
  if (profiles.foremost == nullptr) return {};
  std::vector<RankedKernel> all = ranked(*profiles.foremost, Pass::kForward, SIZE_MAX);
  if (all.size() <= kListed + 1) return all;
  RankedKernel rest{"", "", ""};
  for (std::size_t i = kListed; i < all.size(); ++i) {
    rest.sum.total += all[i].sum.total;
    rest.sum.calls += all[i].sum.calls;
    rest.share += all[i].share;
  }
  rest.name = format_plural(static_cast<std::int64_t>(all.size() - kListed), "other kernel");
  all.resize(kListed);
  all.push_back(rest);
  return all;
}

}  // namespace

PartContent top_kernels(const Profiles& profiles) {
  PartContent part;
  part.facts = top_facts(profiles);
  part.datasets = {make_dataset("top-kernels", ranked_columns(), top_of(profiles.shown)),
                   make_dataset("kernel-summary", ranked_columns(), listed(profiles)),
                   make_dataset("every-top-kernel", ranked_columns(), top_of(profiles.beyond({}))),
                   make_dataset("gemm-calls", kGemmCalls, all_gemm_calls(profiles))};
  part.files = {{kKernelsFile, kernels_csv(profiles.all), {}}};
  return part;
}

}  // namespace labreport::nsys_profile
