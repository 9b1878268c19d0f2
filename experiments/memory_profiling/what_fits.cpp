#include "experiments/memory_profiling/what_fits.h"

#include <array>
#include <cmath>

#include "base/format.h"
#include "base/lists.h"
#include "base/statistics.h"
#include "document/peaks.h"
#include "experiments/common/bytes.h"
#include "experiments/common/sharding_schemes.h"
#include "plan/arithmetic.h"
#include "plan/memory.h"
#include "results/metric_names.h"

namespace labreport::memory_profiling {
namespace {

constexpr std::array kCheckedModes{Mode::kInference, Mode::kForwardBackward, Mode::kTrainStep};
constexpr std::array<std::int64_t, 5> kShownContexts{128, 256, 512, 1024, 2048};
constexpr std::array<std::int64_t, 4> kCardGigabytes{24, 40, 80, 141};
constexpr double kGigabyte = 1e9;
constexpr double kPredictionTolerance = 0.05;  // A formula that is off by more is not confirmed.
constexpr Notation kDeviationNotation{Notation::kPercent};

std::int64_t batch_of(const CellSpec& spec) { return spec.batch.value_or(kHandoutBatch); }

bool has_backward(Mode mode) { return mode == Mode::kForwardBackward || mode == Mode::kTrainStep; }

/// The most bytes of library workspaces at any peak; the index is has_backward(). Workspaces depend
/// on the GPU, so they are measured rather than predicted. They count as temporary.
using Workspaces = std::array<std::int64_t, 2>;

Workspaces workspaces_of(const std::vector<MemoryProfile>& profiles) {
  Workspaces largest{};
  for (const MemoryProfile& profile : profiles) {
    for (const auto& [mode, step] : profile.steps) {
      const auto bytes = step.category_bytes(metric::kWorkspace);
      if (!bytes) continue;
      std::int64_t& largest_of_mode = largest[has_backward(mode)];
      largest_of_mode = std::max(largest_of_mode, static_cast<std::int64_t>(*bytes));
    }
  }
  return largest;
}

/// How far the formulas are off the peaks that were measured in one mode and precision.
struct PeakCheck {
  Mode mode;
  Precision precision;
  bool with_checkpoints = false;
  std::vector<double> deviations = {};  ///< Predicted / measured − 1, one for each peak.
  std::int64_t max_batch = 0, max_context = 0, max_checkpoint_blocks = 0;
  double largest_peak = 0;  ///< Bytes of the largest measured peak.

  double worst_deviation() const {
    const double* worst = largest(deviations, [](double deviation) { return std::abs(deviation); });
    return worst == nullptr ? 0 : *worst;
  }
  bool holds() const { return std::abs(worst_deviation()) <= kPredictionTolerance; }
  void add_peak(const CellSpec& spec, double predicted, double measured) {
    deviations.push_back(predicted / measured - 1);
    largest_peak = std::max(largest_peak, measured);
    max_batch = std::max(max_batch, *spec.batch);
    max_context = std::max(max_context, *spec.context);
    max_checkpoint_blocks = std::max(max_checkpoint_blocks, spec.blocks_per_checkpoint.value_or(0));
  }
  /// True if batch, context or predicted bytes exceed all that were measured. Bytes may exceed the
  /// largest measured peak by `kPredictionTolerance`, the largest error of a prediction.
  bool extrapolates(const CellSpec& spec, double bytes) const {
    return *spec.batch > max_batch || *spec.context > max_context ||
           bytes > (1 + kPredictionTolerance) * largest_peak;
  }
  std::string step_words() const { return mode_words(mode); }
  std::string_view precision_words() const { return describe(precision); }
  CellSpec spec_of(const Size& size, std::int64_t batch, std::int64_t context) const {
    CellSpec spec;
    spec.model = size.shape;
    spec.precision = precision;
    spec.mode = mode;
    spec.batch = batch;
    spec.context = context;
    return spec;
  }
};

/// The sizes and checked formulas to show at one batch, and the figure's context.
struct Grid {
  Workspaces workspaces;
  std::int64_t batch, context;
  std::vector<Size> sizes = {};
  std::vector<PeakCheck> checks = {};

  ExpectedPeak predicted_peak(const CellSpec& spec) const {
    auto peaks = possible_peaks(spec);
    for (ExpectedPeak& peak : peaks) peak.temporaries += workspaces[has_backward(*spec.mode)];
    return std::ranges::max(peaks, {}, &ExpectedPeak::total);
  }
};

ConfirmedPeaks confirmed_peaks(const PeakCheck& check, const Workspaces& workspaces) {
  return {.mode = std::string(name(check.mode)),
          .precision = std::string(name(check.precision)),
          .peaks = static_cast<std::int64_t>(check.deviations.size()),
          .farthest = std::round(1e4 * check.worst_deviation()) / 1e4,
          .batch = check.max_batch,
          .context = check.max_context,
          .blocks = check.max_checkpoint_blocks,
          .ranks = 0,
          .workspace = workspaces[has_backward(check.mode)]};
}

/// True if the cell is a step of labreport's network on one GPU. Cells without warm-up do not
/// count, because first steps have fewer workspaces and no optimizer state.
bool is_measured_step(const CellSpec& spec) {
  constexpr std::array kKinds{CellKind::kTiming, CellKind::kMemory, CellKind::kCheckpointing};
  return std::ranges::count(kKinds, spec.kind) > 0 && spec.device == DeviceKind::kCuda &&
         spec.implementation.empty() && spec.model && spec.batch && spec.context &&
         spec.warmup.value_or(0) > 0;
}

/// Returns the step's largest number of allocated bytes; nothing if it was not measured.
std::optional<double> measured_peak(const Cell& cell) {
  const auto peak =
      MemoryStep{&cell, ok_launch(cell)}.bytes(metric::kMemory, metric::kPeakAllocated);
  return peak && *peak > 0 ? peak : std::nullopt;
}

void add_measured_peaks(PeakCheck& check, const RunView& view, const Grid& grid) {
  for (const Cell& cell : view.run().cells) {
    const CellSpec& spec = cell.spec;
    if (!is_measured_step(spec) || spec.precision != check.precision || spec.mode != check.mode ||
        spec.blocks_per_checkpoint.has_value() != check.with_checkpoints)
      continue;
    const auto predicted = static_cast<double>(grid.predicted_peak(spec).total());
    if (const auto measured = measured_peak(cell)) check.add_peak(spec, predicted, *measured);
  }
}

/// Checks each mode in the answers' precision and in the reduced one.
std::vector<PeakCheck> checks_of(const RunView& view, const std::vector<MemoryProfile>& profiles,
                                 const Grid& grid) {
  const auto full = described_profiles(profiles).front()->spec.precision.value_or(Precision::kFp32);
  const Precision reduced = reduced_precision(profiles).value_or(full);
  std::vector<PeakCheck> checks;
  for (const Mode mode : kCheckedModes) {
    for (const Precision precision : distinct(std::vector{full, reduced}))
      add_measured_peaks(checks.emplace_back(PeakCheck{mode, precision}), view, grid);
  }
  return checks;
}

/// Returns the training steps of ranks sharing AdamW's state that peak as the formulas predict.
std::vector<ConfirmedPeaks> confirmed_sharded_peaks(const RunView& view) {
  using namespace sharding;
  std::vector<ConfirmedPeaks> confirmed;
  for (const TrainedNetwork& network : trained_networks(view, Sharding::kOptimizer)) {
    const ShardingScheme& scheme = *network.find(Sharding::kOptimizer);
    double predicted = 0, measured = 0;
    for (const Stage& stage : scheme.stages) {
      if (stage.when != When::kLaterStep || !stage.expected_peak) continue;
      predicted = std::max(predicted, static_cast<double>(stage.expected_peak->total()));
      measured = std::max(measured, stage.point.peak);
    }
    const CellSpec& spec = network.spec();
    if (measured <= 0 || spec.device != DeviceKind::kCuda) continue;
    PeakCheck check{Mode::kTrainStep, *spec.precision};
    check.add_peak(spec, predicted, measured);
    if (!check.holds()) continue;
    confirmed.push_back(confirmed_peaks(check, {}));
    confirmed.back().ranks = spec.ranks->count;
  }
  return confirmed;
}

/// Returns the edition's sizes with the vocabulary of `reference`, and the run's other sizes,
/// smallest first. Leaves out sizes whose bytes overflow 64 bits.
std::vector<Size> sizes_of(const RunView& view, const CellSpec& reference) {
  std::vector<Size> sizes = view.edition().sizes;
  for (Size& size : sizes) size.shape.vocab = reference.model->vocab;
  for (const Cell& cell : view.run().cells) {
    if (!cell.spec.model || cell.spec.size.empty()) continue;
    if (std::ranges::find(sizes, *cell.spec.model, &Size::shape) != sizes.end()) continue;
    sizes.push_back({cell.spec.size, *cell.spec.model});
  }
  const PeakCheck fp32_training{Mode::kTrainStep, Precision::kFp32};
  std::ranges::stable_sort(sizes, {}, [](const Size& size) { return parameter_count(size.shape); });
  return only(sizes, [&](const Size& size) {
    return bytes_are_countable(
        fp32_training.spec_of(size, batch_of(reference), kShownContexts.back()));
  });
}

/// One part of a size's predicted peak; the last part's text gives the whole peak.
struct Bar {
  std::string label, part;
  double from_gib, to_gib;
  std::string text;
};

const std::vector<Column<Bar>> kBars{{"row", "Size", &Bar::label},
                                     {"part", "Part", &Bar::part},
                                     {"from", "From", &Bar::from_gib, "GiB", {Notation::kFixed, 2}},
                                     {"to", "To", &Bar::to_gib, "GiB", {Notation::kFixed, 2}},
                                     {"text", "Peak", &Bar::text}};

std::vector<Bar> bars_of(const Grid& grid) {
  std::vector<Bar> bars;
  for (const Size& size : grid.sizes) {
    for (const PeakCheck& check : grid.checks) {
      if (check.mode != Mode::kTrainStep || !check.holds()) continue;
      const CellSpec spec = check.spec_of(size, grid.batch, grid.context);
      const ExpectedPeak peak = grid.predicted_peak(spec);
      const auto bytes = static_cast<double>(peak.total());
      const std::string label = size.name + ", " + std::string(check.precision_words());
      double from_gib = 0;
      for (const auto& [name, part] : kPeakParts) {
        const double to_gib = from_gib + static_cast<double>(peak.*part) / kBytesPerGibibyte;
        if (to_gib > from_gib)
          bars.push_back({label, category_words(std::string(name)), from_gib, to_gib, ""});
        from_gib = to_gib;
      }
      bars.back().text = format_bytes(bytes) + (check.extrapolates(spec, bytes) ? "*" : "");
    }
  }
  return bars;
}

Dataset cards_data() {
  const std::vector<Column<std::int64_t>> columns{
      {"bytes", "Memory",
       [](std::int64_t gigabytes) {
         return static_cast<double>(gigabytes) * kGigabyte / kBytesPerGibibyte;
       },
       "GiB"},
      {"text", "Card", [](std::int64_t gigabytes) { return std::to_string(gigabytes) + " GB"; }}};
  return make_dataset("cards", columns, std::vector(kCardGigabytes.begin(), kCardGigabytes.end()));
}

struct CardRow {
  const Grid* grid;
  const PeakCheck* check;
  const Size* size;
  std::vector<std::string> flags;

  Value smallest_card(std::int64_t context) const {
    if (!check->holds()) return {};
    const auto bytes = grid->predicted_peak(check->spec_of(*size, grid->batch, context)).total();
    const auto smallest = std::ranges::find_if(kCardGigabytes, [bytes](std::int64_t gigabytes) {
      return static_cast<double>(bytes) <= static_cast<double>(gigabytes) * kGigabyte;
    });
    return smallest == kCardGigabytes.end()
               ? "more than " + std::to_string(kCardGigabytes.back()) + " GB"
               : std::to_string(*smallest) + " GB";
  }
};

Dataset smallest_cards_data(const Grid& grid) {
  std::vector<Column<CardRow>> columns{
      {"size", "Size", [](const CardRow& row) { return row.size->name; }},
      {"step", "Step", [](const CardRow& row) { return row.check->step_words(); }},
      {"precision", "Precision", [](const CardRow& row) { return row.check->precision_words(); }}};
  for (const std::int64_t context : kShownContexts) {
    columns.push_back({"at" + std::to_string(context), "Context " + format_count(context),
                       [context](const CardRow& row) { return row.smallest_card(context); }});
  }
  std::vector<CardRow> rows;
  for (const PeakCheck& check : grid.checks) {
    const std::string deviation_flag = "the formulas are up to " +
                                       format_rough_percent(std::abs(check.worst_deviation())) +
                                       " % off";
    for (const Size& size : grid.sizes) {
      rows.push_back({&grid, &check, &size, {}});
      if (!check.holds()) rows.back().flags = {deviation_flag};
    }
  }
  return make_dataset("fits", columns, rows);
}

const std::vector<Column<PeakCheck>> kPredictions{
    {"step", "Step", &PeakCheck::step_words},
    {"precision", "Precision", &PeakCheck::precision_words},
    {"cells",
     "Measured peaks",
     [](const PeakCheck& check) { return check.deviations.size(); },
     "",
     {Notation::kCount}},
    {"median", "Median",
     [](const PeakCheck& check) {
       return check.deviations.empty() ? Value() : Value(median(check.deviations));
     },
     "%", kDeviationNotation},
    {"farthest", "Worst",
     [](const PeakCheck& check) {
       return check.deviations.empty() ? Value() : Value(check.worst_deviation());
     },
     "%", kDeviationNotation}};

/// Returns the data of site/what_fits.js, which first shows the size with index `first_size`.
nlohmann::json live_data(const Grid& grid, std::ptrdiff_t first_size) {
  nlohmann::json checks = nlohmann::json::array();
  for (const PeakCheck& check : grid.checks) {
    nlohmann::json entry{{"step", check.step_words()},
                         {"precision", check.precision_words()},
                         {"cells", check.deviations.size()},
                         {"batch", check.max_batch},
                         {"context", check.max_context},
                         {"most", check.largest_peak},
                         {"farthest", std::round(1000 * check.worst_deviation()) / 10}};
    for (const Size& size : grid.sizes) {
      if (check.holds()) {
        entry["sizes"].push_back(
            peak_formulas(check.spec_of(size, 0, 0), grid.workspaces[has_backward(check.mode)]));
      }
    }
    checks.push_back(std::move(entry));
  }
  return {{"cards", kCardGigabytes},
          {"parts", peak_part_colors()},
          {"sizes", each(grid.sizes, &Size::name)},
          {"checks", checks},
          {"first", {{"size", first_size}, {"batch", grid.batch}, {"context", grid.context}}}};
}

std::optional<Facts> prediction_facts(const std::vector<PeakCheck>& checks) {
  std::vector<double> errors;
  for (const PeakCheck& check : only(checks, &PeakCheck::holds)) {
    for (const double deviation : check.deviations) errors.push_back(std::abs(deviation));
  }
  if (errors.empty()) return std::nullopt;
  return Facts()
      .set("cells", format_count(static_cast<std::int64_t>(errors.size())))
      .set("most", format_rough_percent(std::ceil(std::ranges::max(errors) * 1e3) / 1e3))
      .set("typical", format_rough_percent(median(errors)));
}

}  // namespace

void add_what_fits(PartContent& part, const RunView& view,
                   const std::vector<MemoryProfile>& profiles) {
  const CellSpec& described = described_profiles(profiles).front()->spec;
  Grid grid{workspaces_of(profiles), batch_of(described), view.edition().reference_context};
  if (view.on_gpu() && known_parameter_count(described)) {
    grid.sizes = sizes_of(view, described);
    grid.checks = checks_of(view, profiles, grid);
  }
  part.facts.set("batch", format_count(grid.batch));
  part.facts.set("at_context", format_count(grid.context));
  const auto described_size = std::ranges::find(grid.sizes, described.model, &Size::shape);
  const auto facts =
      described_size == grid.sizes.end() ? std::nullopt : prediction_facts(grid.checks);
  part.facts.when("predicted", facts);
  if (!facts) return;
  Dataset figure = make_dataset("what-fits", kBars, bars_of(grid));
  figure.script_data = live_data(grid, described_size - grid.sizes.begin());
  part.datasets.insert(part.datasets.end(),
                       {std::move(figure), cards_data(), smallest_cards_data(grid),
                        make_dataset("predictions", kPredictions, grid.checks)});
}

MemoryEvidence memory_evidence(const RunView& view) {
  MemoryEvidence evidence;
  const auto labreports_cell = std::ranges::find_if(view.run().cells, [](const Cell& cell) {
    return cell.spec.model && cell.spec.implementation.empty();
  });
  if (!view.on_gpu() || labreports_cell == view.run().cells.end()) return evidence;
  const std::vector<MemoryProfile> profiles = memory_profiles(view);
  const Grid grid{workspaces_of(profiles), batch_of(labreports_cell->spec),
                  view.edition().reference_context};
  std::vector<PeakCheck> checks;
  for (const Mode mode : kCheckedModes) {
    for (const Precision precision : {Precision::kFp32, Precision::kBf16, Precision::kFp16})
      add_measured_peaks(checks.emplace_back(PeakCheck{mode, precision, true}), view, grid);
  }
  if (!profiles.empty()) {
    for (PeakCheck& check : checks_of(view, profiles, grid)) checks.push_back(std::move(check));
  }
  for (const PeakCheck& check : checks) {
    if (check.holds() && !check.deviations.empty())
      evidence.confirmed.push_back(confirmed_peaks(check, grid.workspaces));
  }
  std::ranges::move(confirmed_sharded_peaks(view), std::back_inserter(evidence.confirmed));
  if (evidence.confirmed.empty()) return evidence;
  evidence.device_bytes = view.device()->memory_bytes;
  evidence.networks = sizes_of(view, labreports_cell->spec);
  return evidence;
}

std::vector<MeasuredStep> measured_steps(const Run& run) {
  std::vector<MeasuredStep> steps;
  for (const Cell& cell : run.cells) {
    if (!is_measured_step(cell.spec)) continue;
    const auto peak = measured_peak(cell);
    const Launch* launch = representative(cell);
    const bool ran_out = launch != nullptr && std::holds_alternative<OutOfMemory>(launch->outcome);
    if (peak || ran_out) steps.push_back({&cell.spec, peak});
  }
  return steps;
}

}  // namespace labreport::memory_profiling
