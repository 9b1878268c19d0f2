// Part (a): memory over an inference step and a full training step.
#include "base/text.h"
#include "experiments/memory_profiling/byte_cells.h"
#include "experiments/memory_profiling/parts.h"
#include "experiments/memory_profiling/timeline_figures.h"
#include "results/metric_names.h"
#include "results/run_store.h"

namespace labreport::memory_profiling {
namespace {

struct Shown {
  const Profile* profile;
  const Step* step;
  Timeline timeline;
};

std::optional<Shown> shown(const Profile& profile, Mode mode) {
  const Step* step = profile.asked(mode);
  if (step == nullptr || step->launch == nullptr) return std::nullopt;
  Timeline timeline = timeline_of(*step->launch);
  if (timeline.empty()) return std::nullopt;
  return Shown{&profile, step, std::move(timeline)};
}

/// At the longest context that has one.
std::optional<Shown> longest_shown(const Profiles& profiles, Mode mode, bool whole) {
  std::optional<Shown> found;
  for (const Profile* profile : profiles) {
    auto candidate = shown(*profile, mode);
    if (candidate && (candidate->step->ok() || !whole)) found = std::move(candidate);
  }
  return found;
}

/// The step at the longest context, and where that was refused memory the longest that ran; where
/// no such step has a timeline, the next lesser.
std::vector<Shown> steps_of(const Profiles& profiles) {
  for (const Mode mode : {Mode::kTrainStep, Mode::kForwardBackward, Mode::kForward}) {
    std::vector<Shown> found;
    auto any = longest_shown(profiles, mode, false);
    if (!any) continue;
    const bool whole = any->step->ok();
    found.push_back(std::move(*any));
    auto fits = whole ? std::nullopt : longest_shown(profiles, mode, true);
    if (fits) found.push_back(std::move(*fits));
    return found;
  }
  return {};
}

/// "the forward pass"
std::string pass_words(const std::string& phase) {
  if (phase == metric::kForward || phase == metric::kBackward) return "the " + phase + " pass";
  return phase.empty() ? "no phase" : "the " + phase;
}

std::string step_words(Mode mode) {
  if (mode == Mode::kForward) return "forward pass with grad";
  return std::string(describe(mode)) + (mode == Mode::kForwardBackward ? " step" : "");
}

std::string bytes_at(const Instant* instant, std::string_view category) {
  return format_bytes(instant == nullptr ? 0 : instant->of(category));
}

Facts facts_of(const Shown& shown) {
  const Timeline& timeline = shown.timeline;
  const Instant& start = timeline.instants.front();
  const Instant& peak = timeline.peak();
  const Instant* loss = timeline.end_of(metric::kLoss);
  const Instant* before = loss != nullptr ? loss : timeline.end_of(metric::kForward);
  const Instant* backward = timeline.end_of(metric::kBackward);
  const auto allocated = shown.step->bytes(metric::kMemory, metric::kPeakAllocated);
  Facts facts;
  facts.set("words", shown.profile->words);
  facts.set("mode", step_words(*shown.step->spec().mode));
  facts.set("start", format_bytes(start.requested()));
  facts.set("parameters", format_bytes(start.of(metric::kParameters)));
  facts.flag("state", start.of(metric::kOptimizerStates) > 0);
  facts.set("held",
            format_bytes(start.of(metric::kParameters) + start.of(metric::kOptimizerStates)));
  facts.set("above", format_bytes(peak.requested() - start.requested()));
  facts.flag("copies", peak.of(metric::kWeightCopies) > 0);
  facts.set("copies_bytes", format_bytes(peak.of(metric::kWeightCopies)));
  facts.flag("loss", loss != nullptr);
  facts.set("activations", bytes_at(before, metric::kActivations));
  facts.flag("backward", shown.step->ok() && backward != nullptr);
  facts.set("gradients", bytes_at(backward, metric::kGradients));
  facts.set("peak", format_bytes(peak.requested()));
  facts.set("allocated", format_bytes(allocated.value_or(peak.allocated)));
  facts.flag("rounded", allocated && format_bytes(*allocated) != format_bytes(peak.requested()));
  facts.set("phase", pass_words(peak.phase));
  facts.flag("refused", shown.step->refused() != nullptr);
  facts.set("reason", shown.step->missing());
  return facts;
}

std::vector<Facts> facts_of(const std::vector<Shown>& all) {
  std::vector<Facts> facts;
  for (const Shown& one : all) facts.push_back(facts_of(one));
  return facts;
}

void add_figures(PartContent& part, const RunView& view, const std::vector<Shown>& all,
                 const std::string& name) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string slug = name + (i > 0 ? "-that-fits" : "");
    const double room = capacity(view, *all[i].step);
    part.figures.push_back(
        timeline_figure(slug, *all[i].step, all[i].profile->words, all[i].timeline, room));
    auto boxes = allocations_figure(slug, *all[i].step, all[i].profile->words, all[i].timeline);
    if (boxes) part.figures.push_back(std::move(*boxes));
    part.files.push_back(
        {slug + artifact::kSnapshot, "", artifact_stem(*all[i].step) + artifact::kSnapshot});
  }
}

}  // namespace

PartContent present_timelines(const RunView& view, const std::vector<Profile>& profiles) {
  PartContent part;
  set_common(part.facts, view, profiles);
  const Profiles spoken_of = answered(profiles);
  std::vector<Shown> inference;
  if (auto one = longest_shown(spoken_of, Mode::kInference, false)) {
    inference.push_back(std::move(*one));
  }
  const std::vector<Shown> steps = steps_of(spoken_of);
  part.facts.flag("nothing", inference.empty() && steps.empty());
  part.facts.list("inferences", facts_of(inference));
  part.facts.list("steps", facts_of(steps));
  add_figures(part, view, inference, "memory-inference");
  add_figures(part, view, steps, "memory-step");
  part.drawer.tables = {files_table(spoken_of)};
  return part;
}

}  // namespace labreport::memory_profiling
