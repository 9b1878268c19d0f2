// Shows in tables and sentences in which places of the network the kernels of a step differ.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "document/comparison/diff_facts.h"
#include "document/keyed_number.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

constexpr std::size_t kMaxPlaces = 8;
// Smaller differences, as fractions of the longer step's kernel time, are not named.
constexpr double kSmallestNamedShare = 0.005;
constexpr Notation kPlaceTimeFormat{Notation::kSignificant, 3};

double in_ms(double ns) { return ns / kNanosecondsPerMillisecond; }

KernelSum side_sum(const std::vector<PlaceDifference>& places, KernelSum PlaceDifference::* side) {
  KernelSum sum;
  for (const PlaceDifference& place : places) {
    sum.ns += (place.*side).ns;
    sum.count += (place.*side).count;
  }
  return sum;
}

/// Returns the sum of all places under a name that stands in the column of phases.
PlaceDifference sum_of_places(const std::vector<PlaceDifference>& places, const char* name) {
  return {name, "", side_sum(places, &PlaceDifference::a), side_sum(places, &PlaceDifference::b)};
}

/// Returns the steps of two implementations; none if both sides ran one.
std::vector<StepDifference> explained_steps(const Comparison& comparison) {
  return comparison.has_two_implementations() ? comparison.step_differences
                                              : std::vector<StepDifference>();
}

/// Returns the first kMaxPlaces places whose difference is large enough to be named.
std::vector<PlaceDifference> notable_places(const StepDifference& step) {
  const PlaceDifference step_sum = sum_of_places(step.places, "");
  const double smallest_ns = kSmallestNamedShare * std::max(step_sum.a.ns, step_sum.b.ns);
  std::vector<PlaceDifference> places;
  for (const PlaceDifference& place : step.places) {
    if (places.size() < kMaxPlaces && std::abs(place.change_ns()) >= smallest_ns)
      places.push_back(place);
  }
  return places;
}

std::string kernel_noun(const StepDifference& step) {
  return step.spec.device == DeviceKind::kCpu ? "operator" : "kernel";
}

/// Returns the kernels' time with its key, which names the place and the side.
std::string keyed_ms(const StepDifference& step, const PlaceDifference& place, const KernelSum& sum,
                     const ComparedRun& side) {
  Value ms = in_ms(sum.ns);
  ms.key = slug(cell_id(step.spec)) + "/" + slug(place.phase + " " + place.part) + "/" +
           slug(side.implementation + " " + side.started_at);
  return keyed_number(format_value(ms, kPlaceTimeFormat), ms);
}

Value time_of(const KernelSum& sum) { return sum.count > 0 ? Value(in_ms(sum.ns)) : Value(); }

/// Returns the table's columns. Numbers of kernels are shown only if they differ between the sides.
std::vector<Column<PlaceDifference>> place_columns(const StepDifference& step,
                                                   const SideNames& names) {
  const bool counts_differ = std::ranges::any_of(
      notable_places(step), [](const auto& place) { return place.a.count != place.b.count; });
  const auto count_of = [counts_differ](KernelSum PlaceDifference::* side) {
    return [=](const PlaceDifference& place) {
      return counts_differ ? Value((place.*side).count) : Value();
    };
  };
  const std::string kernels = kernel_noun(step) == "kernel" ? "Kernels" : "Operators";
  return {{"phase", "Phase", &PlaceDifference::phase},
          {"part", "Part", &PlaceDifference::part},
          {"a", names.title_a, [](const auto& place) { return time_of(place.a); }, "ms",
           kPlaceTimeFormat},
          {"b", names.title_b, [](const auto& place) { return time_of(place.b); }, "ms",
           kPlaceTimeFormat},
          {"change", "Difference", [](const auto& place) { return in_ms(place.change_ns()); }, "ms",
           kPlaceTimeFormat},
          {"kernels_a",
           kernels + ", " + names.title_a,
           count_of(&PlaceDifference::a),
           "",
           {Notation::kCount}},
          {"kernels_b",
           kernels + ", " + names.title_b,
           count_of(&PlaceDifference::b),
           "",
           {Notation::kCount}}};
}

/// Names a place in a sentence: "the forward pass of attention’s softmax".
std::string place_words(const PlaceDifference& place) {
  if (place.phase == metric::kOptimizer) return "the optimizer’s step";
  if (place.phase == metric::kLoss) return "the loss";
  const std::string pass = "the " + place.phase + " pass";
  if (place.part.starts_with("outside")) return pass + " " + place.part;
  const bool is_attention = place.part.starts_with("attention");
  return pass + (is_attention ? " of " : " of the ") + replaced(place.part, ": ", "’s ");
}

/// Returns "9 kernels a layer" if both sides' counts are multiples of the layers, else "9 kernels".
std::string format_kernel_count(const StepDifference& step, const PlaceDifference& place,
                                const KernelSum& sum) {
  const auto layers = static_cast<double>(step.spec.model ? step.spec.model->layers : 0);
  const auto is_multiple = [layers](const KernelSum& kernels) {
    return std::fmod(kernels.count, layers) == 0;
  };
  const bool by_layer = layers > 1 && is_multiple(place.a) && is_multiple(place.b);
  const double count = by_layer ? sum.count / layers : sum.count;
  return format_fixed(count, 0) + " " + kernel_noun(step) + (count == 1 ? "" : "s") +
         (by_layer ? " a layer" : "");
}

}  // namespace

std::vector<Facts> place_facts(const Comparison& comparison) {
  const SideNames names = side_names(comparison);
  std::vector<Facts> all;
  for (const StepDifference& step : explained_steps(comparison)) {
    const std::vector<PlaceDifference> places = notable_places(step);
    if (places.empty()) continue;
    const PlaceDifference& place = places.front();
    const bool a_takes_more = place.change_ns() < 0;
    const auto [more, less] =
        a_takes_more ? std::pair(place.a, place.b) : std::pair(place.b, place.a);
    all.push_back(Facts()
                      .set("precision", describe(step.spec.precision.value_or(Precision::kFp32)))
                      .set("kernels", kernel_noun(step) + "s")
                      .set("where", place_words(place))
                      .set("first", a_takes_more ? names.a : names.b)
                      .set("second", a_takes_more ? names.b : names.a)
                      .set_markdown("more", keyed_ms(step, place, more,
                                                     a_takes_more ? comparison.a : comparison.b))
                      .set_markdown("less", keyed_ms(step, place, less,
                                                     a_takes_more ? comparison.b : comparison.a))
                      .flag("counted", place.a.count != place.b.count)
                      .set("more_kernels", format_kernel_count(step, place, more))
                      .set("fewer_kernels", format_kernel_count(step, place, less)));
  }
  return all;
}

std::vector<Dataset> place_data(const Comparison& comparison) {
  std::vector<Dataset> all;
  for (const StepDifference& step : explained_steps(comparison)) {
    std::vector<PlaceDifference> rows = notable_places(step);
    if (!rows.empty()) {
      std::vector<PlaceDifference> others(step.places);
      std::erase_if(others, [&](const PlaceDifference& place) {
        return std::ranges::any_of(rows, [&](const PlaceDifference& row) {
          return place.phase == row.phase && place.part == row.part;
        });
      });
      if (!others.empty()) rows.push_back(sum_of_places(others, "everything else"));
      rows.push_back(sum_of_places(step.places, "whole step"));
    }
    Dataset data = make_dataset("places", place_columns(step, side_names(comparison)), rows);
    data.family = "Step";
    data.variant = cell_label(step.spec, step.size);
    all.push_back(std::move(data));
  }
  return all;
}

}  // namespace labreport
