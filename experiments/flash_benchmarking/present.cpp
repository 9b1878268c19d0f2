// Builds the datasets and facts of section.md, which compares implementations of attention.
#include <algorithm>
#include <cmath>
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

// The forward pass of model/attention.h writes and reads this many tensors of scores. QKᵀ,
// division, mask, subtraction, exponential and division write one each. All of these but QKᵀ, and
// the maximum, the sum and the product with V, read one each.
constexpr double kScoresWritten = 6;
constexpr double kScoresRead = 8;
constexpr double kLeastTrafficShare = 0.4;  // Traffic must explain this share of eager time.
// A launch-bound length takes more than this many times its time at the longest length's rate.
constexpr double kLaunchBoundRatio = 2;

using Rows = std::vector<AttentionRow>;

bool is_custom(const AttentionRow& row) { return row.sweep().backend == AttentionBackend::kCustom; }

std::string name_of(const AttentionRow& row) {
  if (!is_custom(row)) return std::string(describe(row.sweep().backend));
  const std::string& name_and_digest = row.spec().implementation;
  return name_and_digest.substr(0, name_and_digest.rfind('-')) + " (yours)";
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

struct Latency {
  const AttentionRow* row;
  std::optional<double> share_of_peak;  ///< The row's rate / the measured peak rate.
};

const std::vector<Column<Latency>> kLatencies{
    {"head_dim",
     "d",
     [](const Latency& latency) { return Value(latency.row->sweep().head_dim); },
     "",
     {Notation::kCount}},
    {"length",
     "Sequence",
     [](const Latency& latency) { return Value(latency.row->length()); },
     "",
     {Notation::kCount}},
    {"implementation", "Implementation",
     [](const Latency& latency) { return name_of(*latency.row); }},
    {"forward", "Forward",
     [](const Latency& latency) { return median_time(*latency.row, metric::kForward); }, "ms",
     kTime},
    {"backward", "Backward",
     [](const Latency& latency) { return median_time(*latency.row, metric::kBackward); }, "ms",
     kTime},
    {"end_to_end", "Both",
     [](const Latency& latency) { return median_time(*latency.row, metric::kEndToEnd); }, "ms",
     kTime},
    {"rate", "Rate", [](const Latency& latency) { return Value(tflops(*latency.row)); }, "TFLOP/s",
     kRate},
    {"share",
     "Share of peak",
     [](const Latency& latency) { return Value(latency.share_of_peak); },
     "%",
     {Notation::kPercent}}};

Dataset latencies_data(const char* name, const RunView& view, const Rows& rows) {
  std::vector<Latency> latencies;
  const Limits limits = measured_limits(view.run());
  for (const AttentionRow& row : rows) {
    if (row.not_offered()) continue;  // The text, not the table, names refused implementations.
    const auto rate = tflops(row);
    const auto peak = limits.peak_gemm_rates.find(row.spec().precision.value_or(Precision::kFp32));
    const bool is_known = rate && peak != limits.peak_gemm_rates.end();
    latencies.push_back(
        {&row, is_known ? std::optional(*rate * kTera / peak->second) : std::nullopt});
  }
  Dataset dataset = make_dataset(name, kLatencies, latencies);
  if (!rows.empty()) dataset.variant = describe(*rows.front().spec().precision);
  return dataset;
}

struct RatePoint {
  std::string series;
  std::int64_t length;
  double rate;
};

const std::vector<Column<RatePoint>> kRates{
    {"series", "Implementation", &RatePoint::series},
    {"length", "Sequence", &RatePoint::length, "", {Notation::kCount}},
    {"rate", "Rate", &RatePoint::rate, "TFLOP/s", kRate}};

Dataset rates_data(const Rows& rows, Precision precision) {
  std::vector<RatePoint> points;
  for (const AttentionRow& row : rows) {
    if (const auto rate = tflops(row)) {
      points.push_back({name_of(row), row.length(), *rate});
    }
  }
  Dataset dataset = make_dataset("rates", kRates, points);
  dataset.family = "Precision";
  dataset.variant = describe(precision);
  return dataset;
}

/// The fastest implementation and the eager operators at one length, precision and head dimension.
struct Race {
  std::int64_t length = 0;
  const AttentionRow* fastest = nullptr;
  const AttentionRow* eager = nullptr;
  bool is_won = true;  ///< True if the fastest leads all others by more than the deviations.

  std::optional<double> speedup() const {
    if (eager == nullptr || !end_to_end_ms(*eager)) return std::nullopt;
    if (!clearly_faster(*fastest, *eager, metric::kEndToEnd)) return std::nullopt;
    return *end_to_end_ms(*eager) / *end_to_end_ms(*fastest);
  }
};

/// Returns a function that shows what `getter` returns for the winner; nothing if none has won.
template <typename Getter>
std::function<Value(const Race&)> of_winner(const Getter& getter) {
  return
      [getter](const Race& race) { return race.is_won ? Value(getter(*race.fastest)) : Value(); };
}

const std::vector<Column<Race>> kRaces{
    {"length", "Sequence", &Race::length, "", {Notation::kCount}},
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

/// Returns a race for each length at which any implementation ran, shortest first.
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

/// True if the kernels never write scores to memory.
bool is_fused(const AttentionRow& row) {
  const AttentionBackend backend = row.sweep().backend;
  return backend == AttentionBackend::kFlash || backend == AttentionBackend::kEfficient ||
         backend == AttentionBackend::kCudnn;
}

/// Explains a faster fused forward pass by the time to move the eager pass's scores at the measured
/// bandwidth. Returns nothing unless that is 40 to 100 % of the eager time and at least the fused
/// time.
std::optional<Facts> traffic_facts(const Race& race, std::optional<double> bandwidth) {
  const auto eager_ms = race.eager->ms(metric::kForward);
  const auto fused_ms = race.fastest->ms(metric::kForward);
  if (!bandwidth || !eager_ms || !fused_ms || !is_fused(*race.fastest)) return std::nullopt;
  const double bytes = (kScoresWritten + kScoresRead) * race.eager->score_bytes();
  const double moved_ms = bytes / *bandwidth * 1e3;
  if (moved_ms < kLeastTrafficShare * *eager_ms || moved_ms > *eager_ms || *fused_ms > moved_ms) {
    return std::nullopt;
  }
  return Facts().set("moved_ms", moved_ms, kThreeDigits).set("eager_ms", *eager_ms, kThreeDigits);
}

/// Returns the longest launch-bound length; nothing if there are fewer than two. Launch times do
/// not shrink with the work. So a length is launch-bound if eager operators, there and at all
/// shorter lengths, take more than twice the time that their rate at the longest length would give.
std::optional<Facts> launch_bound_facts(const std::vector<Race>& races) {
  std::vector<std::pair<std::int64_t, double>> length_times;
  for (const Race& race : races) {
    const auto ms = race.eager == nullptr ? std::nullopt : end_to_end_ms(*race.eager);
    if (ms) length_times.emplace_back(race.length, *ms);
  }
  const auto ms_at_longest_rate = [&](std::int64_t length) {
    const double length_ratio =
        static_cast<double>(length) / static_cast<double>(length_times.back().first);
    return length_ratio * length_ratio * length_times.back().second;
  };
  const auto launch_bound_end = std::ranges::find_if(length_times, [&](const auto& time) {
    return time.second <= kLaunchBoundRatio * ms_at_longest_rate(time.first);
  });
  if (launch_bound_end - length_times.begin() < 2) return std::nullopt;
  return Facts().set("last", format_count((launch_bound_end - 1)->first));
}

/// Returns the fastest implementation's speedup at the longest sequence at which it beats eager.
std::optional<Facts> speedup_facts(const std::vector<Race>& races,
                                   std::optional<double> bandwidth) {
  const auto race = std::ranges::find_if(races.rbegin(), races.rend(), [](const Race& candidate) {
    return candidate.speedup().has_value();
  });
  if (race == races.rend()) return std::nullopt;
  Facts facts;
  facts.set("length", format_count(race->length));
  facts.set("implementation", name_of(*race->fastest));
  facts.set("ratio", *race->speedup(), kFactor);
  facts.set("ms", *end_to_end_ms(*race->fastest), kThreeDigits);
  facts.set("eager_ms", *end_to_end_ms(*race->eager), kThreeDigits);
  facts.flag("won", race->is_won);
  return facts.when("traffic", traffic_facts(*race, bandwidth));
}

/// Describes the shortest sequence at which eager ran out of memory, and a tensor of its scores.
std::optional<Facts> eager_end_facts(const Rows& rows) {
  for (const AttentionRow& row : rows) {
    if (!is_eager(row) || !row.ran_out_of_memory()) continue;
    Facts facts;
    facts.set("length", format_count(row.length()));
    facts.set("tensor", format_bytes_briefly(row.score_bytes()));
    return facts;
  }
  return std::nullopt;
}

/// Compares the user's implementation, at its longest sequence, with eager and with the fastest.
std::optional<Facts> custom_facts(const Rows& rows, const std::vector<Race>& races) {
  const auto longest = std::ranges::find_if(
      rows.rbegin(), rows.rend(),
      [](const AttentionRow& row) { return is_custom(row) && end_to_end_ms(row); });
  if (longest == rows.rend()) return std::nullopt;
  const auto race = std::ranges::find(races, longest->length(), &Race::length);
  const double ms = *end_to_end_ms(*longest);
  Facts facts;
  facts.set("implementation", name_of(*longest));
  facts.set("length", format_count(longest->length()));
  facts.set("ms", ms, kThreeDigits);
  const auto eager_ms = race->eager == nullptr ? std::nullopt : end_to_end_ms(*race->eager);
  const Value speedup = eager_ms ? Value(*eager_ms / ms) : Value();
  facts.when("beside_eager", eager_ms.has_value(), Facts().set("eager", speedup, kFactor));
  facts.set("fastest", name_of(*race->fastest));
  facts.set("slower", ms / *end_to_end_ms(*race->fastest), kFactor);
  facts.flag("behind", clearly_faster(*race->fastest, *longest, metric::kEndToEnd));
  return facts;
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

/// Returns the head dimension that the answer describes: 64 if planned, else the first planned one.
std::int64_t compared_dim(const Rows& rows) {
  const auto dim = [](const AttentionRow& row) { return row.sweep().head_dim; };
  const bool has_usual_dim = rows.empty() || std::ranges::count(rows, kUsualDim, dim) > 0;
  return has_usual_dim ? kUsualDim : dim(rows.front());
}

Facts precision_facts(const RunView& view, const Rows& rows, Precision precision) {
  const std::vector<Race> races = races_of(rows);
  Facts facts;
  facts.set("precision", describe(precision));
  const auto speedup = speedup_facts(races, measured_limits(view.run()).copy_bandwidth);
  facts.when("speedup", speedup).flag("alone", !races.empty() && !speedup);
  facts.when("launches", view.on_gpu() ? launch_bound_facts(races) : std::nullopt);
  const auto custom = custom_facts(rows, races);
  facts.when("custom", custom);
  const auto custom_row = std::ranges::find_if(rows, is_custom);
  const bool failed = !custom && custom_row != rows.end() && !custom_row->reason.empty();
  facts.when("custom_failed", failed,
             failed ? Facts()
                          .set("implementation", name_of(*custom_row))
                          .set("timed", custom_row->ms(metric::kForward) ? "timed forward only"
                                                                         : "not timed")
                          .set("reason", custom_row->reason)
                    : Facts());
  facts.when("eager_end", eager_end_facts(rows));
  return facts;
}

std::optional<Facts> leader_facts(const Rows& rows) {
  const std::vector<Race> races = races_of(rows);
  if (races.empty()) return std::nullopt;
  const AttentionRow& best = *races.front().fastest;
  Facts facts;
  facts.set("implementation", name_of(best)).flag("wins", races.front().is_won);
  facts.set("ms", *end_to_end_ms(best), kThreeDigits);
  facts.set("rate", *tflops(best), kRate);
  facts.set("heads", format_count(best.sweep().heads));
  facts.set("d", format_count(best.sweep().head_dim));
  facts.set("length", format_count(best.length()));
  return facts;
}

PartContent content(const RunView& view, const Rows& rows, const Rows& leaderboard) {
  PartContent part;
  const std::int64_t head_dim = compared_dim(rows);
  // 16-bit formats come first, because these implementations are made for them.
  std::set<Precision, std::greater<>> precisions;
  for (const AttentionRow& row : rows)
    precisions.insert(row.spec().precision.value_or(Precision::kFp32));
  std::vector<Facts> by_precision;
  std::optional<Facts> headline;
  bool ran = false;
  for (const Precision precision : precisions) {
    const Rows of_precision =
        only(rows, [&](const AttentionRow& row) { return row.spec().precision == precision; });
    const Rows compared = only(
        of_precision, [&](const AttentionRow& row) { return row.sweep().head_dim == head_dim; });
    by_precision.push_back(precision_facts(view, compared, precision));
    const std::vector<Race> races = races_of(compared);
    if (precision == *precisions.begin()) headline = speedup_facts(races, std::nullopt);
    ran = ran || !races.empty();
    part.datasets.push_back(make_dataset("fastest", kRaces, races));
    part.datasets.back().variant = describe(precision);
    part.datasets.push_back(rates_data(compared, precision));
    part.datasets.push_back(latencies_data("latencies", view, of_precision));
  }
  if (headline) headline->set("precision", describe(*precisions.begin()));
  part.facts.when("headline", headline);
  part.datasets.push_back(latencies_data("leaderboard", view, leaderboard));
  part.datasets.back().variant.clear();
  part.facts.list("precisions", std::move(by_precision));
  Rows all = rows;
  all.insert(all.end(), leaderboard.begin(), leaderboard.end());
  part.facts.list("not_offered", not_offered_facts(all));
  part.facts.when("leader", leader_facts(leaderboard));
  part.facts.set("d", format_count(head_dim));
  part.facts.flag("nothing", !ran && !leader_facts(leaderboard));
  part.facts.set("reason", first_reason(all));
  part.facts.flag("gpu", view.on_gpu());
  const auto custom_row = std::ranges::find_if(all, is_custom);
  part.facts.when("own", custom_row != all.end(), "name",
                  custom_row == all.end() ? "" : name_of(*custom_row));
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
