// labreport noise: A against A, from one run's launches.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "analysis/launch_median.h"
#include "base/format.h"
#include "base/messages.h"
#include "base/text.h"
#include "cli/load_run.h"
#include "cli/noise_table.h"
#include "cli/verbs.h"
#include "cli/whole_number.h"

namespace labreport {
namespace {

constexpr std::int64_t kMostSplits = 1'000'000;

struct NoiseFlags {
  std::string run;
  std::string splits = "1000";
  std::string per_side = "5";
  std::string seed = "1";
  std::string format = "table";
};

NoiseOptions options_of(const NoiseFlags& flags) {
  NoiseOptions options;
  options.splits = static_cast<std::size_t>(whole_number("--splits", flags.splits, 1, kMostSplits));
  options.per_side = static_cast<std::size_t>(
      whole_number("--per-side", flags.per_side, static_cast<std::int64_t>(kLaunchesForVerdict)));
  options.seed = static_cast<std::uint64_t>(whole_number("--seed", flags.seed, 0));
  return options;
}

void tell_left_out(const Run& run, std::size_t taken, std::size_t launches) {
  const auto timed = std::count_if(run.cells.begin(), run.cells.end(),
                                   [](const Cell& cell) { return !launch_medians(cell).empty(); });
  const std::int64_t left_out = timed - static_cast<std::int64_t>(taken);
  if (left_out == 0) return;
  say("left out: {} with fewer than {} launches\n", format_plural(left_out, "cell"), launches);
}

ExitStatus noise(const NoiseFlags& flags) {
  const std::vector<std::string> formats{"table", "json"};
  if (std::find(formats.begin(), formats.end(), flags.format) == formats.end()) {
    refuse_unknown("format", flags.format, formats);
  }
  const NoiseOptions options = options_of(flags);
  if (flags.run.empty()) {
    throw InputError("noise needs a run", "`labreport list runs` shows the runs there are");
  }
  const Run run = load_run(flags.run);
  if (run.source == "imported") {
    throw InputError(flags.run + " holds imported numbers", "only a measured run has launches");
  }
  const std::vector<const Cell*> cells = cells_to_split(run, options.per_side);
  tell_left_out(run, cells.size(), 2 * options.per_side);
  std::vector<std::vector<double>> medians;
  for (const Cell* cell : cells) medians.push_back(launch_medians(*cell));
  const Noise found = measure_noise(medians, options);
  fmt::print("{}", flags.format == "json" ? noise_json(cells, found, options)
                                          : noise_table(cells, found, options));
  return ExitStatus::kDone;
}

}  // namespace

void add_noise(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<NoiseFlags>();
  CLI::App* verb = app.add_subcommand("noise", "how often a run is said to differ from itself");
  verb->add_option("run", flags->run, "RUN: folder of a run with many launches, or a file");
  verb->add_option("--splits", flags->splits, "how many random splits (1000)");
  verb->add_option("--per-side", flags->per_side, "launches a side (5)");
  verb->add_option("--seed", flags->seed, "of the splits (1)");
  verb->add_option("--format", flags->format, "table or json (table)");
  verb->callback([flags, &invocation] { invocation.call = [flags] { return noise(*flags); }; });
}

}  // namespace labreport
