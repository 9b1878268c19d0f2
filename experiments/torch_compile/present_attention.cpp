// Part (a): attention by itself, eager beside compiled, over head dimensions and sequence lengths.
#include <algorithm>
#include "base/format.h"
#include "base/lists.h"
#include "experiments/common/attention.h"
#include "experiments/common/command.h"
#include "experiments/common/shipped.h"
#include "experiments/torch_compile/present.h"
#include "results/metric_names.h"

namespace labreport::torch_compile {
namespace {

constexpr std::int64_t kUsualDim = 64;  // the most common head dimension
constexpr Notation kFactor{Notation::kFixed, 2};
constexpr Notation kSaved{Notation::kMebibytes};
constexpr double kKeepsScores = 0.5;  // A pass that saves fewer score tensors saves no scores.

/// One length of a cell in eager mode, and of the same cell compiled.
struct Pair {
  AttentionRow eager, compiled;
  std::optional<double> compile_seconds;

  std::optional<double> speedup(std::string_view pass) const {
    const auto before = eager.ms(pass, "mean_ns"), after = compiled.ms(pass, "mean_ns");
    return before && after && *after > 0 ? std::optional(*before / *after) : std::nullopt;
  }
};

Column<Pair> pass_column(const char* name, const char* title, AttentionRow Pair::* side,
                         std::string_view pass) {
  return {name, title, [side, pass](const Pair& pair) { return mean_time(pair.*side, pass); },
          "ms"};
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
    {"saved_eager", "Saved, eager",
     [](const Pair& pair) { return Value(pair.eager.saved_bytes()); }, "MiB", kSaved},
    {"saved_compiled", "Saved, compiled",
     [](const Pair& pair) { return Value(pair.compiled.saved_bytes()); }, "MiB", kSaved},
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

/// Pairs each eager row with the compiled one, which has a reason if it was not planned.
std::vector<Pair> pairs_of(const Run& run) {
  std::vector<Pair> pairs;
  for (const Cell& cell : run.cells) {
    if (!cell.spec.attention || cell.spec.implementation != implementation_of({})) continue;
    CellSpec spec = cell.spec;
    spec.implementation = implementation_of({.compiled = true});
    const Cell* partner = run.find(cell_id(spec));
    const Launch* launch = partner == nullptr ? nullptr : ok_launch(*partner);
    const std::vector<AttentionRow> eager = attention_rows(cell);
    std::vector<AttentionRow> compiled;
    if (partner != nullptr) compiled = attention_rows(*partner);
    for (std::size_t i = 0; i < eager.size(); ++i) {
      if (partner == nullptr) {
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

/// The pairs of d = 64, or of the first d if 64 was not planned, that ran eager and compiled.
std::vector<Pair> compared_pairs(const std::vector<Pair>& pairs) {
  const auto dim = [](const Pair& pair) { return pair.eager.sweep().head_dim; };
  const bool usual = pairs.empty() || std::ranges::count(pairs, kUsualDim, dim) > 0;
  const std::int64_t compared = usual ? kUsualDim : dim(pairs.front());
  return only(pairs, [&](const Pair& pair) {
    return dim(pair) == compared && pair.speedup(metric::kForward) &&
           pair.speedup(metric::kBackward);
  });
}

Facts at_length(const Pair& pair) {
  const auto differs = [&](std::string_view pass) {
    return clearly_faster(pair.eager, pair.compiled, pass, "mean_ns") ||
           clearly_faster(pair.compiled, pair.eager, pass, "mean_ns");
  };
  return Facts()
      .set("length", format_count(pair.eager.length()))
      .set("forward", *pair.speedup(metric::kForward), kFactor)
      .set("backward", *pair.speedup(metric::kBackward), kFactor)
      .flag("apart", differs(metric::kForward) && differs(metric::kBackward));
}

/// The saved bytes of the compiled pass, counted in tensors of scores; nothing if it saves none.
std::optional<Facts> saved(const Pair& pair) {
  const double bytes = pair.compiled.saved_bytes().value_or(0);
  const double tensors = bytes / pair.compiled.score_bytes();
  if (tensors < kKeepsScores) return std::nullopt;
  return Facts()
      .set("bytes", format_bytes_briefly(bytes))
      .set("tensors", tensors, {Notation::kFixed, 1});
}

/// The speedups at the longest and the shortest sequence of `ran`, which must not be empty.
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

}  // namespace

std::optional<PartContent> present_attention(const RunView& view) {
  const std::vector<Pair> pairs = pairs_of(view.run());
  if (pairs.empty()) return std::nullopt;
  const auto precision_of = [](const Pair& pair) {
    return pair.eager.spec().precision.value_or(Precision::kFp32);
  };
  PartContent part;
  std::vector<Facts> precisions;
  std::vector<GainPoint> points;
  for (const Precision precision : distinct(each(pairs, precision_of))) {
    const auto grid =
        only(pairs, [&](const Pair& pair) { return precision_of(pair) == precision; });
    const std::vector<Pair> compared = compared_pairs(grid);
    if (!compared.empty()) precisions.push_back(precision_facts(compared, precision));
    for (const auto pass : {metric::kForward, metric::kBackward}) {
      const std::string series = std::string(pass) + ", " + std::string(describe(precision));
      for (const Pair& pair : compared) {
        points.push_back({series, pair.eager.length(), *pair.speedup(pass)});
      }
    }
    part.datasets.push_back(make_dataset("grid", kGrid, grid));
    part.datasets.back().variant = describe(precision);
  }
  const CellSpec& spec = pairs.front().eager.spec();
  part.facts.flag("nothing", precisions.empty())
      .set("reason", first_reason(pairs))
      .list("precisions", std::move(precisions))
      .flag("gpu", view.on_gpu())
      .flag("warm_cache", warm_cache(view.run()))
      .set("batch", format_count(spec.batch.value_or(1)))
      .set("warmup", format_count(spec.warmup.value_or(0)))
      .set("steps", format_count(spec.steps.value_or(0)));
  part.datasets.push_back(make_dataset("attention-speedups", kGains, points));
  for (const Cell& cell : view.run().cells) {
    if (cell.spec.attention && is_shipped(cell.spec)) part.cells.push_back(&cell);
  }
  part.details.tables = {command_table(view.run(), kProblem + std::string(".a"), part.cells)};
  return part;
}

}  // namespace labreport::torch_compile
