#include "results/metric.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace labreport {

std::optional<double> number_of(const Scalar& scalar) {
  if (const auto* integer = std::get_if<std::int64_t>(&scalar))
    return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&scalar)) return *real;
  return std::nullopt;
}

bool Metric::is_samples() const { return std::holds_alternative<Samples>(data); }

std::vector<double> Metric::numbers() const {
  if (const auto* samples = std::get_if<Samples>(&data)) {
    return std::visit(
        [](const auto& values) { return std::vector<double>(values.begin(), values.end()); },
        *samples);
  }
  const auto number = number_of(std::get<Scalar>(data));
  return number ? std::vector{*number} : std::vector<double>();
}

std::optional<double> Metric::number() const {
  const std::vector<double> all = numbers();
  return all.empty() ? std::nullopt : std::optional(all.front());
}

Metric integer_metric(std::string_view tag, std::string_view name, std::string_view unit,
                      std::int64_t value) {
  return {std::string(tag), std::string(name), std::string(unit), Scalar(value), ""};
}

Metric integer_metric(std::string_view tag, std::string_view name, std::string_view unit,
                      std::optional<std::int64_t> value, std::string_view reason) {
  return value ? integer_metric(tag, name, unit, *value) : absent_metric(tag, name, unit, reason);
}

Metric real_metric(std::string_view tag, std::string_view name, std::string_view unit,
                   double value) {
  return {std::string(tag), std::string(name), std::string(unit), Scalar(value), ""};
}

Metric text_metric(std::string_view tag, std::string_view name, std::string_view value) {
  return {std::string(tag), std::string(name), "", Scalar(std::string(value)), ""};
}

Metric sample_metric(std::string_view tag, std::string_view name, std::string_view unit,
                     std::vector<std::int64_t> samples) {
  return {std::string(tag), std::string(name), std::string(unit), Samples(std::move(samples)), ""};
}

Metric absent_metric(std::string_view tag, std::string_view name, std::string_view unit,
                     std::string_view reason) {
  return {std::string(tag), std::string(name), std::string(unit), Scalar(), std::string(reason)};
}

void append(std::vector<Metric>& metrics, std::vector<Metric> more) {
  std::ranges::move(more, std::back_inserter(metrics));
}

}  // namespace labreport
