#include "cli/noise_table.h"

#include <fmt/format.h>

#include "base/format.h"
#include "orchestrate/capture.h"
#include "orchestrate/progress.h"
#include "results/json_writer.h"

namespace labreport {
namespace {

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

}  // namespace

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

}  // namespace labreport
