// Part (d): the GEMMs' share of GPU time, in the forward pass and in a whole step.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/text.h"
#include "experiments/nsys_profile/answers.h"
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
constexpr const char* kDrawnClasses[]{"GEMM", "elementwise", "reduction", "copy", "other"};

struct PassOf {
  const Profile* profile;
  Pass pass;
};

/// Every pass of every profile, by class; classes that none has are left out.
Dataset every_class(const std::vector<const Profile*>& profiles) {
  std::vector<PassOf> passes;
  for (const Profile* profile : profiles) {
    for (const Pass pass : kComparedPasses) {
      const bool told = !profile->rows(pass).empty() || !profile->missing.empty();
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
  for (const std::string kind : kDrawnClasses) {
    const double ms =
        total(matching(rows, [&](const KernelRow& row) { return drawn_class(row.kind) == kind; }));
    if (ms <= 0 || whole <= 0) continue;
    const std::string precision(labreport::describe(profile.precision()));
    bars.push_back({precision + " · " + std::string(describe(pass)), kind, ms, ms / whole, change});
  }
}

std::vector<ClassBar> class_bars(const Profiles& profiles) {
  std::vector<ClassBar> bars;
  for (const Pass pass : kDrawnPasses) {
    if (profiles.foremost != nullptr) add_bar(bars, *profiles.foremost, pass, 0);
  }
  for (const Pass pass : kDrawnPasses) {
    if (profiles.half == nullptr) break;
    add_bar(bars, *profiles.half, pass, total(profiles.foremost->rows(pass)));
  }
  return bars;
}

/// The share of one class in the forward pass and in the pass compared with it.
struct Move {
  std::string kind;
  double from, to;

  double by() const { return to - from; }
  bool clear() const { return std::abs(by()) >= kPoint; }
};

/// Of every class but GEMMs, the largest change first.
std::vector<Move> moves(const Rows& before, const Rows& after) {
  std::vector<Move> found;
  for (const std::string kind : kDrawnClasses) {
    const auto of_class = [&](const KernelRow& row) { return drawn_class(row.kind) == kind; };
    const Move move{kind, share(before, of_class), share(after, of_class)};
    if (kind != "GEMM" && move.from + move.to > 0) found.push_back(move);
  }
  std::ranges::stable_sort(found, std::greater(),
                           [](const Move& move) { return std::abs(move.by()); });
  return found;
}

/// "copy falls from 23.1 to 13.0 % and reduction from 6.1 to 2.8 %": the clear changes that way.
std::string move_words(const std::vector<Move>& all, const char* verb, double way) {
  std::vector<std::string> words;
  for (const Move& move : all) {
    if (!move.clear() || move.by() * way < 0) continue;
    words.push_back(move.kind + (words.empty() ? verb : "") + " from " + format_percent(move.from) +
                    " to " + format_percent(move.to) + " %");
  }
  return join_words(words);
}

/// "reduction and copy stay within a point"
std::string steady_words(const std::vector<Move>& all) {
  std::vector<std::string> kinds;
  for (const Move& move : all) {
    if (!move.clear() && move.kind != "other") kinds.push_back(move.kind);
  }
  if (kinds.empty()) return "";
  return join_words(kinds) + (kinds.size() > 1 ? " stay" : " stays") + " within a point";
}

/// Which classes beside GEMMs take a larger share, a smaller one or the same.
void set_changes(Facts& facts, const Rows& before, const Rows& after) {
  const std::vector<Move> all = moves(before, after);
  std::vector<std::string> words{move_words(all, " rises", 1), move_words(all, " falls", -1),
                                 steady_words(all)};
  std::erase(words, "");
  facts.when("changes", !words.empty(), "list", join(words, ", "));
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
  bool optimizer_without_gemm() const { return !optimizer.empty() && gemm_share(optimizer) == 0; }
  /// Forward and backward together have the forward pass's share: AdamW alone lowers it.
  bool by_optimizer() const {
    const double before_optimizer = gemm_share(forward) - gemm_share(both);
    return drop() >= kPoint && optimizer_without_gemm() && std::abs(before_optimizer) < kPoint;
  }
  bool by_both() const { return drop() >= kPoint && optimizer_without_gemm() && !by_optimizer(); }
  bool unexplained() const { return std::abs(drop()) >= kPoint && !by_optimizer() && !by_both(); }
};

Facts class_sentence(const Compared& compared) {
  Facts facts;
  facts.set("profile", compared.words);
  facts.set("before", gemm_share(compared.forward), kShareOfTime);
  facts.set("both", gemm_share(compared.both), kShareOfTime);
  facts.set("after", gemm_share(compared.fullest()), kShareOfTime);
  facts.set("optimizer_ms", total(compared.optimizer), {Notation::kSignificant, 3});
  set_changes(facts, compared.forward, compared.fullest());
  return facts;
}

/// Of a step in 16 bits whose GEMMs gain: their share and why.
void set_half_step(Facts& facts, const Profiles& profiles) {
  const auto time = [](const Profile* profile, const auto& wanted) {
    return profile == nullptr ? 0 : total(matching(profile->rows(Pass::kTrainStep), wanted));
  };
  const Profile *full = profiles.foremost, *half = profiles.half;
  const double gemms = time(half, is_gemm);
  const bool gain = gemms > 0 && time(full, is_gemm) >= kFaster * gemms;
  Facts found;
  if (gain) {
    found.set("precision", labreport::describe(half->precision()));
    found.set("forward", gemm_share(half->rows(Pass::kForward)), kShareOfTime);
    found.set("share", gemm_share(half->rows(Pass::kTrainStep)), kShareOfTime);
    set_changes(found, half->rows(Pass::kForward), half->rows(Pass::kTrainStep));
    found.set("gemm_before", time(full, is_gemm), {});
    found.set("gemm_after", gemms, {});
    found.set("before", time(full, is_non_gemm), {});
    found.set("after", time(half, is_non_gemm), {});
  }
  facts.when("half", gain ? std::optional(found) : std::nullopt);
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
                            {"by_both", &Compared::by_both},
                            {"unexplained", &Compared::unexplained}});
  set_half_step(facts, profiles);
  const Profile* drawn = drawn_step(profiles);
  facts.set("timeline", drawn == nullptr ? "" : drawn->words);
  std::erase_if(all, [](const Compared& compared) { return !compared.whole_step(); });
  const auto share = [](Rows Compared::* pass) {
    return [=](const Compared& compared) { return gemm_share(compared.*pass); };
  };
  facts.when("range", ranges<Compared>(all, {{"forward", share(&Compared::forward), kShareOfTime},
                                             {"step", share(&Compared::step), kShareOfTime}}));
  return facts;
}

}  // namespace

PartContent kernel_classes(const Profiles& profiles) {
  PartContent part;
  part.facts = class_facts(profiles);
  part.datasets = {make_dataset("kernel-classes", kClassBars, class_bars(profiles)),
                   gemm_shares(profiles.shown), every_class(profiles.every)};
  for (Dataset& dataset : step_timeline(profiles)) part.datasets.push_back(std::move(dataset));
  return part;
}

}  // namespace labreport::nsys_profile
