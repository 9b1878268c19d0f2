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
#include "document/index/value_rows.h"
#include "document/keyed_number.h"
#include "document/waterfall.h"
#include "plan/editions.h"

namespace labreport {
namespace {

constexpr Notation kCardTimeFormat{Notation::kSignificant, 3};
constexpr std::size_t kMaxNetworkName = 40;  // More do not fit a sentence or a file name.
constexpr Notation kCardRatioFormat{Notation::kFixed, 2};

/// The last step of a ladder that both sides have.
struct TunedStep {
  const Quantity* ladder;  ///< A's
  Value a_ms, b_ms;
};

/// Returns the tuned step of the compared runs, or else of their GPUs. Nothing unless both have it.
std::optional<TunedStep> tuned_step(const SideRuns& runs) {
  if (!runs.has_both()) return std::nullopt;
  for (const bool of_compared_runs : {true, false}) {
    const auto sides = of_compared_runs ? std::vector{runs.compared_a, runs.compared_b}
                                        : std::vector{runs.a, runs.b};
    const std::vector<GpuLadder> ladders = common_ladders(sides);
    if (ladders.size() != 2) continue;
    const auto best_ms = [&](const GpuLadder& ladder, const GpuRuns& compared) {
      Value ms = ladder.best();
      if (of_compared_runs) {
        const Quantity& quantity = ladder.quantity();
        ms.key = quantity.key(quantity.smallest(), compared.runs.front()->key_owner());
      }
      return ms;
    };
    return TunedStep{&ladders[0].quantity(), best_ms(ladders[0], runs.compared_a),
                     best_ms(ladders[1], runs.compared_b)};
  }
  return std::nullopt;
}

std::string short_network(const Comparison& comparison, const SideRuns& runs,
                          const Quantity& quantity) {
  return cut_short(network_words(comparison, runs, quantity.network, quantity.parameters),
                   kMaxNetworkName);
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

/// A training step of one process that both sides timed.
struct StepRow {
  const ComparedRow* row;
  std::string network;
  bool set_by_cpu = false;

  std::string precision() const {
    return std::string(describe(row->spec.precision.value_or(Precision::kFp32)));
  }
};

/// Returns the steps of the largest network first, and for each network the longest context first.
std::vector<StepRow> step_rows(const Comparison& comparison, const SideRuns& runs) {
  std::vector<StepRow> rows;
  for (const ComparedRow& row : comparison.rows) {
    const bool is_training_step =
        row.measure == Measure::kStep && row.spec.mode == Mode::kTrainStep;
    if (!is_training_step || row.spec.ranks || !row.spec.model || !row.ratio) continue;
    rows.push_back({&row, cut_short(compared_network(comparison, runs, row), kMaxNetworkName),
                    is_set_by_cpu(runs, row)});
  }
  std::ranges::stable_sort(rows, std::greater(), [](const StepRow& step) {
    return std::pair(parameter_count(*step.row->spec.model), step.row->spec.context);
  });
  return rows;
}

struct StepDot {
  std::string step, side;
  Value ms;
};

const std::vector<Column<StepDot>> kStepDotColumns{{"row", "Step", &StepDot::step},
                                                   {"device", "Side", &StepDot::side},
                                                   {"value", "Step", &StepDot::ms, "ms"}};

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

/// The finding of a topic in one precision that both sides have.
struct OtherRow {
  ValueRow finding;
  Value topic, a, b;

  const Quantity& quantity() const { return finding.quantity(); }
};

/// Returns the findings of a topic that both runs or GPUs have, one for each precision and unit.
std::vector<ValueRow> common_findings(const Topic& topic, const std::vector<GpuRuns>& sides) {
  const std::vector<ValueRow> common =
      only(value_rows(topic.name, sides), &ValueRow::is_on_several_gpus);
  const auto kind = [](const ValueRow& row) {
    return std::pair(row.quantity().precision, row.quantity().unit);
  };
  std::vector<ValueRow> findings;
  for (const auto& wanted : distinct(each(common, kind))) {
    const auto rows = only(common, [&](const ValueRow& row) { return kind(row) == wanted; });
    if (const ValueRow* finding = conclusive_row(topic, rows)) findings.push_back(*finding);
  }
  return findings;
}

/// Returns the rows of a topic: those of the compared runs, or else of their GPUs.
std::vector<OtherRow> other_rows(const SideRuns& runs, const Topic& topic) {
  std::vector<OtherRow> rows;
  const auto value = [&](const ValueRow& finding, std::size_t side, bool of_compared_runs) {
    Value number = finding.value(side, runs.root);
    const auto& [run, quantity] = *finding.by_gpu[side];
    if (of_compared_runs) number.key = quantity->key(finding.name, run->key_owner());
    return number;
  };
  for (const bool of_compared_runs : {true, false}) {
    if (!rows.empty()) break;
    const auto sides = of_compared_runs ? std::vector{runs.compared_a, runs.compared_b}
                                        : std::vector{runs.a, runs.b};
    for (const ValueRow& finding : common_findings(topic, sides)) {
      rows.push_back({finding, topic.name, value(finding, 0, of_compared_runs),
                      value(finding, 1, of_compared_runs)});
      if (!runs.root.empty()) rows.back().topic.link = topic_address(topic, runs.root);
    }
  }
  return rows;
}

/// Returns the steps that the GPUs set, that with the largest ratio of A's time to B's first. A
/// single step makes no figure, so there are none or several.
std::vector<StepRow> drawn_steps(const Comparison& comparison, const SideRuns& runs) {
  std::vector<StepRow> steps =
      only(step_rows(comparison, runs), [](const StepRow& step) { return !step.set_by_cpu; });
  if (steps.size() == 1) steps.clear();
  std::ranges::stable_sort(steps, {}, [](const StepRow& step) { return *step.row->ratio; });
  return steps;
}

/// Names the steps by network and precision, and by context if they have several.
std::vector<std::string> step_labels(const std::vector<StepRow>& steps) {
  const bool one_context = std::ranges::all_of(steps, [&](const StepRow& step) {
    return step.row->spec.context == steps.front().row->spec.context;
  });
  return each(steps, [&](const StepRow& step) {
    const std::string context = format_count(step.row->spec.context.value_or(0));
    return step.network + ", " + step.precision() + (one_context ? "" : ", context " + context);
  });
}

/// Returns the facts of the steps' figure: how much faster one side is in all of them.
std::optional<Facts> step_figure_facts(const Comparison& comparison, const SideRuns& runs) {
  constexpr double kSameWithin = 0.01;  // Sides that differ less count as equally fast.
  const std::vector<StepRow> steps = drawn_steps(comparison, runs);
  if (steps.empty()) return std::nullopt;
  const SideNames names = side_names(comparison);
  const double b_least = 1 / *steps.back().row->ratio, b_most = 1 / *steps.front().row->ratio;
  const bool a_wins = b_least < 1 - kSameWithin, b_wins = b_most > 1 + kSameWithin;
  const double low = b_wins ? b_least : 1 / b_most, high = b_wins ? b_most : 1 / b_least;
  const std::string low_words = format_ratio(low), high_words = format_ratio(high);
  const std::string range = low <= 1 + kSameWithin    ? "up to " + high_words
                            : low_words == high_words ? high_words
                                                      : low_words + " to " + high_words;
  const ComparedRow& shown = *(b_wins ? steps.front() : steps.back()).row;
  const Value a_ms = step_ms(comparison, shown, &ComparedRow::a);
  const Value b_ms = step_ms(comparison, shown, &ComparedRow::b);
  const std::vector<std::string> labels = step_labels(steps);
  return Facts()
      .choose(
          {"one_sided", "equal", "mixed"},
          a_wins && b_wins   ? "mixed"
          : a_wins || b_wins ? "one_sided"
                             : "equal",
          Facts().set("first", with_capital_the(b_wins ? names.b : names.a)).set("range", range))
      .set("count", format_count(static_cast<std::int64_t>(steps.size())))
      .set("row", b_wins ? labels.front() : labels.back())
      .set("a", names.title_a)
      .set("b", names.title_b)
      .set("a_ms", a_ms, brief_ms(*a_ms.number()))
      .set("b_ms", b_ms, brief_ms(*b_ms.number()));
}

/// Returns the profiled steps that both runs have, A's and B's, one in each precision. Leaves out
/// steps that take about as long on both sides.
std::vector<std::pair<const Quantity*, const Quantity*>> profiled_steps(
    const Comparison& comparison, const SideRuns& runs) {
  constexpr double kSmallestDrawnRatio = 1.02;
  std::vector<std::pair<const Quantity*, const Quantity*>> steps;
  if (!runs.has_both() || comparison.has_two_implementations()) return steps;
  std::set<std::string> precisions;
  const auto a_series = quantity_series(runs.compared_a, topic::kKernels);
  const auto b_series = quantity_series(runs.compared_b, topic::kKernels);
  for (auto series = a_series.rbegin(); series != a_series.rend(); ++series) {
    const Quantity& a = *series->front().quantity;
    const auto found = std::ranges::find_if(
        b_series, [&](const Series& other) { return other.front().quantity->matches(a); });
    if (found == b_series.end() || !precisions.insert(a.precision).second) continue;
    const Quantity& b = *found->front().quantity;
    if (std::max(total_ms(a) / total_ms(b), total_ms(b) / total_ms(a)) >= kSmallestDrawnRatio)
      steps.emplace_back(&a, &b);
  }
  return steps;
}

/// Names the part of the step whose time differs most. Nothing if that is not the same part in all
/// drawn steps.
std::optional<Facts> largest_difference_facts(const Comparison& comparison, const SideRuns& runs) {
  std::set<std::string> parts;
  for (const auto& [a, b] : profiled_steps(comparison, runs)) {
    const auto names = value_names({Series{{nullptr, a}, {nullptr, b}}});
    parts.insert(*std::ranges::max_element(names, {}, [&](const std::string& name) {
      return std::abs(ms_or_zero(*b, name) - ms_or_zero(*a, name));
    }));
  }
  if (parts.size() != 1) return std::nullopt;
  return Facts().set("part", *parts.begin());
}

}  // namespace

Facts card_facts(const Comparison& comparison, const SideRuns& runs) {
  const SideNames names = side_names(comparison);
  std::optional<Facts> tuned, fits, price;
  if (const auto step = tuned_step(runs)) {
    const bool b_is_faster = *step->b_ms.number() < *step->a_ms.number();
    const Value &fast = b_is_faster ? step->b_ms : step->a_ms,
                &slow = b_is_faster ? step->a_ms : step->b_ms;
    const auto keyed_ms = [](const Value& ms, const Value& other) {
      return keyed_number(format_value(ms, compared_ms(*ms.number(), *other.number())) + " ms", ms);
    };
    tuned = Facts()
                .set("network", short_network(comparison, runs, *step->ladder))
                .set("precision", step->ladder->precision)
                .set("first", b_is_faster ? names.b : names.a)
                .set("second", b_is_faster ? names.a : names.b)
                .set_markdown("ms", keyed_ms(fast, slow))
                .set_markdown("other_ms", keyed_ms(slow, fast))
                .set_markdown("times", keyed_ratio(slower_over_faster(step->a_ms, step->b_ms)));
  }
  if (const ComparedRow* one_sided = step_fitting_one_side(comparison)) {
    fits =
        Facts()
            .set("size", cut_short(compared_network(comparison, runs, *one_sided), kMaxNetworkName))
            .set("context", format_count(one_sided->spec.context.value_or(0)))
            .set("precision", describe(one_sided->spec.precision.value_or(Precision::kFp32)))
            .set("who", one_sided->a.fits ? names.a : names.b)
            .set("other", one_sided->a.fits ? names.b : names.a);
  }
  const std::vector<PricedStep> priced = priced_steps(comparison, runs);
  if (!priced.empty()) {
    const bool b_is_faster = *priced.back().b_ms.number() < *priced.back().a_ms.number();
    const std::string& slower = b_is_faster ? names.a : names.b;
    std::vector<std::string> ratios;
    for (const PricedStep& step : priced) {
      const Value ratio = b_is_faster ? step.a_ms.over(step.b_ms) : step.b_ms.over(step.a_ms);
      ratios.push_back("**" + keyed_ratio(ratio) + "**" +
                       (ratios.empty() ? " an hour of " + escape_markdown(slower) : "") + " for " +
                       escape_markdown(step.name));
    }
    price = Facts()
                .set("faster", b_is_faster ? names.b : names.a)
                .set_markdown("ratios", join_words(ratios));
  }
  std::vector<std::string> set_by_cpu;
  for (const StepRow& step : step_rows(comparison, runs)) {
    if (step.set_by_cpu) set_by_cpu.push_back(step.network + " in " + step.precision());
  }
  return Facts()
      .when("tuned", tuned)
      .when("fits", fits)
      .when("price", price)
      .when("drawn", step_figure_facts(comparison, runs))
      .when("largest", largest_difference_facts(comparison, runs))
      .when("set_by_cpu", !set_by_cpu.empty(), "steps", join_words(set_by_cpu));
}

std::vector<PricedStep> priced_steps(const Comparison& comparison, const SideRuns& runs) {
  if (comparison.machines.relation != Relation::kDifferentHardware) return {};
  const SideNames names = side_names(comparison);
  std::vector<PricedStep> priced;
  const std::vector<StepRow> steps = step_rows(comparison, runs);
  for (const Precision precision : kComparedPrecisions) {
    const auto largest = std::ranges::find_if(steps, [&](const StepRow& step) {
      return step.row->spec.precision == precision && !step.set_by_cpu;
    });
    if (largest == steps.end()) continue;
    priced.push_back({largest->network + " in " + largest->precision(),
                      step_ms(comparison, *largest->row, &ComparedRow::a),
                      step_ms(comparison, *largest->row, &ComparedRow::b)});
  }
  if (const auto tuned = tuned_step(runs)) {
    priced.push_back({short_network(comparison, runs, *tuned->ladder) + " in " +
                          tuned->ladder->precision + ", tuned",
                      tuned->a_ms, tuned->b_ms});
  }
  return priced;
}

std::vector<Facts> rent_facts(const Comparison& comparison, const SideRuns& runs, double price_a,
                              double price_b) {
  if (price_a <= 0 || price_b <= 0) return {};
  constexpr double kPricedSteps = 1000, kMsPerHour = 3.6e6, kSameWithin = 0.005;
  const SideNames names = side_names(comparison);
  return each(priced_steps(comparison, runs), [&](const PricedStep& step) {
    const double cost_a = *step.a_ms.number() * price_a * kPricedSteps / kMsPerHour;
    const double cost_b = *step.b_ms.number() * price_b * kPricedSteps / kMsPerHour;
    const bool a_is_cheaper = cost_a < cost_b;
    const double less = std::min(cost_a, cost_b), more = std::max(cost_a, cost_b);
    const auto cost_words = [](double cost) { return format_value(cost, kCardTimeFormat); };
    return Facts()
        .set("step", step.name)
        .set("cheaper", a_is_cheaper ? names.a : names.b)
        .set("dearer", a_is_cheaper ? names.b : names.a)
        .set("less", cost_words(less))
        .set("more", cost_words(more))
        .when("saving", less < (1 - kSameWithin) * more, "percent",
              format_fixed(100 * (1 - less / more), 0));
  });
}

Dataset step_data(const Comparison& comparison, const SideRuns& runs) {
  const SideNames names = side_names(comparison);
  const std::vector<StepRow> steps = drawn_steps(comparison, runs);
  const std::vector<std::string> labels = step_labels(steps);
  std::vector<StepDot> dots;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const ComparedRow& row = *steps[i].row;
    dots.push_back({labels[i], names.title_a, step_ms(comparison, row, &ComparedRow::a)});
    dots.push_back({labels[i], names.title_b, step_ms(comparison, row, &ComparedRow::b)});
  }
  return make_dataset("dots", kStepDotColumns, dots);
}

Dataset cpu_bound_data(const Comparison& comparison, const SideRuns& runs) {
  const SideNames names = side_names(comparison);
  const std::vector<Column<StepRow>> columns{
      {"network", "Network", &StepRow::network},
      {"precision", "Precision", &StepRow::precision},
      {"a", names.title_a,
       [&](const StepRow& step) { return step_ms(comparison, *step.row, &ComparedRow::a); }, "ms"},
      {"b", names.title_b,
       [&](const StepRow& step) { return step_ms(comparison, *step.row, &ComparedRow::b); }, "ms"}};
  return make_dataset("cpu", columns, only(step_rows(comparison, runs), &StepRow::set_by_cpu));
}

std::vector<Dataset> step_waterfall_data(const Comparison& comparison, const SideRuns& runs) {
  std::vector<Dataset> datasets;
  for (const auto& [a, b] : profiled_steps(comparison, runs)) {
    Dataset data = waterfall_data(step_waterfall_bars(*a, *b, side_names(comparison)));
    data.family = "Precision";
    data.variant = short_network(comparison, runs, *a) + " in " + a->precision;
    datasets.push_back(std::move(data));
  }
  return datasets;
}

Dataset other_data(const Comparison& comparison, const SideRuns& runs) {
  std::vector<OtherRow> rows;
  for (const Topic& topic : kTopics) {
    if (topic.is_compared && runs.has_both())
      std::ranges::move(other_rows(runs, topic), std::back_inserter(rows));
  }
  const SideNames names = side_names(comparison);
  const std::vector<Column<OtherRow>> columns{
      {"topic", "Topic", &OtherRow::topic},
      {"network", "Network",
       [&](const OtherRow& row) { return short_network(comparison, runs, row.quantity()); }},
      {"setting", "Setting", [](const OtherRow& row) { return row.quantity().words(); }},
      {"value", "Value",
       [](const OtherRow& row) { return row.finding.name + " (" + row.quantity().unit + ")"; }},
      {"a", names.title_a, &OtherRow::a},
      {"b", names.title_b, &OtherRow::b},
      {"speedup", "Advantage of " + names.title_b,
       [](const OtherRow& row) { return row.a.over(row.b); }, "×", kCardRatioFormat}};
  return make_dataset("others", columns, rows);
}

}  // namespace labreport
