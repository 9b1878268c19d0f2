// The part of run_check.h that is about metrics and conditions.
#include "results/check_place.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

void check_unit(const Metric& metric, Unknown unknown, const Place& place) {
  const std::string_view expected = unit_of(metric.tag, metric.name);
  if (!expected.empty() && metric.unit != expected) {
    place.key("unit").refuse(fmt::format("expected '{}', found '{}'", expected, metric.unit));
  }
  if (unknown == Unknown::kRefused && !is_unit(metric.unit)) {
    place.key("unit").refuse(fmt::format("unknown unit '{}'", metric.unit));
  }
}

bool is_number_or_null(const Metric& metric) {
  const auto* scalar = std::get_if<Scalar>(&metric.data);
  return scalar == nullptr || type_of(*scalar).value_or(ColumnType::kNumber) == ColumnType::kNumber;
}

void check_metric(const Metric& metric, Unknown unknown, Total& total, const Place& place) {
  for (const std::string* name : {&metric.tag, &metric.name, &metric.unit}) {
    place.refuse_control_characters(*name);
  }
  check_unit(metric, unknown, place);
  if (!metric.unit.empty() && !is_number_or_null(metric)) {
    place.key("value").refuse(fmt::format("expected a number, as its unit is '{}'", metric.unit));
  }
  const bool takes_time = metric.name == metric::kTotal && metric.unit == "ns";
  for (const double value : metric.numbers()) {
    if (takes_time && value <= 0 && metric.tag != metric::kPublishedStddev) {
      place.refuse(fmt::format("expected a step's time above 0, found {}", value));
    }
    total.add(value, metric.unit, [&] { return place; });
  }
}

}  // namespace

void check_metrics(const std::vector<Metric>& metrics, Unknown unknown, Total& total,
                   const Place& launch, const char* list) {
  OwnNames names;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const Place place = launch.item(list, i);
    names.add(metrics[i].tag + "." + metrics[i].name, place);
    check_metric(metrics[i], unknown, total, place);
  }
}

}  // namespace labreport
