// Which profiles and which of their kernels a sentence is about.
#include <algorithm>

#include "base/text.h"
#include "experiments/nsys_profile/profile.h"
#include "plan/editions.h"
#include "results/metric_names.h"

namespace labreport::nsys_profile {
namespace {

double parameters(const Profile& profile) {
  return static_cast<double>(parameter_count(profile.spec.model.value_or(ModelShape{})));
}

bool of_2026(const RunView& view) { return view.edition().name == "2026"; }

bool holds(const ProfiledStep& step, Pass pass) {
  const Mode least = pass == Pass::kTrainStep         ? Mode::kTrainStep
                     : pass == Pass::kForwardBackward ? Mode::kForwardBackward
                                                      : Mode::kInference;
  return step.spec->mode >= least;
}

bool belongs(const KernelRow& row, Pass pass) {
  if (row.phase == metric::kForward) return true;
  if (pass == Pass::kForward) return false;
  if (row.phase == metric::kLoss || row.phase == metric::kBackward) return true;
  return pass == Pass::kTrainStep && row.phase == metric::kOptimizer;
}

/// The 2025 answers speak of one context: the reference where it ran, else the longest.
std::int64_t answered_context(const RunView& view, const std::vector<const Profile*>& ran) {
  const std::int64_t reference = view.edition().reference_context;
  const auto context = [](const Profile* profile) { return profile->spec.context.value_or(0); };
  if (std::ranges::find(ran, reference, context) != ran.end()) return reference;
  return context(*std::ranges::max_element(ran, {}, context));
}

}  // namespace

std::vector<const Profile*> answered(const RunView& view, const std::vector<Profile>& profiles) {
  std::vector<const Profile*> ran;
  for (const Profile& profile : profiles) {
    if (!profile.empty()) ran.push_back(&profile);
  }
  if (ran.empty() || of_2026(view)) return ran;
  const auto precision = ran.front()->spec.precision;
  std::erase_if(ran, [&](const Profile* profile) { return profile->spec.precision != precision; });
  const std::int64_t context = answered_context(view, ran);
  std::erase_if(ran, [&](const Profile* profile) { return profile->spec.context != context; });
  // A step that holds more answers more of the parts than a larger network's forward pass alone.
  return {*std::ranges::max_element(ran, {}, [](const Profile* profile) {
    const bool whole = profile->step && profile->step->spec->mode == Mode::kTrainStep;
    return std::pair(whole, parameters(*profile));
  })};
}

std::vector<Profile> spoken_of(const RunView& view, const std::vector<Profile>& profiles) {
  const auto named = answered(view, profiles);
  std::vector<Profile> found;
  for (const Profile& profile : profiles) {
    const bool wanted = std::ranges::any_of(named, [&](const Profile* other) {
      return profile.spec.context == other->spec.context &&
             profile.spec.precision == other->spec.precision;
    });
    if (wanted || named.empty()) found.push_back(profile);
  }
  return found;
}

const Profile* foremost(const std::vector<const Profile*>& answered) {
  const Profile* found = nullptr;
  for (const Profile* profile : answered) {
    const bool more =
        found == nullptr || parameters(*profile) > parameters(*found) ||
        (parameters(*profile) == parameters(*found) && profile->spec.context > found->spec.context);
    if (more) found = profile;
  }
  return found;
}

std::string_view describe(Pass pass) {
  if (pass == Pass::kForward) return "forward";
  return pass == Pass::kForwardBackward ? "forward+backward" : "train step";
}

Rows rows_of(const Profile& profile, Pass pass) {
  const bool inference = pass == Pass::kForward && profile.inference;
  const auto& step = inference ? profile.inference : profile.step;
  Rows rows;
  if (!step || !holds(*step, pass)) return rows;
  for (const KernelRow& row : step->rows) {
    if (belongs(row, pass)) rows.push_back(&row);
  }
  return rows;
}

Rows matching(const Rows& rows, const std::function<bool(const KernelRow&)>& wanted) {
  Rows found;
  std::ranges::copy_if(rows, std::back_inserter(found),
                       [&](const KernelRow* row) { return wanted(*row); });
  return found;
}

double total(const Rows& rows) {
  double sum = 0;
  for (const KernelRow* row : rows) sum += row->total;
  return sum;
}

std::int64_t instances(const Rows& rows) {
  double sum = 0;
  for (const KernelRow* row : rows) sum += row->instances;
  return static_cast<std::int64_t>(sum);
}

bool is_matrix_product(const KernelRow& row) {
  return row.kind == "gemm" || row.kind == "gemm helper";
}

namespace {

/// What stands for the answer where nothing ran: a profile at the reference context.
const Profile& wanted_most(const RunView& view, const std::vector<Profile>& profiles) {
  const auto context = [](const Profile& profile) { return profile.spec.context; };
  const auto found =
      std::ranges::find(profiles, std::optional(view.edition().reference_context), context);
  return found == profiles.end() ? profiles.front() : *found;
}

/// Profiles with a reason that readers of the answer need. The 2025 answer is about one profile: it
/// stands in for larger ones of its kind only.
std::vector<const Profile*> unspoken(const RunView& view, const std::vector<Profile>& profiles) {
  const auto named = answered(view, profiles);
  const Profile& said = named.empty() ? wanted_most(view, profiles) : *named.front();
  std::vector<const Profile*> found;
  for (const Profile& profile : profiles) {
    const bool instead = profile.spec.context == said.spec.context &&
                         profile.spec.precision == said.spec.precision &&
                         parameters(profile) >= parameters(said);
    if (!profile.missing.empty() && (of_2026(view) || instead)) found.push_back(&profile);
  }
  return found;
}

/// One for each reason, with all that have it: a run cut short lacks many for the same.
std::vector<Facts> missing(const std::vector<const Profile*>& profiles) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const Profile* profile : profiles) {
    auto known =
        std::ranges::find(reasons, profile->missing, [](const auto& one) { return one.first; });
    if (known == reasons.end()) known = reasons.insert(known, {profile->missing, {}});
    known->second.push_back(profile->words);
  }
  std::vector<Facts> list(reasons.size());
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    list[i].set("words", join_words(reasons[i].second));
    list[i].set("reason", reasons[i].first);
  }
  return list;
}

}  // namespace

void set_common(Facts& facts, const RunView& view, const std::vector<Profile>& profiles) {
  const auto named = answered(view, profiles);
  facts.flag("nothing", named.empty());
  facts.flag("several", named.size() > 1);
  facts.flag("gpu", view.on_gpu());
  facts.set("kernel", view.on_gpu() ? "kernel" : "operator");
  facts.list("missing", missing(unspoken(view, profiles)));
}

}  // namespace labreport::nsys_profile
