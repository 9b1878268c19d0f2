// Part (a): attention by itself, eager beside compiled, over head dimensions and sequence lengths.
#include <algorithm>
#include <array>
#include <iterator>

#include "base/format.h"
#include "base/lists.h"
#include "experiments/common/attention.h"
#include "experiments/common/command.h"
#include "experiments/common/shipped.h"
#include "experiments/torch_compile/parts.h"
#include "results/metric_names.h"

namespace labreport::torch_compile {
namespace {

constexpr std::int64_t kSpokenDim = 64;  // the most common head dimension
constexpr Notation kFactor{Notation::kFixed, 2};
constexpr Notation kSaved{Notation::kMebibytes};
constexpr double kKeepsScores = 0.5;  // From this number of tensors on, the pass saves scores.

/// One length of one cell in eager mode and compiled.
struct Pair {
  AttentionRow eager, compiled;
  std::optional<double> compile_seconds;

  std::optional<double> speedup(std::string_view pass) const {
    const auto before = eager.ms(pass, "mean_ns"), after = compiled.ms(pass, "mean_ns");
    return before && after && *after > 0 ? std::optional(*before / *after) : std::nullopt;
  }
};

Value mean_of(const AttentionRow& row, std::string_view pass) {
  const auto mean = row.ms(pass, "mean_ns"), stddev = row.ms(pass, "stddev_ns");
  if (!mean) return Value::missing(row.reason);
  return stddev ? Value(*mean, *stddev) : Value(*mean);
}

Column<Pair> pass_column(const char* name, const char* title, AttentionRow Pair::* side,
                         std::string_view pass) {
  return {name, title, [side, pass](const Pair& pair) { return mean_of(pair.*side, pass); }, "ms"};
}

Column<Pair> gain_column(const char* name, const char* title, std::string_view pass) {
  return {name, title, [pass](const Pair& pair) { return Value(pair.speedup(pass)); }, "×",
          kFactor};
}

const std::vector<Column<Pair>> kGrid{
    {"head_dim",
     "d",
     [](const Pair& pair) { return Value(pair.eager.sweep().head_dim); },
     "",
     {Notation::kCount}},
    {"length",
     "Sequence",
     [](const Pair& pair) { return Value(pair.eager.length()); },
     "",
     {Notation::kCount}},
    pass_column("forward_eager", "Forward, eager", &Pair::eager, metric::kForward),
    pass_column("forward_compiled", "Forward, compiled", &Pair::compiled, metric::kForward),
    gain_column("forward_speedup", "Forward speedup", metric::kForward),
    pass_column("backward_eager", "Backward, eager", &Pair::eager, metric::kBackward),
    pass_column("backward_compiled", "Backward, compiled", &Pair::compiled, metric::kBackward),
    gain_column("backward_speedup", "Backward speedup", metric::kBackward),
    {"saved_eager", "Saved, eager", [](const Pair& pair) { return Value(pair.eager.saved()); },
     "MiB", kSaved},
    {"saved_compiled", "Saved, compiled",
     [](const Pair& pair) { return Value(pair.compiled.saved()); }, "MiB", kSaved},
    {"compile",
     "Compile time",
     [](const Pair& pair) { return Value(pair.compile_seconds); },
     "s",
     {Notation::kSignificant, 3}}};

struct GainPoint {
  std::string series;
  std::int64_t length;
  double speedup;
};

const std::vector<Column<GainPoint>> kGains{
    {"series", "Pass", &GainPoint::series},
    {"length", "Sequence", &GainPoint::length, "", {Notation::kCount}},
    {"speedup", "Speedup", &GainPoint::speedup, "×", kFactor}};

bool is_sweep(const Cell& cell, const ShippedVariant& variant) {
  return cell.spec.attention && cell.spec.implementation == implementation_of(variant);
}

const Cell* partner_of(const Run& run, const Cell& eager) {
  CellSpec wanted = eager.spec;
  wanted.implementation = implementation_of({.compiled = true});
  return run.find(cell_id(wanted));
}

std::optional<double> compile_seconds(const Cell* cell, std::int64_t length) {
  const Launch* launch = cell == nullptr ? nullptr : ok_launch(*cell);
  if (launch == nullptr) return std::nullopt;
  const auto ms = single_milliseconds(*launch, metric::kCompile, std::to_string(length));
  return ms ? std::optional(*ms * 1e-3) : std::nullopt;
}

/// Compiled rows of a cell that was not planned say why.
std::vector<AttentionRow> compiled_rows(const Cell* cell, const std::vector<AttentionRow>& eager) {
  if (cell != nullptr) return attention_rows(*cell);
  std::vector<AttentionRow> rows;
  for (const AttentionRow& row : eager) {
    rows.emplace_back(row.spec(), row.length()).reason =
        "a demonstration on a CPU compiles the contexts that its command names";
  }
  return rows;
}

std::vector<Pair> pairs_of(const RunView& view) {
  std::vector<Pair> pairs;
  for (const Cell& cell : view.run().cells) {
    if (!is_sweep(cell, {})) continue;
    const Cell* partner = partner_of(view.run(), cell);
    const auto eager = attention_rows(cell), compiled = compiled_rows(partner, eager);
    for (std::size_t i = 0; i < std::min(eager.size(), compiled.size()); ++i) {
      pairs.push_back({eager[i], compiled[i], compile_seconds(partner, eager[i].length())});
    }
  }
  return pairs;
}

std::vector<Pair> of_precision(std::vector<Pair> pairs, Precision precision) {
  std::erase_if(pairs, [&](const Pair& pair) { return pair.eager.spec().precision != precision; });
  return pairs;
}

std::vector<Precision> precisions_of(const std::vector<Pair>& pairs) {
  std::vector<Precision> found;
  for (const Pair& pair : pairs) {
    const Precision precision = pair.eager.spec().precision.value_or(Precision::kFp32);
    if (std::ranges::find(found, precision) == found.end()) found.push_back(precision);
  }
  return found;
}

/// The pairs of d = 64, or of the first d there is, that ran both ways.
std::vector<Pair> spoken(std::vector<Pair> pairs) {
  const auto dim = [](const Pair& pair) { return pair.eager.sweep().head_dim; };
  const bool usual = std::ranges::find(pairs, kSpokenDim, dim) != pairs.end();
  const std::int64_t wanted = usual || pairs.empty() ? kSpokenDim : dim(pairs.front());
  std::erase_if(pairs, [&](const Pair& pair) {
    return dim(pair) != wanted || !pair.speedup(metric::kForward) ||
           !pair.speedup(metric::kBackward);
  });
  return pairs;
}

std::vector<GainPoint> gains(const std::vector<Pair>& pairs, Precision precision) {
  std::vector<GainPoint> points;
  for (const auto pass : {metric::kForward, metric::kBackward}) {
    for (const Pair& pair : pairs) {
      if (const auto ratio = pair.speedup(pass)) {
        points.push_back({std::string(pass) + ", " + std::string(describe(precision)),
                          pair.eager.length(), *ratio});
      }
    }
  }
  return points;
}

/// Eager and compiled passes differ by more than their deviations.
bool told_apart(const Pair& pair) {
  return std::ranges::all_of(std::array{metric::kForward, metric::kBackward}, [&](auto pass) {
    return clearly_faster(pair.eager, pair.compiled, pass, "mean_ns") ||
           clearly_faster(pair.compiled, pair.eager, pass, "mean_ns");
  });
}

Facts at_length(const Pair& pair) {
  return Facts()
      .set("length", format_count(pair.eager.length()))
      .set("forward", *pair.speedup(metric::kForward), kFactor)
      .set("backward", *pair.speedup(metric::kBackward), kFactor)
      .flag("apart", told_apart(pair));
}

/// The tensors of scores that the compiled pass still saves; nothing if it saves none.
std::optional<Facts> saved(const Pair& pair) {
  const double bytes = pair.compiled.saved().value_or(0);
  const double tensors = bytes / pair.compiled.score_bytes();
  if (tensors < kKeepsScores) return std::nullopt;
  return Facts()
      .set("bytes", format_bytes_briefly(bytes))
      .set("tensors", tensors, {Notation::kFixed, 1});
}

/// The longest sequence that ran both ways, and the shortest.
Facts precision_facts(const std::vector<Pair>& ran, Precision precision) {
  return at_length(ran.back())
      .set("precision", describe(precision))
      .set("d", std::to_string(ran.front().eager.sweep().head_dim))
      .when("shortest", ran.size() > 1, at_length(ran.front()))
      .when("saved", saved(ran.back()));
}

std::string first_reason(const std::vector<Pair>& pairs) {
  for (const Pair& pair : pairs) {
    for (const AttentionRow* row : {&pair.compiled, &pair.eager}) {
      if (!row->reason.empty()) return row->reason;
    }
  }
  return "not measured yet";
}

std::vector<const Cell*> cells_of(const RunView& view) {
  std::vector<const Cell*> cells;
  for (const Cell& cell : view.run().cells) {
    if (cell.spec.attention && is_shipped(cell.spec)) cells.push_back(&cell);
  }
  return cells;
}

void add_settings(Facts& facts, const RunView& view, const CellSpec& spec) {
  facts.flag("gpu", view.on_gpu());
  facts.flag("warm_cache", warm_cache(view.run()));
  facts.set("batch", format_count(spec.batch.value_or(1)));
  facts.set("warmup", format_count(spec.warmup.value_or(0)));
  facts.set("steps", format_count(spec.steps.value_or(0)));
}

}  // namespace

std::optional<PartContent> present_attention(const RunView& view) {
  const std::vector<Pair> pairs = pairs_of(view);
  if (pairs.empty()) return std::nullopt;
  PartContent part;
  std::vector<Facts> facts;
  std::vector<GainPoint> points;
  for (const Precision precision : precisions_of(pairs)) {
    const std::vector<Pair> own = of_precision(pairs, precision), ran = spoken(own);
    if (!ran.empty()) facts.push_back(precision_facts(ran, precision));
    std::ranges::copy(gains(ran, precision), std::back_inserter(points));
    Dataset grid = make_dataset("grid", kGrid, own);
    grid.variant = describe(precision);
    part.datasets.push_back(std::move(grid));
  }
  part.facts.flag("nothing", facts.empty());
  part.facts.set("reason", first_reason(pairs));
  part.facts.list("precisions", std::move(facts));
  add_settings(part.facts, view, pairs.front().eager.spec());
  part.datasets.push_back(make_dataset("attention-speedups", kGains, points));
  part.cells = cells_of(view);
  part.details.tables = {command_table(view.run(), kProblem + std::string(".a"), part.cells)};
  return part;
}

}  // namespace labreport::torch_compile
