// Builds the datasets and facts of section.md: at which length eager attention runs out of memory.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

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
constexpr Notation kBytes{Notation::kMebibytes};
// A pass holds at most so many tensors of scores at once.
constexpr std::array kOrdinals{"first", "second", "third", "fourth", "fifth", "sixth"};
// The tensors of scores that backward holds at its peak, while it differentiates the softmax's
// division in src/model/softmax.cpp.
constexpr double kMostTensors = 6;
constexpr const char* kNamesOfMostTensors =
    " (exponentials, probabilities' gradient, division's four temporaries)";
constexpr double kCountTolerance =
    0.05;  // The bytes in use are a whole number of tensors up to this.
constexpr double kRequestTolerance = 0.001;  // The allocator rounds requests up.

using Rows = std::vector<AttentionRow>;

Value or_reason(const std::optional<double>& value, const AttentionRow& row) {
  return value ? Value(*value) : Value::missing(row.reason);
}

std::int64_t dim(const AttentionRow& row) { return row.sweep().head_dim; }

std::pair<std::int64_t, std::int64_t> length_and_dim(const AttentionRow& row) {
  return {row.length(), dim(row)};
}

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
     [](const AttentionRow& row) { return Value(row.saved_bytes()); }, "MiB", kBytes},
    {"end", "End",
     [](const AttentionRow& row) { return row.ran_out_of_memory() ? "out of memory" : ""; }}};

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

/// True if rows of two lengths that ran, from kScoresOutweighFrom on, save two tensors of scores.
bool saved_bytes_grow_quadratically(const Rows& rows) {
  const Rows long_rows = only(rows, [](const AttentionRow& row) {
    return row.ran() && row.length() >= kScoresOutweighFrom;
  });
  return distinct(each(long_rows, &AttentionRow::length)).size() > 1 &&
         std::ranges::all_of(long_rows, &AttentionRow::saves_two_tensors_of_scores);
}

/// Returns the ordinal of the tensor of scores that `row` asked for in vain. Returns nothing if
/// what was in use, apart from the inputs, is no whole number of such tensors.
std::optional<std::string> refused_ordinal(const AttentionRow& row) {
  const auto requested = row.number(column::kRequestedBytes);
  const auto in_use = row.number(column::kInUseBytes);
  const auto inputs = row.number(column::kBeforeForwardBytes);
  if (!requested || !in_use || !inputs ||
      std::abs(*requested / row.score_bytes() - 1) > kRequestTolerance)
    return std::nullopt;
  const double tensors = (*in_use - *inputs) / row.score_bytes();
  const double count = std::round(tensors);
  const bool is_known = count >= 0 && count < static_cast<double>(kOrdinals.size());
  if (!is_known || std::abs(tensors - count) > kCountTolerance) return std::nullopt;
  return kOrdinals.at(static_cast<std::size_t>(count));
}

/// Tells how much the allocator had reserved when it refused the allocation of `row`. If that is
/// unknown and the bytes in use leave room for the allocation, tells how much must be taken beside
/// tensors: by the allocator's reserve, the CUDA context or other processes.
std::string reserved_clause(const AttentionRow& row, std::int64_t capacity_bytes) {
  if (row.refused_reserved_bytes)
    return " (reserved: " + format_bytes_briefly(*row.refused_reserved_bytes) + ")";
  const double needed_bytes = *row.number(column::kInUseBytes) + row.score_bytes();
  const double spare_bytes = static_cast<double>(capacity_bytes) - needed_bytes;
  return spare_bytes < 0
             ? ""
             : " and at least " + format_significant(spare_bytes / kBytesPerGibibyte, 2) +
                   " GiB outside tensors";
}

/// Accounts for the allocation of `row` that failed, a tensor of scores, and for a whole pass: that
/// of the last row that ran with the same d peaks at a whole number of such tensors, apart from the
/// inputs. Returns nothing if the GPU holds as many of `row`.
std::optional<Facts> needed_facts(const AttentionRow& row, const Rows& rows,
                                  std::optional<std::int64_t> capacity_bytes) {
  const Rows ran =
      only(rows, [&](const AttentionRow& other) { return other.ran() && dim(other) == dim(row); });
  const auto peak = ran.empty() ? std::nullopt : ran.back().number(column::kPeakBytes);
  const auto ordinal = refused_ordinal(row);
  if (!capacity_bytes || !peak || !ordinal || row.failed_phase().empty()) return std::nullopt;
  const double tensors = std::floor(*peak / ran.back().score_bytes());
  const double bytes = tensors * row.score_bytes();
  if (bytes <= static_cast<double>(*capacity_bytes)) return std::nullopt;
  return Facts()
      .set("precision", describe(*row.spec().precision))
      .set("phase", row.failed_phase())
      .set("batch", std::to_string(row.spec().batch.value_or(1)))
      .set("width", under_autocast(row.spec()) ? "2" : "4")
      .set("ordinal", *ordinal)
      .set("tensor", format_bytes_briefly(row.score_bytes()))
      .set("in_use", format_bytes_briefly(*row.number(column::kInUseBytes)))
      .set("reserved", reserved_clause(row, *capacity_bytes))
      .set("tensors", tensors, {Notation::kFixed, 0})
      .set("names", tensors == kMostTensors ? kNamesOfMostTensors : "")
      .set("length", format_count(ran.back().length()))
      .set("bytes", format_bytes_briefly(bytes))
      .set("capacity", format_bytes_briefly(static_cast<double>(*capacity_bytes)));
}

/// Returns the row of the widest heads at the longest of the handout's lengths that ran, in the
/// first precision; nothing if none ran.
std::optional<AttentionRow> longest_row(const Rows& rows) {
  const Rows ran = only(rows, [&](const AttentionRow& row) {
    return row.ran() && row.length() <= kLongestHandoutLength &&
           row.spec().precision == rows.front().spec().precision &&
           row.ms(metric::kForward, "mean_ns") && row.ms(metric::kBackward, "mean_ns");
  });
  return ran.empty() ? std::nullopt : std::optional(std::ranges::max(ran, {}, length_and_dim));
}

std::optional<Facts> times_facts(const std::optional<AttentionRow>& row) {
  if (!row) return std::nullopt;
  return Facts()
      .set("length", format_count(row->length()))
      .set("d", std::to_string(dim(*row)))
      .set("precision", describe(*row->spec().precision))
      .set("forward", *row->ms(metric::kForward, "mean_ns"), kThreeDigits)
      .set("backward", *row->ms(metric::kBackward, "mean_ns"), kThreeDigits);
}

/// Adds where each precision runs out of memory, and accounts for the first that does.
void add_answer(Facts& facts, const Rows& rows, const std::optional<AttentionRow>& longest,
                std::optional<std::int64_t> capacity_bytes) {
  std::vector<std::string> ends;
  std::string first_end, last_verb;
  std::optional<AttentionRow> first_out_of_memory;
  std::int64_t shortest_out_of_memory = std::numeric_limits<std::int64_t>::max();
  bool grows = false;
  for (const Precision precision : precisions_of(rows)) {
    const Rows own_rows = of_precision(rows, precision);
    const Rows ran = only(own_rows, &AttentionRow::ran);
    const Rows ran_out = only(own_rows, &AttentionRow::ran_out_of_memory);
    const std::string name(describe(precision));
    grows = grows || saved_bytes_grow_quadratically(own_rows);
    if (ran_out.empty() && ran.empty()) {
      ends.push_back(name + " did not run: " + escape_markdown(first_reason(own_rows)));
      continue;
    }
    const AttentionRow end = ran_out.empty() ? std::ranges::max(ran, {}, length_and_dim)
                                             : std::ranges::min(ran_out, {}, length_and_dim);
    if (!ran_out.empty() && !first_out_of_memory) first_out_of_memory = end;
    if (!ran_out.empty()) shortest_out_of_memory = std::min(shortest_out_of_memory, end.length());
    const std::string length = format_count(end.length());
    const std::string verb = ran_out.empty() ? " runs up to" : " runs out of memory at";
    const bool repeats = verb == std::exchange(last_verb, verb);
    ends.push_back(name +
                   (!repeats          ? verb
                    : ran_out.empty() ? " up to"
                                      : " at") +
                   " **" + length + " tokens**");
    if (first_end.empty())
      first_end = (ran_out.empty() ? "runs up to " : "runs out of memory at ") + length +
                  " tokens in " + name + ", batch " + format_count(end.spec().batch.value_or(1));
  }
  const auto needed =
      first_out_of_memory
          ? needed_facts(*first_out_of_memory,
                         of_precision(rows, *first_out_of_memory->spec().precision), capacity_bytes)
          : std::nullopt;
  const auto saved_bytes = longest ? longest->saved_bytes() : std::nullopt;
  const bool all_fit = first_out_of_memory && shortest_out_of_memory > kLongestHandoutLength;
  facts.set_markdown("ends", join_words(ends) + (all_fit ? ", beyond the handout's lengths" : ""))
      .when("times", times_facts(longest))
      .when("needed", needed)
      .when("grows", grows && saved_bytes,
            Facts()
                .set("bytes", format_bytes_briefly(saved_bytes.value_or(0)))
                .set("length", longest ? format_count(longest->length()) : ""));
  // The first precision that ran may be another than the first that ran out of memory.
  const bool needed_by_first =
      needed &&
      first_end.find(" in " + std::string(describe(*first_out_of_memory->spec().precision))) !=
          std::string::npos;
  facts.when("first", !first_end.empty(),
             Facts().set("end", first_end).when("needed", needed_by_first ? needed : std::nullopt));
}

/// Names the rows with fewer passes than the first row: longer sequences, or further precisions.
std::optional<Facts> fewer_passes_facts(const Rows& rows) {
  const auto has_fewer_passes = [&](const AttentionRow& row) {
    return row.spec().steps != rows.front().spec().steps;
  };
  const Rows fewer = only(rows, has_fewer_passes);
  if (fewer.empty()) return std::nullopt;
  const auto where = distinct(each(fewer, [](const AttentionRow& row) {
    return row.length() > kLongestHandoutLength
               ? "beyond the handout's lengths"
               : "in " + std::string(describe(*row.spec().precision));
  }));
  const CellSpec& spec = fewer.front().spec();
  return Facts()
      .set("exceptions", join_words(where))
      .set("steps", format_count(spec.steps.value_or(0)))
      .set("warmup", format_count(spec.warmup.value_or(0)));
}

PartContent content(const RunView& view, const Rows& rows) {
  PartContent part;
  const Device* device = view.on_gpu() ? view.device() : nullptr;
  add_answer(part.facts, rows, longest_row(rows),
             device == nullptr ? std::nullopt : std::optional(device->memory_bytes));
  // Workers that empty the cache before each length also record the forward's peak.
  part.facts.flag("cache_emptied", std::ranges::any_of(rows, &AttentionRow::has_forward_peak));
  const CellSpec& spec = rows.front().spec();
  part.facts.set("steps", format_count(spec.steps.value_or(0)));
  part.facts.set("warmup", format_count(spec.warmup.value_or(0)));
  part.facts.set("batch", format_count(spec.batch.value_or(1)));
  part.facts.when("fewer_passes", fewer_passes_facts(rows));
  const std::vector<Precision> precisions = precisions_of(rows);
  const Rows first_rows = of_precision(rows, precisions.front());
  const std::int64_t widest = dim(std::ranges::max(first_rows, {}, dim));
  const auto is_widest = [&](const AttentionRow& row) { return dim(row) == widest; };
  part.datasets = {make_dataset("grid", kGrid, only(first_rows, is_widest)),
                   make_dataset("narrower-grid", kGrid, only(first_rows, std::not_fn(is_widest)))};
  for (const Precision precision : precisions) {
    if (precision == precisions.front()) continue;
    part.datasets.push_back(make_dataset("other-grid", kGrid, of_precision(rows, precision)));
    part.datasets.back().variant = describe(precision);
  }
  part.facts.set("precision", describe(precisions.front())).set("widest", format_count(widest));
  Rows curves;  // Only the largest d is drawn, because the curves of all d nearly coincide.
  for (const Precision precision : precisions) {
    const Rows own = of_precision(rows, precision);
    std::ranges::copy_if(own, std::back_inserter(curves), [&](const AttentionRow& row) {
      return dim(row) == dim(std::ranges::max(own, {}, dim)) &&
             (row.saved_bytes() || row.ran_out_of_memory());
    });
  }
  part.datasets.push_back(make_dataset("saved", kCurves, curves));
  part.datasets.push_back(make_dataset("times", kTimes, times_of(outermost_dims(first_rows))));
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
