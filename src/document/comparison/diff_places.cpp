// Shows in a table and in a sentence where the kernels of a step differ between the sides.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "document/comparison/diff_facts.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

constexpr std::size_t kMostPlaces = 8;
constexpr double kLeastShare = 0.005;  // Least named difference, as a share of the longer step.
constexpr Notation kTime{Notation::kSignificant, 3};

double ms(double ns) { return ns / kNanosecondsPerMillisecond; }

KernelSum sum_of(const std::vector<PlaceDifference>& places, KernelSum PlaceDifference::* side) {
  KernelSum sum;
  for (const PlaceDifference& place : places) {
    sum.ns += (place.*side).ns;
    sum.count += (place.*side).count;
  }
  return sum;
}

PlaceDifference summed(const std::vector<PlaceDifference>& places, const char* name) {
  return {name, "", sum_of(places, &PlaceDifference::a), sum_of(places, &PlaceDifference::b)};
}

/// The first kMostPlaces places whose difference is large enough to be named.
std::vector<PlaceDifference> notable_places(const StepDifference& step) {
  const PlaceDifference whole = summed(step.places, "");
  const double least = kLeastShare * std::max(whole.a.ns, whole.b.ns);
  std::vector<PlaceDifference> places;
  for (const PlaceDifference& place : step.places) {
    if (places.size() < kMostPlaces && std::abs(place.change_ns()) >= least)
      places.push_back(place);
  }
  return places;
}

std::string noun(const StepDifference& step) {
  return step.spec.device == DeviceKind::kCpu ? "operator" : "kernel";
}

Value time_of(const KernelSum& sum) { return sum.count > 0 ? Value(ms(sum.ns)) : Value(); }

/// Shows numbers of kernels only if they differ: GPUs that run the same operators have equal ones.
std::vector<Column<PlaceDifference>> columns(const StepDifference& step, const SideNames& names) {
  const bool counted = std::ranges::any_of(
      notable_places(step), [](const auto& place) { return place.a.count != place.b.count; });
  const auto count = [counted](KernelSum PlaceDifference::* side) {
    return [=](const PlaceDifference& place) {
      return counted ? Value((place.*side).count) : Value();
    };
  };
  const std::string kernels = noun(step) == "kernel" ? "Kernels" : "Operators";
  return {{"phase", "Phase", &PlaceDifference::phase},
          {"part", "Part", &PlaceDifference::place},
          {"a", names.head_a, [](const auto& place) { return time_of(place.a); }, "ms", kTime},
          {"b", names.head_b, [](const auto& place) { return time_of(place.b); }, "ms", kTime},
          {"change", "Difference", [](const auto& place) { return ms(place.change_ns()); }, "ms",
           kTime},
          {"kernels_a",
           kernels + ", " + names.head_a,
           count(&PlaceDifference::a),
           "",
           {Notation::kCount}},
          {"kernels_b",
           kernels + ", " + names.head_b,
           count(&PlaceDifference::b),
           "",
           {Notation::kCount}}};
}

/// "the forward pass of attention’s softmax"
std::string where_words(const PlaceDifference& place) {
  if (place.phase == metric::kOptimizer) return "the optimizer’s step";
  if (place.phase == metric::kLoss) return "the loss";
  const std::string pass = "the " + place.phase + " pass";
  if (place.place.starts_with("outside")) return pass + " " + place.place;
  const bool is_attention = place.place.starts_with("attention");
  return pass + (is_attention ? " of " : " of the ") + replaced(place.place, ": ", "’s ");
}

/// "9 kernels a layer" if both sides' counts are multiples of the layers, else "9 kernels"
std::string count_words(const StepDifference& step, const PlaceDifference& place,
                        const KernelSum& sum) {
  const auto layers = static_cast<double>(step.spec.model ? step.spec.model->layers : 0);
  const auto even = [layers](const KernelSum& each) { return std::fmod(each.count, layers) == 0; };
  const bool by_layer = layers > 1 && even(place.a) && even(place.b);
  const double count = by_layer ? sum.count / layers : sum.count;
  return format_fixed(count, 0) + " " + noun(step) + (count == 1 ? "" : "s") +
         (by_layer ? " a layer" : "");
}

}  // namespace

std::vector<Facts> place_facts(const Comparison& comparison) {
  const SideNames names = side_names(comparison);
  std::vector<Facts> all;
  for (const StepDifference& step : comparison.step_differences) {
    const std::vector<PlaceDifference> places = notable_places(step);
    if (places.empty()) continue;
    const PlaceDifference& place = places.front();
    const bool a_more = place.change_ns() < 0;
    const auto [more, less] = a_more ? std::pair(place.a, place.b) : std::pair(place.b, place.a);
    all.push_back(Facts()
                      .set("precision", describe(step.spec.precision.value_or(Precision::kFp32)))
                      .set("kernels", noun(step) + "s")
                      .set("where", where_words(place))
                      .set("first", a_more ? names.a : names.b)
                      .set("second", a_more ? names.b : names.a)
                      .set("more", ms(more.ns), kTime)
                      .set("less", ms(less.ns), kTime)
                      .flag("counted", place.a.count != place.b.count)
                      .set("more_kernels", count_words(step, place, more))
                      .set("fewer_kernels", count_words(step, place, less)));
  }
  return all;
}

std::vector<Dataset> place_data(const Comparison& comparison) {
  std::vector<Dataset> all;
  for (const StepDifference& step : comparison.step_differences) {
    std::vector<PlaceDifference> rows = notable_places(step);
    if (!rows.empty()) {
      std::vector<PlaceDifference> others(step.places);
      std::erase_if(others, [&](const PlaceDifference& place) {
        return std::ranges::any_of(rows, [&](const PlaceDifference& row) {
          return place.phase == row.phase && place.place == row.place;
        });
      });
      if (!others.empty()) rows.push_back(summed(others, "everything else"));
      rows.push_back(summed(step.places, "whole step"));
    }
    Dataset data = make_dataset("places", columns(step, side_names(comparison)), rows);
    data.family = "Step";
    data.variant = cell_label(step.spec, step.size);
    all.push_back(std::move(data));
  }
  return all;
}

}  // namespace labreport
