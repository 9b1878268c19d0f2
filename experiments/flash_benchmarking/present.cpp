// Builds the datasets and facts of section.md: which implementation of attention is fastest.
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
constexpr std::int64_t kUsualDim = 64;  // the most common head dimension
constexpr double kBackwardWork = 2.5;   // FLOPs of backward / of forward, by convention
constexpr double kTera = 1e12;
constexpr Notation kThree{Notation::kSignificant, 3};
constexpr Notation kRate = kThree;
constexpr Notation kFactor{Notation::kSignificant, 2};
constexpr Notation kTime{Notation::kSignificant, 4};

// The numbers of score tensors that the forward pass of model/attention.h writes and reads. QKᵀ,
// division, mask, subtraction, exponential and division write one each. The last five of these, the
// maximum, the sum and the product with V read one each.
constexpr double kScoresWritten = 6;
constexpr double kScoresRead = 8;
constexpr double kMostOfIt = 0.4;   // least share of the eager time that traffic must explain
constexpr double kLaunchBound = 2;  // measured time / time at the longest length's rate

using Rows = std::vector<AttentionRow>;

bool custom(const AttentionRow& row) { return row.sweep().backend == AttentionBackend::kCustom; }

std::string implementation(const AttentionRow& row) {
  if (!custom(row)) return std::string(describe(row.sweep().backend));
  const std::string& digested = row.spec().implementation;
  return digested.substr(0, digested.rfind('-')) + " (yours)";
}

bool eager(const AttentionRow& row) { return row.sweep().backend == AttentionBackend::kEager; }

std::optional<double> whole_ms(const AttentionRow& row) {
  return row.ran() ? row.ms(metric::kEndToEnd) : std::nullopt;
}

/// The rate of forward and backward together in TFLOP/s, with the conventional FLOP count.
std::optional<double> tera_rate(const AttentionRow& row) {
  const auto ms = whole_ms(row);
  if (!ms || *ms <= 0) return std::nullopt;
  const double work = (1 + kBackwardWork) * attention_flops(row.spec(), row.length());
  return work / (*ms / 1e3) / kTera;
}

Value median_of(const AttentionRow& row, std::string_view pass) {
  const auto ms = row.ms(pass);
  return ms ? Value(*ms) : Value::missing(row.reason);
}

struct Latency {
  const AttentionRow* row;
  std::optional<double> share;  ///< The row's rate / the measured peak rate.
};

const std::vector<Column<Latency>> kLatencies{
    {"head_dim",
     "d",
     [](const Latency& it) { return Value(it.row->sweep().head_dim); },
     "",
     {Notation::kCount}},
    {"length",
     "Sequence",
     [](const Latency& it) { return Value(it.row->length()); },
     "",
     {Notation::kCount}},
    {"implementation", "Implementation", [](const Latency& it) { return implementation(*it.row); }},
    {"forward", "Forward", [](const Latency& it) { return median_of(*it.row, metric::kForward); },
     "ms", kTime},
    {"backward", "Backward",
     [](const Latency& it) { return median_of(*it.row, metric::kBackward); }, "ms", kTime},
    {"end_to_end", "Both", [](const Latency& it) { return median_of(*it.row, metric::kEndToEnd); },
     "ms", kTime},
    {"rate", "Rate", [](const Latency& it) { return Value(tera_rate(*it.row)); }, "TFLOP/s", kRate},
    {"share",
     "Share of peak",
     [](const Latency& it) { return Value(it.share); },
     "%",
     {Notation::kPercent}}};

Dataset latencies_dataset(const char* name, const RunView& view, const Rows& rows) {
  std::vector<Latency> latencies;
  for (const AttentionRow& row : rows) {
    if (row.not_offered()) continue;  // the text, not the table, names these
    const auto rate = tera_rate(row);
    const auto peak = matrix_rate(view, row.spec().precision.value_or(Precision::kFp32));
    latencies.push_back({&row, rate && peak ? std::optional(*rate * kTera / *peak) : std::nullopt});
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

Dataset rates(const Rows& rows, Precision precision) {
  std::vector<RatePoint> points;
  for (const AttentionRow& row : rows) {
    if (const auto rate = tera_rate(row)) {
      points.push_back({implementation(row), row.length(), *rate});
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
  bool won = true;  ///< The fastest leads all others by more than the deviations.

  std::optional<double> speedup() const {
    if (eager == nullptr || !whole_ms(*eager)) return std::nullopt;
    if (!clearly_faster(*fastest, *eager, metric::kEndToEnd)) return std::nullopt;
    return *whole_ms(*eager) / *whole_ms(*fastest);
  }
};

/// A number of the fastest implementation; missing if it did not win.
template <typename Number>
std::function<Value(const Race&)> of_winner(const Number& number) {
  return [number](const Race& race) { return race.won ? Value(number(*race.fastest)) : Value(); };
}

const std::vector<Column<Race>> kRaces{
    {"length", "Sequence", &Race::length, "", {Notation::kCount}},
    {"fastest", "Fastest",
     [](const Race& race) {
       return race.won ? Value(implementation(*race.fastest))
                       : Value::missing("the fastest lie within their deviations");
     }},
    {"best", "Its time", of_winner(whole_ms), "ms", kTime},
    {"rate", "Its rate", of_winner(tera_rate), "TFLOP/s", kRate},
    {"eager", "Eager",
     [](const Race& race) {
       return race.eager == nullptr ? Value() : median_of(*race.eager, metric::kEndToEnd);
     },
     "ms", kTime},
    {"speedup", "Speedup",
     [](const Race& race) { return race.won ? Value(race.speedup()) : Value(); }, "×", kFactor}};

/// A race for each length at which any implementation ran, shortest first.
std::vector<Race> races(const Rows& rows) {
  std::map<std::int64_t, Race> by_length;
  for (const AttentionRow& row : rows) {
    Race& race = by_length[row.length()];
    race.length = row.length();
    if (eager(row)) race.eager = &row;
    const auto ms = whole_ms(row);
    if (ms && (race.fastest == nullptr || *ms < *whole_ms(*race.fastest))) race.fastest = &row;
  }
  std::vector<Race> list;
  for (const auto& [length, race] : by_length) {
    if (race.fastest != nullptr) list.push_back(race);
  }
  for (Race& race : list) {
    race.won = std::ranges::all_of(rows, [&](const AttentionRow& row) {
      const bool rival = row.length() == race.length && &row != race.fastest && whole_ms(row);
      return !rival || clearly_faster(*race.fastest, row, metric::kEndToEnd);
    });
  }
  return list;
}

/// True if the kernels keep scores on the chip.
bool fused(const AttentionRow& row) {
  const AttentionBackend backend = row.sweep().backend;
  return backend == AttentionBackend::kFlash || backend == AttentionBackend::kEfficient ||
         backend == AttentionBackend::kCudnn;
}

/// Explains a faster fused forward pass by the time to move the eager pass's scores at the measured
/// bandwidth. Nothing unless this is 40 to 100 % of the eager time and at least the fused time.
std::optional<Facts> traffic(const Race& race, std::optional<double> bandwidth) {
  const auto eager_ms = race.eager->ms(metric::kForward);
  const auto ms = race.fastest->ms(metric::kForward);
  if (!bandwidth || !eager_ms || !ms || !fused(*race.fastest)) return std::nullopt;
  const double bytes = (kScoresWritten + kScoresRead) * race.eager->score_bytes();
  const double moved_ms = bytes / *bandwidth * 1e3;
  if (moved_ms < kMostOfIt * *eager_ms || moved_ms > *eager_ms || *ms > moved_ms) {
    return std::nullopt;
  }
  return Facts().set("moved_ms", moved_ms, kThree).set("eager_ms", *eager_ms, kThree);
}

/// The longest launch-bound length; nothing if there are fewer than two. Launch times do not shrink
/// with the work, so a length counts as launch-bound if eager operators, there and at all shorter
/// lengths, take more than twice the time that their rate at the longest length would give.
std::optional<Facts> launch_bound_lengths(const std::vector<Race>& list) {
  std::vector<std::pair<std::int64_t, double>> times;
  for (const Race& race : list) {
    const auto ms = race.eager == nullptr ? std::nullopt : whole_ms(*race.eager);
    if (ms) times.emplace_back(race.length, *ms);
  }
  const auto by_rate = [&](std::int64_t length) {
    const double share = static_cast<double>(length) / static_cast<double>(times.back().first);
    return share * share * times.back().second;
  };
  const auto end = std::ranges::find_if(
      times, [&](const auto& time) { return time.second <= kLaunchBound * by_rate(time.first); });
  if (end - times.begin() < 2) return std::nullopt;
  return Facts().set("last", format_count((end - 1)->first));
}

/// The fastest implementation's speedup at the longest sequence at which it clearly beats eager.
std::optional<Facts> speedup(const std::vector<Race>& list, std::optional<double> bandwidth) {
  const auto race = std::ranges::find_if(list.rbegin(), list.rend(),
                                         [](const Race& any) { return any.speedup().has_value(); });
  if (race == list.rend()) return std::nullopt;
  Facts facts;
  facts.set("length", format_count(race->length));
  facts.set("implementation", implementation(*race->fastest));
  facts.set("ratio", *race->speedup(), kFactor);
  facts.set("ms", *whole_ms(*race->fastest), kThree);
  facts.set("eager_ms", *whole_ms(*race->eager), kThree);
  facts.flag("won", race->won);
  return facts.when("traffic", traffic(*race, bandwidth));
}

/// The shortest sequence at which eager ran out of memory, and the bytes of a tensor of its scores.
std::optional<Facts> eager_end(const Rows& rows) {
  for (const AttentionRow& row : rows) {
    if (!eager(row) || !row.ran_out()) continue;
    Facts facts;
    facts.set("length", format_count(row.length()));
    facts.set("tensor", format_bytes_briefly(row.score_bytes()));
    return facts;
  }
  return std::nullopt;
}

/// Compares the user's implementation, at its longest sequence, with the eager and the fastest one.
std::optional<Facts> custom_time(const Rows& rows, const std::vector<Race>& list) {
  const auto longest =
      std::ranges::find_if(rows.rbegin(), rows.rend(),
                           [](const AttentionRow& row) { return custom(row) && whole_ms(row); });
  if (longest == rows.rend()) return std::nullopt;
  const auto race = std::ranges::find(list, longest->length(), &Race::length);
  const double ms = *whole_ms(*longest);
  Facts facts;
  facts.set("implementation", implementation(*longest));
  facts.set("length", format_count(longest->length()));
  facts.set("ms", ms, kThree);
  const auto eager_ms = race->eager == nullptr ? std::nullopt : whole_ms(*race->eager);
  if (eager_ms) facts.set("eager", *eager_ms / ms, kFactor);
  facts.flag("beside_eager", eager_ms.has_value());
  facts.set("fastest", implementation(*race->fastest));
  facts.set("slower", ms / *whole_ms(*race->fastest), kFactor);
  facts.flag("behind", clearly_faster(*race->fastest, *longest, metric::kEndToEnd));
  return facts;
}

/// The implementations that the device or library does not offer, by precision.
std::vector<Facts> not_offered(const Rows& rows) {
  std::map<Precision, std::vector<std::string>> refused;
  for (const AttentionRow& row : rows) {
    if (!row.not_offered()) continue;
    auto& names = refused[row.spec().precision.value_or(Precision::kFp32)];
    if (!std::ranges::count(names, implementation(row))) names.push_back(implementation(row));
  }
  std::vector<Facts> facts;
  for (const auto& [precision, names] : refused) {
    facts.emplace_back()
        .set("implementations", join_words(names))
        .set("precision", describe(precision));
  }
  return facts;
}

/// The head dimension that the answer describes: 64, or the first that was planned.
std::int64_t compared_dim(const Rows& rows) {
  const auto dim = [](const AttentionRow& row) { return row.sweep().head_dim; };
  const bool usual = rows.empty() || std::ranges::count(rows, kUsualDim, dim) > 0;
  return usual ? kUsualDim : dim(rows.front());
}

Facts precision_facts(const RunView& view, const Rows& rows, Precision precision) {
  const std::vector<Race> list = races(rows);
  Facts facts;
  facts.set("precision", describe(precision));
  const auto fastest = speedup(list, measured_limits(view.run()).copy_bandwidth);
  facts.when("speedup", fastest).flag("alone", !list.empty() && !fastest);
  facts.when("launches", view.on_gpu() ? launch_bound_lengths(list) : std::nullopt);
  facts.when("yours", custom_time(rows, list));
  const auto users = std::ranges::find_if(rows, custom);
  const bool failed = users != rows.end() && !users->ran() && !users->reason.empty();
  facts.when(
      "not_yours", failed,
      failed ? Facts().set("implementation", implementation(*users)).set("reason", users->reason)
             : Facts());
  facts.when("eager_end", eager_end(rows));
  return facts;
}

std::optional<Facts> leader(const Rows& rows) {
  const std::vector<Race> list = races(rows);
  if (list.empty()) return std::nullopt;
  const AttentionRow& best = *list.front().fastest;
  Facts facts;
  facts.set("implementation", implementation(best)).flag("wins", list.front().won);
  facts.set("ms", *whole_ms(best), kThree);
  facts.set("rate", *tera_rate(best), kRate);
  facts.set("heads", format_count(best.sweep().heads));
  facts.set("d", format_count(best.sweep().head_dim));
  facts.set("length", format_count(best.length()));
  return facts;
}

PartContent content_of(const RunView& view, const Rows& rows, const Rows& board) {
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
    const std::vector<Race> list = races(compared);
    if (precision == *precisions.begin()) headline = speedup(list, std::nullopt);
    ran = ran || !list.empty();
    part.datasets.push_back(make_dataset("fastest", kRaces, list));
    part.datasets.back().variant = describe(precision);
    part.datasets.push_back(rates(compared, precision));
    part.datasets.push_back(latencies_dataset("latencies", view, of_precision));
  }
  if (headline) headline->set("precision", describe(*precisions.begin()));
  part.facts.when("headline", headline);
  part.datasets.push_back(latencies_dataset("leaderboard", view, board));
  part.datasets.back().variant.clear();
  part.facts.list("precisions", std::move(by_precision));
  Rows all = rows;
  all.insert(all.end(), board.begin(), board.end());
  part.facts.list("not_offered", not_offered(all));
  part.facts.when("leader", leader(board));
  part.facts.set("d", format_count(head_dim));
  part.facts.flag("nothing", !ran && !leader(board));
  part.facts.set("reason", first_reason(all));
  part.facts.flag("gpu", view.on_gpu());
  const auto users = std::ranges::find_if(all, custom);
  part.facts.when("own", users != all.end(), "name",
                  users == all.end() ? "" : implementation(*users));
  part.details.tables = {attention_commands(view, kProblem, AttentionMethod::kDoBench)};
  return part;
}

}  // namespace

Presentation present(const RunView& view) {
  const Rows rows = attention_rows(view, AttentionMethod::kDoBench);
  const Rows board = attention_rows(view, AttentionMethod::kLeaderboard);
  if (rows.empty() && board.empty()) return {};
  PartContent part = content_of(view, rows, board);
  part.cells = view.cells(CellKind::kAttention, [](const CellSpec& spec) {
    return spec.attention && spec.attention->method != AttentionMethod::kSynced;
  });
  return {{"", std::move(part)}};
}

}  // namespace labreport::flash_benchmarking
