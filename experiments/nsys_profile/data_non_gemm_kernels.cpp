// Part (c): what the forward pass does besides GEMMs, by what it is for in the model.
#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "experiments/nsys_profile/answers.h"
#include "experiments/nsys_profile/kernel_name.h"
#include "experiments/nsys_profile/kernel_sums.h"
#include "experiments/nsys_profile/model_parts.h"
#include "experiments/nsys_profile/parts.h"

namespace labreport::nsys_profile {
namespace {

constexpr double kNoticed = 0.01;  // Of the forward pass.
constexpr double kManyMore = 1.1;
constexpr Notation kShareOfPass{Notation::kPercent};
constexpr Notation kCallCount{Notation::kCount};

Rows non_gemm(const Profile& profile) {
  return matching(profile.rows(Pass::kForward), is_non_gemm);
}

double in_pass(const Profile& profile, double ms) {
  return ms / total(profile.rows(Pass::kForward));
}

std::string operator_of(const KernelRow& row) {
  if (row.op.empty()) return short_kernel_name(row.kernel);
  return row.op.starts_with("aten::") ? row.op.substr(6) : row.op;
}

/// Kernels of a forward pass that belong together.
struct Kernels {
  std::string group, op;
  KernelSum sum;
  double share;
};

const std::vector<Column<Kernels>>& group_columns() {
  static const std::vector<Column<Kernels>> columns{
      {"group", "In the model", &Kernels::group},
      {"operator", "Operator", &Kernels::op},
      {"class", "Class", [](const Kernels& k) { return k.sum.kind; }},
      {"ms", "Time", [](const Kernels& k) { return k.sum.total; }, "ms"},
      {"share", "Of the forward pass", &Kernels::share, "%", kShareOfPass},
      {"calls", "Calls", [](const Kernels& k) { return k.sum.calls; }, "", kCallCount},
      {"kernel", "Kernel",
       [](const Kernels& k) { return short_kernel_name(k.sum.rows.front()->kernel); }}};
  return columns;
}

/// One after the other the groups, each the longest first.
std::vector<Kernels> by_group_and_operator(const Profile& profile) {
  std::vector<Kernels> found;
  for (const KernelSum& group : summed(non_gemm(profile), &KernelRow::group)) {
    for (KernelSum& sum : summed(group.rows, operator_of)) {
      const double share = in_pass(profile, sum.total);
      found.push_back({group.name, sum.name, std::move(sum), share});
    }
  }
  return found;
}

/// A bar of the figure.
struct Bar {
  std::string precision, group, operators;
  double ms, share, calls;
};

const std::vector<Column<Bar>> kBars{
    {"group", "In the model", &Bar::group},
    {"precision", "Precision", &Bar::precision},
    {"ms", "Time", &Bar::ms, "ms"},
    {"share", "Of the forward pass", &Bar::share, "%", kShareOfPass},
    {"calls", "Calls", &Bar::calls, "", kCallCount},
    {"operators", "Operators", &Bar::operators}};

std::string operators_of(const KernelSum& group) {
  std::vector<std::string> names;
  for (const KernelSum& sum : summed(group.rows, operator_of)) names.push_back(sum.name);
  return join(names, ", ");
}

std::vector<Bar> bars(const Profiles& profiles) {
  std::vector<Bar> found;
  for (const Profile* profile : {profiles.foremost, profiles.half}) {
    if (profile == nullptr) continue;
    for (const KernelSum& group : summed(non_gemm(*profile), &KernelRow::group)) {
      found.push_back({std::string(labreport::describe(profile->precision())), group.name,
                       operators_of(group), group.total, in_pass(*profile, group.total),
                       group.calls});
    }
  }
  return found;
}

double non_gemm_share(const Profile& profile) {
  return share(profile.rows(Pass::kForward), is_non_gemm);
}

bool is_square(const KernelRow& row) {
  return row.place.stage == stage::kSoftmax || row.place.stage == stage::kScaleMask;
}

/// Of softmax, scale and mask, whose work grows with the square of the context; 0 where the
/// network's names do not tell both.
double square_share(const Profile& profile) {
  const Rows rows = profile.rows(Pass::kForward);
  const bool told =
      !of_stage(rows, stage::kSoftmax).empty() && !of_stage(rows, stage::kScaleMask).empty();
  return told ? share(rows, is_square) : 0;
}

const std::vector<Column<const Profile*>> kByContext{
    {"size", "Size", [](const Profile* profile) { return profile->spec.size; }},
    {"context", "Context", [](const Profile* profile) { return profile->spec.context; }, "",
     kCallCount},
    {"non_gemm", "Non-GEMM", [](const Profile* profile) { return non_gemm_share(*profile); }, "%",
     kShareOfPass},
    {"square", "Softmax, scale and mask",
     [](const Profile* profile) {
       const double share = square_share(*profile);
       return share > 0 ? Value(share) : Value();
     },
     "%", kShareOfPass}};

/// Sizes that were profiled at several contexts, in the precision of the answer.
std::vector<const Profile*> along_contexts(const Profiles& profiles) {
  std::vector<const Profile*> found;
  if (profiles.foremost == nullptr) return found;
  for (const Profile* profile : profiles.every) {
    const bool drawn = profile->precision() == profiles.foremost->precision();
    if (drawn && !profile->rows(Pass::kForward).empty()) found.push_back(profile);
  }
  const std::vector<const Profile*> all = found;
  std::erase_if(found, [&](const Profile* profile) {
    return 2 > std::ranges::count(all, profile->spec.size,
                                  [](const Profile* other) { return other->spec.size; });
  });
  return found;
}

/// A profile's groups as columns.
Dataset group_shares(const std::string& name, const std::vector<const Profile*>& profiles) {
  std::vector<Column<const Profile*>> columns{
      {"profile", "Profile", [](const Profile* profile) { return profile->label; }}};
  const auto add = [&](const std::string& title, const auto& wanted) {
    const auto value = [wanted](const Profile* profile) {
      return share_of(*profile, Pass::kForward, wanted);
    };
    columns.push_back({title, title, value, "%", kShareOfPass});
  };
  add("Non-GEMM", is_non_gemm);
  Rows every;
  for (const Profile* profile : profiles)
    std::ranges::copy(non_gemm(*profile), std::back_inserter(every));
  for (const KernelSum& group : summed(every, &KernelRow::group)) {
    add(group.name, [group = group.name](const KernelRow& row) {
      return is_non_gemm(row) && row.group == group;
    });
  }
  return make_dataset(name, columns, profiles);
}

std::string named_groups(const Profile& profile) {
  std::vector<std::string> named;
  for (const KernelSum& group : summed(non_gemm(profile), &KernelRow::group)) {
    const double share = in_pass(profile, group.total);
    if (share < kNoticed || group.name == kOther) continue;
    named.push_back(group.name + " " + format_percent(share) + " % (" + operators_of(group) + ")");
  }
  if (named.empty()) return "no group of them takes " + format_percent(kNoticed) + " % by itself";
  return join(named, "; ");
}

Facts non_gemm_sentence(const Profile& profile) {
  Facts facts;
  facts.set("profile", profile.words);
  facts.set("share", non_gemm_share(profile), kShareOfPass);
  facts.set("ms", total(non_gemm(profile)), {});
  facts.set("groups", named_groups(profile));
  return facts;
}

double copies(const Profile& profile) {
  return total(
      matching(non_gemm(profile), [](const KernelRow& row) { return row.kind == "copy"; }));
}

/// What 16 bits change where the GEMMs gain: their time, that of the others, and of copies.
void set_non_gemm_half(Facts& facts, const Profiles& profiles) {
  const auto gemms = [](const Profile* profile) {
    return profile == nullptr ? 0 : total(matching(profile->rows(Pass::kForward), is_gemm));
  };
  const Profile *full = profiles.foremost, *half = profiles.half;
  const bool gain = gemms(half) > 0 && gemms(full) >= kManyMore * gemms(half);
  Facts found;
  if (gain) {
    const auto set = [&](const char* name, double ms) {
      found.set(name, ms, {Notation::kSignificant, 3});
    };
    found.set("precision", labreport::describe(half->precision()));
    found.set("share", non_gemm_share(*half), kShareOfPass);
    found.set("speedup", format_factor(gemms(full) / gemms(half)));
    set("before", total(non_gemm(*full)));
    set("after", total(non_gemm(*half)));
    set("copies_before", copies(*full));
    set("copies_after", copies(*half));
    found.flag("casts", copies(*half) > kManyMore * copies(*full));
  }
  facts.when("half", gain ? std::optional(found) : std::nullopt);
}

/// Within each size the share grows with the context, and softmax and mask are half of that or
/// more.
bool grows_with_context(const std::vector<Profile>& profiles) {
  bool any = false;
  for (std::size_t i = 1; i < profiles.size(); ++i) {
    const Profile &before = profiles[i - 1], &after = profiles[i];
    if (before.spec.size != after.spec.size) continue;
    any = true;
    const double more = non_gemm_share(after) - non_gemm_share(before);
    if (more <= kNoticed || 2 * (square_share(after) - square_share(before)) < more) return false;
  }
  return any;
}

Facts non_gemm_facts(const Profiles& profiles) {
  std::vector<Profile> known;
  for (const Profile* profile : profiles.answered) {
    if (!profile->rows(Pass::kForward).empty()) known.push_back(*profile);
  }
  Facts facts = profiles.facts();
  set_situations<Profile>(facts, foremost_of(profiles, known), non_gemm_sentence,
                          {{"one", [](const Profile&) { return true; }}});
  set_non_gemm_half(facts, profiles);
  const auto range = ranges<Profile>(
      known, {{"share", non_gemm_share, kShareOfPass}, {"square", square_share, kShareOfPass}});
  facts.when("range", range);
  facts.flag("dashed", profiles.foremost != nullptr && square_share(*profiles.foremost) > 0);
  facts.flag("grows", range && grows_with_context(known));
  return facts;
}

}  // namespace

PartContent non_gemm_kernels(const Profiles& profiles) {
  PartContent part;
  part.facts = non_gemm_facts(profiles);
  const Profile* foremost = profiles.foremost;
  const auto ranked =
      foremost == nullptr ? std::vector<Kernels>() : by_group_and_operator(*foremost);
  const std::vector<const Profile*> drawn = along_contexts(profiles);
  const bool one = profiles.answered.size() == 1;
  part.datasets = {make_dataset("non-gemm-by-context", kByContext, drawn),
                   make_dataset("non-gemm-kernels", group_columns(), ranked),
                   group_shares("every-share", profiles.every)};
  // The lines take the place of what says less: bars of one precision, a table of one context.
  if (drawn.empty() || profiles.half != nullptr)
    part.datasets.push_back(make_dataset("non-gemm-time", kBars, bars(profiles)));
  if (drawn.empty() || !one)
    part.datasets.push_back(group_shares("non-gemm-shares", profiles.shown));
  return part;
}

}  // namespace labreport::nsys_profile
