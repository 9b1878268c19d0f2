// Builds the datasets and facts of section.md: at which length eager attention runs out of memory.
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
constexpr std::int64_t kLongestHandoutLength = 16384;
// From this length on, at d up to 128, scores are more than 97 % of the saved bytes.
constexpr std::int64_t kScoresOutweighFrom = 4096;
constexpr double kTensorTolerance = 0.05;  // |tensors / 2 − 1| below this counts as two tensors.
constexpr double kQuadraticTolerance = 0.005;  // Nearer exponents are written as 2.00.
constexpr Notation kBytes{Notation::kMebibytes};

using Rows = std::vector<AttentionRow>;

Value or_reason(const std::optional<double>& value, const AttentionRow& row) {
  return value ? Value(*value) : Value::missing(row.reason);
}

std::int64_t dim(const AttentionRow& row) { return row.sweep().head_dim; }

std::string series_of(const AttentionRow& row) {
  return std::string(describe(*row.spec().precision)) + ", d " + std::to_string(dim(row));
}

const std::vector<Column<AttentionRow>> kGrid{
    {"head_dim", "d", dim, "", {Notation::kCount}},
    {"length", "Sequence", &AttentionRow::length, "", {Notation::kCount}},
    {"forward", "Forward", [](const AttentionRow& row) { return mean_time(row, metric::kForward); },
     "ms"},
    {"backward", "Backward",
     [](const AttentionRow& row) { return mean_time(row, metric::kBackward); }, "ms"},
    {"before_backward", "Before backward",
     [](const AttentionRow& row) {
       return or_reason(row.number(column::kBeforeBackwardBytes), row);
     },
     "MiB", kBytes},
    {"saved", "Saved for backward",
     [](const AttentionRow& row) { return or_reason(row.saved_bytes(), row); }, "MiB", kBytes},
    {"peak", "Peak",
     [](const AttentionRow& row) {
       // The peak before an out-of-memory error is not that of a whole pass.
       return or_reason(row.ran() ? row.number(column::kPeakBytes) : std::nullopt, row);
     },
     "MiB", kBytes}};

const std::vector<Column<AttentionRow>> kCurves{
    {"series", "Precision and d", series_of},
    {"length", "Sequence", &AttentionRow::length, "", {Notation::kCount}},
    {"saved", "Saved for backward",
     [](const AttentionRow& row) { return Value(row.saved_bytes()); }, "MiB", kBytes}};

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
  return only(rows, [&](const AttentionRow& row) { return row.spec().precision == precision; });
}

std::vector<Precision> precisions_of(const Rows& rows) {
  return distinct(each(rows, [](const AttentionRow& row) {
    return row.spec().precision.value_or(Precision::kFp32);
  }));
}

/// Returns the rows with saved bytes at the smallest and the largest d, which enclose all others.
Rows outermost_dims(const Rows& rows) {
  if (rows.empty()) return {};
  const auto [low, high] = std::ranges::minmax(rows, {}, dim);
  return only(rows, [&](const AttentionRow& row) {
    return row.saved_bytes() && (dim(row) == dim(low) || dim(row) == dim(high));
  });
}

std::vector<PassTime> times_of(const Rows& rows) {
  std::vector<PassTime> times;
  for (const AttentionRow& row : rows) {
    for (const auto pass : {metric::kForward, metric::kBackward}) {
      const auto ms = row.ms(pass, "mean_ns");
      if (ms) times.push_back({std::string(pass) + ", " + series_of(row), row.length(), *ms});
    }
  }
  return times;
}

/// Returns the rows that ran at kScoresOutweighFrom or longer, or all that ran if fewer than two
/// lengths are left.
Rows fitted_rows(const Rows& rows) {
  const Rows ran = only(
      rows, [](const AttentionRow& row) { return row.ran() && row.saved_bytes().value_or(0) > 0; });
  const Rows large =
      only(ran, [](const AttentionRow& row) { return row.length() >= kScoresOutweighFrom; });
  return distinct(each(large, &AttentionRow::length)).size() > 1 ? large : ran;
}

/// Returns the exponent of saved bytes as a power of length: the slope of a least-squares line
/// through the logarithms. Returns nothing if the lengths do not differ.
std::optional<double> growth_exponent(const Rows& fitted) {
  double n = 0, x_sum = 0, y_sum = 0, xx = 0, xy = 0;
  for (const AttentionRow& row : fitted) {
    const double x = std::log(static_cast<double>(row.length()));
    const double y = std::log(*row.saved_bytes());
    n += 1, x_sum += x, y_sum += y, xx += x * x, xy += x * y;
  }
  const double spread = n * xx - x_sum * x_sum;
  return spread > 1e-6 ? std::optional((n * xy - x_sum * y_sum) / spread) : std::nullopt;
}

/// Estimates the peak of a whole forward and backward pass of `row`, which ran out of memory: that
/// of the last row that ran with the same d, scaled by the bytes of a tensor of scores. Returns
/// nothing if the GPU has that much memory.
std::optional<Facts> needed_facts(const AttentionRow& row, const Rows& rows,
                                  std::optional<std::int64_t> capacity_bytes) {
  const AttentionRow* last_ran = nullptr;
  for (const AttentionRow& other : rows) {
    if (other.ran() && dim(other) == dim(row)) last_ran = &other;
  }
  const auto peak = last_ran == nullptr ? std::nullopt : last_ran->number(column::kPeakBytes);
  if (!capacity_bytes || !peak) return std::nullopt;
  const double tensors = *peak / last_ran->score_bytes();
  const double bytes = tensors * row.score_bytes();
  if (bytes <= static_cast<double>(*capacity_bytes)) return std::nullopt;
  const auto forward_peak = last_ran->forward_peak_bytes;
  return Facts()
      .set("pass", !forward_peak           ? "A whole pass"
                   : *forward_peak < *peak ? "Backward"
                                           : "Forward")
      .set("tensors", tensors, {Notation::kFixed, 1})
      .set("bytes", format_bytes_briefly(bytes))
      .set("capacity", format_bytes_briefly(static_cast<double>(*capacity_bytes)));
}

/// Gives the bytes of the allocation that `row` was refused and those in use; nothing if they are
/// unknown.
std::optional<Facts> refused_facts(const AttentionRow& row,
                                   std::optional<std::int64_t> capacity_bytes) {
  const auto requested = row.number(column::kRequestedBytes);
  const auto in_use = row.number(column::kInUseBytes);
  if (!requested || !in_use) return std::nullopt;
  const bool asked_for_scores =
      format_bytes_briefly(*requested) == format_bytes_briefly(row.score_bytes());
  const bool unrecorded = !row.reserved_bytes && capacity_bytes &&
                          *in_use + *requested < static_cast<double>(*capacity_bytes);
  return Facts()
      .set("asked",
           asked_for_scores ? "One more is" : format_bytes_briefly(*requested) + " more are")
      .set("in_use", format_bytes_briefly(*in_use))
      .when("reserved", row.reserved_bytes.has_value(), "bytes",
            format_bytes_briefly(row.reserved_bytes.value_or(0)))
      .flag("unrecorded", unrecorded);
}

/// Describes the shortest sequence that ran out of memory or, if none did, the longest that ran.
Facts end_facts(const Rows& rows, std::optional<std::int64_t> capacity_bytes) {
  const auto length_and_dim = [](const AttentionRow& row) {
    return std::pair(row.length(), dim(row));
  };
  const Rows ran_out = only(rows, &AttentionRow::ran_out_of_memory);
  const AttentionRow end =
      ran_out.empty() ? std::ranges::max(only(rows, &AttentionRow::ran), {}, length_and_dim)
                      : std::ranges::min(ran_out, {}, length_and_dim);
  const Facts row_facts = Facts()
                              .set("length", format_count(end.length()))
                              .set("d", std::to_string(dim(end)))
                              .set("phase", end.failed_phase())
                              .set("batch", std::to_string(end.spec().batch.value_or(1)))
                              .set("width", under_autocast(end.spec()) ? "2" : "4")
                              .set("tensor", format_bytes_briefly(end.score_bytes()))
                              .when("refused", refused_facts(end, capacity_bytes))
                              .when("needed", needed_facts(end, rows, capacity_bytes));
  return Facts()
      .set("precision", describe(*end.spec().precision))
      .when("end", !ran_out.empty(), row_facts)
      .when("fits", ran_out.empty(), row_facts);
}

/// Adds for each precision where memory ends, and how saved bytes grow in the first that shows it.
void add_answer(Facts& facts, const Rows& rows, std::optional<std::int64_t> capacity_bytes) {
  std::vector<Facts> ends;
  std::optional<Facts> growth;
  for (const Precision precision : precisions_of(rows)) {
    const Rows tried = only(of_precision(rows, precision), [](const AttentionRow& row) {
      return row.ran() || row.ran_out_of_memory();
    });
    if (tried.empty()) continue;
    ends.push_back(end_facts(tried, capacity_bytes));
    const Rows fitted = fitted_rows(tried);
    const auto exponent = growth_exponent(fitted);
    if (growth || !exponent) continue;
    // If two tensors are saved, they are the softmax's exponentials and probabilities.
    const AttentionRow& longest = *std::ranges::max_element(fitted, {}, &AttentionRow::length);
    const double tensors = *longest.saved_bytes() / longest.score_bytes();
    growth = Facts()
                 .set("exponent", *exponent, {Notation::kFixed, 2})
                 .flag("quadratic", std::abs(*exponent - 2) < kQuadraticTolerance)
                 .flag("two", std::abs(tensors / 2 - 1) < kTensorTolerance);
  }
  facts.flag("nothing", ends.empty());
  facts.when("grows", growth);
  facts.when("first", ends.empty() ? std::nullopt : std::optional(ends.front()));
  if (!ends.empty()) ends.erase(ends.begin());
  facts.list("others", std::move(ends));
}

/// Names the rows with fewer passes than the first row: longer sequences, or further precisions.
std::optional<Facts> fewer_passes_facts(const Rows& rows) {
  const auto has_fewer_passes = [&](const AttentionRow& row) {
    return row.spec().steps != rows.front().spec().steps;
  };
  std::vector<std::string> where;
  const auto add_if = [&](bool holds, std::string words) {
    if (holds && !std::ranges::count(where, words)) where.push_back(std::move(words));
  };
  for (const AttentionRow& row : rows) {
    add_if(has_fewer_passes(row) && row.length() > kLongestHandoutLength,
           "beyond the handout's lengths");
    add_if(has_fewer_passes(row) && row.length() <= kLongestHandoutLength,
           "in " + std::string(describe(*row.spec().precision)));
  }
  if (where.empty()) return std::nullopt;
  const CellSpec& spec = std::ranges::find_if(rows, has_fewer_passes)->spec();
  Facts facts;
  facts.set("exceptions", join_words(where));
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
  // Workers that empty the cache before each length also record the forward's peak.
  part.facts.flag("cache_emptied", std::ranges::any_of(rows, [](const AttentionRow& row) {
                    return row.forward_peak_bytes.has_value();
                  }));
  const CellSpec& spec = rows.front().spec();
  part.facts.set("steps", format_count(spec.steps.value_or(0)));
  part.facts.set("warmup", format_count(spec.warmup.value_or(0)));
  part.facts.set("batch", format_count(spec.batch.value_or(1)));
  part.facts.when("fewer_passes", fewer_passes_facts(rows));
  Rows drawn_rows = outermost_dims(of_precision(rows, *spec.precision));
  std::erase_if(drawn_rows, std::not_fn(&AttentionRow::ran));
  part.facts.when("fewer_drawn_passes", fewer_passes_facts(drawn_rows));
  const std::vector<Precision> precisions = precisions_of(rows);
  for (const Precision precision : precisions) {
    const bool first = precision == precisions.front();
    Dataset grid =
        make_dataset(first ? "grid" : "other-grid", kGrid, of_precision(rows, precision));
    if (!first) grid.variant = describe(precision);
    part.datasets.push_back(std::move(grid));
  }
  part.facts.set("precision", describe(precisions.front()));
  Rows curves;  // Only the largest d is drawn, because the curves of all d nearly coincide.
  for (const Precision precision : precisions) {
    const Rows outer = outermost_dims(of_precision(rows, precision));
    std::ranges::copy_if(outer, std::back_inserter(curves), [&](const AttentionRow& row) {
      return dim(row) == dim(std::ranges::max(outer, {}, dim));
    });
  }
  part.datasets.push_back(make_dataset("saved", kCurves, curves));
  part.datasets.push_back(make_dataset(
      "times", kTimes, times_of(outermost_dims(of_precision(rows, precisions.front())))));
  part.details.tables = {attention_commands(view, kProblem, AttentionMethod::kSynced)};
  return part;
}

}  // namespace

Presentation present(const RunView& view) {
  const Rows rows = attention_rows(view, AttentionMethod::kSynced);
  if (rows.empty()) return {};
  PartContent part = content(view, rows);
  part.cells = view.cells(CellKind::kAttention, [](const CellSpec& spec) {
    return timed_by(spec, AttentionMethod::kSynced);
  });
  return {{"", std::move(part)}};
}

}  // namespace labreport::pytorch_attention
