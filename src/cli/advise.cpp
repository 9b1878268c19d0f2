// labreport advise names the changes to the training step that help most, as a run measured them.
#include <fmt/format.h>

#include <algorithm>

#include "base/format.h"
#include "base/statistics.h"
#include "cli/run_choice.h"
#include "cli/verbs.h"
#include "document/demonstration.h"
#include "experiments/common/ladder.h"

namespace labreport {
namespace {

constexpr std::size_t kMaxChanges = 3;

struct AdviseFlags {
  std::string run;
  std::string edition;
};

/// Returns the step's time in ms, "606 ± 21"; without a deviation if there is a single step.
std::string step_time_words(const Rung& rung) {
  if (rung.steps_ms.size() < 2) return format_significant(rung.mean_ms());
  return format_with_deviation(rung.mean_ms(), sample_stddev(rung.steps_ms)).joined();
}

void print_gain(const Gain& gain, std::size_t place) {
  const std::string reason = reason_clause(gain);
  fmt::print("{}. {}: saves {} ms, {}× ({} → {} ms){}\n   {}\n   {}\n", place, gain.after->change,
             gain.saved_digits(), format_significant(gain.speedup(), 3),
             step_time_words(*gain.before), step_time_words(*gain.after),
             reason.empty() ? "" : ", " + reason, cell_id(gain.before->cell->spec),
             cell_id(gain.after->cell->spec));
}

constexpr RunPreference kHasLadder{[](const Run& run) {
                                     return std::ranges::any_of(run.cells, [](const Cell& cell) {
                                       return cell.spec.kind == CellKind::kLadder;
                                     });
                                   },
                                   "without a ladder"};

void print_ladder(const Ladder& ladder, bool on_gpu) {
  if (!on_gpu) fmt::print("{}. {}\n", kDemonstration, kDemonstrationMeaning);
  fmt::print("{}: {} ms a training step as the course writes it, {} ms at best\n", ladder.words,
             step_time_words(*ladder.first_run()), step_time_words(*ladder.fastest()));
  const std::vector<Gain> largest = largest_gains(ladder, kMaxChanges);
  const auto end_of_launches = end_of_launch_bound_steps(ladder);
  if (largest.empty() && end_of_launches) {
    fmt::print("{} ends the launch-bound steps, in which no other change can be ranked\n",
               end_of_launches->after->change);
  } else if (largest.empty()) {
    fmt::print("no change stands out\n");
  }
  for (std::size_t i = 0; i < largest.size(); ++i) print_gain(largest[i], i + 1);
}

ExitStatus advise(const AdviseFlags& flags) {
  if (flags.run.empty()) {
    throw InputError("advise needs a run", "`labreport list runs` shows the runs there are");
  }
  if (!flags.edition.empty()) find_edition(flags.edition);
  const Run run = choose_run(flags.run, flags.edition, "site/runs", kHasLadder).run;
  const RunView view(run, find_edition(run.edition));
  const std::vector<Ladder> all = ladders(view);
  const Ladder* ladder = advised_ladder(all);
  if (ladder == nullptr) {
    throw InputError(
        flags.run + " has no measurement of the problem ladder, so no change can be named",
        "measure it: `labreport report --edition " + run.edition + " --problems ladder`");
  }
  print_ladder(*ladder, view.on_gpu());
  return ExitStatus::kDone;
}

}  // namespace

void add_advise(CLI::App& app, Invocation& invocation) {
  const auto [verb, flags] = add_verb<AdviseFlags>(
      app, invocation, "advise",
      "name the changes that make a training step fastest, as a run measured them", advise);
  verb->add_option("run", flags->run, "RUN: a folder, a file, a GPU, latest or previous");
  verb->add_option("--edition", flags->edition,
                   "the edition of runs named by GPU, latest or previous");
}

}  // namespace labreport
