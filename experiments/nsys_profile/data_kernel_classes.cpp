// Part (d): the GEMMs' share of GPU time, in the forward pass and in a whole step.
#include <cmath>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/nsys_profile/answers.h"
#include "experiments/nsys_profile/kernel_sums.h"
#include "experiments/nsys_profile/parts.h"
#include "experiments/nsys_profile/step_timeline.h"

namespace labreport::nsys_profile {
namespace {

constexpr const char* kClasses[]{"elementwise", "exponential", "where",  "reduction", "copy",
                                 "gather",      "fused",       "memset", "other"};
constexpr Pass kComparedPasses[]{Pass::kForward, Pass::kForwardBackward, Pass::kTrainStep};
constexpr Pass kDrawnPasses[]{Pass::kForward, Pass::kBackward, Pass::kOptimizer, Pass::kTrainStep};
constexpr double kPoint = 0.01;
constexpr double kFaster = 1.1;
constexpr Notation kShareOfTime{Notation::kPercent};

struct PassOf {
  const Profile* profile;
  Pass pass;
};

/// Every pass of every profile, by class; classes that none has are left out.
Dataset every_class(const std::vector<const Profile*>& profiles) {
  std::vector<PassOf> passes;
  for (const Profile* profile : profiles) {
    for (const Pass pass : kComparedPasses) {
      const bool told = !profile->rows(pass).empty() || !profile->reason.empty();
      if (told) passes.push_back({profile, pass});
    }
  }
  std::vector<Column<PassOf>> columns{
      {"profile", "Profile", [](const PassOf& of) { return of.profile->label; }},
      {"pass", "Pass", [](const PassOf& of) { return describe(of.pass); }}};
  const auto add = [&](const std::string& kind, const auto& wanted) {
    const auto value = [wanted](const PassOf& of) {
      return share_of(*of.profile, of.pass, wanted);
    };
    const auto known = [&](const PassOf& of) {
      return share(of.profile->rows(of.pass), wanted) > 0;
    };
    if (std::ranges::any_of(passes, known))
      columns.push_back({kind, kind, value, "%", kShareOfTime});
  };
  add("GEMM", is_gemm);
  for (const std::string kind : kClasses) {
    add(kind, [kind](const KernelRow& row) { return row.kind == kind; });
  }
  return make_dataset("every-class", columns, passes);
}

/// The GEMMs' share in each pass, a row a profile.
Dataset gemm_shares(const std::vector<const Profile*>& profiles) {
  std::vector<Column<const Profile*>> columns{
      {"profile", "Profile", [](const Profile* profile) { return profile->label; }}};
  for (const Pass pass : kComparedPasses) {
    const std::string name(describe(pass));
    columns.push_back({name, "GEMMs, " + name,
                       [pass](const Profile* profile) { return share_of(*profile, pass, is_gemm); },
                       "%", kShareOfTime});
  }
  return make_dataset("gemm-shares", columns, profiles);
}

/// A stretch of the figure's bars, in per cent of one pass.
struct ClassBar {
  std::string row, kind;
  double ms, share;
  std::string change;  ///< Words behind the bar: "61.43 ms, 5.3× as fast"
};

const std::vector<Column<ClassBar>> kClassBars{
    {"row", "Pass", &ClassBar::row},
    {"class", "Class", &ClassBar::kind},
    {"ms", "Time", &ClassBar::ms, "ms"},
    {"share", "Share", &ClassBar::share, "%", kShareOfTime},
    {"change", "Change", &ClassBar::change}};

/// Behind a 16-bit pass its speedup over `full`'s.
void add_bars(std::vector<ClassBar>& bars, const Profile* profile, const Profile* full) {
  for (const Pass pass : kDrawnPasses) {
    const Rows rows = profile == nullptr ? Rows() : profile->rows(pass);
    const double whole = total(rows), before = full == nullptr ? 0 : total(full->rows(pass));
    std::string change = format_significant(whole) + " ms";
    if (before > 0 && whole > 0) change += ", " + format_factor(before / whole) + "×";
    for (const std::string& kind : drawn_classes()) {
      const double ms = total(matching(rows, of_class(kind)));
      if (ms <= 0) continue;
      const std::string precision(labreport::describe(profile->precision()));
      bars.push_back(
          {precision + " · " + std::string(describe(pass)), kind, ms, ms / whole, change});
    }
  }
}

/// "elementwise from 20.1 to 25.3 %, reduction and copy stay within a point"
std::string changes(const Rows& before, const Rows& after) {
  std::vector<std::string> words, steady;
  for (const std::string& kind : drawn_classes()) {
    const double from = share(before, of_class(kind)), to = share(after, of_class(kind));
    if (kind == "GEMM" || from + to <= 0) continue;
    if (std::abs(to - from) >= kPoint) {
      words.push_back(kind + " from " + format_percent(from) + " to " + format_percent(to) + " %");
    } else if (kind != "other") {
      steady.push_back(kind);
    }
  }
  if (!steady.empty())
    words.push_back(join_words(steady) + (steady.size() > 1 ? " stay" : " stays") +
                    " within a point");
  return join(words, ", ");
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
  /// The optimizer has no GEMMs and lowers the share.
  bool by_optimizer() const {
    return drop() >= kPoint && !optimizer.empty() && gemm_share(optimizer) == 0;
  }
  bool unexplained() const { return std::abs(drop()) >= kPoint && !by_optimizer(); }
};

Facts class_sentence(const Compared& compared) {
  const std::string list = changes(compared.forward, compared.fullest());
  return Facts()
      .set("profile", compared.words)
      .set("before", gemm_share(compared.forward), kShareOfTime)
      .set("both", gemm_share(compared.both), kShareOfTime)
      .set("after", gemm_share(compared.fullest()), kShareOfTime)
      .set("optimizer_ms", total(compared.optimizer), {Notation::kSignificant, 3})
      .when("changes", !list.empty(), "list", list);
}

/// Of a step in 16 bits whose GEMMs gain: their share and why.
std::optional<Facts> half_step(const Profiles& profiles) {
  if (profiles.half == nullptr) return std::nullopt;
  const Profile &full = *profiles.foremost, &half = *profiles.half;
  const double before = time_of(full, Pass::kTrainStep, is_gemm);
  const double after = time_of(half, Pass::kTrainStep, is_gemm);
  if (after <= 0 || before < kFaster * after) return std::nullopt;
  const Rows forward = half.rows(Pass::kForward), step = half.rows(Pass::kTrainStep);
  const std::string list = changes(forward, step);
  return Facts()
      .set("precision", labreport::describe(half.precision()))
      .set("forward", gemm_share(forward), kShareOfTime)
      .set("share", gemm_share(step), kShareOfTime)
      .when("changes", !list.empty(), "list", list)
      .set("gemm_before", before, {})
      .set("gemm_after", after, {})
      .set("before", time_of(full, Pass::kTrainStep, is_non_gemm), {})
      .set("after", time_of(half, Pass::kTrainStep, is_non_gemm), {});
}

Facts class_facts(const Profiles& profiles) {
  std::vector<Compared> all;
  for (const Profile* profile : profiles.answered) {
    if (!profile->rows(Pass::kForward).empty()) all.emplace_back(*profile);
  }
  Facts facts = profiles.facts();
  set_situations<Compared>(facts, foremost_of(profiles, all), class_sentence,
                           {{"whole_step", &Compared::whole_step},
                            {"backward_only", &Compared::backward_only},
                            {"forward_only", &Compared::forward_only},
                            {"by_optimizer", &Compared::by_optimizer},
                            {"unexplained", &Compared::unexplained}});
  facts.when("half", half_step(profiles));
  const Profile* drawn = drawn_step(profiles);
  facts.flag("inference", profiles.foremost != nullptr && profiles.foremost->inference &&
                              profiles.foremost->step);
  facts.set("timeline", drawn == nullptr ? "" : drawn->words);
  return facts;
}

}  // namespace

PartContent kernel_classes(const Profiles& profiles) {
  PartContent part;
  part.facts = class_facts(profiles);
  std::vector<ClassBar> bars;
  add_bars(bars, profiles.foremost, nullptr);
  add_bars(bars, profiles.half, profiles.foremost);
  part.datasets = {make_dataset("kernel-classes", kClassBars, bars), gemm_shares(profiles.shown),
                   every_class(profiles.every)};
  std::ranges::move(step_timeline(profiles), std::back_inserter(part.datasets));
  return part;
}

}  // namespace labreport::nsys_profile
