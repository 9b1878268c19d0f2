// A launch as the plausibility checks see it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/plausibility.h"
#include "results/metric_names.h"

namespace labreport {

/// The launches of one cell, looked at one after the other.
struct Inspection {
  const Run& run;
  const Cell& cell;
  const Launch& launch;
  std::vector<Finding>& findings;

  void warn(std::string text) const { findings.push_back({false, cell.id, std::move(text)}); }
  void refuse(std::string text) const { findings.push_back({true, cell.id, std::move(text)}); }
  std::vector<double> samples(std::string_view tag, std::string_view name) const {
    const Metric* metric = launch.find(tag, name);
    return metric == nullptr ? std::vector<double>() : metric->numbers();
  }
  std::optional<double> value(std::string_view tag, std::string_view name) const {
    const auto values = samples(tag, name);
    return values.empty() ? std::nullopt : std::optional(values.front());
  }
  bool condition_above_zero(std::string_view tag, std::string_view name) const {
    const Metric* metric = launch.find_condition(tag, name);
    return metric != nullptr && metric->number().value_or(0) > 0;
  }
  std::optional<double> bytes(std::string_view name) const { return value(metric::kMemory, name); }
};

/// The peak against what must be resident and what the device has; the parameters' bytes.
void check_memory(const Inspection& in);

/// The same for a step whose allocations were recorded, and its numbers against each other.
void check_recorded_memory(const Inspection& in);

}  // namespace labreport
