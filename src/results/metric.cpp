#include "results/metric.h"

#include <utility>

namespace labreport {

bool Metric::is_samples() const { return std::holds_alternative<Samples>(data); }

std::vector<double> Metric::numbers() const {
  if (const auto* samples = std::get_if<Samples>(&data)) {
    return std::visit(
        [](const auto& values) { return std::vector<double>(values.begin(), values.end()); },
        *samples);
  }
  const Scalar& scalar = std::get<Scalar>(data);
  if (const auto* whole = std::get_if<std::int64_t>(&scalar)) return {static_cast<double>(*whole)};
  if (const auto* real = std::get_if<double>(&scalar)) return {*real};
  return {};
}

std::optional<double> Metric::number() const {
  const std::vector<double> all = numbers();
  return all.empty() ? std::nullopt : std::optional(all.front());
}

Metric integer_metric(std::string tag, std::string name, std::string unit, std::int64_t value) {
  return {std::move(tag), std::move(name), std::move(unit), Scalar(value), ""};
}

Metric real_metric(std::string tag, std::string name, std::string unit, double value) {
  return {std::move(tag), std::move(name), std::move(unit), Scalar(value), ""};
}

Metric text_metric(std::string tag, std::string name, std::string value) {
  return {std::move(tag), std::move(name), "", Scalar(std::move(value)), ""};
}

Metric sample_metric(std::string tag, std::string name, std::string unit,
                     std::vector<std::int64_t> samples) {
  return {std::move(tag), std::move(name), std::move(unit), Samples(std::move(samples)), ""};
}

Metric absent_metric(std::string tag, std::string name, std::string unit, std::string reason) {
  return {std::move(tag), std::move(name), std::move(unit), Scalar(), std::move(reason)};
}

}  // namespace labreport
