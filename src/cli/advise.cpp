// labreport advise: which changes to the training step help most, as a run measured them.
#include <fmt/format.h>

#include "base/format.h"
#include "cli/run_choice.h"
#include "cli/verbs.h"
#include "experiments/common/ladder.h"

namespace labreport {
namespace {

constexpr std::size_t kMostChanges = 3;

void print(const Gain& gain, std::size_t place) {
  const std::string why = because(gain);
  fmt::print("{}. {}: {}× ({} → {} ms){}\n   {}\n   {}\n", place, gain.after->change,
             format_significant(gain.speedup(), 3), format_significant(gain.before->ms()),
             format_significant(gain.after->ms()), why.empty() ? "" : ", " + why,
             cell_id(gain.before->cell->spec), cell_id(gain.after->cell->spec));
}

ExitStatus advise(const std::string& named) {
  if (named.empty()) {
    throw InputError("advise needs a run", "`labreport list runs` shows the runs there are");
  }
  const Run run = load_run(named);
  const RunView view(run, find_edition(run.edition));
  const std::vector<Ladder> all = ladders(view);
  const Ladder* ladder = advised(all);
  if (ladder == nullptr) {
    throw InputError(
        named + " has no ladder of a training step, so nothing says what would help",
        "measure one: build/bin/labreport report --edition " + run.edition + " --problems ladder");
  }
  const std::vector<Gain> largest = largest_gains(*ladder, kMostChanges);
  fmt::print("{}: {} ms a training step as the course writes it, {} ms at best\n", ladder->words,
             format_significant(ladder->first()->ms()), format_significant(ladder->best()->ms()));
  if (largest.empty()) fmt::print("no change gains 2 %\n");
  for (std::size_t i = 0; i < largest.size(); ++i) print(largest[i], i + 1);
  return ExitStatus::kDone;
}

}  // namespace

void add_advise(CLI::App& app, Invocation& invocation) {
  const auto [verb, run] = add_verb<std::string>(
      app, invocation, "advise", "what would make a training step faster, as measured", advise);
  verb->add_option("run", *run, "RUN: a folder of a run, or its file");
}

}  // namespace labreport
