#include "experiments/memory_profiling/what_fits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>

#include "base/format.h"
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
constexpr double kConfirmed = 0.05;  // Of a measured peak: how far off it a prediction may be.
constexpr Notation kApart{Notation::kFixed, 1};

std::int64_t batch_of(const CellSpec& spec) { return spec.batch.value_or(kHandoutBatch); }

bool has_backward(Mode mode) { return mode == Mode::kForwardBackward || mode == Mode::kTrainStep; }

/// A member of `ExpectedPeak` under its category's name.
struct PeakPart {
  std::string_view name;
  std::int64_t ExpectedPeak::* bytes;
};

constexpr std::array kParts{PeakPart{metric::kParameters, &ExpectedPeak::parameters},
                            PeakPart{metric::kGradients, &ExpectedPeak::gradients},
                            PeakPart{metric::kOptimizerStates, &ExpectedPeak::moments},
                            PeakPart{metric::kActivations, &ExpectedPeak::activations},
                            PeakPart{metric::kWeightCopies, &ExpectedPeak::weight_copies},
                            PeakPart{metric::kTemporary, &ExpectedPeak::temporaries}};

/// The formulas, and the one thing at a peak that measurement alone knows: the libraries'
/// workspace, which depends on the GPU and counts as temporary.
class Predictor {
 public:
  explicit Predictor(const std::vector<Profile>& profiles) {
    for (const Profile& profile : profiles) {
      for (const auto& [mode, step] : profile.steps) {
        const auto bytes = step.bytes(metric::kCategory, metric::kWorkspace).value_or(0);
        std::int64_t& most = workspace_[has_backward(mode)];
        most = std::max(most, static_cast<std::int64_t>(bytes));
      }
    }
  }

  std::vector<ExpectedPeak> possible(const CellSpec& spec) const {
    auto peaks = possible_peaks(spec);
    for (ExpectedPeak& peak : peaks) peak.temporaries += workspace_[has_backward(*spec.mode)];
    return peaks;
  }

  ExpectedPeak peak(const CellSpec& spec) const {
    return std::ranges::max(possible(spec), {}, &ExpectedPeak::total);
  }

 private:
  std::array<std::int64_t, 2> workspace_{};
};

/// Predicted over measured peaks of one step and precision, less 1.
struct Check {
  Mode mode;
  Precision precision;
  std::vector<double> apart;

  double farthest() const {
    const auto distance = [](double one) { return std::abs(one); };
    return apart.empty() ? 0 : std::ranges::max(apart, {}, distance);
  }
  bool holds() const { return std::abs(farthest()) <= kConfirmed; }
  std::string reason() const {
    return "the formulas are up to " + format_rough_percent(std::abs(farthest())) + " % off";
  }
};

/// A first step has no optimizer state yet, and fewer workspaces.
bool confirms(const CellSpec& spec) {
  return spec.device == DeviceKind::kCuda && spec.model && spec.batch && spec.context &&
         spec.precision && spec.mode && spec.warmup.value_or(0) > 0;
}

/// The answers' own precision and the one it is compared with.
std::vector<Precision> precisions_of(const std::vector<Profile>& profiles) {
  std::vector<Precision> found{
      answered(profiles).front()->spec.precision.value_or(Precision::kFp32)};
  if (const auto other = reduced(profiles)) found.push_back(*other);
  return found;
}

std::vector<Check> checks_of(const RunView& view, const std::vector<Profile>& profiles,
                             const Predictor& predictor) {
  std::vector<Check> checks;
  for (const Mode mode : kSteps) {
    for (const Precision precision : precisions_of(profiles))
      checks.push_back({mode, precision, {}});
  }
  for (const Cell& cell : view.run().cells) {
    if (!confirms(cell.spec)) continue;
    const auto measured =
        Step{&cell, ok_launch(cell)}.bytes(metric::kMemory, metric::kPeakAllocated);
    const auto check = std::ranges::find_if(checks, [&](const Check& one) {
      return one.mode == cell.spec.mode && one.precision == cell.spec.precision;
    });
    if (!measured || *measured <= 0 || check == checks.end()) continue;
    const auto predicted = static_cast<double>(predictor.peak(cell.spec).total());
    check->apart.push_back(predicted / *measured - 1);
  }
  return checks;
}

CellSpec spec_of(const Size& size, const Check& check, std::int64_t batch, std::int64_t context) {
  CellSpec spec;
  spec.model = size.shape;
  spec.precision = check.precision;
  spec.mode = check.mode;
  spec.batch = batch;
  spec.context = context;
  return spec;
}

/// Those of the edition with the vocabulary of `first`, and the run's own as far as 64 bits hold
/// their bytes; smallest first.
std::vector<Size> sizes_of(const RunView& view, const CellSpec& first) {
  std::vector<Size> sizes = view.edition().sizes;
  for (Size& size : sizes) size.shape.vocab = first.model->vocab;
  for (const Cell& cell : view.run().cells) {
    if (!cell.spec.model || cell.spec.size.empty()) continue;
    if (std::ranges::find(sizes, *cell.spec.model, &Size::shape) != sizes.end()) continue;
    sizes.push_back({cell.spec.size, *cell.spec.model});
  }
  const Check fullest{Mode::kTrainStep, Precision::kFp32, {}};
  std::erase_if(sizes, [&](const Size& size) {
    return !is_countable(spec_of(size, fullest, batch_of(first), kContexts.back()));
  });
  std::ranges::stable_sort(sizes, {}, [](const Size& size) { return parameter_count(size.shape); });
  return sizes;
}

/// What the figure and its table show: sizes × steps and precisions, at one batch.
struct Grid {
  const Predictor& predictor;
  std::vector<Size> sizes;
  std::vector<Check> checks;
  std::int64_t batch;
  std::int64_t context;
};

std::string bar_name(const Size& size, const Check& check) {
  return size.name + ", " + std::string(describe(check.precision));
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
      const ExpectedPeak peak = grid.predictor.peak(spec_of(size, check, grid.batch, grid.context));
      double at = 0;
      for (const auto& [name, bytes] : kParts) {
        const double to = at + static_cast<double>(peak.*bytes) / kBytesPerGibibyte;
        if (to > at)
          bars.push_back({bar_name(size, check), category_words(std::string(name)), at, to, ""});
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
    const auto peak = grid->predictor.peak(spec_of(*size, *check, grid->batch, context)).total();
    const auto found = std::ranges::find_if(kCards, [peak](std::int64_t card) {
      return static_cast<double>(peak) <= static_cast<double>(card) * kGigabyte;
    });
    return found == kCards.end() ? "none" : std::to_string(*found) + " GB";
  }
};

Dataset smallest_cards(const Grid& grid) {
  std::vector<Column<Fit>> columns{
      {"size", "Size", [](const Fit& fit) { return fit.size->name; }},
      {"step", "Step", [](const Fit& fit) { return mode_words(fit.check->mode); }},
      {"precision", "Precision", [](const Fit& fit) { return describe(fit.check->precision); }}};
  for (const std::int64_t context : kContexts) {
    columns.push_back({"at" + std::to_string(context), "Context " + format_count(context),
                       [context](const Fit& fit) { return fit.card(context); }});
  }
  std::vector<Fit> rows;
  for (const Check& check : grid.checks) {
    for (const Size& size : grid.sizes) {
      rows.push_back({&grid, &check, &size, {}});
      if (!check.holds()) rows.back().flags = {check.reason()};
    }
  }
  return make_dataset("fits", columns, rows);
}

Dataset predictions(const std::vector<Check>& checks) {
  const auto percent = [](double (*share)(const Check&)) {
    return [share](const Check& check) {
      return check.apart.empty() ? Value() : Value(100 * share(check));
    };
  };
  const std::vector<Column<Check>> columns{
      {"step", "Step", [](const Check& check) { return mode_words(check.mode); }},
      {"precision", "Precision", [](const Check& check) { return describe(check.precision); }},
      {"cells",
       "Measured peaks",
       [](const Check& check) { return check.apart.size(); },
       "",
       {Notation::kCount}},
      {"median", "Median", percent([](const Check& check) { return median(check.apart); }), "%",
       kApart},
      {"farthest", "Farthest", percent([](const Check& check) { return check.farthest(); }), "%",
       kApart}};
  return make_dataset("predictions", columns, checks);
}

/// Bytes as c₀ + c₁ B S + c₂ B S² + c₃ S², found exactly from four evaluations.
std::vector<nlohmann::json> polynomials(const Grid& grid, const Size& size, const Check& check) {
  const auto at = [&](std::int64_t batch, std::int64_t context) {
    return grid.predictor.possible(spec_of(size, check, batch, context));
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

/// For site/what_fits.js.
nlohmann::json live(const Grid& grid, std::ptrdiff_t first) {
  nlohmann::json sizes = nlohmann::json::array(), checks = nlohmann::json::array();
  std::vector<std::string> parts;
  for (const auto& [name, bytes] : kParts) parts.push_back(category_words(std::string(name)));
  for (const Size& size : grid.sizes) sizes.push_back(size.name);
  for (const Check& check : grid.checks) {
    nlohmann::json entry{{"step", mode_words(check.mode)},
                         {"precision", describe(check.precision)},
                         {"cells", check.apart.size()},
                         {"farthest", std::round(1000 * check.farthest()) / 10}};
    if (check.holds()) {
      for (const Size& size : grid.sizes) entry["sizes"].push_back(polynomials(grid, size, check));
    }
    checks.push_back(std::move(entry));
  }
  return {{"cards", kCards},
          {"parts", series_scale("color", parts)},
          {"sizes", sizes},
          {"checks", checks},
          {"first", {{"size", first}, {"batch", grid.batch}, {"context", grid.context}}}};
}

std::optional<Facts> facts_of(const std::vector<Check>& checks) {
  std::vector<double> apart;
  for (const Check& check : checks) {
    if (!check.holds()) continue;
    for (const double one : check.apart) apart.push_back(std::abs(one));
  }
  if (apart.empty()) return std::nullopt;
  Facts facts;
  facts.set("cells", format_count(static_cast<std::int64_t>(apart.size())));
  facts.set("most", format_rough_percent(std::ceil(std::ranges::max(apart) * 1e3) / 1e3));
  facts.set("typical", format_rough_percent(median(apart)));
  return facts;
}

}  // namespace

void add_what_fits(PartContent& part, const RunView& view, const std::vector<Profile>& profiles) {
  const CellSpec& first = answered(profiles).front()->spec;
  const Predictor predictor(profiles);
  Grid grid{predictor, {}, {}, batch_of(first), view.edition().reference_context};
  if (view.on_gpu() && counted_parameters(first)) {
    grid.sizes = sizes_of(view, first);
    grid.checks = checks_of(view, profiles, predictor);
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
                       {std::move(bars), cards(), smallest_cards(grid), predictions(grid.checks)});
}

}  // namespace labreport::memory_profiling
