#include "analysis/noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "analysis/noise_floor.h"
#include "analysis/significance.h"
#include "base/error.h"
#include "base/statistics.h"

namespace labreport {
namespace {

/// Two disjoint groups of launch numbers: the first and the second `per_side` of a drawn order.
class Splitter {
 public:
  Splitter(std::size_t launches, const NoiseOptions& options)
      : order_(launches), per_side_(options.per_side), random_(options.seed) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }

  void draw() {
    for (std::size_t i = 0; i < 2 * per_side_; ++i) {
      std::swap(order_[i], order_[i + random_() % (order_.size() - i)]);
    }
  }

  Welch test(const std::vector<double>& medians) {
    pick(medians, 0, a_);
    pick(medians, per_side_, b_);
    return welch(a_, b_);
  }

 private:
  void pick(const std::vector<double>& medians, std::size_t begin,
            std::vector<double>& side) const {
    side.clear();
    for (std::size_t i = begin; i < begin + per_side_; ++i) side.push_back(medians[order_[i]]);
  }

  std::vector<std::size_t> order_;
  std::size_t per_side_;
  std::mt19937_64 random_;
  std::vector<double> a_;
  std::vector<double> b_;
};

/// What the splits tell of one cell.
struct Tally {
  std::int64_t wrong = 0;
  std::vector<double> slower;  ///< One a split: the logarithm that has to be added …
  std::vector<double> faster;  ///< … or taken away for that verdict.
};

double change_needed(const Welch& test, double level, double smallest_effect) {
  const double critical = student_quantile(1 - level / 2, test.degrees);
  return std::max(critical * test.standard_error, std::log1p(smallest_effect));
}

/// True when some row is said to differ.
bool count_split(const std::vector<Welch>& tests, const JudgeOptions& options,
                 std::vector<Tally>& tallies) {
  std::vector<double> p_values;
  for (const Welch& test : tests) p_values.push_back(test.p);
  const std::vector<double> adjusted = holm(p_values);
  bool any = false;
  for (std::size_t cell = 0; cell < tests.size(); ++cell) {
    const Verdict verdict = verdict_of(tests[cell], adjusted[cell], options);
    const bool wrong = verdict == Verdict::kFaster || verdict == Verdict::kSlower;
    any = any || wrong;
    tallies[cell].wrong += wrong ? 1 : 0;
    std::vector<double> others = p_values;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(cell));
    const double needed =
        change_needed(tests[cell], holm_level(others, options.alpha), options.smallest_effect);
    const double difference = std::log(tests[cell].ratio);
    tallies[cell].slower.push_back(needed - difference);
    tallies[cell].faster.push_back(needed + difference);
  }
  return any;
}

/// The smallest of the changes that is enough in a share of `kPower` of the splits.
double enough(std::vector<double> changes) {
  std::sort(changes.begin(), changes.end());
  const auto found = std::ceil(kPower * static_cast<double>(changes.size()));
  return changes[static_cast<std::size_t>(found) - 1];
}

CellNoise summary(const std::vector<double>& medians, const Tally& tally, std::int64_t splits) {
  std::vector<double> logs;
  for (const double median : medians) logs.push_back(std::log(median / medians.front()));
  return {.log_stddev = sample_stddev(logs),
          .false_verdicts = binomial_proportion(tally.wrong, splits),
          .slower = std::exp(enough(tally.slower)),
          .faster = std::exp(-enough(tally.faster))};
}

void refuse_too_few(std::size_t launches, std::size_t per_side) {
  if (launches >= 2 * per_side) return;
  throw InputError(fmt::format("{0} launches of a cell cannot be split into {1} against {1}",
                               launches, per_side),
                   fmt::format("measure with --launches {} or more{}", 2 * per_side,
                               launches < 2 * kLaunchesForVerdict
                                   ? ""
                                   : fmt::format(", or give --per-side {}", launches / 2)));
}

}  // namespace

std::vector<const Cell*> cells_to_split(const Run& run, std::size_t per_side) {
  std::vector<const Cell*> cells;
  std::size_t most = 0;
  for (const Cell& cell : run.cells) {
    const std::size_t launches = launch_medians(cell).size();
    most = std::max(most, launches);
    if (launches >= 2 * per_side) cells.push_back(&cell);
  }
  refuse_too_few(most, per_side);
  return cells;
}

Noise measure_noise(std::span<const std::vector<double>> cells, const NoiseOptions& options) {
  Noise noise;
  for (const auto& cell : cells) {
    noise.launches = noise.launches == 0 ? cell.size() : std::min(noise.launches, cell.size());
  }
  refuse_too_few(noise.launches, options.per_side);
  Splitter splitter(noise.launches, options);
  std::vector<Tally> tallies(cells.size());
  std::int64_t any = 0;
  for (std::size_t split = 0; split < options.splits; ++split) {
    splitter.draw();
    std::vector<Welch> tests;
    for (const auto& cell : cells) tests.push_back(splitter.test(cell));
    any += count_split(tests, options.judge, tallies) ? 1 : 0;
  }
  const auto splits = static_cast<std::int64_t>(options.splits);
  std::int64_t wrong = 0;
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    noise.cells.push_back(summary(cells[cell], tallies[cell], splits));
    noise.slower = std::max(noise.slower, noise.cells.back().slower);
    noise.faster = std::min(noise.faster, noise.cells.back().faster);
    wrong += tallies[cell].wrong;
  }
  noise.rows = binomial_proportion(wrong, splits * static_cast<std::int64_t>(cells.size()));
  noise.any = binomial_proportion(any, splits);
  return noise;
}

}  // namespace labreport
