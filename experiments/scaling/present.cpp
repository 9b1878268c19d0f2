// Builds the datasets and facts of section.md: how much faster several GPUs train than one, and
// where they lose the rest.
#include <algorithm>
#include <iterator>

#include "base/format.h"
#include "base/lists.h"
#include "experiments/common/change.h"
#include "experiments/common/command.h"
#include "experiments/common/ratio.h"
#include "experiments/problems.h"
#include "experiments/scaling/steps.h"

namespace labreport::scaling {
namespace {

constexpr const char* kProblem = "scaling";
constexpr Notation kTime{Notation::kSignificant, 4};

struct Row {
  const ScaledNetwork* network;
  const RankedStep* step;

  Value step_or_reason() const {
    return step->ms() ? Value::mean_of(step->steps_ms) : Value::missing(step->reason);
  }
  bool is_compared() const { return step->communicates(); }
  std::optional<Ratio> speedup() const {
    return is_compared() ? network->speedup(*step) : std::nullopt;
  }
  std::optional<double> times_as_fast() const {
    const auto ratio = speedup();
    return ratio ? std::optional(ratio->value) : std::nullopt;
  }
  /// Returns the percentage of the speedup that equal shares would give.
  Value efficiency() const {
    const auto ratio = speedup();
    if (!ratio) return {};
    const double percent = 100 / static_cast<double>(step->ranks());
    return ratio->deviation > 0 ? Value(percent * ratio->value, percent * ratio->deviation)
                                : Value(percent * ratio->value);
  }
};

const std::vector<Column<Row>> kRows{
    {"network", "Network", [](const Row& row) { return row.network->words; }},
    {"ranks", "Ranks", [](const Row& row) { return Value(row.step->ranks()); }, "", kAsCount},
    {"scheme", "Scheme", [](const Row& row) { return row.step->scheme(); }},
    {"step", "Step", &Row::step_or_reason, "ms"},
    {"speedup", "Speedup", &Row::times_as_fast, "×", {Notation::kFixed, 2}},
    {"efficiency", "Efficiency (%)", &Row::efficiency, "", kThreeDigits},
    {"peak",
     "Peak",
     [](const Row& row) { return Value(row.step->peak_bytes); },
     "GiB",
     {Notation::kGibibytes}}};

/// Returns the time for a table, with its deviation if it is known.
Value value_of(const Time& time) {
  return time.deviation_ms > 0 ? Value(time.ms, time.deviation_ms) : Value(time.ms);
}

std::string certain(const Time& time) { return certain_ms(time.ms, time.deviation_ms); }

struct LossRow {
  const ScaledNetwork* network;
  Loss loss;

  std::string name() const {
    return network->words + ", " + format_plural(loss.step->ranks(), "rank");
  }
};

const std::vector<Column<LossRow>> kLosses{
    {"row", "Network", &LossRow::name},
    {"step", "Step", [](const LossRow& row) { return Value(row.loss.step->ms()); }, "ms", kTime},
    {"share", "Share of one GPU's step", [](const LossRow& row) { return row.loss.share_ms; }, "ms",
     kTime},
    {"lost", "Lost", [](const LossRow& row) { return value_of(row.loss.lost); }, "ms",
     kThreeDigits},
    {"optimizer", "Whole optimizer",
     [](const LossRow& row) { return value_of(row.loss.optimizer); }, "ms", kThreeDigits},
    {"smaller", "Smaller batch",
     [](const LossRow& row) { return value_of(row.loss.smaller_batch); }, "ms", kThreeDigits},
    {"communication", "Communication",
     [](const LossRow& row) { return value_of(row.loss.communication); }, "ms", kThreeDigits}};

/// One part of the time that ranks lose, drawn after those before it.
struct Strip {
  const LossRow* row;
  std::string part;
  double from_ms, to_ms;
  std::string text;   ///< "39.7"
  std::string total;  ///< "85.3 ms"; empty unless the part is the last.
};

const std::vector<Column<Strip>> kStrips{
    {"row", "Network", [](const Strip& strip) { return strip.row->name(); }},
    {"part", "Part", &Strip::part},
    {"from", "From", &Strip::from_ms, "ms", kTime},
    {"to", "To", &Strip::to_ms, "ms", kTime},
    {"lost", "Lost", &Strip::text},
    {"total", "Total",
     [](const Strip& strip) { return strip.total.empty() ? Value() : Value(strip.total); }}};

std::vector<Strip> strips_of(const std::vector<LossRow>& rows) {
  std::vector<Strip> strips;
  for (const LossRow& row : rows) {
    if (!row.loss.is_plausible()) continue;
    double end_ms = 0;
    for (const auto& [part, time] : {std::pair("whole optimizer", row.loss.optimizer),
                                     {"smaller batch", row.loss.smaller_batch},
                                     {"communication", row.loss.communication}}) {
      strips.push_back({&row, part, end_ms, end_ms + time.ms, certain(time), ""});
      end_ms = strips.back().to_ms;
    }
    strips.back().total = certain(row.loss.lost) + " ms";
  }
  return strips;
}

/// The overlapped step of twice as many ranks as a loss was measured with.
struct Prediction {
  const ScaledNetwork* network;
  std::int64_t ranks;
  double predicted_ms;
  std::optional<double> measured_ms = {};

  std::optional<double> error() const {
    return measured_ms ? std::optional(predicted_ms / *measured_ms - 1) : std::nullopt;
  }
};

const std::vector<Column<Prediction>> kPredictions{
    {"network", "Network", [](const Prediction& row) { return row.network->words; }},
    {"ranks", "Ranks", [](const Prediction& row) { return Value(row.ranks); }, "", kAsCount},
    {"from", "Predicted from", [](const Prediction& row) { return Value(row.ranks / 2); }, "ranks",
     kAsCount},
    {"predicted", "Predicted", &Prediction::predicted_ms, "ms", kThreeDigits},
    {"measured", "Measured", &Prediction::measured_ms, "ms", kTime},
    {"error", "Error", &Prediction::error, "%", {Notation::kPercent}}};

std::vector<LossRow> loss_rows(const std::vector<ScaledNetwork>& networks) {
  std::vector<LossRow> rows;
  for (const ScaledNetwork& network : networks) {
    for (std::int64_t ranks = 2; ranks <= network.most_ranks(); ++ranks) {
      if (const auto loss = network.loss(ranks)) rows.push_back({&network, *loss});
    }
  }
  return rows;
}

std::vector<Prediction> predictions(const std::vector<LossRow>& losses) {
  std::vector<Prediction> rows;
  for (const auto& [network, loss] : losses) {
    if (!loss.is_plausible()) continue;
    const std::int64_t ranks = 2 * loss.step->ranks();
    Prediction& row = rows.emplace_back(network, ranks, network->predicted_ms(loss));
    if (const auto measured = network->loss(ranks)) row.measured_ms = measured->step->ms();
  }
  return rows;
}

/// Returns rows for the steps that were tried; the report lists the others as not run.
std::vector<Row> rows_of(const ScaledNetwork& network, const std::vector<RankedStep>& steps) {
  std::vector<Row> rows;
  for (const RankedStep& step : steps) {
    if (!step.reason.starts_with("skipped")) rows.push_back({&network, &step});
  }
  return rows;
}

/// Names where the ranks lose time; nothing unless every part costs some.
std::optional<Facts> loss_facts(const ScaledNetwork& network, std::int64_t ranks) {
  const auto loss = network.loss(ranks);
  if (!loss || !loss->is_plausible()) return std::nullopt;
  return Facts()
      .set("overlapped", certain(loss->step->time()))
      .set("lost", certain(loss->lost))
      .set("optimizer", certain(loss->optimizer))
      .set("smaller", certain(loss->smaller_batch))
      .set("communication", certain(loss->communication));
}

/// Compares the sharded step's optimizer with one that updates all weights, and its memory with one
/// GPU's; nothing unless both are less.
std::optional<Facts> sharded_facts(const ScaledNetwork& network, const RankedStep& fastest) {
  const auto loss = network.loss(fastest.ranks());
  if (!fastest.cell->spec.sharding || !fastest.optimizer || !loss) return std::nullopt;
  const auto replicated = loss->step->optimizer;
  if (!replicated || fastest.optimizer->ms >= replicated->ms) return std::nullopt;
  const auto peak = fastest.peak_bytes, peak_alone = network.alone.peak_bytes;
  if (!peak || !peak_alone || *peak >= *peak_alone) return std::nullopt;
  return Facts()
      .set("own", certain(*fastest.optimizer))
      .set("replicated", certain(*replicated))
      .set("peak", format_bytes_briefly(*peak))
      .set("peak_alone", format_bytes_briefly(*peak_alone));
}

/// Compares the fastest step of the most ranks with one GPU's; nothing if either is missing, or if
/// they vary too much.
std::optional<Facts> network_facts(const ScaledNetwork& network, bool on_gpu) {
  const std::int64_t ranks = network.most_ranks();
  const RankedStep* fastest = network.fastest(ranks);
  if (fastest == nullptr) return std::nullopt;
  const auto speedup = network.speedup(*fastest);
  if (!speedup || !speedup->is_certain()) return std::nullopt;
  const double percent = 100 / static_cast<double>(ranks);
  return Facts()
      .set("words", network.words)
      .set("ranks", format_count(ranks))
      .set("unit", on_gpu ? "GPUs" : "ranks")
      .set("scheme", fastest->cell->spec.scheme == Scheme::kOverlapped ? "overlapped all-reduces"
                                                                       : fastest->scheme())
      .set("alone", certain(network.alone.time()))
      .set("step", certain(fastest->time()))
      .set("speedup", certain_ratio(speedup->value, speedup->deviation))
      .set("efficiency",
           speedup->deviation > 0
               ? certain_digits(speedup->value * percent, speedup->deviation * percent, 1)
               : format_value(speedup->value * percent, kThreeDigits))
      .when("sharded", sharded_facts(network, *fastest))
      .when("loss", loss_facts(network, ranks));
}

}  // namespace

Presentation present(const RunView& view) {
  const std::vector<ScaledNetwork> networks = scaled_networks(view);
  if (networks.empty()) return {};
  PartContent part;
  std::vector<Row> strong, weak;
  std::vector<Facts> answers;
  std::vector<const Cell*> of_ranks;
  for (const ScaledNetwork& network : networks) {
    strong.push_back({&network, &network.alone});
    std::ranges::copy(rows_of(network, network.strong), std::back_inserter(strong));
    std::ranges::copy(rows_of(network, network.weak), std::back_inserter(weak));
    part.cells.push_back(network.alone.cell);
    for (const auto* steps : {&network.strong, &network.weak}) {
      for (const RankedStep& step : *steps) part.cells.push_back(step.cell);
    }
    of_ranks.push_back(network.alone.cell);
    if (const auto facts = network_facts(network, view.on_gpu())) answers.push_back(*facts);
  }
  const std::vector<LossRow> losses = loss_rows(networks);
  const ScaledNetwork& first = networks.front();
  part.facts.list("networks", answers)
      .when("first", answers.empty() ? std::nullopt : std::optional(answers.front()))
      .set("batch", format_count(first.batch()))
      .set("context", format_count(first.alone.cell->spec.context.value_or(0)))
      .flag("gpu", view.on_gpu())
      .flag("cpu", !view.on_gpu());
  part.datasets = {make_dataset("steps", kRows, strong), make_dataset("whole-batches", kRows, weak),
                   make_dataset("losses", kLosses, losses),
                   make_dataset("loss-strips", kStrips, strips_of(losses)),
                   make_dataset("predictions", kPredictions, predictions(losses))};
  part.details.tables = {command_table(view.run(), kProblem, of_ranks)};
  return {{"", std::move(part)}};
}

}  // namespace labreport::scaling
