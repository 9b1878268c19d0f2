// labreport noise: A against A, from one run's launches.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/noise.h"
#include "analysis/noise_floor.h"
#include "base/format.h"
#include "base/messages.h"
#include "base/text.h"
#include "cli/flags.h"
#include "cli/run_choice.h"
#include "cli/verbs.h"
#include "orchestrate/capture.h"
#include "orchestrate/progress.h"
#include "results/json_writer.h"

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

constexpr const char* kNoiseLine = "{:<53} {:>8}  {:>7}  {:>12}  {:>8}  {:>8}\n";
constexpr int kFactorDecimals = 4;

std::string percent(double share, int decimals = 1) {
  return format_fixed(share * 100, decimals) + " %";
}

std::string interval(const Proportion& rate) {
  return format_percent(rate.lower) + "–" + percent(rate.upper);
}

std::string factor(double value) { return format_fixed(value, kFactorDecimals); }

std::string line(const std::string& words, const std::string& spread, const Proportion& rate,
                 double slower, double faster) {
  std::string text =
      fmt::format(fmt::runtime(kNoiseLine), words, spread, percent(rate.value), interval(rate),
                  slower > 1 ? factor(slower) : "", faster < 1 ? factor(faster) : "");
  text.erase(text.find_last_not_of(" \n") + 1);
  return text + "\n";
}

/// A size's name comes from a file: one printable line of it.
std::string safe_words(const CellSpec& spec) { return last_lines(cell_words(spec), 1, 80); }

Json to_json(const Proportion& rate) {
  return {{"value", rate.value}, {"lower", rate.lower}, {"upper", rate.upper}};
}

Json to_json(const Cell& cell, const CellNoise& noise) {
  return {{"id", cell.id},
          {"log_stddev", noise.log_stddev},
          {"false_verdicts", to_json(noise.false_verdicts)},
          {"slower", noise.slower},
          {"faster", noise.faster}};
}

/// `noise` has one entry a cell, in the same order.
std::string noise_table(const std::vector<const Cell*>& cells, const Noise& noise,
                        const NoiseOptions& options) {
  std::string text = fmt::format(
      "A against A: {}, {} launches each, {} random disjoint splits of {} against {}\n\n",
      format_plural(static_cast<std::int64_t>(cells.size()), "cell"), noise.launches,
      format_count(static_cast<std::int64_t>(options.splits)), options.per_side, options.per_side);
  text +=
      fmt::format(fmt::runtime(kNoiseLine), "cell", "spread", "false", "95 %", "slower", "faster");
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const CellNoise& cell = noise.cells[i];
    text += line(safe_words(cells[i]->spec), percent(cell.log_stddev, 2), cell.false_verdicts,
                 cell.slower, cell.faster);
  }
  text += line("all rows", "", noise.rows, noise.slower, noise.faster);
  text += line("splits with any false row", "", noise.any, 1, 1);
  return text + fmt::format(
                    "\nspread: standard deviation of the logarithms of launch medians; false: rows "
                    "said to be faster or slower,\nwhich at most {} of splits may have; slower, "
                    "faster: the change of one cell that is found in nine of ten splits\n",
                    percent(options.judge.alpha, 0));
}

std::string noise_json(const std::vector<const Cell*>& cells, const Noise& noise,
                       const NoiseOptions& options) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    rows.push_back(to_json(*cells[i], noise.cells[i]));
  }
  return write_json({{"launches", noise.launches},
                     {"splits", options.splits},
                     {"per_side", options.per_side},
                     {"seed", options.seed},
                     {"alpha", options.judge.alpha},
                     {"smallest_effect", options.judge.smallest_effect},
                     {"cells", rows},
                     {"rows", to_json(noise.rows)},
                     {"any", to_json(noise.any)},
                     {"slower", noise.slower},
                     {"faster", noise.faster}});
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
  const auto [verb, flags] = add_verb<NoiseFlags>(
      app, invocation, "noise", "how often a run is said to differ from itself", noise);
  verb->add_option("run", flags->run, "RUN: folder of a run with many launches, or a file");
  verb->add_option("--splits", flags->splits, "how many random splits (1000)");
  verb->add_option("--per-side", flags->per_side, "launches a side (5)");
  verb->add_option("--seed", flags->seed, "of the splits (1)");
  verb->add_option("--format", flags->format, "table or json (table)");
}

}  // namespace labreport
