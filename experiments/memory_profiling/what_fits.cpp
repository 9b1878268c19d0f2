#include "experiments/memory_profiling/what_fits.h"

#include <array>
#include <cmath>

#include "base/format.h"
#include "base/lists.h"
#include "base/statistics.h"
#include "document/charts/charts.h"
#include "experiments/memory_profiling/bytes.h"
#include "experiments/memory_profiling/timeline.h"
#include "plan/arithmetic.h"
#include "plan/memory.h"
#include "results/metric_names.h"

namespace labreport::memory_profiling {
namespace {

constexpr std::array kSteps{Mode::kInference, Mode::kForwardBackward, Mode::kTrainStep};
constexpr std::array<std::int64_t, 5> kContexts{128, 256, 512, 1024, 2048};
constexpr std::array<std::int64_t, 4> kCards{24, 40, 80, 141};
constexpr double kGigabyte = 1e9;
constexpr double kConfirmed = 0.05;  // Predictions may miss a measured peak by this share.
constexpr Notation kApart{Notation::kPercent};

std::int64_t batch_of(const CellSpec& spec) { return spec.batch.value_or(kHandoutBatch); }

bool has_backward(Mode mode) { return mode == Mode::kForwardBackward || mode == Mode::kTrainStep; }

/// The parts of a peak under their categories' names.
constexpr std::pair<std::string_view, std::int64_t ExpectedPeak::*> kParts[]{
    {metric::kParameters, &ExpectedPeak::parameters},
    {metric::kGradients, &ExpectedPeak::gradients},
    {metric::kOptimizerStates, &ExpectedPeak::moments},
    {metric::kActivations, &ExpectedPeak::activations},
    {metric::kWeightCopies, &ExpectedPeak::weight_copies},
    {metric::kTemporary, &ExpectedPeak::temporaries}};

/// In bytes, without backward and with it: the one thing at a peak that measurement alone knows,
/// which depends on the GPU and counts as temporary.
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

/// One step and precision: predicted over measured peaks, less 1.
struct Check {
  Mode mode;
  Precision precision;
  std::vector<double> apart = {};

  double farthest() const {
    const double* found = largest(apart, [](double one) { return std::abs(one); });
    return found == nullptr ? 0 : *found;
  }
  bool holds() const { return std::abs(farthest()) <= kConfirmed; }
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

/// A first step has no optimizer state yet, and fewer workspaces.
bool confirms(const CellSpec& spec, const Check& check) {
  return spec.device == DeviceKind::kCuda && spec.implementation.empty() && spec.model &&
         spec.batch && spec.context && spec.precision == check.precision &&
         spec.mode == check.mode && spec.warmup.value_or(0) > 0;
}

/// Checks the answers' own precision and the one it is compared with.
std::vector<Check> checks_of(const RunView& view, const std::vector<Profile>& profiles,
                             const Grid& grid) {
  const auto own = answered(profiles).front()->spec.precision.value_or(Precision::kFp32);
  const Precision other = reduced(profiles).value_or(own);
  std::vector<Check> checks;
  for (const Mode mode : kSteps) {
    for (const Precision precision : distinct(std::vector{own, other})) {
      Check& check = checks.emplace_back(Check{mode, precision});
      for (const Cell& cell : view.run().cells) {
        if (!confirms(cell.spec, check)) continue;
        const auto measured =
            Step{&cell, ok_launch(cell)}.bytes(metric::kMemory, metric::kPeakAllocated);
        const auto expected = static_cast<double>(grid.peak(cell.spec).total());
        if (measured && *measured > 0) check.apart.push_back(expected / *measured - 1);
      }
    }
  }
  return checks;
}

/// The edition's sizes with the vocabulary of `first`, and the run's own as far as 64 bits hold
/// their bytes; smallest first.
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

/// One part of a size's peak; the last one's text is the whole.
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
      const ExpectedPeak peak = grid.peak(check.spec(size, grid.batch, grid.context));
      const std::string row = size.name + ", " + std::string(check.precision_words());
      double at = 0;
      for (const auto& [name, bytes] : kParts) {
        const double to = at + static_cast<double>(peak.*bytes) / kBytesPerGibibyte;
        if (to > at) bars.push_back({row, category_words(std::string(name)), at, to, ""});
        at = to;
      }
      bars.back().text = format_bytes(static_cast<double>(peak.total()));
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
    const auto found = std::ranges::find_if(kCards, [bytes](std::int64_t card) {
      return static_cast<double>(bytes) <= static_cast<double>(card) * kGigabyte;
    });
    return found == kCards.end() ? "none" : std::to_string(*found) + " GB";
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
     [](const Check& check) { return check.apart.size(); },
     "",
     {Notation::kCount}},
    {"median", "Median",
     [](const Check& check) { return check.apart.empty() ? Value() : Value(median(check.apart)); },
     "%", kApart},
    {"farthest", "Worst",
     [](const Check& check) { return check.apart.empty() ? Value() : Value(check.farthest()); },
     "%", kApart}};

/// Bytes as c₀ + c₁ B S + c₂ B S² + c₃ S², found exactly from four evaluations.
std::vector<nlohmann::json> polynomials(const Grid& grid, const Size& size, const Check& check) {
  const auto at = [&](std::int64_t batch, std::int64_t context) {
    return predicted(check.spec(size, batch, context), grid.workspaces);
  };
  const auto none = at(0, 0), mask = at(0, 1), one = at(1, 1), two = at(1, 2);
  std::vector<nlohmann::json> peaks;
  for (std::size_t i = 0; i < none.size(); ++i) {
    nlohmann::json parts = nlohmann::json::array();
    for (const auto& [name, bytes] : kParts) {
      const std::int64_t constant = none[i].*bytes;
      const std::int64_t square = mask[i].*bytes - constant;
      const std::int64_t sum = one[i].*bytes - constant - square;
      const std::int64_t pair = (two[i].*bytes - constant - 4 * square - 2 * sum) / 2;
      parts.push_back({constant, sum - pair, pair, square});
    }
    peaks.push_back({{"phase", pass_words(std::string(none[i].phase))}, {"parts", parts}});
  }
  return peaks;
}

/// The data that site/what_fits.js reads.
nlohmann::json live(const Grid& grid, std::ptrdiff_t first) {
  nlohmann::json checks = nlohmann::json::array();
  for (const Check& check : grid.checks) {
    nlohmann::json entry{{"step", check.step()},
                         {"precision", check.precision_words()},
                         {"cells", check.apart.size()},
                         {"farthest", std::round(1000 * check.farthest()) / 10}};
    for (const Size& size : grid.sizes) {
      if (check.holds()) entry["sizes"].push_back(polynomials(grid, size, check));
    }
    checks.push_back(std::move(entry));
  }
  const auto parts =
      each(kParts, [](const auto& part) { return category_words(std::string(part.first)); });
  return {{"cards", kCards},
          {"parts", series_scale("color", parts)},
          {"sizes", each(grid.sizes, &Size::name)},
          {"checks", checks},
          {"first", {{"size", first}, {"batch", grid.batch}, {"context", grid.context}}}};
}

std::optional<Facts> facts_of(const std::vector<Check>& checks) {
  std::vector<double> apart;
  for (const Check& check : only(checks, &Check::holds)) {
    for (const double one : check.apart) apart.push_back(std::abs(one));
  }
  if (apart.empty()) return std::nullopt;
  return Facts()
      .set("cells", format_count(static_cast<std::int64_t>(apart.size())))
      .set("most", format_rough_percent(std::ceil(std::ranges::max(apart) * 1e3) / 1e3))
      .set("typical", format_rough_percent(median(apart)));
}

}  // namespace

void add_what_fits(PartContent& part, const RunView& view, const std::vector<Profile>& profiles) {
  const CellSpec& first = answered(profiles).front()->spec;
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
  Dataset bars = make_dataset("what-fits", kBars, bars_of(grid));
  bars.live = live(grid, chosen - grid.sizes.begin());
  part.datasets.insert(part.datasets.end(),
                       {std::move(bars), cards(), smallest_cards(grid),
                        make_dataset("predictions", kPredictions, grid.checks)});
}

}  // namespace labreport::memory_profiling
