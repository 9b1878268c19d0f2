// Where eager attention's memory ends: the datasets and values of section.md.
#include <algorithm>
#include <cmath>
#include <functional>

#include "base/format.h"
#include "base/text.h"
#include "experiments/common/attention.h"
#include "experiments/problems.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::pytorch_attention {
namespace {

constexpr const char* kProblem = "pytorch_attention";
constexpr std::int64_t kLongestAsked = 16384;   // by the handout
constexpr std::int64_t kScoresOutweigh = 4096;  // up to d = 128, all else saved is below 3 %
constexpr Notation kBytes{Notation::kMebibytes};
constexpr Notation kTensors{Notation::kFixed, 1};
constexpr double kWholeTensors = 0.05;  // so near a whole number, other tensors hardly count

using Rows = std::vector<AttentionRow>;

Value time_of(const AttentionRow& row, std::string_view pass) {
  const auto mean = row.ms(pass, "mean_ns"), stddev = row.ms(pass, "stddev_ns");
  if (!mean) return Value::missing(row.reason);
  return stddev ? Value(*mean, *stddev) : Value(*mean);
}

Value or_reason(const std::optional<double>& value, const AttentionRow& row) {
  return value ? Value(*value) : Value::missing(row.reason);
}

/// Where memory ran out, what was counted until then is no peak of a pass.
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

/// Of what ran: the lengths at which little but the scores is saved, where there are two of them.
Rows fitted_rows(const Rows& rows) {
  Rows ran, far;
  std::ranges::copy_if(rows, std::back_inserter(ran), [](const AttentionRow& row) {
    return row.ran() && row.saved().value_or(0) > 0;
  });
  std::ranges::copy_if(ran, std::back_inserter(far),
                       [](const AttentionRow& row) { return row.length() >= kScoresOutweigh; });
  const auto lengths = std::ranges::minmax(far.empty() ? ran : far, {}, &AttentionRow::length);
  return far.empty() || lengths.min.length() == lengths.max.length() ? ran : far;
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

/// First by length, then by d.
bool smaller(const AttentionRow& a, const AttentionRow& b) {
  return std::pair(a.length(), a.sweep().head_dim) < std::pair(b.length(), b.sweep().head_dim);
}

/// What a row's tensor of scores takes, and how many of them some bytes are.
Facts sized(const AttentionRow& row) {
  Facts facts;
  facts.set("precision", describe(*row.spec().precision));
  facts.set("length", format_count(row.length()));
  facts.set("d", std::to_string(row.sweep().head_dim));
  facts.set("batch", std::to_string(row.spec().batch.value_or(1)));
  facts.set("width", under_autocast(row.spec()) ? "2" : "4");
  facts.set("tensor", format_bytes(row.score_bytes()));
  facts.flag("beyond", row.length() > kLongestAsked);
  return facts;
}

std::optional<Facts> bytes_facts(const AttentionRow& row, const std::optional<double>& bytes) {
  if (!bytes) return std::nullopt;
  Facts facts;
  facts.set("bytes", format_bytes(*bytes));
  facts.set("tensors", *bytes / row.score_bytes(), kTensors);
  return facts;
}

/// What a whole pass would need where it ran out, by the tensors of scores that the longest
/// sequence of the same heads held at its peak. Nothing where the GPU has as much: what was not in
/// one piece is not recorded.
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
  Facts facts;
  facts.set("tensors", tensors, {Notation::kFixed, 2}).set("at", format_count(ran->length()));
  facts.set("bytes", format_bytes(bytes)).set("capacity", format_bytes(*capacity));
  return facts;
}

Facts ended(const AttentionRow& row, const Rows& rows, std::optional<std::int64_t> capacity) {
  Facts facts = sized(row);
  facts.set("phase", row.phase());
  facts.when("needed", needed(row, rows, capacity));
  return facts;
}

/// Whether those bytes are that many tensors of scores. The operators of model/attention.h
/// determine two saved for backward (the exponentials and the probabilities of the softmax) and six
/// at the peak (PyTorch's `div_tensor_other_grad` makes four beside the exponentials and a
/// gradient).
bool are_tensors(const std::optional<double>& bytes, double count, const AttentionRow& row) {
  return bytes && std::abs(*bytes / row.score_bytes() - count) < count * kWholeTensors;
}

Facts fitting(const AttentionRow& row) {
  Facts facts = sized(row);
  facts.when("saved", bytes_facts(row, row.saved()));
  facts.when("peak", bytes_facts(row, row.bytes(column::kPeakBytes)));
  return facts;
}

/// The longest that ran, of the widest heads.
const AttentionRow* largest(const Rows& rows) {
  const AttentionRow* found = nullptr;
  for (const AttentionRow& row : rows) {
    if (row.ran() && (found == nullptr || smaller(*found, row))) found = &row;
  }
  return found;
}

/// Of one precision: where memory ends, or that it does not, and what the largest one held.
Facts precision_facts(const Rows& own, std::optional<std::int64_t> capacity) {
  Rows out;
  std::ranges::copy_if(own, std::back_inserter(out), &AttentionRow::ran_out);
  const AttentionRow* most = largest(own);
  const auto held = most == nullptr ? std::nullopt : std::optional(fitting(*most));
  Facts facts;
  facts.set("precision", describe(*own.front().spec().precision));
  facts.when("end", out.empty() ? std::nullopt
                                : std::optional(ended(*std::ranges::min_element(out, smaller), own,
                                                      capacity)));
  facts.when("fits", out.empty() ? held : std::nullopt);
  facts.when("held", held);
  return facts;
}

/// How the bytes saved grow, and which tensors of scores they and the peak are.
void add_growth(Facts& facts, const Rows& rows) {
  std::vector<Facts> exponents;
  bool ran = false, two = true, six = true, far = true;
  for (const Precision precision : precisions_of(rows)) {
    const Rows own = of_precision(rows, precision);
    const AttentionRow* most = largest(own);
    if (most == nullptr) continue;
    ran = true;
    two = two && are_tensors(most->saved(), 2, *most);
    six = six && are_tensors(most->bytes(column::kPeakBytes), 6, *most);
    const Rows fitted = fitted_rows(own);
    if (const auto exponent = growth(fitted)) {
      exponents.emplace_back().set("exponent", *exponent, {Notation::kFixed, 2});
      exponents.back().set("precision", describe(precision));
      exponents.back().flag("later", exponents.size() > 1);
      far = far && std::ranges::min(fitted, {}, &AttentionRow::length).length() >= kScoresOutweigh;
    }
  }
  facts.flag("two", ran && two).flag("six", ran && six);
  facts.flag("grows", !exponents.empty());
  facts.when("far", far, "from", format_count(kScoresOutweigh));
  facts.list("growth", std::move(exponents));
}

void add_ends(Facts& facts, const Rows& rows, std::optional<std::int64_t> capacity) {
  std::vector<Facts> precisions;
  for (const Precision precision : precisions_of(rows)) {
    const Rows own = of_precision(rows, precision);
    const auto told = [](const AttentionRow& row) { return row.ran() || row.ran_out(); };
    if (std::ranges::any_of(own, told)) precisions.push_back(precision_facts(own, capacity));
  }
  facts.flag("nothing", precisions.empty());
  facts.list("precisions", std::move(precisions));
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
  add_ends(part.facts, rows,
           device == nullptr ? std::nullopt : std::optional(device->memory_bytes));
  add_growth(part.facts, rows);
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
