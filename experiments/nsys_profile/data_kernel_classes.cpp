// Part (d): the GEMMs' share of GPU time, in the forward pass and in a whole step.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "experiments/nsys_profile/answers.h"
#include "experiments/nsys_profile/kernel_name.h"
#include "experiments/nsys_profile/kernel_sums.h"
#include "experiments/nsys_profile/parts.h"
#include "experiments/nsys_profile/step_timeline.h"

namespace labreport::nsys_profile {
namespace {

constexpr const char* kClasses[]{"elementwise", "exponential", "where",  "reduction",
                                 "copy",        "gather",      "memset", "other"};
constexpr Pass kComparedPasses[]{Pass::kForward, Pass::kForwardBackward, Pass::kTrainStep};
constexpr Pass kDrawnPasses[]{Pass::kForward, Pass::kBackward, Pass::kOptimizer, Pass::kTrainStep};
constexpr double kPoint = 0.01;
constexpr double kFaster = 1.1;
constexpr Notation kShareOfTime{Notation::kPercent};

double share_of(const Rows& rows, const std::function<bool(const KernelRow&)>& wanted) {
  const double whole = total(rows);
  return whole > 0 ? total(matching(rows, wanted)) / whole : 0;
}

double class_share(const Rows& rows, std::string_view kind) {
  return share_of(rows, [kind](const KernelRow& row) { return row.kind == kind; });
}

double other_time(const Rows& rows) { return total(rows) - total(matching(rows, is_gemm)); }

struct PassRow {
  std::string profile, pass, missing;
  Rows kernels = {};
};

Column<PassRow> share_column(const std::string& name, const std::string& title,
                             const std::function<bool(const KernelRow&)>& wanted) {
  return {name, title, or_reason<PassRow>([wanted](const PassRow& row) {
            return share_of(row.kernels, wanted);
          }),
          "%", kShareOfTime};
}

std::vector<PassRow> pass_rows(const std::vector<const Profile*>& profiles) {
  std::vector<PassRow> rows;
  for (const Profile* profile : profiles) {
    for (const Pass pass : kComparedPasses) {
      Rows kernels = profile->rows(pass);
      if (kernels.empty()) continue;
      rows.push_back({profile->label, std::string(describe(pass)), "", std::move(kernels)});
    }
    if (profile->missing.empty()) continue;
    rows.push_back({profile->label, profile->missing_step, profile->missing});
  }
  return rows;
}

/// Classes that no pass has are left out.
Dataset classes(const std::string& name, const std::vector<const Profile*>& profiles) {
  const std::vector<PassRow> rows = pass_rows(profiles);
  std::vector<Column<PassRow>> columns{{"profile", "Profile", &PassRow::profile},
                                       {"pass", "Pass", &PassRow::pass},
                                       share_column("gemm", "GEMM", is_gemm)};
  for (const std::string kind : kClasses) {
    const bool known = std::ranges::any_of(
        rows, [&](const PassRow& row) { return class_share(row.kernels, kind) > 0; });
    if (!known) continue;
    columns.push_back(share_column(kind, kind, [kind](const auto& r) { return r.kind == kind; }));
  }
  return make_dataset(name, columns, rows);
}

/// A stretch of the figure's bars, in per cent of one pass.
struct ClassBar {
  std::string row, kind;
  double ms, share;
  std::string change;  ///< Words behind the bar: "61.43 ms, 5.3 × as fast"
};

const std::vector<Column<ClassBar>> kClassBars{
    {"row", "Pass", &ClassBar::row},
    {"class", "Class", &ClassBar::kind},
    {"ms", "Time", &ClassBar::ms, "ms"},
    {"share", "Share", &ClassBar::share, "%", kShareOfTime},
    {"change", "Change", &ClassBar::change}};

void add_bar(std::vector<ClassBar>& bars, const Profile& profile, Pass pass, double before) {
  const Rows rows = profile.rows(pass);
  const double whole = total(rows);
  std::string change = format_significant(whole) + " ms";
  if (before > 0 && whole > 0) change += ", " + format_factor(before / whole) + " ×";
  for (const std::string kind : {"GEMM", "elementwise", "reduction", "copy", "other"}) {
    const double ms =
        total(matching(rows, [&](const KernelRow& row) { return drawn_class(row.kind) == kind; }));
    if (ms <= 0 || whole <= 0) continue;
    const std::string precision(labreport::describe(profile.precision()));
    bars.push_back({precision + " · " + std::string(describe(pass)), kind, ms, ms / whole, change});
  }
}

std::vector<ClassBar> class_bars(const Profiles& profiles) {
  std::vector<ClassBar> bars;
  for (const Profile* profile : {profiles.foremost, profiles.half}) {
    for (const Pass pass : kDrawnPasses) {
      const bool second = profile == profiles.half && profile != nullptr;
      const double before = second ? total(profiles.foremost->rows(pass)) : 0;
      if (profile != nullptr) add_bar(bars, *profile, pass, before);
    }
  }
  return bars;
}

struct ContextPoint {
  std::string size, pass;
  double context, share;
};

const std::vector<Column<ContextPoint>> kContextPoints{
    {"size", "Size", &ContextPoint::size},
    {"pass", "Pass", &ContextPoint::pass},
    {"context", "Context", &ContextPoint::context, "", {Notation::kCount}},
    {"share", "GEMM", &ContextPoint::share, "%", kShareOfTime}};

/// In the answer's precision; none where there is a single context.
std::vector<ContextPoint> context_points(const Profiles& profiles) {
  std::vector<ContextPoint> points;
  std::set<double> contexts;
  for (const Profile& profile : profiles.all) {
    if (profiles.foremost == nullptr || profile.precision() != profiles.foremost->precision())
      continue;
    for (const Pass pass : {Pass::kForward, Pass::kTrainStep}) {
      const auto context = static_cast<double>(profile.spec.context.value_or(0));
      const Rows rows = profile.rows(pass);
      if (rows.empty()) continue;
      contexts.insert(context);
      points.push_back({profile.spec.size, std::string(describe(pass)), context, gemm_share(rows)});
    }
  }
  return contexts.size() < 2 ? std::vector<ContextPoint>() : points;
}

/// "elementwise from 6.5 to 16.8 %": classes whose share changes by a point or more.
std::string changes(const Rows& before, const Rows& after) {
  std::vector<std::string> words;
  for (const std::string_view kind : kClasses) {
    const double from = class_share(before, kind);
    const double to = class_share(after, kind);
    if (std::abs(to - from) < kPoint) continue;
    words.push_back(std::string(kind) + " from " + format_percent(from) + " to " +
                    format_percent(to) + " %");
  }
  return join_words(words);
}

/// The GEMMs' share in the passes of one profile.
struct Compared {
  std::string words;
  Rows forward, both, optimizer, step;

  explicit Compared(const Profile& profile)
      : words(profile.words),
        forward(profile.rows(Pass::kForward)),
        both(profile.rows(Pass::kForwardBackward)),
        optimizer(profile.rows(Pass::kOptimizer)),
        step(profile.rows(Pass::kTrainStep)) {}

  const Rows& fullest() const { return step.empty() ? both : step; }
  double drop() const { return gemm_share(forward) - gemm_share(fullest()); }
  bool forward_only() const { return fullest().empty(); }
  bool whole_step() const { return !step.empty(); }
  bool backward_only() const { return step.empty() && !both.empty(); }
  bool alike() const { return !forward_only() && std::abs(drop()) < kPoint; }
  bool optimizer_without_gemm() const { return !optimizer.empty() && gemm_share(optimizer) == 0; }
  /// Forward and backward together have the forward pass's share: AdamW alone lowers it.
  bool by_optimizer() const {
    const double before_optimizer = gemm_share(forward) - gemm_share(both);
    return drop() >= kPoint && optimizer_without_gemm() && std::abs(before_optimizer) < kPoint;
  }
  bool by_both() const { return drop() >= kPoint && optimizer_without_gemm() && !by_optimizer(); }
  bool unexplained() const { return !forward_only() && !alike() && !by_optimizer() && !by_both(); }
  bool changes_others() const { return !forward_only() && !changes(forward, fullest()).empty(); }
};

Facts class_sentence(const Compared& compared) {
  Facts facts;
  facts.set("profile", compared.words);
  facts.set("before", gemm_share(compared.forward), kShareOfTime);
  facts.set("both", gemm_share(compared.both), kShareOfTime);
  facts.set("after", gemm_share(compared.fullest()), kShareOfTime);
  facts.set("optimizer_ms", total(compared.optimizer), {Notation::kSignificant, 3});
  facts.set("changes", changes(compared.forward, compared.fullest()));
  facts.flag("step", compared.whole_step());
  facts.flag("backward", compared.backward_only());
  return facts;
}

/// Of a step in 16 bits: the GEMMs' share and why, where both steps were profiled.
void set_half_step(Facts& facts, const Profiles& profiles) {
  const auto step = [](const Profile* profile) {
    return profile == nullptr ? Rows() : profile->rows(Pass::kTrainStep);
  };
  const Rows before = step(profiles.foremost), after = step(profiles.half);
  const bool known = !before.empty() && !after.empty();
  Facts found;
  if (known) {
    found.set("precision", labreport::describe(profiles.half->precision()));
    found.set("forward", gemm_share(profiles.half->rows(Pass::kForward)), kShareOfTime);
    found.set("share", gemm_share(after), kShareOfTime);
    found.set("gemm_before", total(matching(before, is_gemm)), {});
    found.set("gemm_after", total(matching(after, is_gemm)), {});
    found.set("before", other_time(before), {});
    found.set("after", other_time(after), {});
  }
  const double faster = total(matching(before, is_gemm)) / total(matching(after, is_gemm));
  facts.when("half", known && faster >= kFaster ? std::optional(found) : std::nullopt);
  facts.when("half_alike", known && faster < kFaster ? std::optional(found) : std::nullopt);
}

Facts class_facts(const Profiles& profiles) {
  std::vector<Compared> all;
  for (const Profile* profile : profiles.answered) {
    if (!profile->rows(Pass::kForward).empty()) all.emplace_back(*profile);
  }
  Facts facts = profiles.facts();
  set_situations<Compared>(facts, profiles, all, class_sentence,
                           {{"whole_step", &Compared::whole_step},
                            {"backward_only", &Compared::backward_only},
                            {"forward_only", &Compared::forward_only},
                            {"by_optimizer", &Compared::by_optimizer},
                            {"by_both", &Compared::by_both},
                            {"alike", &Compared::alike},
                            {"unexplained", &Compared::unexplained},
                            {"changes", &Compared::changes_others}});
  set_half_step(facts, profiles);
  const Profile* drawn = drawn_step(profiles);
  facts.set("timeline", drawn == nullptr ? "" : drawn->words);
  const auto share = [](Rows Compared::* pass) {
    return [=](const Compared& compared) { return gemm_share(compared.*pass); };
  };
  std::vector<Compared> whole = all;
  std::erase_if(whole, [](const Compared& compared) { return !compared.whole_step(); });
  facts.when("range",
             ranges<Compared>(all, {{"share", share(&Compared::forward), kShareOfTime, "%"}}));
  facts.when("steps",
             ranges<Compared>(whole, {{"share", share(&Compared::step), kShareOfTime, "%"}}));
  return facts;
}

}  // namespace

PartContent kernel_classes(const Profiles& profiles) {
  PartContent part;
  part.facts = class_facts(profiles);
  part.datasets = {make_dataset("kernel-classes", kClassBars, class_bars(profiles)),
                   make_dataset("gemm-share", kContextPoints, context_points(profiles)),
                   classes("classes", profiles.shown),
                   classes("every-class", profiles.beyond(profiles.shown))};
  for (Dataset& dataset : step_timeline(profiles)) part.datasets.push_back(std::move(dataset));
  return part;
}

}  // namespace labreport::nsys_profile
