// Part (a): attention by itself, eager beside compiled, over head dimensions and sequence lengths.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/lists.h"
#include "experiments/common/attention.h"
#include "experiments/common/change.h"
#include "experiments/common/command.h"
#include "experiments/common/shipped.h"
#include "experiments/torch_compile/present.h"
#include "results/metric_names.h"

namespace labreport::torch_compile {
namespace {

constexpr std::int64_t kUsualHeadDim = 64;
constexpr Notation kFactor{Notation::kFixed, 2};
constexpr Notation kSavedBytes{Notation::kMebibytes};
constexpr double kEqualTimes = 0.05;  // Times are alike up to this relative difference.

/// Attention at one sequence length, eager and compiled.
struct AttentionPair {
  AttentionRow eager, compiled;
  std::optional<double> compile_seconds;

  /// Divides the means of all passes; a row keeps no single pass that could be left out.
  std::optional<Ratio> speedup(std::string_view pass) const {
    const auto eager_ms = eager.ms(pass, "mean_ns"), compiled_ms = compiled.ms(pass, "mean_ns");
    if (!eager_ms || !compiled_ms || *eager_ms <= 0 || *compiled_ms <= 0) return std::nullopt;
    const double value = *eager_ms / *compiled_ms;
    return Ratio{value,
                 value * std::hypot(eager.ms(pass, "stddev_ns").value_or(0) / *eager_ms,
                                    compiled.ms(pass, "stddev_ns").value_or(0) / *compiled_ms)};
  }
};

Column<AttentionPair> pass_time_column(const char* name, const char* title,
                                       AttentionRow AttentionPair::* implementation,
                                       std::string_view pass) {
  return {name, title,
          [implementation, pass](const AttentionPair& pair) {
            return mean_time(pair.*implementation, pass);
          },
          "ms"};
}

Column<AttentionPair> pass_speedup_column(const char* name, const char* title,
                                          std::string_view pass) {
  return {name, title,
          [pass](const AttentionPair& pair) {
            const auto speedup = pair.speedup(pass);
            return speedup ? Value(speedup->value, speedup->deviation) : Value();
          },
          "×", kFactor};
}

const std::vector<Column<AttentionPair>> kGrid{
    {"head_dim", "d", [](const AttentionPair& pair) { return Value(pair.eager.sweep().head_dim); },
     "", kAsCount},
    {"length", "Sequence", [](const AttentionPair& pair) { return Value(pair.eager.length()); }, "",
     kAsCount},
    pass_time_column("forward_eager", "Forward, eager", &AttentionPair::eager, metric::kForward),
    pass_time_column("forward_compiled", "Forward, compiled", &AttentionPair::compiled,
                     metric::kForward),
    pass_speedup_column("forward_speedup", "Forward speedup", metric::kForward),
    pass_time_column("backward_eager", "Backward, eager", &AttentionPair::eager, metric::kBackward),
    pass_time_column("backward_compiled", "Backward, compiled", &AttentionPair::compiled,
                     metric::kBackward),
    pass_speedup_column("backward_speedup", "Backward speedup", metric::kBackward),
    {"saved_eager", "Saved, eager",
     [](const AttentionPair& pair) { return Value(pair.eager.saved_bytes()); }, "MiB", kSavedBytes},
    {"saved_compiled", "Saved, compiled",
     [](const AttentionPair& pair) { return Value(pair.compiled.saved_bytes()); }, "MiB",
     kSavedBytes},
    {"compile", "Compile time", &AttentionPair::compile_seconds, "s", kThreeDigits}};

struct SpeedupPoint {
  std::string series;
  std::int64_t length;
  double speedup;
};

const std::vector<Column<SpeedupPoint>> kSpeedupPoints{
    {"series", "Pass", &SpeedupPoint::series},
    {"length", "Sequence", &SpeedupPoint::length, "", kAsCount},
    {"speedup", "Speedup", &SpeedupPoint::speedup, "×", kFactor}};

std::int64_t dim(const AttentionPair& pair) { return pair.eager.sweep().head_dim; }

Precision precision_of(const AttentionPair& pair) {
  return pair.eager.spec().precision.value_or(Precision::kFp32);
}

/// Pairs each eager row with the compiled row, which has only a reason if it was not planned.
std::vector<AttentionPair> pairs_of(const Run& run) {
  std::vector<AttentionPair> pairs;
  for (const Cell& cell : run.cells) {
    if (!cell.spec.attention || cell.spec.implementation != implementation_of({})) continue;
    CellSpec compiled_spec = cell.spec;
    compiled_spec.implementation = implementation_of({.compiled = true});
    const Cell* compiled_cell = run.find(cell_id(compiled_spec));
    const Launch* launch = compiled_cell == nullptr ? nullptr : ok_launch(*compiled_cell);
    const std::vector<AttentionRow> eager = attention_rows(cell);
    std::vector<AttentionRow> compiled;
    if (compiled_cell != nullptr) compiled = attention_rows(*compiled_cell);
    for (std::size_t i = 0; i < eager.size(); ++i) {
      if (compiled_cell == nullptr) {
        compiled.emplace_back(cell.spec, eager[i].length()).reason =
            "a demonstration on a CPU compiles the contexts that its command names";
      }
      if (i >= compiled.size()) break;
      const auto ms = launch == nullptr ? std::nullopt
                                        : single_milliseconds(*launch, metric::kCompile,
                                                              std::to_string(eager[i].length()));
      pairs.push_back({eager[i], compiled[i], ms ? std::optional(*ms * 1e-3) : std::nullopt});
    }
  }
  return pairs;
}

/// Returns the pairs that ran both ways at head dimension 64, or else at the first that has any.
std::vector<AttentionPair> compared_pairs(const std::vector<AttentionPair>& pairs) {
  const auto ran = only(pairs, [](const AttentionPair& pair) {
    return pair.speedup(metric::kForward) && pair.speedup(metric::kBackward);
  });
  if (ran.empty()) return ran;
  const bool has_usual_dim = std::ranges::count(ran, kUsualHeadDim, dim) > 0;
  const std::int64_t compared_dim = has_usual_dim ? kUsualHeadDim : dim(ran.front());
  return only(ran, [&](const AttentionPair& pair) { return dim(pair) == compared_dim; });
}

/// Names the shortest sequence if the CPU sets its time of forward at each head dimension, eager
/// and compiled.
std::optional<Facts> launches_facts(const std::vector<AttentionPair>& grid) {
  for (const std::int64_t own_dim : distinct(each(grid, dim))) {
    const auto pairs = only(grid, [&](const AttentionPair& pair) { return dim(pair) == own_dim; });
    for (const auto implementation : {&AttentionPair::eager, &AttentionPair::compiled}) {
      if (bounds_by_length(each(pairs, implementation), metric::kForward).front() != Bound::kLaunch)
        return std::nullopt;
    }
  }
  return Facts().set("length", format_count(grid.front().eager.length()));
}

/// A time of one pass at one length and head dimension, both ways.
struct ComparedTime {
  std::int64_t length;
  bool is_shorter, is_longer;  ///< Compiled, by more than both deviations together.
};

/// Tells from which length on all times are shorter, and how many of the others are.
Facts lengths_facts(const std::vector<AttentionPair>& ran) {
  std::vector<ComparedTime> times;
  for (const AttentionPair& pair : ran) {
    for (const auto pass : {metric::kForward, metric::kBackward}) {
      times.push_back({pair.eager.length(),
                       clearly_faster(pair.compiled, pair.eager, pass, "mean_ns"),
                       clearly_faster(pair.eager, pair.compiled, pass, "mean_ns")});
    }
  }
  std::int64_t longest_unclear = 0;
  for (const ComparedTime& time : times) {
    if (!time.is_shorter) longest_unclear = std::max(longest_unclear, time.length);
  }
  const auto others =
      only(times, [&](const ComparedTime& time) { return time.length <= longest_unclear; });
  const auto paying = only(each(times, &ComparedTime::length),
                           [&](std::int64_t length) { return length > longest_unclear; });
  const std::string count = format_count(std::ssize(others));
  return Facts()
      .set("pays", paying.empty() ? ""
                                  : ", and pays at each d from " +
                                        format_count(std::ranges::min(paying)) + " tokens")
      .when("others", !others.empty(),
            Facts()
                .set("which",
                     paying.empty() ? "all " + count + " times" : "the " + count + " times below")
                .set("shorter",
                     count_in_words(std::ranges::count_if(others, &ComparedTime::is_shorter)))
                .set("longer",
                     count_in_words(std::ranges::count_if(others, &ComparedTime::is_longer))));
}

/// Gives the speedups at one length with the narrowest and the widest heads. If all are certain and
/// compiling spares both the same time of each pass, also tells forward's.
Facts precision_facts(const RunView& view, const std::vector<AttentionPair>& grid,
                      std::int64_t length) {
  const auto timed = only(grid, [](const AttentionPair& pair) {
    return pair.speedup(metric::kForward) && pair.speedup(metric::kBackward);
  });
  const auto ran =
      only(timed, [&](const AttentionPair& pair) { return pair.eager.length() == length; });
  const auto [narrow, wide] = std::ranges::minmax_element(ran, {}, dim);
  Facts facts;
  bool spares_alike = view.on_gpu();
  const auto spared = [](const AttentionPair& pair, std::string_view pass) {
    return *pair.eager.ms(pass, "mean_ns") - *pair.compiled.ms(pass, "mean_ns");
  };
  for (const auto pass : {metric::kForward, metric::kBackward}) {
    const Ratio from = *narrow->speedup(pass), to = *wide->speedup(pass);
    spares_alike = spares_alike && from.is_certain() && to.is_certain() && 1 < to.value &&
                   to.value < from.value &&
                   std::abs(spared(*wide, pass) / spared(*narrow, pass) - 1) <= kEqualTimes;
    facts.set(std::string(pass), from_to(stated_ratio(from, kFactor), stated_ratio(to, kFactor)));
  }
  const double saved_ms = (spared(*narrow, metric::kForward) + spared(*wide, metric::kForward)) / 2;
  return facts.add(lengths_facts(timed))
      .set("precision", describe(precision_of(*narrow)))
      .set("length", format_count(length))
      .set("d", from_to(std::to_string(dim(*narrow)), std::to_string(dim(*wide))))
      .when("saves", spares_alike, "saved", format_value(saved_ms, kThreeDigits));
}

}  // namespace

std::optional<PartContent> present_attention(const RunView& view) {
  const std::vector<AttentionPair> pairs = pairs_of(view.run());
  if (pairs.empty()) return std::nullopt;
  PartContent part;
  std::vector<Facts> precisions;
  std::optional<Facts> launches;
  bool both_save_scores = true;
  std::vector<SpeedupPoint> points;
  for (const Precision precision : distinct(each(pairs, precision_of))) {
    const auto grid =
        only(pairs, [&](const AttentionPair& pair) { return precision_of(pair) == precision; });
    const std::vector<AttentionPair> compared = compared_pairs(grid);
    if (!compared.empty()) {
      precisions.push_back(precision_facts(view, grid, compared.back().eager.length()));
      both_save_scores = both_save_scores && compared.back().eager.saves_two_tensors_of_scores() &&
                         compared.back().compiled.saves_two_tensors_of_scores();
      if (view.on_gpu()) launches = launches_facts(grid);
    }
    for (const auto pass : {metric::kForward, metric::kBackward}) {
      const std::string series = std::string(pass) + ", " + std::string(describe(precision));
      for (const AttentionPair& pair : compared) {
        points.push_back({series, pair.eager.length(), pair.speedup(pass)->value});
      }
    }
    part.datasets.push_back(make_dataset("grid", kGrid, grid));
    part.datasets.back().variant = describe(precision);
  }
  const CellSpec& spec = pairs.front().eager.spec();
  std::vector<AttentionRow> rows = each(pairs, &AttentionPair::compiled);
  std::ranges::copy(each(pairs, &AttentionPair::eager), std::back_inserter(rows));
  const std::vector<AttentionPair> drawn = compared_pairs(pairs);
  part.facts.set("drawn_d", drawn.empty() ? "" : std::to_string(dim(drawn.front())))
      .flag("saves_scores", both_save_scores && !precisions.empty())
      .set("nothing",
           precisions.empty() ? "No configuration ran both ways: " + first_reason(rows) + "." : "")
      .list("precisions", std::move(precisions))
      .when("launches", launches)
      .set("batch", format_count(spec.batch.value_or(1)))
      .set("warmup", format_count(spec.warmup.value_or(0)))
      .set("steps", format_count(spec.steps.value_or(0)));
  part.datasets.push_back(make_dataset("attention-speedups", kSpeedupPoints, points));
  for (const Cell& cell : view.run().cells) {
    if (cell.spec.attention && is_shipped(cell.spec)) part.cells.push_back(&cell);
  }
  part.details.tables = {command_table(view.run(), kProblem + std::string(".a"), part.cells)};
  return part;
}

}  // namespace labreport::torch_compile
