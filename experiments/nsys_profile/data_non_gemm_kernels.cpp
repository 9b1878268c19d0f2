// Presents part (c): the kernels besides GEMMs in the forward pass, grouped by their purpose.
#include <map>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/nsys_profile/kernel_name.h"
#include "experiments/nsys_profile/kernel_sums.h"
#include "experiments/nsys_profile/model_parts.h"
#include "experiments/nsys_profile/presenters.h"
#include "plan/part_work.h"

namespace labreport::nsys_profile {
namespace {

constexpr double kMinNamedShare = 0.01;     // Smaller groups of the forward pass are not named.
constexpr std::size_t kMaxNamed = 5;        // An answer names at most this many groups.
constexpr std::size_t kMaxKernelNames = 3;  // A table names at most this many of an operator.
constexpr double kMinListedShare = 0.004;   // Smaller operators are only listed in the details.

/// How often softmax and its operators read or write each score.
const std::map<std::string, double> kSoftmaxAccesses{{stage::kSoftmax, 8}, {"max", 1}, {"sub", 2},
                                                     {"exp", 2},           {"sum", 1}, {"div", 2}};

/// True for the group of softmax, of which a user's network says that it is attention's.
bool is_softmax(const std::string& group) {
  return group == stage::kSoftmax ||
         group == std::string(role::kAttention) + ": " + stage::kSoftmax;
}

KernelRows non_gemm(const KernelProfile& profile) {
  return matching(profile.rows(Pass::kForward), is_non_gemm);
}

double share_of_forward(const KernelProfile& profile, double ms) {
  return ms / total_ms(profile.rows(Pass::kForward));
}

/// Names the different kernels of one operator, the longest total first, and counts those after
/// kMaxKernelNames: "Memcpy DtoD, elementwise_kernel (direct_copy)".
std::string names_of_kernels(const KernelRows& rows) {
  auto names =
      each(sums_by(rows, [](const KernelRow& row) { return short_kernel_name(row.kernel); }),
           &KernelSum::name);
  if (names.size() > kMaxKernelNames) {
    const auto others = static_cast<std::int64_t>(names.size() - kMaxKernelNames);
    names.resize(kMaxKernelNames);
    names.push_back(format_count(others) + " more");
  }
  return join(names, ", ");
}

/// The kernels of one group, or of one operator in a group.
struct GroupRow {
  std::string precision, group;
  std::string op;  ///< The operator, or all operators of the group: "mul, sum".
  KernelSum sum;
  double share;                        ///< Share of the forward pass's GPU time.
  std::optional<double> of_bandwidth;  ///< Only softmax and its operators have it.

  double ms() const { return sum.total_ms; }
  double calls() const { return sum.calls; }
};

const std::vector<Column<GroupRow>> kGroupColumns{
    {"group", "Component", &GroupRow::group},
    {"precision", "Precision", &GroupRow::precision},
    {"operator", "Operator", &GroupRow::op},
    {"class", "Class", [](const GroupRow& k) { return k.sum.kind; }},
    {"ms", "Time", &GroupRow::ms, "ms"},
    {"share", "Of the forward pass", &GroupRow::share, "%", kAsPercent},
    {"calls", "Calls", &GroupRow::calls, "", kAsCount},
    {"bandwidth", "Of copy bandwidth", &GroupRow::of_bandwidth, "%", kAsPercent},
    {"kernel", "Kernel", [](const GroupRow& k) {  // On a CPU an operator stands in for its kernels.
       const std::string names = names_of_kernels(k.sum.rows);
       return names == k.op ? Value() : Value(names);
     }}};

std::vector<KernelSum> groups_of(const KernelProfile& profile) {
  return sums_by(non_gemm(profile), &KernelRow::group);
}

/// Returns the share of the copy bandwidth that softmax, or one of its operators, reaches. Returns
/// nothing for other groups, if the bandwidth is unknown, for a user's network unless its softmax
/// is written out, and under autocast, whose scores have two dtypes.
std::optional<double> bandwidth_share(const Profiles& profiles, const KernelProfile& profile,
                                      const std::string& group, const KernelSum& sum) {
  const auto bandwidth = profiles.limits.copy_bandwidth;
  const auto accesses =
      kSoftmaxAccesses.find(is_softmax(sum.name) ? std::string(stage::kSoftmax) : sum.name);
  const auto users = users_attention_work(profile);
  const double bytes = users && users->is_written_out
                           ? users->softmax.bytes
                           : part_work(NetworkPart::kSoftmax, profile.spec).bytes;
  if (!is_softmax(group) || accesses == kSoftmaxAccesses.end() || !bandwidth || bytes <= 0 ||
      under_autocast(profile.spec))
    return std::nullopt;
  return bytes * accesses->second / kSoftmaxAccesses.at(stage::kSoftmax) / (sum.total_ms / 1e3) /
         *bandwidth;
}

/// Sorts groups, and the operators in each group, by time, longest first. `profile` may be null.
std::vector<GroupRow> operator_rows(const Profiles& profiles, const KernelProfile* profile) {
  std::vector<GroupRow> rows;
  if (profile == nullptr) return rows;
  for (const KernelSum& group : groups_of(*profile)) {
    for (const KernelSum& sum : sums_by(group.rows, operator_name)) {
      rows.push_back({"", group.name, sum.name, sum, share_of_forward(*profile, sum.total_ms),
                      bandwidth_share(profiles, *profile, group.name, sum)});
    }
  }
  return rows;
}

std::vector<GroupRow> group_rows(const Profiles& profiles) {
  std::vector<GroupRow> rows;
  for (const KernelProfile* profile : {profiles.in_answers, profiles.in_answers_16_bit}) {
    if (profile == nullptr) continue;
    const std::string precision(labreport::describe(profile->precision()));
    for (const KernelSum& group : groups_of(*profile)) {
      const auto operators = each(sums_by(group.rows, operator_name), &KernelSum::name);
      rows.push_back({precision, group.name, join(operators, ", "), group,
                      share_of_forward(*profile, group.total_ms),
                      bandwidth_share(profiles, *profile, group.name, group)});
    }
  }
  return rows;
}

double non_gemm_share(const KernelProfile& profile) {
  return time_share(profile.rows(Pass::kForward), is_non_gemm);
}

/// The share of the forward pass in the stages whose work grows with the square of the context:
/// softmax, and scale and mask. 0 if no kernels can be assigned to one of them.
double quadratic_share(const KernelProfile& profile) {
  const KernelRows rows = profile.rows(Pass::kForward);
  if (rows_of_stage(rows, stage::kSoftmax).empty() ||
      rows_of_stage(rows, stage::kScaleMask).empty())
    return 0;
  return time_share(rows, [](const KernelRow& row) {
    return row.place.stage == stage::kSoftmax || row.place.stage == stage::kScaleMask;
  });
}

const std::vector<Column<const KernelProfile*>> kContextColumns{
    {"size", "Size", [](const KernelProfile* profile) { return profile->spec.size; }},
    {"context", "Context", [](const KernelProfile* profile) { return profile->spec.context; }, "",
     kAsCount},
    {"non_gemm", "Non-GEMM", [](const KernelProfile* profile) { return non_gemm_share(*profile); },
     "%", kAsPercent},
    {"square", "Softmax, scale and mask",
     [](const KernelProfile* profile) {
       const double share = quadratic_share(*profile);
       return share > 0 ? Value(share) : Value();
     },
     "%", kAsPercent}};

/// Returns the profiles of sizes with several profiled contexts, in the precision of `in_answers`.
std::vector<const KernelProfile*> at_several_contexts(const Profiles& profiles) {
  if (profiles.in_answers == nullptr) return {};
  const auto ran = only(profiles.in_details, [&](const KernelProfile* profile) {
    return profile->precision() == profiles.in_answers->precision() &&
           !profile->rows(Pass::kForward).empty();
  });
  const auto size = [](const KernelProfile* profile) { return profile->spec.size; };
  return only(ran, [&](const KernelProfile* profile) {
    return std::ranges::count(ran, profile->spec.size, size) > 1;
  });
}

/// Makes a row for each profile and a column for each group's share of its forward pass.
Dataset group_shares(const std::vector<const KernelProfile*>& profiles) {
  std::vector<Column<const KernelProfile*>> columns{
      {"profile", "Profile", [](const KernelProfile* profile) { return profile->label; }}};
  const auto add_column = [&](const std::string& title, const auto& predicate) {
    const auto value = [predicate](const KernelProfile* profile) {
      return share_or_reason(*profile, Pass::kForward, predicate);
    };
    columns.push_back({title, title, value, "%", kAsPercent});
  };
  add_column("Non-GEMM", is_non_gemm);
  KernelRows all_rows;
  for (const KernelProfile* profile : profiles)
    std::ranges::copy(non_gemm(*profile), std::back_inserter(all_rows));
  for (const KernelSum& group : sums_by(all_rows, &KernelRow::group)) {
    add_column(group.name, [group = group.name](const KernelRow& row) {
      return is_non_gemm(row) && row.group == group;
    });
  }
  return make_dataset("every-share", columns, profiles);
}

/// Writes a group for a sentence: "the rest of attention", "attention softmax".
std::string group_in_sentence(const std::string& group) {
  const std::size_t colon = group.find(": ");
  if (colon == std::string::npos) return group;
  const std::string part = group.substr(0, colon), stage = group.substr(colon + 2);
  return stage == kOtherKernels ? "the rest of " + part : part + " " + stage;
}

/// Returns " (where, div and mul)", those of at least 1 % of the forward pass, for a group that
/// only says of which part of the network it is the rest; else an empty text.
std::string main_operators(const KernelProfile& profile, const KernelSum& group) {
  if (!group.name.ends_with(std::string(": ") + kOtherKernels)) return "";
  const auto large = only(sums_by(group.rows, operator_name), [&](const KernelSum& sum) {
    return share_of_forward(profile, sum.total_ms) >= kMinNamedShare;
  });
  return large.empty() ? "" : " (" + join_words(each(large, &KernelSum::name)) + ")";
}

/// Tells how softmax uses the copy bandwidth; nothing if the run lacks one of the two.
std::optional<Facts> softmax_sentence(const Profiles& profiles, const KernelProfile& profile,
                                      const std::vector<KernelSum>& groups) {
  const auto softmax =
      std::ranges::find_if(groups, [](const KernelSum& group) { return is_softmax(group.name); });
  if (softmax == groups.end()) return std::nullopt;
  const auto bandwidth = bandwidth_share(profiles, profile, softmax->name, *softmax);
  if (!bandwidth) return std::nullopt;
  return Facts().set("bandwidth", bandwidth, kAsPercent);
}

/// Names the largest groups of the forward pass, "Softmax takes **3.8 %** of …, RoPE 1.6 %", and
/// the largest operators of the first. `groups` is not empty.
Facts non_gemm_sentences(const Profiles& profiles, const KernelProfile& profile,
                         const std::vector<KernelSum>& groups) {
  std::vector<std::string> other_groups;
  std::size_t names = 1;  // Operators count like a group.
  for (const KernelSum& group : groups) {
    const double share = share_of_forward(profile, group.total_ms);
    const bool is_named =
        share >= kMinNamedShare && group.name != kOtherKernels && names < kMaxNamed;
    if (&group == &groups.front() || !is_named) continue;
    const std::string operators = main_operators(profile, group);
    names += operators.empty() ? 1 : 2;
    other_groups.push_back(group_in_sentence(group.name) + operators + " " + format_percent(share) +
                           " %");
  }
  auto operators = each(sums_by(groups.front().rows, operator_name), &KernelSum::name);
  operators.resize(std::min(operators.size(), kMaxNamed));
  std::string name = group_in_sentence(groups.front().name);
  const bool is_plural = name.ends_with("s");
  if (name == groups.front().rows.front()->module)
    name = "module " + name;  // The user's own spelling stays.
  name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
  return Facts()
      .set("name", name)
      .set("operators", join_words(operators))
      .set("take", is_plural ? "take" : "takes")
      .set("share", share_of_forward(profile, groups.front().total_ms), kAsPercent)
      .set("profile", profile.full_name)
      .set("others", (other_groups.empty() ? "" : ", ") + join_words(other_groups))
      .set("all", non_gemm_share(profile), kAsPercent)
      .when("softmax", softmax_sentence(profiles, profile, groups));
}

}  // namespace

PartContent non_gemm_kernels(const Profiles& profiles) {
  PartContent part;
  const KernelProfile* profile = profiles.in_answers;
  const auto groups = profile == nullptr ? std::vector<KernelSum>() : groups_of(*profile);
  const std::vector<GroupRow> operators = operator_rows(profiles, profile);
  part.has_numbers = !groups.empty();
  part.facts = profiles.facts();
  if (part.has_numbers) part.facts.add(non_gemm_sentences(profiles, *profile, groups));
  part.facts.flag("dashed", profile != nullptr && quadratic_share(*profile) > 0);
  part.datasets = {
      make_dataset("non-gemm-time", kGroupColumns, group_rows(profiles)),
      make_dataset("non-gemm-by-context", kContextColumns, at_several_contexts(profiles)),
      make_dataset(
          "largest-kernels", kGroupColumns,
          only(operators, [](const GroupRow& row) { return row.share >= kMinListedShare; })),
      make_dataset("non-gemm-kernels", kGroupColumns, operators),
      group_shares(profiles.in_details)};
  return part;
}

}  // namespace labreport::nsys_profile
