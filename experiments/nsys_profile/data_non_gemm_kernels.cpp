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
  return matching(profile.rows(Pass::kForward), [](const KernelRow& row) { return !is_gemm(row); });
}

double in_pass(const Profile& profile, double ms) {
  const double whole = total(profile.rows(Pass::kForward));
  return whole > 0 ? ms / whole : 0;
}

std::string operator_of(const KernelRow& row) {
  if (row.op.empty()) return short_kernel_name(row.kernel);
  return row.op.starts_with("aten::") ? row.op.substr(6) : row.op;
}

/// Kernels of a forward pass that belong together; or why it was not measured.
struct Kernels {
  std::string profile, missing;
  std::string group = {}, op = {};
  KernelSum sum = {};
  double share = 0;
};

const std::vector<Column<Kernels>>& group_columns() {
  static const std::vector<Column<Kernels>> columns{
      {"group", "In the model", &Kernels::group},
      {"operator", "Operator", &Kernels::op},
      {"class", "Class", [](const Kernels& k) { return k.sum.kind; }},
      {"ms", "Time", or_reason<Kernels>([](const Kernels& k) { return k.sum.total; }), "ms"},
      {"share", "Of the forward pass", or_reason<Kernels>(&Kernels::share), "%", kShareOfPass},
      {"calls", "Calls", or_reason<Kernels>([](const Kernels& k) { return k.sum.calls; }), "",
       kCallCount},
      {"kernel", "Kernel", [](const Kernels& k) {
         return k.sum.rows.empty() ? "" : short_kernel_name(k.sum.rows.front()->kernel);
       }}};
  return columns;
}

Kernels kernels_of(const Profile& profile, KernelSum sum) {
  Kernels found{profile.label, "", group_of(*sum.rows.front()), operator_of(*sum.rows.front())};
  found.share = in_pass(profile, sum.total);
  found.sum = std::move(sum);
  return found;
}

/// One after the other the groups, each the longest first.
std::vector<Kernels> by_group_and_operator(const Profile& profile) {
  std::vector<Kernels> found;
  for (const KernelSum& group : summed(non_gemm(profile), group_of)) {
    for (KernelSum& sum : summed(group.rows, operator_of)) {
      found.push_back(kernels_of(profile, std::move(sum)));
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
    for (const KernelSum& group : summed(non_gemm(*profile), group_of)) {
      found.push_back({std::string(labreport::describe(profile->precision())), group.name,
                       operators_of(group), group.total, in_pass(*profile, group.total),
                       group.calls});
    }
  }
  return found;
}

/// A profile's groups as columns.
Dataset group_shares(const std::string& name, const std::vector<const Profile*>& profiles) {
  using Row = Kernels;
  std::vector<Column<Row>> columns{
      {"profile", "Profile", &Row::profile},
      {"ms", "Non-GEMM", or_reason<Row>([](const Row& row) { return row.sum.total; }), "ms"},
      {"share", "Non-GEMM", or_reason<Row>(&Row::share), "%", kShareOfPass}};
  std::vector<Row> rows;
  Rows every;
  for (const Profile* profile : profiles) {
    const Rows others = non_gemm(*profile);
    std::ranges::copy(others, std::back_inserter(every));
    if (!others.empty())
      rows.push_back(kernels_of(*profile, summed(others, [](const auto&) { return ""; }).front()));
    else if (!profile->missing.empty())
      rows.push_back({profile->label, profile->missing});
  }
  for (const KernelSum& group : summed(every, group_of)) {
    columns.push_back(
        {group.name, group.name, or_reason<Row>([wanted = group.name](const Row& row) {
           const Rows rows = matching(
               row.sum.rows, [&](const KernelRow& kernel) { return group_of(kernel) == wanted; });
           return row.share * total(rows) / row.sum.total;
         }),
         "%", kShareOfPass});
  }
  return make_dataset(name, columns, rows);
}

std::string named_groups(const Profile& profile) {
  std::vector<std::string> named;
  for (const KernelSum& group : summed(non_gemm(profile), group_of)) {
    const double share = in_pass(profile, group.total);
    if (share < kNoticed || group.name == kOther) continue;
    named.push_back(group.name + " " + format_percent(share) + " % (" +
                    format_significant(group.total, 3) + " ms, " + counted(group.calls, "call") +
                    ": " + operators_of(group) + ")");
  }
  if (named.empty()) return "no group of them takes " + format_percent(kNoticed) + " % by itself";
  return join(named, "; ");
}

Facts non_gemm_sentence(const Profile& profile) {
  const double ms = total(non_gemm(profile));
  Facts facts;
  facts.set("profile", profile.words);
  facts.set("share", in_pass(profile, ms), kShareOfPass);
  facts.set("ms", ms, {});
  facts.set("groups", named_groups(profile));
  return facts;
}

double copies(const Profile& profile) {
  return total(
      matching(non_gemm(profile), [](const KernelRow& row) { return row.kind == "copy"; }));
}

/// What 16 bits change: the GEMMs' time, that of the others, and of copies among them.
void set_non_gemm_half(Facts& facts, const Profile& full, const Profile* half) {
  const auto gemms = [](const Profile& profile) {
    return total(matching(profile.rows(Pass::kForward), is_gemm));
  };
  const bool known = half != nullptr && gemms(*half) > 0;
  const double speedup = known ? gemms(full) / gemms(*half) : 0;
  Facts found;
  if (known) {
    const auto set = [&](const char* name, double ms) {
      found.set(name, ms, {Notation::kSignificant, 3});
    };
    found.set("precision", labreport::describe(half->precision()));
    found.set("share", in_pass(*half, total(non_gemm(*half))), kShareOfPass);
    found.set("speedup", format_factor(speedup));
    set("before", total(non_gemm(full)));
    set("after", total(non_gemm(*half)));
    set("copies_before", copies(full));
    set("copies_after", copies(*half));
  }
  found.flag("casts", known && copies(*half) > kManyMore * copies(full));
  facts.when("half", speedup >= kManyMore ? std::optional(found) : std::nullopt);
  facts.when("half_alike", known && speedup < kManyMore ? std::optional(found) : std::nullopt);
}

/// Of softmax, scale and mask, whose work grows with the square of the context.
double square_share(const Profile& profile) {
  return in_pass(profile, total(matching(non_gemm(profile), [](const KernelRow& row) {
                   const std::string group = group_of(row);
                   return group == kSoftmax || group == kScaleMask;
                 })));
}

double non_gemm_share(const Profile& profile) { return in_pass(profile, total(non_gemm(profile))); }

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
  Facts facts = profiles.facts(true);
  set_situations<Profile>(facts, profiles, known, non_gemm_sentence,
                          {{"one", [](const Profile&) { return true; }}});
  const Profile none;
  set_non_gemm_half(facts, profiles.foremost == nullptr ? none : *profiles.foremost, profiles.half);
  const auto range = ranges<Profile>(known, {{"share", non_gemm_share, kShareOfPass, "%"},
                                             {"square", square_share, kShareOfPass, "%"}});
  facts.when("range", range);
  facts.when("grows", grows_with_context(known) ? range : std::nullopt);
  return facts;
}

}  // namespace

PartContent non_gemm_kernels(const Profiles& profiles) {
  PartContent part;
  part.facts = non_gemm_facts(profiles);
  const Profile* foremost = profiles.foremost;
  const auto ranked =
      foremost == nullptr ? std::vector<Kernels>() : by_group_and_operator(*foremost);
  part.datasets = {make_dataset("non-gemm-time", kBars, bars(profiles)),
                   make_dataset("non-gemm-kernels", group_columns(), ranked),
                   group_shares("non-gemm-shares", profiles.shown),
                   group_shares("every-share", profiles.beyond(profiles.shown))};
  return part;
}

}  // namespace labreport::nsys_profile
