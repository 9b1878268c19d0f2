// Part (b): the kernel with the most GPU time, with and without the backward pass.
#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "experiments/nsys_profile/kernel_name.h"
#include "experiments/nsys_profile/kernel_sums.h"
#include "experiments/nsys_profile/model_parts.h"
#include "experiments/nsys_profile/parts.h"

namespace labreport::nsys_profile {
namespace {

constexpr std::size_t kListed = 12;
constexpr Pass kTopPasses[]{Pass::kForward, Pass::kForwardBackward};
constexpr Notation kCount{Notation::kCount};
constexpr Notation kPercent{Notation::kPercent};
constexpr double kMicroseconds = 1e3;  // In a millisecond.

/// A kernel of a pass by its full name; or why the pass was not measured.
struct RankedKernel {
  std::string profile, pass, missing;
  KernelSum sum = {};
  double share = 0;
  std::string called_in = {};  ///< "3 FFN projections in each of 32 layers"
};

/// "3 FFN projections", "QKᵀ", "4 × softmax".
std::string counted(double times, const std::string& place) {
  if (place.ends_with("projection")) return format_plural(static_cast<int>(times), place);
  return times == 1 ? place : format_fixed(times, 0) + " × " + place;
}

std::string called_in(const KernelSum& sum, const Profile& profile) {
  const auto layers = static_cast<double>(profile.spec.model.value_or(ModelShape{}).layers);
  std::vector<std::string> in_layers, others;
  for (const KernelSum& place : summed(sum.rows, place_of)) {
    const double each = place.calls / layers;
    const bool whole = layers > 1 && each >= 1 && each == static_cast<int>(each);
    whole ? in_layers.push_back(counted(each, place.name))
          : others.push_back(counted(place.calls, place.name));
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
    const std::string where = called_in(sum, profile);
    found.push_back(
        {profile.label, std::string(describe(pass)), "", std::move(sum), share, where});
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

const std::vector<Column<RankedKernel>>& columns() {
  using Kernel = RankedKernel;
  const auto micro = [](double KernelSum::* time) {
    return [time](const Kernel& kernel) { return kernel.sum.*time * kMicroseconds; };
  };
  static const std::vector<Column<Kernel>> columns{
      {"profile", "Profile", &Kernel::profile},
      {"pass", "Pass", &Kernel::pass},
      {"share", "Time", or_reason<Kernel>(&Kernel::share), "%", kPercent},
      {"ms", "Total", or_reason<Kernel>([](const Kernel& k) { return k.sum.total; }), "ms"},
      {"calls", "Calls", or_reason<Kernel>([](const Kernel& k) { return k.sum.calls; }), "", kCount},
      {"mean", "Avg", [](const Kernel& k) { return k.sum.mean() * kMicroseconds; }, "µs"},
      {"median", "Med", micro(&KernelSum::median), "µs"},
      {"deviation", "StdDev", micro(&KernelSum::stddev), "µs"},
      {"name", "Name", [](const Kernel& k) { return short_kernel_name(k.sum.name); }},
      {"called_in", "Called in", &Kernel::called_in}};
  return columns;
}

struct GemmCalls {
  std::string profile;
  double linear, linear_expected;      ///< Seven in each layer and the LM head.
  double products, products_expected;  ///< QKᵀ and A·V, batched over the heads.
  Value helpers;

  bool as_expected() const { return linear == linear_expected && products == products_expected; }
};

const std::vector<Column<GemmCalls>> kGemmCalls{
    {"profile", "Profile", &GemmCalls::profile},
    {"linear", "Linear layers", &GemmCalls::linear, "", kCount},
    {"linear_expected", "7 L + 1", &GemmCalls::linear_expected, "", kCount},
    {"products", "QKᵀ and A·V", &GemmCalls::products, "", kCount},
    {"products_expected", "2 L", &GemmCalls::products_expected, "", kCount},
    {"helpers", "Helper kernels", &GemmCalls::helpers, "", kCount}};

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
  return {profile.label, calls(gemms) - products, 7 * layers + 1, products, 2 * layers,
          profile.spec.device == DeviceKind::kCpu ? Value() : helpers};
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
  facts.set(prefix + "share", kernel.share, kPercent);
  facts.set(prefix + "calls", format_plural(static_cast<std::int64_t>(kernel.sum.calls), "time"));
  facts.set(prefix + "called_in", kernel.called_in);
}

Facts sentence(const Top& top) {
  Facts facts;
  facts.set("profile", top.words);
  set_kernel(facts, "", top.forward);
  set_kernel(facts, "both_", top.both.value_or(RankedKernel{}));
  return facts;
}

/// What holds of several profiles: whether GEMMs lead, how much they take, where another overtakes.
std::optional<Facts> summary(const std::vector<Top>& tops) {
  std::vector<NamedValue> shares;
  std::vector<std::string> same, others;
  const auto leads = [](const Top& top) { return top.forward.sum.kind == "gemm"; };
  for (const Top& top : tops) {
    shares.push_back({top.forward.share, top.words});
    if (top.both) (top.same() ? same : others).push_back(top.words);
  }
  Facts facts;
  facts.set("count", tops.size(), kCount);
  facts.set("gemms", std::ranges::count_if(tops, leads), kCount);
  facts.set("same", join_words(same));
  facts.set("others", join_words(others));
  set_range(facts, shares, kPercent);
  return tops.size() > 1 ? std::optional(facts) : std::nullopt;
}

void set_several(Facts& facts, const std::vector<Top>& tops) {
  const auto found = summary(tops);
  const auto leads = [](const Top& top) { return top.forward.sum.kind == "gemm"; };
  const auto same = [](const Top& top) { return top.same(); };
  const auto changed = [](const Top& top) { return top.both && !top.same(); };
  const bool gemms = std::ranges::all_of(tops, leads);
  const bool any_same = std::ranges::any_of(tops, same);
  const bool any_changed = std::ranges::any_of(tops, changed);
  const auto when = [&](const char* name, bool holds) {
    facts.when(name, holds ? found : std::nullopt);
  };
  when("always_same", any_same && !any_changed);
  when("never_same", any_changed && !any_same);
  when("sometimes_same", any_same && any_changed);
  when("all_gemms", gemms);
  when("some_gemms", !gemms);
}

Facts make_facts(const Profiles& profiles) {
  const std::vector<Top> tops = tops_of(profiles);
  Facts facts = profiles.facts();
  std::vector<Facts> list;
  for (const Top& top : tops) list.push_back(sentence(top));
  const auto when = [&](const char* name, const auto& holds) {
    const bool one = tops.size() == 1 && holds(tops.front());
    facts.when(name, one ? std::optional(list.front()) : std::nullopt);
  };
  when("same", [](const Top& top) { return top.same(); });
  when("changed", [](const Top& top) { return top.both && !top.same(); });
  when("forward_only", [](const Top& top) { return !top.both; });
  facts.list("profiles", list);
  set_several(facts, tops);
  std::vector<std::string> unexpected;
  for (const GemmCalls& found : all_gemm_calls(profiles)) {
    if (!found.as_expected()) unexpected.push_back(found.profile);
  }
  facts.when("unexpected", !unexpected.empty(), "profiles", join_words(unexpected));
  return facts;
}

/// Every kernel that the summary of a pass lists; the others as one row.
std::vector<RankedKernel> listed(const Profile& profile, Pass pass) {
  std::vector<RankedKernel> all = ranked(profile, pass, SIZE_MAX);
  if (all.size() <= kListed + 1) return all;
  RankedKernel rest{profile.label, std::string(describe(pass)), ""};
  for (std::size_t i = kListed; i < all.size(); ++i) {
    rest.sum.total += all[i].sum.total;
    rest.sum.calls += all[i].sum.calls;
    rest.share += all[i].share;
  }
  rest.sum.name = format_plural(static_cast<std::int64_t>(all.size() - kListed), "other kernel");
  all.resize(kListed);
  all.push_back(rest);
  return all;
}

std::vector<RankedKernel> summaries(const Profiles& profiles, bool open) {
  std::vector<RankedKernel> found;
  for (const Profile* profile : profiles.answered) {
    for (const Pass pass : kTopPasses) {
      if ((profile == profiles.foremost && pass == Pass::kForward) != open) continue;
      std::ranges::move(listed(*profile, pass), std::back_inserter(found));
    }
  }
  return found;
}

}  // namespace

PartContent top_kernels(const Profiles& profiles) {
  PartContent part;
  part.facts = make_facts(profiles);
  part.datasets = {make_dataset("top-kernels", columns(), top_of(profiles.shown)),
                   make_dataset("kernel-summary", columns(), summaries(profiles, true)),
                   make_dataset("more-summaries", columns(), summaries(profiles, false)),
                   make_dataset("every-top-kernel", columns(), top_of(profiles.every())),
                   make_dataset("gemm-calls", kGemmCalls, all_gemm_calls(profiles))};
  part.files = {{kKernelsFile, kernels_csv(profiles.all), {}}};
  return part;
}

}  // namespace labreport::nsys_profile
