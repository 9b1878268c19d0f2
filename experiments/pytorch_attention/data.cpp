// Builds the datasets and values of section.md: the length at which eager attention runs out of
// memory.
#include <algorithm>
#include <cmath>
#include <functional>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/common/attention.h"
#include "experiments/problems.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::pytorch_attention {
namespace {

constexpr const char* kProblem = "pytorch_attention";
constexpr std::int64_t kLongestAsked = 16384;   // the handout's longest
constexpr std::int64_t kScoresOutweigh = 4096;  // below 3 % of the bytes saved are other tensors,
                                                // up to d = 128
constexpr Notation kBytes{Notation::kMebibytes};
constexpr double kWholeTensors = 0.05;  // within this distance of a whole number of tensors of
                                        // scores

using Rows = std::vector<AttentionRow>;

Value time_of(const AttentionRow& row, std::string_view pass) {
  const auto mean = row.ms(pass, "mean_ns"), stddev = row.ms(pass, "stddev_ns");
  if (!mean) return Value::missing(row.reason);
  return stddev ? Value(*mean, *stddev) : Value(*mean);
}

Value or_reason(const std::optional<double>& value, const AttentionRow& row) {
  return value ? Value(*value) : Value::missing(row.reason);
}

/// Returns nothing after an out-of-memory error: the bytes counted until then are no peak of a
/// pass.
std::optional<double> peak_of(const AttentionRow& row) {
  return row.ran() ? row.bytes(column::kPeakBytes) : std::nullopt;
}

std::string series_of(const AttentionRow& row) {
  return std::string(describe(*row.spec().precision)) + ", d " +
         std::to_string(row.sweep().head_dim);
}

const std::vector<Column<AttentionRow>> kGrid{
    {"head_dim",
     "d",
     [](const AttentionRow& row) { return Value(row.sweep().head_dim); },
     "",
     {Notation::kCount}},
    {"length", "Sequence", &AttentionRow::length, "", {Notation::kCount}},
    {"forward", "Forward", [](const AttentionRow& row) { return time_of(row, metric::kForward); },
     "ms"},
    {"backward", "Backward",
     [](const AttentionRow& row) { return time_of(row, metric::kBackward); }, "ms"},
    {"before_backward", "Before backward",
     [](const AttentionRow& row) {
       return or_reason(row.bytes(column::kBeforeBackwardBytes), row);
     },
     "MiB", kBytes},
    {"saved", "Saved for backward",
     [](const AttentionRow& row) { return or_reason(row.saved(), row); }, "MiB", kBytes},
    {"peak", "Peak", [](const AttentionRow& row) { return or_reason(peak_of(row), row); }, "MiB",
     kBytes}};

const std::vector<Column<AttentionRow>> kCurves{
    {"series", "Precision and d", series_of},
    {"length", "Sequence", &AttentionRow::length, "", {Notation::kCount}},
    {"saved", "Saved for backward", [](const AttentionRow& row) { return Value(row.saved()); },
     "MiB", kBytes}};

struct PassTime {
  std::string series;
  std::int64_t length;
  double ms;
};

const std::vector<Column<PassTime>> kTimes{
    {"series", "Pass", &PassTime::series},
    {"length", "Sequence", &PassTime::length, "", {Notation::kCount}},
    {"ms", "Mean", &PassTime::ms, "ms"}};

Rows of_precision(const Rows& rows, Precision precision) {
  Rows found;
  std::ranges::copy_if(rows, std::back_inserter(found),
                       [&](const AttentionRow& row) { return row.spec().precision == precision; });
  return found;
}

std::vector<Precision> precisions_of(const Rows& rows) {
  std::vector<Precision> found;
  for (const AttentionRow& row : rows) {
    const Precision precision = row.spec().precision.value_or(Precision::kFp32);
    if (std::ranges::find(found, precision) == found.end()) found.push_back(precision);
  }
  return found;
}

/// The narrowest and the widest heads: what lies between them is drawn over by both.
Rows outermost(const Rows& rows) {
  const auto dim = [](const AttentionRow& row) { return row.sweep().head_dim; };
  Rows found;
  if (rows.empty()) return found;
  const auto [low, high] = std::ranges::minmax(rows, {}, dim);
  std::ranges::copy_if(rows, std::back_inserter(found), [&](const AttentionRow& row) {
    return row.saved() && (dim(row) == dim(low) || dim(row) == dim(high));
  });
  return found;
}

/// The widest heads: curves of the bytes saved at other d lie under theirs.
Rows widest(const Rows& rows) {
  Rows found = outermost(rows);
  if (found.empty()) return found;
  const auto dim = [](const AttentionRow& row) { return row.sweep().head_dim; };
  const std::int64_t most = dim(std::ranges::max(found, {}, dim));
  std::erase_if(found, [&](const AttentionRow& row) { return dim(row) != most; });
  return found;
}

std::vector<PassTime> times_of(const Rows& rows) {
  std::vector<PassTime> times;
  for (const AttentionRow& row : outermost(rows)) {
    for (const auto pass : {metric::kForward, metric::kBackward}) {
      const auto ms = row.ms(pass, "mean_ns");
      if (ms) times.push_back({std::string(pass) + ", " + series_of(row), row.length(), *ms});
    }
  }
  return times;
}

/// The rows that ran at lengths from which on little but the scores is saved; all that ran unless
/// there are two such lengths.
Rows fitted_rows(const Rows& rows) {
  const Rows ran =
      only(rows, [](const AttentionRow& row) { return row.ran() && row.saved().value_or(0) > 0; });
  const Rows far =
      only(ran, [](const AttentionRow& row) { return row.length() >= kScoresOutweigh; });
  const bool several = std::ranges::any_of(
      far, [&](const AttentionRow& row) { return row.length() != far.front().length(); });
  return several ? far : ran;
}

/// The slope of log(saved) over log(length), by least squares, all d together.
std::optional<double> growth(const Rows& fitted) {
  double n = 0, x_sum = 0, y_sum = 0, xx = 0, xy = 0;
  for (const AttentionRow& row : fitted) {
    const double x = std::log(static_cast<double>(row.length()));
    const double y = std::log(*row.saved());
    n += 1, x_sum += x, y_sum += y, xx += x * x, xy += x * y;
  }
  const double spread = n * xx - x_sum * x_sum;
  return spread > 1e-6 ? std::optional((n * xy - x_sum * y_sum) / spread) : std::nullopt;
}

/// The bytes that a whole pass would hold at its peak where memory ran out, by the tensors of
/// scores that the longest sequence of the same heads held. Nothing if the GPU has as much: then
/// memory was in pieces, which is not recorded.
std::optional<Facts> needed(const AttentionRow& row, const Rows& rows,
                            std::optional<std::int64_t> capacity) {
  const AttentionRow* ran = nullptr;
  for (const AttentionRow& other : rows) {
    if (other.ran() && other.sweep().head_dim == row.sweep().head_dim) ran = &other;
  }
  const auto peak = ran == nullptr ? std::nullopt : ran->bytes(column::kPeakBytes);
  if (!capacity || !peak) return std::nullopt;
  const double tensors = *peak / ran->score_bytes();
  const double bytes = tensors * row.score_bytes();
  if (bytes <= static_cast<double>(*capacity)) return std::nullopt;
  return Facts()
      .set("tensors", tensors, {Notation::kFixed, 1})
      .set("bytes", format_bytes_briefly(bytes))
      .set("capacity", format_bytes_briefly(static_cast<double>(*capacity)));
}

/// The shortest sequence at which one precision ran out of memory, else its longest sequence.
Facts end_of(const Rows& own, std::optional<std::int64_t> capacity) {
  const auto smaller = [](const AttentionRow& row) {
    return std::pair(row.length(), row.sweep().head_dim);
  };
  const Rows out = only(own, [](const AttentionRow& row) { return row.ran_out(); });
  const Rows ran = only(own, [](const AttentionRow& row) { return row.ran(); });
  const AttentionRow& last = out.empty() ? *std::ranges::max_element(ran, {}, smaller)
                                         : *std::ranges::min_element(out, {}, smaller);
  const Facts place = Facts()
                          .set("length", format_count(last.length()))
                          .set("d", std::to_string(last.sweep().head_dim))
                          .set("phase", last.phase())
                          .set("batch", std::to_string(last.spec().batch.value_or(1)))
                          .set("width", under_autocast(last.spec()) ? "2" : "4")
                          .set("tensor", format_bytes_briefly(last.score_bytes()))
                          .when("needed", needed(last, own, capacity));
  return Facts()
      .set("precision", describe(*last.spec().precision))
      .when("end", !out.empty(), place)
      .when("fits", out.empty(), place);
}

/// True if the bytes saved at the longest sequence are two tensors of scores, as the operators of
/// model/attention.h determine: the exponentials and the probabilities of the softmax.
bool saves_two(const Rows& fitted) {
  if (fitted.empty()) return false;
  const AttentionRow& row = *std::ranges::max_element(fitted, {}, &AttentionRow::length);
  return std::abs(*row.saved() / row.score_bytes() / 2 - 1) < kWholeTensors;
}

/// The answer, precision by precision: the first one's growth speaks for all.
void add_answer(Facts& facts, const Rows& rows, std::optional<std::int64_t> capacity) {
  std::vector<Facts> ends;
  std::optional<Facts> grows;
  for (const Precision precision : precisions_of(rows)) {
    const Rows own = of_precision(rows, precision);
    const auto told = [](const AttentionRow& row) { return row.ran() || row.ran_out(); };
    if (!std::ranges::any_of(own, told)) continue;
    ends.push_back(end_of(own, capacity));
    const Rows fitted = fitted_rows(own);
    const auto exponent = growth(fitted);
    if (grows || !exponent) continue;
    grows =
        Facts().set("exponent", *exponent, {Notation::kFixed, 2}).flag("two", saves_two(fitted));
  }
  facts.flag("nothing", ends.empty());
  facts.when("grows", grows);
  facts.when("first", ends.empty() ? std::nullopt : std::optional(ends.front()));
  if (!ends.empty()) ends.erase(ends.begin());
  facts.list("others", std::move(ends));
}

std::string first_reason(const Rows& rows) {
  for (const AttentionRow& row : rows) {
    if (!row.reason.empty()) return row.reason;
  }
  return "not measured yet";
}

/// The rows that have fewer passes than the first: longer sequences, a precision beyond the
/// handout's, or both.
std::optional<Facts> further_facts(const Rows& rows) {
  const auto fewer = [&](const AttentionRow& row) {
    return row.spec().steps != rows.front().spec().steps;
  };
  std::vector<std::string> where;
  const auto note = [&](bool noted, std::string words) {
    if (noted && !std::ranges::count(where, words)) where.push_back(std::move(words));
  };
  for (const AttentionRow& row : rows) {
    note(fewer(row) && row.length() > kLongestAsked, "beyond the handout's lengths");
    note(fewer(row) && row.length() <= kLongestAsked,
         "in " + std::string(describe(*row.spec().precision)));
  }
  if (where.empty()) return std::nullopt;
  const CellSpec& spec = std::ranges::find_if(rows, fewer)->spec();
  Facts facts;
  facts.set("where", join_words(where));
  facts.set("steps", format_count(spec.steps.value_or(0)));
  facts.set("warmup", format_count(spec.warmup.value_or(0)));
  return facts;
}

PartContent content(const RunView& view, const Rows& rows) {
  PartContent part;
  const Device* device = view.on_gpu() ? view.device() : nullptr;
  add_answer(part.facts, rows,
             device == nullptr ? std::nullopt : std::optional(device->memory_bytes));
  part.facts.set("reason", first_reason(rows));
  part.facts.flag("gpu", view.on_gpu());
  const CellSpec& spec = rows.front().spec();
  part.facts.set("steps", format_count(spec.steps.value_or(0)));
  part.facts.set("warmup", format_count(spec.warmup.value_or(0)));
  part.facts.set("batch", format_count(spec.batch.value_or(1)));
  part.facts.when("further", further_facts(rows));
  Rows drawn = outermost(of_precision(rows, *spec.precision));
  std::erase_if(drawn, std::not_fn(&AttentionRow::ran));
  part.facts.when("fewer", further_facts(drawn));
  const std::vector<Precision> precisions = precisions_of(rows);
  for (const Precision precision : precisions) {
    const bool first = precision == precisions.front();
    Dataset grid =
        make_dataset(first ? "grid" : "other-grid", kGrid, of_precision(rows, precision));
    if (!first) grid.variant = describe(precision);
    part.datasets.push_back(std::move(grid));
  }
  part.facts.set("precision", describe(precisions.front()));
  Rows curves;
  for (const Precision precision : precisions) {
    std::ranges::copy(widest(of_precision(rows, precision)), std::back_inserter(curves));
  }
  part.datasets.push_back(make_dataset("saved", kCurves, curves));
  part.datasets.push_back(
      make_dataset("times", kTimes, times_of(of_precision(rows, precisions.front()))));
  part.details.tables = {attention_commands(view, kProblem, AttentionMethod::kSynced)};
  return part;
}

}  // namespace

Presentation present(const RunView& view) {
  const Rows rows = attention_rows(view, AttentionMethod::kSynced);
  if (rows.empty()) return {};
  PartContent part = content(view, rows);
  part.cells = view.cells(CellKind::kAttention, [](const CellSpec& spec) {
    return is_of(spec, AttentionMethod::kSynced);
  });
  return {{"", std::move(part)}};
}

}  // namespace labreport::pytorch_attention
