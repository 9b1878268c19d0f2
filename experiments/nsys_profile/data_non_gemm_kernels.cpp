// Part (c): what the forward pass does besides GEMMs, by what it is for in the model.
#include "base/format.h"
#include "base/lists.h"
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
  std::string precision, group, op;
  KernelSum sum;
  double share;

  double ms() const { return sum.total; }
  double calls() const { return sum.calls; }
};

const std::vector<Column<Kernels>> kKernels{
    {"group", "Component", &Kernels::group},
    {"operator", "Operator", &Kernels::op},
    {"class", "Class", [](const Kernels& k) { return k.sum.kind; }},
    {"ms", "Time", &Kernels::ms, "ms"},
    {"share", "Of the forward pass", &Kernels::share, "%", kShareOfPass},
    {"calls", "Calls", &Kernels::calls, "", kCallCount},
    {"kernel", "Kernel",
     [](const Kernels& k) { return short_kernel_name(k.sum.rows.front()->kernel); }}};

/// Of the figure's bars.
const std::vector<Column<Kernels>> kRoleBars{
    {"group", "Component", &Kernels::group},
    {"precision", "Precision", &Kernels::precision},
    {"ms", "Time", &Kernels::ms, "ms"},
    {"share", "Of the forward pass", &Kernels::share, "%", kShareOfPass},
    {"calls", "Calls", &Kernels::calls, "", kCallCount},
    {"operators", "Operators", &Kernels::op}};

std::vector<KernelSum> groups_of(const Profile& profile) {
  return summed(non_gemm(profile), &KernelRow::group);
}

/// One after the other the groups, each the longest first.
std::vector<Kernels> by_group_and_operator(const Profile* profile) {
  std::vector<Kernels> found;
  if (profile == nullptr) return found;
  for (const KernelSum& group : groups_of(*profile)) {
    for (const KernelSum& sum : summed(group.rows, operator_of))
      found.push_back({"", group.name, sum.name, sum, in_pass(*profile, sum.total)});
  }
  return found;
}

std::string operators_of(const KernelSum& group) {
  return join(each(summed(group.rows, operator_of), &KernelSum::name), ", ");
}

std::vector<Kernels> bars(const Profiles& profiles) {
  std::vector<Kernels> found;
  for (const Profile* profile : {profiles.foremost, profiles.half}) {
    if (profile == nullptr) continue;
    const std::string precision(labreport::describe(profile->precision()));
    for (const KernelSum& group : groups_of(*profile))
      found.push_back(
          {precision, group.name, operators_of(group), group, in_pass(*profile, group.total)});
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
  if (profiles.foremost == nullptr) return {};
  const auto all = only(profiles.every, [&](const Profile* profile) {
    return profile->precision() == profiles.foremost->precision() &&
           !profile->rows(Pass::kForward).empty();
  });
  const auto size = [](const Profile* profile) { return profile->spec.size; };
  return only(all, [&](const Profile* profile) {
    return std::ranges::count(all, profile->spec.size, size) > 1;
  });
}

/// A profile's groups as columns.
Dataset group_shares(const std::vector<const Profile*>& profiles) {
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
  return make_dataset("every-share", columns, profiles);
}

std::string named_groups(const Profile& profile) {
  std::vector<std::string> named;
  for (const KernelSum& group : groups_of(profile)) {
    const double share = in_pass(profile, group.total);
    if (share < kNoticed || group.name == kOther) continue;
    named.push_back(group.name + " " + format_percent(share) + " % (" +
                    format_significant(group.total, 3) + " ms in " + counted(group.calls, "call") +
                    ")");
  }
  if (named.empty()) return "no group of them takes " + format_percent(kNoticed) + " % by itself";
  return join_words(named);
}

Facts non_gemm_sentence(const Profile& profile) {
  return Facts()
      .set("profile", profile.words)
      .set("share", non_gemm_share(profile), kShareOfPass)
      .set("ms", total(non_gemm(profile)), {})
      .set("groups", named_groups(profile));
}

bool is_copy(const KernelRow& row) { return row.kind == "copy"; }

/// What 16 bits change where the GEMMs gain: their time, that of the others, and of copies.
std::optional<Facts> non_gemm_half(const Profiles& profiles) {
  if (profiles.half == nullptr) return std::nullopt;
  const Profile &full = *profiles.foremost, &half = *profiles.half;
  const auto gain = [&](const auto& wanted) {
    return std::pair(time_of(full, Pass::kForward, wanted), time_of(half, Pass::kForward, wanted));
  };
  const auto gemms = gain(is_gemm), others = gain(is_non_gemm), copies = gain(is_copy);
  if (gemms.second <= 0 || gemms.first < kManyMore * gemms.second) return std::nullopt;
  constexpr Notation kThree{Notation::kSignificant, 3};
  return Facts()
      .set("precision", labreport::describe(half.precision()))
      .set("share", non_gemm_share(half), kShareOfPass)
      .set("gemms_before", gemms.first, kThree)
      .set("gemms_after", gemms.second, kThree)
      .set("before", others.first, kThree)
      .set("after", others.second, kThree)
      .set("copies_before", copies.first, kThree)
      .set("copies_after", copies.second, kThree)
      .flag("casts", copies.second > kManyMore * copies.first);
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
  facts.when("half", non_gemm_half(profiles));
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
  part.datasets = {
      make_dataset("non-gemm-time", kRoleBars, bars(profiles)),
      make_dataset("non-gemm-by-context", kByContext, along_contexts(profiles)),
      make_dataset("non-gemm-kernels", kKernels, by_group_and_operator(profiles.foremost)),
      group_shares(profiles.every)};
  return part;
}

}  // namespace labreport::nsys_profile
