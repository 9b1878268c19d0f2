// What torch.compile makes of a whole network: the datasets and values of section.md.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/common/command.h"
#include "experiments/common/timing.h"
#include "experiments/torch_compile/network.h"
#include "experiments/torch_compile/parts.h"
#include "results/metric_names.h"

namespace labreport::torch_compile {
namespace {

constexpr Notation kTimes{Notation::kFixed, 2};
constexpr Notation kMs{Notation::kSignificant, 4};
constexpr double kLess = 0.9;          // A step that gains less of its forward pass's speedup lags.
constexpr double kNoticeable = 0.1;    // The least share of a step that explains anything.
constexpr double kSteady = 0.1;        // Phases that differ by less take as long.
constexpr double kBusyBelow = 0.8;     // Kernels that fill less of a step wait for launches.
constexpr double kWorthSaying = 1.02;  // A factor nearer to 1 is none.

std::vector<double> of(const Side& side, std::string_view phase) {
  return phase == metric::kTotal ? side.step() : side.phase(phase);
}

/// Of medians: one stalled step of ten would move a mean.
std::optional<double> speedup(const Network& network, std::string_view phase) {
  const std::vector<double> eager = of(network.eager, phase);
  const std::vector<double> compiled = of(network.compiled, phase);
  if (eager.empty() || compiled.empty() || median(compiled) <= 0) return std::nullopt;
  return median(eager) / median(compiled);
}

Value side_median(const Side& side, std::string_view phase) {
  const std::vector<double> ms = of(side, phase);
  return ms.empty() ? Value::missing(side.reason()) : Value(median(ms));
}

Value or_reason(const Side& side, const std::optional<double>& value) {
  return value || side.ran() ? Value(value) : Value::missing(side.reason());
}

using NetworkColumn = Column<Network>;

NetworkColumn time_column(const char* name, const char* title, Side Network::* side,
                          std::string_view phase) {
  return {name, title,
          [side, phase](const Network& network) { return side_median(network.*side, phase); }, "ms",
          kMs};
}

NetworkColumn speedup_column(const char* name, const char* title, std::string_view phase) {
  return {name, title, [phase](const Network& network) { return Value(speedup(network, phase)); },
          "×", kTimes};
}

NetworkColumn side_column(const char* name, const char* title, Side Network::* side,
                          std::optional<double> (Side::*value)() const, const char* unit,
                          Notation notation) {
  return {name, title,
          [side, value](const Network& network) {
            return or_reason(network.*side, (network.*side.*value)());
          },
          unit, notation};
}

const std::vector<NetworkColumn> kNetworks{
    {"size", "Size", [](const Network& network) { return network.spec().size; }},
    {"precision", "Precision", [](const Network& network) { return network.precision(); }},
    time_column("forward_eager", "Forward, eager", &Network::eager, metric::kForward),
    time_column("forward_compiled", "Forward, compiled", &Network::compiled, metric::kForward),
    speedup_column("forward_speedup", "Forward speedup", metric::kForward),
    time_column("backward_eager", "Backward, eager", &Network::eager, metric::kBackward),
    time_column("backward_compiled", "Backward, compiled", &Network::compiled, metric::kBackward),
    time_column("optimizer_eager", "Optimizer, eager", &Network::eager, metric::kOptimizer),
    time_column("optimizer_compiled", "Optimizer, compiled", &Network::compiled,
                metric::kOptimizer),
    time_column("step_eager", "Step, eager", &Network::eager, metric::kTotal),
    time_column("step_compiled", "Step, compiled", &Network::compiled, metric::kTotal),
    speedup_column("step_speedup", "Step speedup", metric::kTotal),
    side_column("compile", "Compile time", &Network::compiled, &Side::compile_seconds, "s",
                {Notation::kSignificant, 3}),
    side_column("peak_eager", "Peak, eager", &Network::eager, &Side::peak_bytes, "GiB",
                {Notation::kGibibytes}),
    side_column("peak_compiled", "Peak, compiled", &Network::compiled, &Side::peak_bytes, "GiB",
                {Notation::kGibibytes}),
    side_column("kernels_eager", "Kernels, eager", &Network::eager, &Side::kernels, "",
                {Notation::kCount}),
    side_column("kernels_compiled", "Kernels, compiled", &Network::compiled, &Side::kernels, "",
                {Notation::kCount}),
    side_column("busy_eager", "Kernels busy, eager", &Network::eager, &Side::busy_share, "%",
                {Notation::kPercent}),
    side_column("busy_compiled", "Kernels busy, compiled", &Network::compiled, &Side::busy_share,
                "%", {Notation::kPercent})};

struct SpeedupRow {
  std::string size, series;
  double speedup;
};

const std::vector<Column<SpeedupRow>> kSpeedups{
    {"size", "Size", &SpeedupRow::size},
    {"series", "Pass", &SpeedupRow::series},
    {"speedup", "Speedup", &SpeedupRow::speedup, "×", kTimes}};

std::vector<SpeedupRow> speedup_rows(const std::vector<Network>& all) {
  std::vector<SpeedupRow> rows;
  for (const auto& [phase, words] :
       {std::pair(metric::kForward, "forward"), std::pair(metric::kTotal, "training step")}) {
    for (const Network& network : all) {
      if (const auto ratio = speedup(network, phase)) {
        rows.push_back(
            {network.spec().size, std::string(words) + ", " + network.precision(), *ratio});
      }
    }
  }
  return rows;
}

struct ClassRow {
  std::string kind;
  ClassSum eager, compiled;
};

const std::vector<Column<ClassRow>> kClasses{
    {"class", "Kernels", &ClassRow::kind},
    {"eager_calls",
     "Calls, eager",
     [](const ClassRow& row) { return Value(row.eager.calls); },
     "",
     {Notation::kCount}},
    {"compiled_calls",
     "Calls, compiled",
     [](const ClassRow& row) { return Value(row.compiled.calls); },
     "",
     {Notation::kCount}},
    {"eager_ms", "Time, eager", [](const ClassRow& row) { return Value(row.eager.ms); }, "ms", kMs},
    {"compiled_ms", "Time, compiled", [](const ClassRow& row) { return Value(row.compiled.ms); },
     "ms", kMs}};

/// What takes longest in eager mode first.
std::vector<ClassRow> class_rows(const Network& network) {
  std::map<std::string, ClassRow> rows;
  const auto row = [&](const std::string& kind) -> ClassRow& {
    rows[kind].kind = kind;
    return rows[kind];
  };
  for (const auto& [kind, sum] : network.eager.classes()) row(kind).eager = sum;
  for (const auto& [kind, sum] : network.compiled.classes()) row(kind).compiled = sum;
  std::vector<ClassRow> list;
  for (const auto& [kind, found] : rows) list.push_back(found);
  std::ranges::stable_sort(list, std::greater(), [](const ClassRow& of) { return of.eager.ms; });
  return list;
}

ClassSum sum_of(const std::vector<ClassRow>& rows, ClassSum ClassRow::* side,
                const std::set<std::string>& left_out) {
  ClassSum sum;
  for (const ClassRow& row : rows) {
    if (left_out.contains(row.kind)) continue;
    sum.calls += (row.*side).calls;
    sum.ms += (row.*side).ms;
  }
  return sum;
}

bool alike(double a, double b) { return std::abs(a - b) < kSteady * std::max(a, b); }

Facts& set_pair(Facts& facts, const std::string& name, double eager, double compiled,
                const Notation& notation) {
  facts.set(name, eager, notation);
  return facts.set("compiled_" + name, compiled, notation);
}

/// The kernels that fusion replaced; none where it replaced none.
std::optional<Facts> fusion(const Network& network) {
  const std::vector<ClassRow> rows = class_rows(network);
  const ClassSum eager = sum_of(rows, &ClassRow::eager, {"GEMM", "memset"});
  const ClassSum compiled = sum_of(rows, &ClassRow::compiled, {"GEMM", "memset"});
  if (compiled.calls <= 0 || eager.calls <= compiled.calls) return std::nullopt;
  Facts facts;
  facts.set("size", network.spec().size);
  facts.set("precision", network.precision());
  set_pair(facts, "calls", eager.calls, compiled.calls, {Notation::kCount});
  Facts times;
  set_pair(times, "ms", eager.ms, compiled.ms, kMs);
  facts.when("faster", compiled.ms < (1 - kSteady) * eager.ms, times);
  return facts;
}

/// GEMM time in both modes, and whether it stays.
std::optional<std::pair<Facts, bool>> gemms(const Network& network) {
  const std::vector<ClassRow> rows = class_rows(network);
  const auto gemm = std::ranges::find(rows, "GEMM", &ClassRow::kind);
  if (gemm == rows.end() || gemm->eager.ms <= 0 || gemm->compiled.ms <= 0) return std::nullopt;
  Facts facts;
  facts.set("precision", network.precision());
  set_pair(facts, "ms", gemm->eager.ms, gemm->compiled.ms, kMs);
  return std::pair(facts, alike(gemm->eager.ms, gemm->compiled.ms));
}

std::optional<double> optimizer_share(const Network& network) {
  const auto optimizer = network.compiled.phase(metric::kOptimizer), step = network.compiled.step();
  if (optimizer.empty() || step.empty()) return std::nullopt;
  return median(optimizer) / median(step);
}

/// A part of the step gains less than its forward pass.
bool lags(const Network& network, std::string_view phase) {
  const auto gain = speedup(network, phase), forward = speedup(network, metric::kForward);
  return gain && forward && *gain < kLess * *forward;
}

/// Of the smallest and the largest network.
Facts shares(double small, double large) {
  Facts facts;
  facts.set("small_share", small, {Notation::kPercent});
  return facts.set("large_share", large, {Notation::kPercent});
}

/// "2.29× for small": those whose backward gains less than their forward pass.
std::string backward_gains(const std::vector<Network>& compared) {
  std::vector<std::string> gains;
  for (const Network& network : compared) {
    if (!lags(network, metric::kBackward)) continue;
    const double gain = speedup(network, metric::kBackward).value_or(0);
    gains.push_back(format_fixed(gain, kTimes.digits) + "× for " + network.spec().size);
  }
  return join_words(gains);
}

/// Why a whole step gains less than its forward pass, for the smallest and the largest network.
std::optional<Facts> lag(const std::vector<Network>& ran) {
  const Network &small = ran.front(), &large = ran.back();
  if (!lags(small, metric::kTotal) && !lags(large, metric::kTotal)) return std::nullopt;
  const auto of_small = optimizer_share(small), of_large = optimizer_share(large);
  const bool optimizer = of_small && of_large && std::max(*of_small, *of_large) > kNoticeable;
  const std::string backward =
      backward_gains(ran.size() > 1 ? std::vector{small, large} : std::vector{small});
  if (!optimizer && backward.empty()) return std::nullopt;
  Facts facts;
  facts.flag("two", optimizer && !backward.empty());
  facts.when("optimizer", optimizer, optimizer ? shares(*of_small, *of_large) : Facts());
  return facts.when("backward", !backward.empty(), "gains", backward);
}

std::optional<Facts> memory(const Network& network) {
  const auto eager = network.eager.peak_bytes(), compiled = network.compiled.peak_bytes();
  if (!eager || !compiled || *eager < kWorthSaying * *compiled) return std::nullopt;
  Facts facts;
  facts.set("size", network.spec().size);
  facts.set("precision", network.precision());
  facts.set("peak", format_bytes(*eager));
  facts.set("compiled_peak", format_bytes(*compiled));
  return facts;
}

/// How long the compilations took, and after how many steps the slowest network's is paid back.
std::optional<Facts> first_calls(const std::vector<Network>& ran) {
  const auto seconds = [](const Network& network) {
    return network.compiled.compile_seconds().value_or(0);
  };
  const Network& longest = *std::ranges::max_element(ran, {}, seconds);
  const Network& shortest = *std::ranges::min_element(ran, {}, seconds);
  if (seconds(shortest) <= 0) return std::nullopt;
  const auto eager = longest.eager.step(), compiled = longest.compiled.step();
  const double gain = eager.empty() || compiled.empty() ? 0 : median(eager) - median(compiled);
  Facts facts;
  facts.set("least", format_duration(seconds(shortest)));
  facts.set("most", format_duration(seconds(longest)));
  facts.flag("several", ran.size() > 1);
  Facts payback;
  payback.set("size", longest.spec().size);
  payback.set("precision", longest.precision());
  const double steps = gain > 0 ? 1e3 * seconds(longest) / gain : 0;
  payback.set("steps", format_count(std::llround(steps)));
  facts.when("payback", gain > 0, payback);
  return facts;
}

/// The smallest network gains most, and its kernels wait for their launches.
std::optional<Facts> launch_bound(const std::vector<Network>& ran) {
  const auto gain = [](const Network& network) {
    return speedup(network, metric::kTotal).value_or(0);
  };
  const Network& most = *std::ranges::max_element(ran, {}, gain);
  const auto busy = most.eager.busy_share();
  if (ran.size() < 2 || &most != &ran.front() || !busy || *busy > kBusyBelow) return std::nullopt;
  Facts facts, counts;
  facts.set("size", most.spec().size);
  facts.set("precision", most.precision());
  facts.set("busy", *busy, {Notation::kPercent});
  const auto kernels = most.eager.kernels(), after = most.compiled.kernels();
  const bool fewer = kernels && after && *after < *kernels;
  if (fewer) set_pair(counts, "kernels", *kernels, *after, {Notation::kCount});
  return facts.when("fewer", fewer, counts);
}

/// GEMM time of the largest network, whether it stays or changes.
void add_gemms(Facts& facts, const Network& network) {
  const auto found = gemms(network);
  facts.when("gemms_stay", found && found->second, found ? found->first : Facts());
  facts.when("gemms_change", found && !found->second, found ? found->first : Facts());
}

/// Of the networks of one precision that ran both ways, smallest first.
Facts network_facts(const std::vector<Network>& ran) {
  Facts facts;
  facts.set("precision", ran.front().precision());
  facts.set("small", ran.front().spec().size);
  facts.set("large", ran.back().spec().size);
  facts.flag("several", ran.size() > 1);
  for (const auto& [name, phase] :
       {std::pair("step", metric::kTotal), std::pair("forward", metric::kForward)}) {
    facts.set(std::string("small_") + name, Value(speedup(ran.front(), phase)), kTimes);
    facts.set(std::string("large_") + name, Value(speedup(ran.back(), phase)), kTimes);
  }
  facts.when("fusion", fusion(ran.back())).when("lag", lag(ran));
  add_gemms(facts, ran.back());
  return facts;
}

std::vector<std::vector<Network>> by_precision(const std::vector<Network>& all) {
  std::vector<std::vector<Network>> groups;
  for (const Network& network : all) {
    if (groups.empty() || groups.back().front().precision() != network.precision()) {
      groups.emplace_back();
    }
    groups.back().push_back(network);
  }
  return groups;
}

std::vector<Facts> without_numbers(const std::vector<Network>& all) {
  std::vector<Facts> found;
  for (const Network& network : all) {
    for (const auto& [side, way] :
         {std::pair(&network.eager, "eager"), std::pair(&network.compiled, "compiled")}) {
      if (side->ran()) continue;
      Facts& facts = found.emplace_back();
      facts.set("size", network.spec().size);
      facts.set("precision", network.precision());
      facts.set("way", way);
      facts.set("reason", side->reason());
    }
  }
  return found;
}

/// Steps far longer than the others of their network, which medians leave out.
std::vector<Facts> outliers(const std::vector<Network>& all) {
  std::vector<Facts> found;
  for (const Network& network : all) {
    for (const auto& [side, way] :
         {std::pair(&network.eager, "eager"), std::pair(&network.compiled, "compiled")}) {
      const std::vector<double> steps = side->step();
      if (!has_outlier(steps)) continue;
      Facts& facts = found.emplace_back();
      facts.set("size", network.spec().size).set("precision", network.precision());
      facts.set("way", way).set("longest", std::ranges::max(steps), kMs);
      facts.set("median", median(steps), kMs);
    }
  }
  return found;
}

void add_facts(Facts& facts, const std::vector<Network>& all) {
  const std::vector<Network> ran = only(all, &Network::both);
  const std::vector<std::vector<Network>> groups = by_precision(ran);
  std::vector<Facts> precisions, pace;
  bool fused = false, kept = false;
  for (const std::vector<Network>& group : groups) {
    fused = fused || fusion(group.back());
    const auto products = gemms(group.back());
    kept = kept || (products && products->second);
    precisions.push_back(network_facts(group));
    if (auto found = launch_bound(group)) pace.push_back(std::move(*found));
  }
  const bool nothing = ran.empty();
  facts.flag("nothing", nothing);
  facts.list("precisions", std::move(precisions));
  facts.flag("fused", fused).flag("gemms_kept", kept);
  facts.list("launch_bound", std::move(pace));
  facts.when("memory", nothing ? std::nullopt : memory(ran.back()));
  facts.when("compilation", nothing ? std::nullopt : first_calls(ran));
  facts.list("missing", without_numbers(all));
  facts.list("outliers", outliers(all));
}

std::vector<NamedCell> named_cells(const std::vector<Network>& all) {
  std::vector<NamedCell> cells;
  for (const Network& network : all) {
    cells.push_back({network.spec().size + ", " + network.precision(), network.eager.cell()});
  }
  return cells;
}

void add_cells(PartContent& part, const std::vector<Network>& all) {
  for (const Network& network : all) {
    for (const Side& side : {network.eager, network.compiled}) {
      if (side.cell() != nullptr) part.cells.push_back(side.cell());
    }
  }
}

PartContent network_part(const RunView& view, const std::vector<Network>& all) {
  PartContent part;
  add_facts(part.facts, all);
  part.facts.flag("gpu", view.on_gpu());
  part.facts.flag("warm_cache", warm_cache(view.run()));
  const CellSpec& spec = all.front().spec();
  part.facts.set("warmup", format_count(spec.warmup.value_or(0)));
  part.facts.set("steps", format_count(spec.steps.value_or(0)));
  add_cells(part, all);
  part.datasets = {make_dataset("networks", kNetworks, all), make_dataset("costs", kNetworks, all),
                   make_dataset("phases", kNetworks, all),
                   make_dataset("speedups", kSpeedups, speedup_rows(all))};
  for (const std::vector<Network>& group : by_precision(only(all, &Network::both))) {
    Dataset classes = make_dataset("kernels", kClasses, class_rows(group.back()));
    classes.variant = group.back().spec().size + ", " + group.back().precision();
    part.datasets.push_back(std::move(classes));
  }
  part.details.tables = {
      commands_table(view.run(), kProblem + std::string(".b"), named_cells(all))};
  return part;
}

}  // namespace

std::optional<PartContent> present_network(const RunView& view) {
  const std::vector<Network> all = networks(view);
  if (all.empty()) return std::nullopt;
  return network_part(view, all);
}

}  // namespace labreport::torch_compile
