// Part (c): what the forward pass does besides GEMMs, by what it is for in the model.
#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/nsys_profile/kernel_name.h"
#include "experiments/nsys_profile/kernel_sums.h"
#include "experiments/nsys_profile/model_parts.h"
#include "experiments/nsys_profile/presenters.h"

namespace labreport::nsys_profile {
namespace {

constexpr double kNoticed = 0.01;  // Groups below this share of the forward pass are not named.
constexpr std::size_t kNamed = 5;  // An answer names at most this many groups.
constexpr double kMostly = 0.8;    // The named classes must fill this share of the groups' time.
constexpr Notation kShareOfPass{Notation::kPercent};
constexpr Notation kCallCount{Notation::kCount};

Rows non_gemm(const Profile& profile) {
  return matching(profile.rows(Pass::kForward), is_non_gemm);
}

double share_of_forward(const Profile& profile, double ms) {
  return ms / total(profile.rows(Pass::kForward));
}

std::string operator_of(const KernelRow& row) {
  if (row.op.empty()) return short_kernel_name(row.kernel);
  return row.op.starts_with("aten::") ? row.op.substr(6) : row.op;
}

/// Kernels of one group, or of one operator in it; `share` is of the forward pass's GPU time.
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

/// Sorts groups by time and, in each, the operators, longest first. Empty without a profile.
std::vector<Kernels> by_group_and_operator(const Profile* profile) {
  std::vector<Kernels> rows;
  if (profile == nullptr) return rows;
  for (const KernelSum& group : groups_of(*profile)) {
    for (const KernelSum& sum : summed(group.rows, operator_of))
      rows.push_back({"", group.name, sum.name, sum, share_of_forward(*profile, sum.total)});
  }
  return rows;
}

std::vector<Kernels> bars(const Profiles& profiles) {
  std::vector<Kernels> rows;
  for (const Profile* profile : {profiles.described, profiles.half}) {
    if (profile == nullptr) continue;
    const std::string precision(labreport::describe(profile->precision()));
    for (const KernelSum& group : groups_of(*profile)) {
      const auto operators = each(summed(group.rows, operator_of), &KernelSum::name);
      rows.push_back({precision, group.name, join(operators, ", "), group,
                      share_of_forward(*profile, group.total)});
    }
  }
  return rows;
}

double non_gemm_share(const Profile& profile) {
  return share(profile.rows(Pass::kForward), is_non_gemm);
}

/// The share of the forward pass that softmax, scale and mask take, whose work grows with the
/// square of the context; 0 if the kernels cannot be assigned to both.
double square_share(const Profile& profile) {
  const Rows rows = profile.rows(Pass::kForward);
  if (of_stage(rows, stage::kSoftmax).empty() || of_stage(rows, stage::kScaleMask).empty())
    return 0;
  return share(rows, [](const KernelRow& row) {
    return row.place.stage == stage::kSoftmax || row.place.stage == stage::kScaleMask;
  });
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

/// Profiles of sizes with several profiled contexts, in the precision of the described profile.
std::vector<const Profile*> along_contexts(const Profiles& profiles) {
  if (profiles.described == nullptr) return {};
  const auto all = only(profiles.in_details, [&](const Profile* profile) {
    return profile->precision() == profiles.described->precision() &&
           !profile->rows(Pass::kForward).empty();
  });
  const auto size = [](const Profile* profile) { return profile->spec.size; };
  return only(all, [&](const Profile* profile) {
    return std::ranges::count(all, profile->spec.size, size) > 1;
  });
}

/// A row for each profile and a column for each group's share of its forward pass.
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

/// Names the classes that take most of the rows' time: "elementwise kernels and reductions". Empty
/// if "other" is among them.
std::string main_classes(const Rows& rows, const std::string& kernels) {
  std::vector<std::string> words;
  double covered = 0;
  for (const KernelSum& sum : summed(rows, [](const auto& row) { return drawn_class(row.kind); })) {
    if (covered >= kMostly * total(rows)) break;
    if (sum.name == "other") return "";
    words.push_back(class_words(sum.name, kernels));
    covered += sum.total;
  }
  return join_words(words);
}

/// A group in a sentence: "the rest of attention", "attention softmax".
std::string group_words(const std::string& group) {
  const std::size_t colon = group.find(": ");
  if (colon == std::string::npos) return group;
  const std::string part = group.substr(0, colon), stage = group.substr(colon + 2);
  return stage == kOther ? "the rest of " + part : part + " " + stage;
}

/// "softmax takes **3.8 %** of …, RoPE 1.6 %": the largest groups of the answer's forward pass.
Facts non_gemm_sentence(const Profile& profile, const std::string& kernels) {
  std::vector<KernelSum> groups = groups_of(profile);
  std::erase_if(groups, [&](const KernelSum& group) {
    return share_of_forward(profile, group.total) < kNoticed || group.name == kOther;
  });
  if (groups.size() > kNamed) groups.resize(kNamed);
  Rows rows;
  std::vector<std::string> others;
  for (const KernelSum& group : groups) {
    std::ranges::copy(group.rows, std::back_inserter(rows));
    others.push_back(group_words(group.name) + " " +
                     format_percent(share_of_forward(profile, group.total)) + " %");
  }
  const std::string classes = main_classes(rows, kernels);
  Facts first;
  if (!groups.empty()) {
    others.erase(others.begin());
    first.set("name", group_words(groups.front().name))
        .set("share", share_of_forward(profile, groups.front().total), kShareOfPass)
        .when("others", !others.empty(), "list", join_words(others))
        .when("classes", !classes.empty(), "list", classes);
  }
  return Facts()
      .set("profile", profile.words)
      .set("all", non_gemm_share(profile), kShareOfPass)
      .when("first", !groups.empty(), first)
      .flag("none", groups.empty());
}

}  // namespace

PartContent non_gemm_kernels(const Profiles& profiles) {
  PartContent part;
  part.facts = profiles.facts();
  const Profile* profile = profiles.described;
  const bool ran = profile != nullptr && !profile->rows(Pass::kForward).empty();
  part.facts.flag("nothing", !ran);
  part.facts.when("one", ran, ran ? non_gemm_sentence(*profile, profiles.kernels()) : Facts());
  part.facts.flag("dashed", profile != nullptr && square_share(*profile) > 0);
  part.datasets = {make_dataset("non-gemm-time", kRoleBars, bars(profiles)),
                   make_dataset("non-gemm-by-context", kByContext, along_contexts(profiles)),
                   make_dataset("non-gemm-kernels", kKernels, by_group_and_operator(profile)),
                   group_shares(profiles.in_details)};
  return part;
}

}  // namespace labreport::nsys_profile
