// Builds the datasets and facts of section.md, which compares implementations of attention.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "analysis/measures.h"
#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/common/attention.h"
#include "experiments/common/timing.h"
#include "experiments/problems.h"
#include "plan/arithmetic.h"
#include "results/metric_names.h"

namespace labreport::flash_benchmarking {
namespace {

constexpr const char* kProblem = "flash_benchmarking";
constexpr std::int64_t kUsualDim = 64;      // It is the most common head dimension.
constexpr double kBackwardFlopRatio = 2.5;  // Backward / forward, by convention.
constexpr double kTera = 1e12;
constexpr Notation kRate = kThreeDigits;
constexpr Notation kFactor{Notation::kSignificant, 2};
constexpr Notation kTime{Notation::kSignificant, 4};
constexpr double kHardlyLonger = 0.05;  // A time that grows by less does not depend on d.
constexpr double kHardlyFaster = 1.25, kMuchFaster = 2;  // Multiples of a shorter sequence's rate.

using Rows = std::vector<AttentionRow>;

bool is_custom(const AttentionRow& row) { return row.sweep().backend == AttentionBackend::kCustom; }

std::string name_of(const AttentionRow& row) {
  if (!is_custom(row)) return std::string(describe(row.sweep().backend));
  return name_without_digest(row.spec().implementation) + " (yours)";
}

bool is_eager(const AttentionRow& row) { return row.sweep().backend == AttentionBackend::kEager; }

std::optional<double> end_to_end_ms(const AttentionRow& row) {
  return row.ran() ? row.ms(metric::kEndToEnd) : std::nullopt;
}

/// Returns the rate of forward and backward together in TFLOP/s, with the conventional FLOP count.
std::optional<double> tflops(const AttentionRow& row) {
  const auto ms = end_to_end_ms(row);
  if (!ms || *ms <= 0) return std::nullopt;
  const double flops = (1 + kBackwardFlopRatio) * attention_flops(row.spec(), row.length());
  return flops / (*ms / 1e3) / kTera;
}

Value median_time(const AttentionRow& row, std::string_view pass) {
  const auto ms = row.ms(pass);
  return ms ? Value(*ms) : Value::missing(row.reason);
}

Column<AttentionRow> time_column(const char* name, const char* title, std::string_view pass) {
  return {name, title, [pass](const AttentionRow& row) { return median_time(row, pass); }, "ms",
          kTime};
}

std::int64_t dim(const AttentionRow& row) { return row.sweep().head_dim; }

const std::vector<Column<AttentionRow>> kLatencies{
    {"head_dim", "d", dim, "", kAsCount},
    {"length", "Sequence", &AttentionRow::length, "", kAsCount},
    {"implementation", "Implementation", name_of},
    time_column("forward", "Forward", metric::kForward),
    time_column("backward", "Backward", metric::kBackward),
    time_column("end_to_end", "Both", metric::kEndToEnd),
    {"rate", "Rate", tflops, "TFLOP/s", kRate},
    {"saved", "Saved for backward", &AttentionRow::saved_bytes, "MiB", {Notation::kMebibytes}}};

/// Returns the time of the first pass, which means something only beside times of later ones.
std::optional<double> first_pass_seconds(const AttentionRow& row) {
  const bool is_timed = row.ms(metric::kForward) || end_to_end_ms(row);
  return is_timed && row.first_pass_ms ? std::optional(*row.first_pass_ms * 1e-3) : std::nullopt;
}

Dataset latencies_data(const char* name, const RunView& view, const Rows& rows) {
  std::vector<Column<AttentionRow>> columns = kLatencies;
  const auto share_of_peak = [peaks = measured_limits(view.run()).peak_gemm_rates](
                                 const AttentionRow& row) -> std::optional<double> {
    const auto rate = tflops(row);
    const auto peak = peaks.find(row.spec().precision.value_or(Precision::kFp32));
    if (!rate || peak == peaks.end()) return std::nullopt;
    return *rate * kTera / peak->second;
  };
  if (std::ranges::any_of(
          rows, [](const AttentionRow& row) { return first_pass_seconds(row).has_value(); }))
    columns.push_back({"first", "First pass", first_pass_seconds, "s", kThreeDigits});
  columns.push_back({"share", "Share of peak", share_of_peak, "%", {Notation::kPercent}});
  // The text, not the table, names refused implementations.
  Dataset dataset =
      make_dataset(name, columns, only(rows, std::not_fn(&AttentionRow::not_offered)));
  if (!rows.empty()) dataset.variant = describe(*rows.front().spec().precision);
  return dataset;
}

const std::vector<Column<AttentionRow>> kRates{
    {"series", "Implementation", name_of},
    {"length", "Sequence", &AttentionRow::length, "", kAsCount},
    {"ms", "Both", end_to_end_ms, "ms", kTime},
    {"rate", "Rate", tflops, "TFLOP/s", kRate},
    {"end", "End",
     [](const AttentionRow& row) { return row.ran_out_of_memory() ? "out of memory" : ""; }}};

/// The fastest implementation and the eager operators at one length, precision and head dimension.
struct Race {
  std::int64_t length = 0;
  const AttentionRow* fastest = nullptr;
  const AttentionRow* eager = nullptr;
  bool is_won = true;  ///< True if the fastest leads all others by more than the deviations.

  std::optional<double> speedup(std::string_view pass = metric::kEndToEnd) const {
    if (eager == nullptr || !end_to_end_ms(*eager)) return std::nullopt;
    if (!clearly_faster(*fastest, *eager, metric::kEndToEnd)) return std::nullopt;
    if (!passes_agree(*fastest) || !passes_agree(*eager)) return std::nullopt;
    const auto eager_ms = eager->ms(pass), fastest_ms = fastest->ms(pass);
    return eager_ms && fastest_ms ? std::optional(*eager_ms / *fastest_ms) : std::nullopt;
  }
};

/// Returns a function that shows what `getter` returns for the winner; nothing if none has won.
template <typename Getter>
std::function<Value(const Race&)> of_winner(const Getter& getter) {
  return
      [getter](const Race& race) { return race.is_won ? Value(getter(*race.fastest)) : Value(); };
}

const std::vector<Column<Race>> kRaces{
    {"length", "Sequence", &Race::length, "", kAsCount},
    {"fastest", "Fastest",
     [](const Race& race) {
       return race.is_won ? Value(name_of(*race.fastest))
                          : Value::missing("the fastest lie within their deviations");
     }},
    {"best", "Its time", of_winner(end_to_end_ms), "ms", kTime},
    {"rate", "Its rate", of_winner(tflops), "TFLOP/s", kRate},
    {"eager", "Eager",
     [](const Race& race) {
       return race.eager == nullptr ? Value() : median_time(*race.eager, metric::kEndToEnd);
     },
     "ms", kTime},
    {"speedup", "Speedup",
     [](const Race& race) { return race.is_won ? Value(race.speedup()) : Value(); }, "×", kFactor}};

/// Returns a race for each length at which any implementation ran, shortest first. The races point
/// to `rows`, which have one head dimension.
std::vector<Race> races_of(const Rows& rows) {
  std::map<std::int64_t, Race> by_length;
  for (const AttentionRow& row : rows) {
    Race& race = by_length[row.length()];
    race.length = row.length();
    if (is_eager(row)) race.eager = &row;
    const auto ms = end_to_end_ms(row);
    if (ms && (race.fastest == nullptr || *ms < *end_to_end_ms(*race.fastest))) race.fastest = &row;
  }
  std::vector<Race> races;
  for (const auto& [length, race] : by_length) {
    if (race.fastest != nullptr) races.push_back(race);
  }
  for (Race& race : races) {
    race.is_won = std::ranges::all_of(rows, [&](const AttentionRow& row) {
      const bool rival = row.length() == race.length && &row != race.fastest && end_to_end_ms(row);
      return !rival || clearly_faster(*race.fastest, row, metric::kEndToEnd);
    });
  }
  return races;
}

/// Returns the table of the races at `head_dim`, with the speedups at the other head dimensions.
Dataset races_data(const Rows& rows, std::int64_t head_dim) {
  std::map<std::int64_t, Rows> by_dim;
  for (const AttentionRow& row : rows) by_dim[dim(row)].push_back(row);
  std::vector<Column<Race>> columns = kRaces;
  for (const auto& [dim, dim_rows] : by_dim) {
    if (dim == head_dim) continue;
    const auto speedup = [races = races_of(dim_rows)](const Race& race) {
      const auto same = std::ranges::find(races, race.length, &Race::length);
      return same == races.end() || !same->is_won ? Value() : Value(same->speedup());
    };
    const std::string name = std::to_string(dim);
    columns.push_back({"speedup_" + name, "Speedup at d = " + name, speedup, "×", kFactor});
  }
  return make_dataset("fastest", columns, races_of(by_dim[head_dim]));
}

/// Returns the first of consecutive races up to `won` in which the winner of `won` leads, and leads
/// eager by more with each length.
const Race& start_of_growth(const std::vector<Race>& races, const Race& won) {
  const Race* start = &won;
  while (start != &races.front()) {
    const Race* shorter = start - 1;
    const auto speedup = shorter->speedup();
    if (!shorter->is_won || name_of(*shorter->fastest) != name_of(*won.fastest) || !speedup ||
        *speedup >= *start->speedup())
      break;
    start = shorter;
  }
  return *start;
}

/// Describes `won`, the longest race that eager loses: its time in the first sentence of the
/// answer, the speedup and how it grows in later ones. Both tell if eager then lacks memory.
Facts speedup_facts(const std::vector<Race>& races, const Race& won, Precision precision,
                    bool is_first) {
  const std::string ms = format_value(*end_to_end_ms(*won.fastest), kThreeDigits);
  const std::string ratio = format_value(*won.speedup(), kFactor);
  std::string outcome = "is **" + ratio + "×** as fast at " + format_count(won.length);
  if (is_first)
    outcome = "takes **" + ms + " ms** for both passes at " + format_count(won.length) +
              " tokens and d = " + std::to_string(dim(*won.fastest)) + ", eager **" + ratio +
              "×** as long";
  const AttentionRow* longest = races.back().eager;
  const Race& start = start_of_growth(races, won);
  if (longest != nullptr && (longest->ran_out_of_memory() || longest->shorter_ran_out_of_memory)) {
    outcome += "; eager runs out of memory at " + format_count(races.back().length);
  } else if (!is_first && &start != &won) {
    outcome += ", up from " + format_value(start.speedup(), kFactor) + "× at " +
               format_count(start.length);
  }
  return Facts()
      .set("precision", describe(precision))
      .set("implementation", name_of(*won.fastest))
      .set_markdown("outcome", outcome)
      .set("won_ms", ms)
      .set("won_length", format_count(won.length))
      .set("won_batch", format_count(won.fastest->spec().batch.value_or(1)))
      .set("ratio", ratio);
}

/// Returns the title of a figure of rates: "SDPA flash reaches 352 TFLOP/s at 16,384 tokens, eager
/// attention 9.11".
std::string rates_words(const Race& won) {
  return name_of(*won.fastest) + " reaches " + format_value(tflops(*won.fastest), kRate) +
         " TFLOP/s at " + format_count(won.length) + " tokens, eager attention " +
         format_value(tflops(*won.eager), kRate);
}

/// Tells how long the first pass of a process takes with the implementation of `row`, which has a
/// first pass, and at which length.
Facts first_pass_facts(const RunView& view, const AttentionRow& row) {
  const Launch& launch = *ok_launch(*view.run().find(cell_id(row.spec())));
  const Metric& first = *std::ranges::find(launch.metrics, metric::kCompile, &Metric::tag);
  return Facts()
      .set("implementation", name_of(row))
      .set("precision", describe(*row.spec().precision))
      .set("tokens", first.name)
      .set("seconds", *single_milliseconds(launch, metric::kCompile, first.name) * 1e-3,
           kThreeDigits);
}

/// Compares the user's `implementation`, at its longest sequence, with the fastest that is not the
/// user's, or gives the reason why it was not timed. `rows` have one precision.
Facts custom_facts(const Rows& rows, const std::string& implementation, Precision precision) {
  const Rows own = only(
      rows, [&](const AttentionRow& row) { return row.spec().implementation == implementation; });
  Facts facts;
  facts.set("implementation", name_of(own.front())).set("precision", describe(precision));
  const auto is_timed = [](const AttentionRow& row) { return end_to_end_ms(row).has_value(); };
  const Rows own_timed = only(own, is_timed);
  if (own_timed.empty()) {
    const bool has_forward = own.front().ms(metric::kForward).has_value();
    return facts.set("outcome",
                     (has_forward ? "timed forward only, " : "not timed, ") + own.front().reason);
  }
  const std::int64_t length = own_timed.back().length();
  const Rows others = only(rows, [&](const AttentionRow& row) {
    return is_timed(row) && !is_custom(row) && row.length() == length;
  });
  const auto time = [](const AttentionRow& row) {
    return format_value(*end_to_end_ms(row), kThreeDigits) + " ms";
  };
  std::string outcome = time(own_timed.back()) + " at " + format_count(length) + " tokens";
  if (!others.empty()) {
    const AttentionRow& fastest = *std::ranges::min_element(others, {}, end_to_end_ms);
    outcome += ", where " + name_of(fastest) + " takes " + time(fastest);
  }
  return facts.set("outcome", outcome);
}

/// Returns the implementations that the device or library does not offer, by precision.
std::vector<Facts> not_offered_facts(const Rows& rows) {
  std::map<Precision, std::vector<std::string>> refused;
  for (const AttentionRow& row : rows) {
    if (!row.not_offered()) continue;
    auto& names = refused[row.spec().precision.value_or(Precision::kFp32)];
    if (!std::ranges::count(names, name_of(row))) names.push_back(name_of(row));
  }
  std::vector<Facts> facts;
  for (const auto& [precision, names] : refused) {
    facts.emplace_back()
        .set("implementations", join_words(names))
        .set("precision", describe(precision));
  }
  return facts;
}

std::optional<Facts> leader_facts(const Rows& rows) {
  const std::vector<Race> races = races_of(rows);
  if (races.empty()) return std::nullopt;
  const AttentionRow& best = *races.front().fastest;
  return Facts()
      .set("implementation", name_of(best))
      .set("ms", *end_to_end_ms(best), kThreeDigits)
      .set("rate", *tflops(best), kRate)
      .set("heads", format_count(best.sweep().heads))
      .set("d", format_count(dim(best)))
      .set("length", format_count(best.length()));
}

/// Tells from which length on the speedup grows up to `won`. `rows` have one precision. Returns
/// nothing unless eager's rate hardly rises meanwhile and the winner's much, and eager's time
/// hardly grows with twice the FLOPs or more of wider heads. `start` and `won` belong to one list.
std::optional<Facts> growth_facts(const Rows& rows, const Race& start, const Race& won) {
  const Rows eager = only(rows, [&](const AttentionRow& row) {
    return is_eager(row) && row.length() == won.length && end_to_end_ms(row);
  });
  const auto [narrow, wide] = std::ranges::minmax_element(eager, {}, dim);
  const double growth = *end_to_end_ms(*wide) / *end_to_end_ms(*narrow) - 1;
  if (dim(*wide) < 2 * dim(*narrow) || growth < 0 || growth > kHardlyLonger ||
      *tflops(*won.eager) > kHardlyFaster * *tflops(*start.eager) ||
      *tflops(*won.fastest) < kMuchFaster * *tflops(*start.fastest))
    return std::nullopt;
  const auto eager_rates =
      each(std::span(&start, &won + 1), [](const Race& race) { return *tflops(*race.eager); });
  return Facts()
      .set("implementation", name_of(*won.fastest))
      .set("length", format_count(start.length))
      .set("eager_rate", std::ranges::max(eager_rates), kRate)
      .set("rate", *tflops(*won.fastest), kRate);
}

PartContent content(const RunView& view, const Rows& rows, const Rows& leaderboard) {
  PartContent part;
  const bool has_usual_dim = rows.empty() || std::ranges::count(rows, kUsualDim, dim) > 0;
  const std::int64_t head_dim = has_usual_dim ? kUsualDim : dim(rows.front());
  // 16-bit formats come first, because these implementations are made for them.
  std::map<Precision, Rows, std::greater<>> by_precision;
  for (const AttentionRow& row : rows) {
    by_precision[row.spec().precision.value_or(Precision::kFp32)].push_back(row);
  }
  const auto is_drawn = [](const AttentionRow& row) {
    return tflops(row) || row.ran_out_of_memory();
  };
  std::vector<Facts> answers, customs, first_passes;
  for (const auto& [precision, own] : by_precision) {
    const Rows compared = only(own, [&](const AttentionRow& row) { return dim(row) == head_dim; });
    const std::vector<Race> races = races_of(compared);
    const auto won = std::ranges::find_if(
        races.rbegin(), races.rend(), [](const Race& race) { return race.speedup().has_value(); });
    if (won != races.rend()) {
      Facts speedup = speedup_facts(races, *won, precision, answers.empty());
      speedup.when("grows", answers.empty() ? growth_facts(own, start_of_growth(races, *won), *won)
                                            : std::nullopt);
      answers.push_back(std::move(speedup));
    }
    const auto implementation = [](const AttentionRow& row) { return row.spec().implementation; };
    const Rows users_rows = only(compared, is_custom);
    for (const std::string& users : distinct(each(users_rows, implementation))) {
      customs.push_back(custom_facts(compared, users, precision));
      const auto row = std::ranges::find_if(users_rows, [&](const AttentionRow& candidate) {
        return implementation(candidate) == users && first_pass_seconds(candidate);
      });
      if (row != users_rows.end()) first_passes.push_back(first_pass_facts(view, *row));
    }
    for (const std::int64_t other : distinct(each(own, dim))) {
      if (other == head_dim) continue;
      part.datasets.push_back(make_dataset("rates-of-dims", kRates, only(own, [&](const auto& row) {
                                             return dim(row) == other && is_drawn(row);
                                           })));
      part.datasets.back().family = "Head dimension";
      part.datasets.back().variant = fmt::format("d = {}, {}", other, describe(precision));
    }
    part.datasets.push_back(races_data(own, head_dim));
    part.datasets.back().variant = describe(precision);
    Dataset rates = make_dataset("rates", kRates, only(compared, is_drawn));
    if (precision == by_precision.begin()->first) {
      part.datasets.push_back(rates);
      part.datasets.back().name = "times";
    }
    if (won != races.rend()) rates.finding = rates_words(*won);
    rates.family = "Precision";
    rates.variant = describe(precision);
    part.datasets.push_back(std::move(rates));
    part.datasets.push_back(latencies_data("latencies", view, own));
  }
  const bool ran = std::ranges::any_of(rows, &AttentionRow::ran);
  part.facts.set("nothing", !answers.empty() ? ""
                            : ran ? "No implementation is clearly faster than eager attention."
                                  : "No implementation was compared: " + first_reason(rows) + ".");
  part.facts.when("headline", !answers.empty(), answers.empty() ? Facts() : answers.front());
  part.facts.list("precisions", std::move(answers))
      .list("custom", std::move(customs))
      .flag("has_first_passes", !first_passes.empty())
      .list("first_passes", std::move(first_passes));
  part.datasets.push_back(latencies_data("leaderboard", view, leaderboard));
  part.datasets.back().variant.clear();
  Rows all = rows;
  all.insert(all.end(), leaderboard.begin(), leaderboard.end());
  part.facts.list("not_offered", not_offered_facts(all));
  part.facts.when("leader", leader_facts(leaderboard));
  part.facts.set("d", format_count(head_dim));
  part.details.tables = {attention_commands(view, kProblem, AttentionMethod::kDoBench)};
  return part;
}

}  // namespace

Presentation present(const RunView& view) {
  const Rows rows = attention_rows(view, AttentionMethod::kDoBench);
  const Rows leaderboard = attention_rows(view, AttentionMethod::kLeaderboard);
  if (rows.empty() && leaderboard.empty()) return {};
  PartContent part = content(view, rows, leaderboard);
  part.cells = view.cells(CellKind::kAttention, [](const CellSpec& spec) {
    return spec.attention && spec.attention->method != AttentionMethod::kSynced;
  });
  return {{"", std::move(part)}};
}

}  // namespace labreport::flash_benchmarking
