// Builds the datasets and facts of section.md: how short the step of an 8B network becomes.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "experiments/common/change.h"
#include "experiments/common/command.h"
#include "experiments/common/peak_rates.h"
#include "experiments/leaderboard/steps.h"
#include "experiments/problems.h"
#include "results/metric_names.h"

namespace labreport::leaderboard {
namespace {

constexpr const char* kProblem = "leaderboard";
constexpr Notation kTime{Notation::kSignificant, 4};
constexpr double kMsPerSecond = 1e3;

// The leaderboard of CS336, spring 2026, read on 2026-11-27: the seven fastest steps, the slowest,
// and the course's own naive one. Each ran on two B200.
constexpr double kPublishedSeconds[]{3.837, 3.852, 3.868, 4.247, 4.318, 4.757, 4.998, 9.805, 10};

struct Row {
  const Step* step;
  const Step* previous = nullptr;  ///< The nearest earlier step that ran; null if none did.
  const Step* first = nullptr;     ///< The first step that ran.

  Value step_or_reason() const {
    return step->ran() ? Value::mean_of(step->steps_ms) : Value::missing(step->reason);
  }
  std::optional<double> saved_ms() const {
    if (previous == nullptr || !step->ran()) return std::nullopt;
    return previous->mean_ms() - step->mean_ms();
  }
  std::optional<double> speedup_over_last() const {
    if (previous == nullptr || !step->ran()) return std::nullopt;
    return previous->mean_ms() / step->mean_ms();
  }
  /// Returns the largest relative difference from the first step's losses.
  std::optional<double> loss_difference() const {
    if (first == nullptr || first == step || step->losses.empty()) return std::nullopt;
    double largest = 0;
    for (std::size_t i = 0; i < std::min(first->losses.size(), step->losses.size()); ++i)
      largest = std::max(largest, std::abs(step->losses[i] / first->losses[i] - 1));
    return largest;
  }
};

Column<Row> part_column(const char* name, const char* title, PartKind kind) {
  return {name, title,
          [kind](const Row& row) {
            return row.step->parts.empty() ? Value() : Value(row.step->ms_of(kind));
          },
          "ms", kThreeDigits};
}

const std::vector<Column<Row>> kRows{
    {"rung", "Rung", [](const Row& row) { return row.step->words; }},
    {"step", "Step", &Row::step_or_reason, "ms", kTime},
    {"last", "vs. last", &Row::speedup_over_last, "×", kThreeDigits},
    {"saved", "Saved", &Row::saved_ms, "ms", kThreeDigits},
    {"peak",
     "Peak memory",
     [](const Row& row) { return row.step->peak_bytes; },
     "GiB",
     {Notation::kGibibytes}}};

const std::vector<Column<Row>> kClasses{
    {"rung", "Rung", [](const Row& row) { return row.step->words; }},
    part_column("gemms", "GEMMs", PartKind::kGemms),
    part_column("attention", "Attention", PartKind::kAttention),
    part_column("fused", "Compiled", PartKind::kCompiled),
    part_column("other", "Others", PartKind::kOthers),
    part_column("exposed", "Exposed comm.", PartKind::kExposed),
    part_column("idle", "Idle", PartKind::kIdle)};

const std::vector<Column<Row>> kChecks{
    {"rung", "Rung", [](const Row& row) { return row.step->words; }},
    {"loss", "Loss differs by", &Row::loss_difference, "%", {Notation::kRelativeError, 2}},
    {"first", "First step", [](const Row& row) { return row.step->first_step_s; }, "s",
     kThreeDigits},
    {"bench", "do_bench",
     [](const Row& row) {
       return row.step->benched_ms.empty() ? Value() : Value::mean_of(row.step->benched_ms);
     },
     "ms", kTime}};

struct Strip {
  const Row* row;
  std::string part;
  double from_s, to_s;
  std::optional<double> floor_s;
  bool is_last = false;
};

const std::vector<Column<Strip>> kStrips{
    {"rung", "Rung", [](const Strip& strip) { return strip.row->step->words; }},
    {"part", "Part", &Strip::part},
    {"from", "From", &Strip::from_s, "s", kTime},
    {"to", "To", &Strip::to_s, "s", kTime},
    {"floor", "At the peak rate", &Strip::floor_s, "s", kThreeDigits},
    {"text", "Step", [](const Strip& strip) {
       if (!strip.is_last) return Value();
       const Step& step = *strip.row->step;
       if (step.ran())
         return Value(format_value(step.mean_ms() / kMsPerSecond, kThreeDigits) + " s");
       if (step.is_too_large) return Value("cannot fit");
       const bool fits = step.reason.find(metric::kOutOfMemory) == step.reason.npos;
       return Value(fits ? step.reason : std::string(metric::kOutOfMemory));
     }}};

/// The FLOPs of a step by the kernels that compute them, and their least time.
struct Floor {
  PartKind kind;
  double flops;
  std::optional<double> peak_s = {};      ///< At the data sheet's rate.
  std::optional<double> measured_s = {};  ///< As the fastest step spends on them.
};

const std::vector<Column<Floor>> kFloors{
    {"words", "Kernels", [](const Floor& floor) { return std::string(describe(floor.kind)); }},
    {"flops", "FLOPs", [](const Floor& floor) { return floor.flops / 1e12; }, "TFLOP",
     kThreeDigits},
    {"peak", "At the peak rate", &Floor::peak_s, "s", kThreeDigits},
    {"measured", "In the fastest step", &Floor::measured_s, "s", kThreeDigits}};

std::vector<Floor> floors_of(const RunView& view, const Steps& steps) {
  std::vector<Floor> floors{{PartKind::kGemms, product_flops(steps.spec)},
                            {PartKind::kAttention, causal_attention_flops(steps.spec)}};
  const auto rate = peak_flop_rate(view, Precision::kBf16);
  const Step* fastest = steps.fastest();
  for (Floor& floor : floors) {
    if (rate) floor.peak_s = floor.flops / *rate;
    if (fastest != nullptr && !fastest->parts.empty())
      floor.measured_s = fastest->ms_of(floor.kind) / kMsPerSecond;
  }
  return floors;
}

std::optional<double> floor_seconds(const RunView& view, const Steps& steps) {
  const auto rate = peak_flop_rate(view, Precision::kBf16);
  if (!rate || !view.on_gpu()) return std::nullopt;
  return (product_flops(steps.spec) + causal_attention_flops(steps.spec)) / *rate;
}

/// A part of the fastest step on this run's GPU and, scaled by its own limit, on a B200.
struct ScaledPart {
  std::string words, limit;
  double here_s, there_s;
};

const std::vector<Column<ScaledPart>> kScaledParts{
    {"words", "Part of the step", &ScaledPart::words},
    {"limit", "Scales with", &ScaledPart::limit},
    {"here", "Here", &ScaledPart::here_s, "s", kThreeDigits},
    {"there", "Two B200, extrapolated", &ScaledPart::there_s, "s", kThreeDigits}};

/// Returns nothing unless the whole network ran on two GPUs that the data sheets know.
std::vector<ScaledPart> scaled_parts(const RunView& view, const Steps& steps) {
  const Step* fastest = steps.fastest();
  const Device* device = view.device();
  if (fastest == nullptr || device == nullptr || steps.spec.model != kShape ||
      steps.spec.ranks->count != kHandoutRanks)
    return {};
  const auto limits = datasheet_limits(device->name);
  if (!limits) return {};
  const std::vector<TracedPart>& here = fastest->parts;
  const std::vector<TracedPart> there = scaled_to(here, *limits, kB200Limits);
  std::vector<ScaledPart> rows;
  for (std::size_t i = 0; i < here.size(); ++i) {
    rows.push_back({std::string(describe(here[i].kind)), std::string(limit_of(here[i].kind)),
                    here[i].ms / kMsPerSecond, there[i].ms / kMsPerSecond});
  }
  if (!rows.empty())
    rows.push_back({"step", "", total_ms(here) / kMsPerSecond, total_ms(there) / kMsPerSecond});
  return rows;
}

/// A step of the leaderboard's network on two GPUs.
struct Entry {
  std::string who, gpus;
  double seconds;
  std::optional<double> petaflop;  ///< Seconds × the peak rate of both GPUs.
};

const std::vector<Column<Entry>> kEntries{
    {"who", "Step", &Entry::who},
    {"gpus", "GPUs", &Entry::gpus},
    {"step", "Time", &Entry::seconds, "s", kTime},
    {"work", "Time × BF16 rate", &Entry::petaflop, "PFLOP", kThreeDigits}};

std::string gpu_words(const RunView& view, const CellSpec& spec) {
  const std::int64_t count = spec.ranks->count;
  if (!view.on_gpu()) return format_plural(count, "CPU process", "CPU processes");
  const std::string name = view.device() == nullptr ? "GPU" : view.device()->name;
  return count_in_words(count) + " " + name;
}

std::vector<Entry> entries_of(const RunView& view, const Steps& steps) {
  if (steps.spec.model != kShape || steps.spec.ranks->count != kHandoutRanks) return {};
  const Step* fastest = steps.fastest();
  if (fastest == nullptr) return {};
  std::vector<Entry> entries;
  for (const double seconds : kPublishedSeconds) {
    entries.push_back({"published", "two B200", seconds,
                       seconds * kHandoutRanks * kB200Limits.flops_per_second / 1e15});
  }
  const auto rate = peak_flop_rate(view, Precision::kBf16);
  const double seconds = fastest->mean_ms() / kMsPerSecond;
  entries.push_back({"this run", gpu_words(view, steps.spec), seconds,
                     rate ? std::optional(seconds * kHandoutRanks * *rate / 1e15) : std::nullopt});
  return entries;
}

std::string network_words(const CellSpec& spec) {
  if (spec.model == kShape) return "the 8B network";
  if (spec.size == kTinySizeName) return "a tiny network";
  return "the 8B network with " + format_plural(spec.model->layers, "layer");
}

std::optional<Facts> fastest_facts(const RunView& view, const Steps& steps) {
  const Step* fastest = steps.fastest();
  if (fastest == nullptr) return std::nullopt;
  const bool is_labreports = leaderboard_rung(fastest->cell->spec).has_value();
  const Step& first = *steps.first_run();
  const auto seconds = [](const Step& step) { return step.mean_ms() / kMsPerSecond; };
  return Facts()
      .set("network", network_words(steps.spec))
      .set("whose", is_labreports ? "labreport’s" : fastest->words + "’s")
      .set("seconds", seconds(*fastest), kThreeDigits)
      .set("gpus", gpu_words(view, steps.spec))
      .set("with", is_labreports ? ", with " + fastest->words : "")
      .when("faster", &first != fastest,
            Facts()
                .set("speedup", first.mean_ms() / fastest->mean_ms(), kThreeDigits)
                .set("first", first.words)
                .set("first_seconds", seconds(first), kThreeDigits));
}

std::optional<Facts> spent_facts(const RunView& view, const Steps& steps) {
  const Step* fastest = steps.fastest();
  const auto floor = floor_seconds(view, steps);
  if (fastest == nullptr || fastest->parts.empty() || !floor) return std::nullopt;
  const double gemms = fastest->ms_of(PartKind::kGemms);
  const double attention = fastest->ms_of(PartKind::kAttention);
  return Facts()
      .set("network", network_words(steps.spec))
      .set("seconds", fastest->mean_ms() / kMsPerSecond, kThreeDigits)
      .set("gemms", gemms / kMsPerSecond, kThreeDigits)
      .set("attention", attention / kMsPerSecond, kThreeDigits)
      .set("share", format_percent((gemms + attention) / total_ms(fastest->parts)))
      .set("floor", *floor, kThreeDigits);
}

std::vector<Row> rows_of(const Steps& steps) {
  std::vector<Row> rows;
  for (const Step& step : steps.too_deep) rows.push_back({&step});
  const Step* previous = nullptr;
  for (const Step& step : steps.steps) {
    rows.push_back({&step, previous, steps.first_run()});
    if (step.ran()) previous = &step;
  }
  return rows;
}

std::vector<Strip> strips_of(const RunView& view, const Steps& steps,
                             const std::vector<Row>& rows) {
  std::vector<Strip> strips;
  const auto floor_s = floor_seconds(view, steps);
  const bool has_trace =
      std::ranges::any_of(rows, [](const Row& row) { return !row.step->parts.empty(); });
  const std::string whole(has_trace ? describe(PartKind::kGemms) : "step");
  for (const Row& row : rows) {
    const std::vector<TracedPart>& parts = row.step->parts;
    double end_s = 0;
    for (const TracedPart& part : parts) {
      strips.push_back(
          {&row, std::string(describe(part.kind)), end_s, end_s + part.ms / kMsPerSecond, floor_s});
      end_s = strips.back().to_s;
    }
    if (parts.empty() && row.step->ran()) {
      strips.push_back({&row, "step", 0, row.step->mean_ms() / kMsPerSecond, floor_s});
    } else if (parts.empty()) {  // The reason stands behind the dashed line.
      strips.push_back({&row, whole, floor_s.value_or(0), floor_s.value_or(0), floor_s});
    }
    strips.back().is_last = true;
  }
  return strips;
}

}  // namespace

Presentation present(const RunView& view) {
  const auto steps = steps_of(view);
  if (!steps) return {};
  PartContent part;
  const std::vector<Row> rows = rows_of(*steps);
  std::vector<Row> checked = rows, traced = rows;
  std::erase_if(traced, [](const Row& row) { return row.step->parts.empty(); });
  if (steps->benched) checked.push_back({&*steps->benched, nullptr, steps->first_run()});
  for (const Row& row : checked) part.cells.push_back(row.step->cell);
  part.has_numbers = steps->fastest() != nullptr;
  part.facts.flag("gpu", view.on_gpu());
  part.facts.when("fastest", fastest_facts(view, *steps));
  part.facts.when("spent", spent_facts(view, *steps));
  part.facts.set("largest", rows.back().step->words).set("reason", rows.back().step->reason);
  part.datasets = {make_dataset("rungs", kRows, rows),
                   make_dataset("strips", kStrips, strips_of(view, *steps, rows)),
                   make_dataset("classes", kClasses, traced),
                   make_dataset("checks", kChecks, checked),
                   make_dataset("floors", kFloors, floors_of(view, *steps)),
                   make_dataset("extrapolated", kScaledParts, scaled_parts(view, *steps)),
                   make_dataset("published", kEntries, entries_of(view, *steps))};
  part.details.tables = {command_table(view.run(), kProblem, part.cells)};
  return {{"", std::move(part)}};
}

}  // namespace labreport::leaderboard
