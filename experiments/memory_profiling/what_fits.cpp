#include "experiments/memory_profiling/what_fits.h"

#include <array>
#include <cmath>

#include "base/format.h"
#include "base/lists.h"
#include "base/statistics.h"
#include "document/peaks.h"
#include "experiments/memory_profiling/bytes.h"
#include "experiments/optimizer_state_sharding_accounting/schemes.h"
#include "plan/arithmetic.h"
#include "plan/memory.h"
#include "results/metric_names.h"

namespace labreport::memory_profiling {
namespace {

constexpr std::array kSteps{Mode::kInference, Mode::kForwardBackward, Mode::kTrainStep};
constexpr std::array<std::int64_t, 5> kContexts{128, 256, 512, 1024, 2048};
constexpr std::array<std::int64_t, 4> kCards{24, 40, 80, 141};
constexpr double kGigabyte = 1e9;
constexpr double kConfirmed = 0.05;  // Confirmed formulas are off by at most this share of a peak.
constexpr Notation kDeviation{Notation::kPercent};

std::int64_t batch_of(const CellSpec& spec) { return spec.batch.value_or(kHandoutBatch); }

bool has_backward(Mode mode) { return mode == Mode::kForwardBackward || mode == Mode::kTrainStep; }

/// The most bytes of library workspaces at any peak, without and with backward. They depend on the
/// GPU, so they are measured rather than predicted; they count as temporary.
using Workspaces = std::array<std::int64_t, 2>;

Workspaces workspaces_of(const std::vector<Profile>& profiles) {
  Workspaces most{};
  for (const Profile& profile : profiles) {
    for (const auto& [mode, step] : profile.steps) {
      const auto bytes = step.category(metric::kWorkspace);
      if (!bytes) continue;
      std::int64_t& largest = most[has_backward(mode)];
      largest = std::max(largest, static_cast<std::int64_t>(*bytes));
    }
  }
  return most;
}

std::vector<ExpectedPeak> predicted(const CellSpec& spec, const Workspaces& workspaces) {
  auto peaks = possible_peaks(spec);
  for (ExpectedPeak& peak : peaks) peak.temporaries += workspaces[has_backward(*spec.mode)];
  return peaks;
}

/// Compares peaks of one mode and precision, with or without checkpoints. A deviation is predicted
/// / measured − 1; batch, context and blocks are the largest that were measured.
struct Check {
  Mode mode;
  Precision precision;
  bool checkpoints = false;
  std::vector<double> deviations = {};
  std::int64_t batch = 0, context = 0, blocks = 0;
  double most = 0;  ///< Bytes of the largest measured peak.

  double farthest() const {
    const double* worst = largest(deviations, [](double one) { return std::abs(one); });
    return worst == nullptr ? 0 : *worst;
  }
  bool holds() const { return std::abs(farthest()) <= kConfirmed; }
  void add(const CellSpec& spec, double predicted, double measured) {
    deviations.push_back(predicted / measured - 1);
    most = std::max(most, measured);
    batch = std::max(batch, *spec.batch);
    context = std::max(context, *spec.context);
    blocks = std::max(blocks, spec.group.value_or(0));
  }
  /// True if batch, context or predicted bytes exceed all that were measured. Bytes may exceed the
  /// largest measured peak by `kConfirmed`, because the prediction may be that much too high.
  bool extrapolates(const CellSpec& spec, double bytes) const {
    return *spec.batch > batch || *spec.context > context || bytes > (1 + kConfirmed) * most;
  }
  std::string step() const { return mode_words(mode); }
  std::string_view precision_words() const { return describe(precision); }
  CellSpec spec(const Size& size, std::int64_t batch, std::int64_t context) const {
    CellSpec spec;
    spec.model = size.shape;
    spec.precision = precision;
    spec.mode = mode;
    spec.batch = batch;
    spec.context = context;
    return spec;
  }
};

/// Everything that the figure and its table show: sizes × steps and precisions, at one batch.
struct Grid {
  Workspaces workspaces;
  std::int64_t batch, context;
  std::vector<Size> sizes = {};
  std::vector<Check> checks = {};

  ExpectedPeak peak(const CellSpec& spec) const {
    return std::ranges::max(predicted(spec, workspaces), {}, &ExpectedPeak::total);
  }
};

ConfirmedPeaks confirmed(const Check& check, const Workspaces& workspaces) {
  return {.mode = std::string(name(check.mode)),
          .precision = std::string(name(check.precision)),
          .peaks = static_cast<std::int64_t>(check.deviations.size()),
          .farthest = std::round(1e4 * check.farthest()) / 1e4,
          .batch = check.batch,
          .context = check.context,
          .blocks = check.blocks,
          .ranks = 0,
          .workspace = workspaces[has_backward(check.mode)]};
}

/// True if the cell is a step of this check on one GPU with labreport's network. First steps do not
/// count, because they have fewer workspaces and no optimizer state.
bool confirms(const CellSpec& spec, const Check& check) {
  constexpr std::array kKinds{CellKind::kTiming, CellKind::kMemory, CellKind::kCheckpointing};
  return std::ranges::count(kKinds, spec.kind) > 0 && spec.device == DeviceKind::kCuda &&
         spec.implementation.empty() && spec.model && spec.batch && spec.context &&
         spec.precision == check.precision && spec.mode == check.mode &&
         spec.group.has_value() == check.checkpoints && spec.warmup.value_or(0) > 0;
}

void measure(Check& check, const RunView& view, const Grid& grid) {
  for (const Cell& cell : view.run().cells) {
    if (!confirms(cell.spec, check)) continue;
    const auto measured =
        Step{&cell, ok_launch(cell)}.bytes(metric::kMemory, metric::kPeakAllocated);
    const auto expected = static_cast<double>(grid.peak(cell.spec).total());
    if (measured && *measured > 0) check.add(cell.spec, expected, *measured);
  }
}

/// Checks each mode in the answers' precision and in the one that they compare with it.
std::vector<Check> checks_of(const RunView& view, const std::vector<Profile>& profiles,
                             const Grid& grid) {
  const auto described =
      described_profiles(profiles).front()->spec.precision.value_or(Precision::kFp32);
  const Precision other = reduced_precision(profiles).value_or(described);
  std::vector<Check> checks;
  for (const Mode mode : kSteps) {
    for (const Precision precision : distinct(std::vector{described, other}))
      measure(checks.emplace_back(Check{mode, precision}), view, grid);
  }
  return checks;
}

/// Checks training steps over several ranks that share the optimizer's state: their highest peak
/// once that state exists.
std::vector<ConfirmedPeaks> sharded_peaks(const RunView& view) {
  using namespace optimizer_state_sharding_accounting;
  std::vector<ConfirmedPeaks> all;
  for (const TrainedNetwork& network : trained_networks(view, Sharding::kOptimizer)) {
    const ShardingScheme& scheme = *network.find(Sharding::kOptimizer);
    double expected = 0, measured = 0;
    for (const Stage& stage : scheme.stages) {
      if (stage.when != When::kLaterStep) continue;
      expected = std::max(expected, scheme.expected_peak(stage).value_or(0));
      measured = std::max(measured, stage.point.peak);
    }
    const CellSpec& spec = network.spec();
    if (measured <= 0 || spec.device != DeviceKind::kCuda) continue;
    Check check{Mode::kTrainStep, *spec.precision};
    check.add(spec, expected, measured);
    if (!check.holds()) continue;
    all.push_back(confirmed(check, {}));
    all.back().ranks = spec.ranks->count;
  }
  return all;
}

/// The edition's sizes with the vocabulary of `first` and the run's other sizes, smallest first.
/// Leaves out those whose bytes overflow 64 bits.
std::vector<Size> sizes_of(const RunView& view, const CellSpec& first) {
  std::vector<Size> sizes = view.edition().sizes;
  for (Size& size : sizes) size.shape.vocab = first.model->vocab;
  for (const Cell& cell : view.run().cells) {
    if (!cell.spec.model || cell.spec.size.empty()) continue;
    if (std::ranges::find(sizes, *cell.spec.model, &Size::shape) != sizes.end()) continue;
    sizes.push_back({cell.spec.size, *cell.spec.model});
  }
  const Check fullest{Mode::kTrainStep, Precision::kFp32};
  std::ranges::stable_sort(sizes, {}, [](const Size& size) { return parameter_count(size.shape); });
  return only(sizes, [&](const Size& size) {
    return is_countable(fullest.spec(size, batch_of(first), kContexts.back()));
  });
}

/// One part of a size's predicted peak; the last part's text gives the whole peak.
struct Bar {
  std::string row, part;
  double from, to;  ///< GiB
  std::string text;
};

const std::vector<Column<Bar>> kBars{{"row", "Size", &Bar::row},
                                     {"part", "Part", &Bar::part},
                                     {"from", "From", &Bar::from, "GiB", {Notation::kFixed, 2}},
                                     {"to", "To", &Bar::to, "GiB", {Notation::kFixed, 2}},
                                     {"text", "Peak", &Bar::text}};

std::vector<Bar> bars_of(const Grid& grid) {
  std::vector<Bar> bars;
  for (const Size& size : grid.sizes) {
    for (const Check& check : grid.checks) {
      if (check.mode != Mode::kTrainStep || !check.holds()) continue;
      const CellSpec spec = check.spec(size, grid.batch, grid.context);
      const ExpectedPeak peak = grid.peak(spec);
      const auto bytes = static_cast<double>(peak.total());
      const std::string row = size.name + ", " + std::string(check.precision_words());
      double at = 0;
      for (const auto& [name, part] : kPeakParts) {
        const double to = at + static_cast<double>(peak.*part) / kBytesPerGibibyte;
        if (to > at) bars.push_back({row, category_words(std::string(name)), at, to, ""});
        at = to;
      }
      bars.back().text = format_bytes(bytes) + (check.extrapolates(spec, bytes) ? "*" : "");
    }
  }
  return bars;
}

Dataset cards() {
  const std::vector<Column<std::int64_t>> columns{
      {"bytes", "Memory",
       [](std::int64_t card) { return static_cast<double>(card) * kGigabyte / kBytesPerGibibyte; },
       "GiB"},
      {"text", "Card", [](std::int64_t card) { return std::to_string(card) + " GB"; }}};
  return make_dataset("cards", columns, std::vector(kCards.begin(), kCards.end()));
}

struct Fit {
  const Grid* grid;
  const Check* check;
  const Size* size;
  std::vector<std::string> flags;

  Value card(std::int64_t context) const {
    if (!check->holds()) return {};
    const auto bytes = grid->peak(check->spec(*size, grid->batch, context)).total();
    const auto smallest = std::ranges::find_if(kCards, [bytes](std::int64_t card) {
      return static_cast<double>(bytes) <= static_cast<double>(card) * kGigabyte;
    });
    return smallest == kCards.end() ? "none" : std::to_string(*smallest) + " GB";
  }
};

Dataset smallest_cards(const Grid& grid) {
  std::vector<Column<Fit>> columns{
      {"size", "Size", [](const Fit& fit) { return fit.size->name; }},
      {"step", "Step", [](const Fit& fit) { return fit.check->step(); }},
      {"precision", "Precision", [](const Fit& fit) { return fit.check->precision_words(); }}};
  for (const std::int64_t context : kContexts) {
    columns.push_back({"at" + std::to_string(context), "Context " + format_count(context),
                       [context](const Fit& fit) { return fit.card(context); }});
  }
  std::vector<Fit> rows;
  for (const Check& check : grid.checks) {
    const std::string off =
        "the formulas are up to " + format_rough_percent(std::abs(check.farthest())) + " % off";
    for (const Size& size : grid.sizes) {
      rows.push_back({&grid, &check, &size, {}});
      if (!check.holds()) rows.back().flags = {off};
    }
  }
  return make_dataset("fits", columns, rows);
}

const std::vector<Column<Check>> kPredictions{
    {"step", "Step", &Check::step},
    {"precision", "Precision", &Check::precision_words},
    {"cells",
     "Measured peaks",
     [](const Check& check) { return check.deviations.size(); },
     "",
     {Notation::kCount}},
    {"median", "Median",
     [](const Check& check) {
       return check.deviations.empty() ? Value() : Value(median(check.deviations));
     },
     "%", kDeviation},
    {"farthest", "Worst",
     [](const Check& check) {
       return check.deviations.empty() ? Value() : Value(check.farthest());
     },
     "%", kDeviation}};

/// The data that site/what_fits.js reads; `first` is the index of the size that it shows first.
nlohmann::json live(const Grid& grid, std::ptrdiff_t first) {
  nlohmann::json checks = nlohmann::json::array();
  for (const Check& check : grid.checks) {
    nlohmann::json entry{{"step", check.step()},
                         {"precision", check.precision_words()},
                         {"cells", check.deviations.size()},
                         {"batch", check.batch},
                         {"context", check.context},
                         {"most", check.most},
                         {"farthest", std::round(1000 * check.farthest()) / 10}};
    for (const Size& size : grid.sizes) {
      if (check.holds()) {
        entry["sizes"].push_back(
            peak_formulas(check.spec(size, 0, 0), grid.workspaces[has_backward(check.mode)]));
      }
    }
    checks.push_back(std::move(entry));
  }
  return {{"cards", kCards},
          {"parts", peak_part_colors()},
          {"sizes", each(grid.sizes, &Size::name)},
          {"checks", checks},
          {"first", {{"size", first}, {"batch", grid.batch}, {"context", grid.context}}}};
}

std::optional<Facts> facts_of(const std::vector<Check>& checks) {
  std::vector<double> errors;
  for (const Check& check : only(checks, &Check::holds)) {
    for (const double deviation : check.deviations) errors.push_back(std::abs(deviation));
  }
  if (errors.empty()) return std::nullopt;
  return Facts()
      .set("cells", format_count(static_cast<std::int64_t>(errors.size())))
      .set("most", format_rough_percent(std::ceil(std::ranges::max(errors) * 1e3) / 1e3))
      .set("typical", format_rough_percent(median(errors)));
}

}  // namespace

void add_what_fits(PartContent& part, const RunView& view, const std::vector<Profile>& profiles) {
  const CellSpec& first = described_profiles(profiles).front()->spec;
  Grid grid{workspaces_of(profiles), batch_of(first), view.edition().reference_context};
  if (view.on_gpu() && counted_parameters(first)) {
    grid.sizes = sizes_of(view, first);
    grid.checks = checks_of(view, profiles, grid);
  }
  part.facts.set("batch", format_count(grid.batch));
  part.facts.set("at_context", format_count(grid.context));
  const auto chosen = std::ranges::find(grid.sizes, first.model, &Size::shape);
  const auto facts = chosen == grid.sizes.end() ? std::nullopt : facts_of(grid.checks);
  part.facts.when("predicted", facts);
  if (!facts) return;
  const std::vector<Bar> rows = bars_of(grid);
  part.facts.flag("extrapolated", std::ranges::any_of(rows, [](const Bar& bar) {
                    return bar.text.ends_with('*');
                  }));
  Dataset bars = make_dataset("what-fits", kBars, rows);
  bars.script_data = live(grid, chosen - grid.sizes.begin());
  part.datasets.insert(part.datasets.end(),
                       {std::move(bars), cards(), smallest_cards(grid),
                        make_dataset("predictions", kPredictions, grid.checks)});
}

MemoryFormulas memory_formulas(const RunView& view) {
  MemoryFormulas formulas;
  const auto built_in = std::ranges::find_if(view.run().cells, [](const Cell& cell) {
    return cell.spec.model && cell.spec.implementation.empty();
  });
  if (!view.on_gpu() || built_in == view.run().cells.end()) return formulas;
  const std::vector<Profile> profiles = profiles_of(view);
  const Grid grid{workspaces_of(profiles), batch_of(built_in->spec),
                  view.edition().reference_context};
  std::vector<Check> checks;
  for (const Mode mode : kSteps) {
    for (const Precision precision : {Precision::kFp32, Precision::kBf16, Precision::kFp16})
      measure(checks.emplace_back(Check{mode, precision, true}), view, grid);
  }
  if (!profiles.empty()) {
    for (Check& check : checks_of(view, profiles, grid)) checks.push_back(std::move(check));
  }
  for (const Check& check : checks) {
    if (check.holds() && !check.deviations.empty())
      formulas.confirmed.push_back(confirmed(check, grid.workspaces));
  }
  std::ranges::move(sharded_peaks(view), std::back_inserter(formulas.confirmed));
  if (formulas.confirmed.empty()) return formulas;
  formulas.device_bytes = view.device()->memory_bytes;
  formulas.networks = sizes_of(view, built_in->spec);
  return formulas;
}

}  // namespace labreport::memory_profiling
