// Makes the card of a comparison, with its figures and tables: the steps that both sides ran, the
// tuned step, the step that fits on one side only, and the ratio of prices at which a step costs
// the same on both sides.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "document/comparison/diff_facts.h"
#include "document/index/ladders.h"
#include "document/waterfall.h"
#include "plan/arithmetic.h"
#include "plan/editions.h"

namespace labreport {
namespace {

constexpr Notation kCardTimeFormat{Notation::kSignificant, 3};
constexpr std::size_t kMaxNetworkName = 40;  // More do not fit a sentence or a file name.
constexpr Notation kCardRatioFormat{Notation::kFixed, 2};

/// Returns the ladders of A and B that make the same step faster; nothing unless both have one.
std::optional<std::pair<const Quantity*, const Quantity*>> common_ladder_pair(
    const SideRuns& runs) {
  if (!runs.has_both()) return std::nullopt;
  const std::vector<GpuRuns> sides{runs.a, runs.b};
  const std::vector<GpuLadder> ladders = common_ladders(sides);
  if (ladders.size() < 2) return std::nullopt;
  return std::pair(ladders[0].quantity, ladders[1].quantity);
}

/// Returns the training step that fits on one side only: of the largest such network, at the
/// shortest such context. Null if there is none.
const ComparedRow* step_fitting_one_side(const Comparison& comparison) {
  const ComparedRow* largest = nullptr;
  const auto extent = [](const ComparedRow& row) {
    return std::pair(parameter_count(*row.spec.model), -row.spec.context.value_or(0));
  };
  for (const ComparedRow& row : comparison.rows) {
    const bool failed_on_one_side =
        row.status == RowStatus::kFailedA || row.status == RowStatus::kFailedB;
    if (!failed_on_one_side || row.a.fits == row.b.fits || !row.spec.model || row.spec.ranks)
      continue;
    if (row.spec.mode != Mode::kTrainStep) continue;
    if (largest == nullptr || extent(row) > extent(*largest)) largest = &row;
  }
  return largest;
}

/// Returns what the summaries of the compared runs say of the cell's network and precision:
/// "launch-bound" if either does, else "mixed" if either does, else "".
std::string bound_words(const SideRuns& runs, const CellSpec& spec) {
  const auto parameters = known_parameter_count(spec);
  if (spec.kind != CellKind::kTiming || !runs.has_both() || !parameters) return "";
  const std::string precision(describe(spec.precision.value_or(Precision::kFp32)));
  std::string words;
  for (const GpuRuns* side : {&runs.a, &runs.b}) {
    for (const Quantity& quantity : side->runs.front()->quantities) {
      const bool is_of_step = quantity.topic == topic::kTrainingStep &&
                              quantity.parameters == static_cast<double>(*parameters) &&
                              quantity.precision == precision;
      if (is_of_step && words != kLaunchBound && !quantity.remark.empty())
        words = quantity.remark;
    }
  }
  return words;
}

/// A training step of one process that both sides timed.
struct StepRow {
  const ComparedRow* row;
  std::string bound = {};  ///< See `bound_words`.

  bool launch_bound() const { return bound == "launch-bound"; }

  std::string network() const { return cut_short(row->size, kMaxNetworkName); }
  std::string precision() const {
    return std::string(describe(row->spec.precision.value_or(Precision::kFp32)));
  }
  static double ms(const RowSide& side) { return *side.value / kNanosecondsPerMillisecond; }
};

/// Returns the steps of the largest network first, and for each network the longest context first.
std::vector<StepRow> step_rows(const Comparison& comparison, const SideRuns& runs) {
  std::vector<StepRow> rows;
  for (const ComparedRow& row : comparison.rows) {
    const bool is_training_step =
        row.measure == Measure::kStep && row.spec.mode == Mode::kTrainStep;
    if (!is_training_step || row.spec.ranks || !row.spec.model || !row.ratio) continue;
    rows.push_back({&row, bound_words(runs, row.spec)});
  }
  std::ranges::stable_sort(rows, std::greater(), [](const StepRow& step) {
    return std::pair(parameter_count(*step.row->spec.model), step.row->spec.context);
  });
  return rows;
}

struct StepDot {
  std::string step, side;
  double ms;
};

const std::vector<Column<StepDot>> kStepDotColumns{
    {"row", "Step", &StepDot::step},
    {"device", "Side", &StepDot::side},
    {"value", "Step", &StepDot::ms, "ms", kCardTimeFormat}};

double ms_or_zero(const Quantity& quantity, const std::string& name) {
  const double* found = quantity.find(name);
  return found == nullptr ? 0 : *found;
}

double total_ms(const Quantity& step) {
  double sum = 0;
  for (const auto& [name, ms] : step.values) sum += ms;
  return sum;
}

/// Returns the bars from A's step to B's, one for each part whose time differs.
std::vector<WaterfallBar> step_waterfall_bars(const Quantity& a, const Quantity& b,
                                              const SideNames& names) {
  const auto time_words = [](double ms) {
    return format_value(ms, {Notation::kSignificant, 4}) + " ms";
  };
  std::vector<WaterfallBar> bars{{names.title_a, "step", 0, total_ms(a), time_words(total_ms(a))}};
  double end_ms = total_ms(a);
  const Series both_steps{{nullptr, &a}, {nullptr, &b}};
  for (const std::string& name : value_names({both_steps})) {
    const double change_ms = ms_or_zero(b, name) - ms_or_zero(a, name);
    if (change_ms == 0) continue;
    bars.push_back(
        {name, change_ms > 0 ? "slower" : "saved", end_ms, end_ms + change_ms,
         (change_ms > 0 ? "+" : "−") + format_value(std::abs(change_ms), kCardTimeFormat) + " ms"});
    end_ms += change_ms;
  }
  bars.push_back({names.title_b, "step", 0, total_ms(b), time_words(total_ms(b))});
  return bars;
}

/// The last value of a quantity that both sides have, such as that of the longest sequence.
struct OtherRow {
  const Quantity* quantity;
  std::string name;
  Value a, b;
  std::string topic_page;  ///< Empty if there is no link.

  bool is_time() const { return quantity->unit == "ms"; }
  Value topic() const {
    Value topic = quantity->topic;
    topic.link = topic_page;
    return topic;
  }
  /// True if this row has the larger network, or an equally large one and the lower time on B.
  bool is_preferred_to(const OtherRow& other) const {
    if (quantity->parameters != other.quantity->parameters)
      return quantity->parameters > other.quantity->parameters;
    return is_time() && *b.number() < *other.b.number();
  }
};

/// Returns for each precision and unit of a topic the row that is preferred to all others.
std::vector<OtherRow> other_rows(const SideRuns& runs, const std::string& topic) {
  std::vector<OtherRow> rows;
  const auto b_series = quantity_series(runs.b, topic);
  for (const Series& a : quantity_series(runs.a, topic)) {
    const Quantity& quantity = *a.front().quantity;
    const auto b = std::ranges::find_if(
        b_series, [&](const Series& series) { return series.front().quantity->matches(quantity); });
    if (b == b_series.end()) continue;
    const std::vector<std::string> common = only(value_names({a}), [&](const std::string& name) {
      return !newest_value(*b, name, "").is_missing();
    });
    if (common.empty()) continue;
    const OtherRow row{&quantity, common.back(), newest_value(a, common.back(), runs.root),
                       newest_value(*b, common.back(), runs.root),
                       runs.root.empty() ? "" : runs.root + topic_folder(topic) + "/index.html"};
    const auto known = std::ranges::find_if(rows, [&](const OtherRow& other) {
      return other.quantity->precision == quantity.precision &&
             other.quantity->unit == quantity.unit;
    });
    if (known == rows.end()) {
      rows.push_back(row);
    } else if (row.is_preferred_to(*known)) {
      *known = row;
    }
  }
  return rows;
}

}  // namespace

Facts card_facts(const Comparison& comparison, const SideRuns& runs) {
  const SideNames names = side_names(comparison);
  std::optional<Facts> tuned, fits, price;
  if (const auto ladders = common_ladder_pair(runs)) {
    const auto& [ladder_a, ladder_b] = *ladders;
    const double a = ladder_a->smallest(), b = ladder_b->smallest();
    tuned = Facts()
                .set("network", cut_short(ladder_a->network, kMaxNetworkName))
                .set("precision", ladder_a->precision)
                .set("first", b < a ? names.b : names.a)
                .set("second", b < a ? names.a : names.b)
                .set("ms", std::min(a, b), kCardTimeFormat)
                .set("other_ms", std::max(a, b), kCardTimeFormat)
                .set("times", format_ratio(std::max(a / b, b / a)));
  }
  if (const ComparedRow* one_sided = step_fitting_one_side(comparison)) {
    fits = Facts()
               .set("size", cut_short(one_sided->size, kMaxNetworkName))
               .set("context", format_count(one_sided->spec.context.value_or(0)))
               .set("precision", describe(one_sided->spec.precision.value_or(Precision::kFp32)))
               .set("who", one_sided->a.fits ? names.a : names.b)
               .set("other", one_sided->a.fits ? names.b : names.a);
  }
  const std::vector<PricedStep> priced = priced_steps(comparison, runs);
  if (!priced.empty()) {
    const auto times = [](const PricedStep& step) {
      return format_ratio(std::max(step.a_ms / step.b_ms, step.b_ms / step.a_ms));
    };
    const bool b_is_faster = priced.front().b_ms < priced.front().a_ms;
    price = Facts()
                .set("faster", b_is_faster ? names.b : names.a)
                .set("slower", b_is_faster ? names.a : names.b)
                .set("times", times(priced.front()))
                .set("step", priced.front().name)
                .when("when_tuned", priced.size() > 1, "tuned_times", times(priced.back()));
  }
  std::vector<std::string> launch_bound;
  for (const StepRow& step : step_rows(comparison, runs)) {
    if (step.launch_bound()) launch_bound.push_back(step.network() + " in " + step.precision());
  }
  return Facts()
      .when("tuned", tuned)
      .when("fits", fits)
      .when("price", price)
      .when(
          "launch_bound", !launch_bound.empty(),
          Facts().set("steps", join_words(launch_bound)).flag("several", launch_bound.size() > 1));
}

std::vector<PricedStep> priced_steps(const Comparison& comparison, const SideRuns& runs) {
  if (comparison.machines.relation != Relation::kDifferentHardware) return {};
  const SideNames names = side_names(comparison);
  std::vector<PricedStep> priced;
  const std::vector<StepRow> steps = step_rows(comparison, runs);
  const auto reduced_precision = std::ranges::find_if(steps, [](const StepRow& step) {
    return step.row->spec.precision != Precision::kFp32 && !step.launch_bound();
  });
  if (reduced_precision != steps.end()) {
    priced.push_back({reduced_precision->network() + " in " + reduced_precision->precision(),
                      StepRow::ms(reduced_precision->row->a),
                      StepRow::ms(reduced_precision->row->b)});
  }
  if (const auto tuned = common_ladder_pair(runs)) {
    priced.push_back({cut_short(tuned->first->network, kMaxNetworkName) + " in " +
                          tuned->first->precision + ", tuned",
                      tuned->first->smallest(), tuned->second->smallest()});
  }
  return priced;
}

Dataset step_data(const Comparison& comparison, const SideRuns& runs) {
  const SideNames names = side_names(comparison);
  const std::vector<StepRow> steps = step_rows(comparison, runs);
  const bool one_context = std::ranges::all_of(steps, [&](const StepRow& step) {
    return step.row->spec.context == steps.front().row->spec.context;
  });
  std::vector<StepDot> dots;
  for (const StepRow& step : steps) {
    if (step.launch_bound()) continue;
    const std::string context = format_count(step.row->spec.context.value_or(0));
    const std::string label = step.network() + ", " + step.precision() +
                              (one_context ? "" : ", context " + context) +
                              (step.bound.empty() ? "" : ", " + step.bound);
    dots.push_back({label, names.title_a, StepRow::ms(step.row->a)});
    dots.push_back({label, names.title_b, StepRow::ms(step.row->b)});
  }
  if (dots.size() == 2) dots.clear();  // A single step makes no figure.
  return make_dataset("dots", kStepDotColumns, dots);
}

Dataset launch_bound_data(const Comparison& comparison, const SideRuns& runs) {
  const SideNames names = side_names(comparison);
  const std::vector<Column<StepRow>> columns{
      {"network", "Network", &StepRow::network},
      {"precision", "Precision", &StepRow::precision},
      {"a", names.title_a, [](const StepRow& step) { return StepRow::ms(step.row->a); }, "ms"},
      {"b", names.title_b, [](const StepRow& step) { return StepRow::ms(step.row->b); }, "ms"},
      {"speedup", "Speedup of " + names.title_b,
       [](const StepRow& step) { return 1 / *step.row->ratio; }, "×", kCardRatioFormat}};
  return make_dataset("launch-bound", columns,
                      only(step_rows(comparison, runs), &StepRow::launch_bound));
}

std::vector<Dataset> step_waterfall_data(const Comparison& comparison, const SideRuns& runs) {
  if (!runs.has_both() || comparison.has_two_implementations()) return {};
  std::vector<Dataset> datasets;
  std::set<std::string> precisions;
  const auto a_series = quantity_series(runs.a, topic::kKernels);
  const auto b_series = quantity_series(runs.b, topic::kKernels);
  for (auto series = a_series.rbegin(); series != a_series.rend(); ++series) {
    const Quantity& a = *series->front().quantity;
    const auto b = std::ranges::find_if(
        b_series, [&](const Series& other) { return other.front().quantity->matches(a); });
    if (b == b_series.end() || !precisions.insert(a.precision).second) continue;
    constexpr double kSmallestDrawnRatio = 1.02;  // Steps with a smaller ratio get no figure.
    const double ratio = total_ms(a) / total_ms(*b->front().quantity);
    if (std::max(ratio, 1 / ratio) < kSmallestDrawnRatio) continue;
    Dataset data =
        waterfall_data(step_waterfall_bars(a, *b->front().quantity, side_names(comparison)));
    data.family = "Precision";
    data.variant = cut_short(a.network, kMaxNetworkName) + " in " + a.precision;
    datasets.push_back(std::move(data));
  }
  return datasets;
}

Dataset other_data(const Comparison& comparison, const SideRuns& runs) {
  std::vector<OtherRow> rows;
  for (const Topic& topic : kTopics) {
    if (topic.is_compared && runs.has_both())
      std::ranges::move(other_rows(runs, topic.name), std::back_inserter(rows));
  }
  const SideNames names = side_names(comparison);
  const std::vector<Column<OtherRow>> columns{
      {"topic", "Topic", &OtherRow::topic},
      {"network", "Network", [](const OtherRow& row) { return row.quantity->network; }},
      {"setting", "Setting", [](const OtherRow& row) { return row.quantity->words(); }},
      {"value", "Value",
       [](const OtherRow& row) { return row.name + " (" + row.quantity->unit + ")"; }},
      {"a", names.title_a, &OtherRow::a},
      {"b", names.title_b, &OtherRow::b},
      {"speedup", "Speedup of " + names.title_b,
       [](const OtherRow& row) {
         return row.is_time() ? Value(*row.a.number() / *row.b.number()) : Value();
       },
       "×", kCardRatioFormat}};
  return make_dataset("others", columns, rows);
}

}  // namespace labreport
