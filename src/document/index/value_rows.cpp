#include "document/index/value_rows.h"

#include <algorithm>
#include <functional>
#include <tuple>

#include "analysis/measures.h"
#include "base/lists.h"
#include "base/text.h"
#include "results/cell.h"

namespace labreport {
namespace {

/// One quantity's series on each GPU, in the GPUs' order; null for a GPU that has none.
using SeriesByGpu = std::vector<const Series*>;

const Quantity& quantity_of(const SeriesByGpu& by_gpu) {
  const auto first =
      std::ranges::find_if(by_gpu, [](const Series* series) { return series != nullptr; });
  return *(*first)->front().quantity;
}

std::vector<Series> measured(const SeriesByGpu& by_gpu) {
  std::vector<Series> series;
  for (const Series* one : by_gpu) {
    if (one != nullptr) series.push_back(*one);
  }
  return series;
}

/// Returns the quantities that GPUs measured in one unit, larger networks first.
std::vector<SeriesByGpu> quantities_in(const std::vector<std::vector<Series>>& of_gpus,
                                       const std::string& unit) {
  std::vector<SeriesByGpu> all;
  for (std::size_t gpu = 0; gpu < of_gpus.size(); ++gpu) {
    for (const Series& series : of_gpus[gpu]) {
      const Quantity& quantity = *series.front().quantity;
      if (quantity.unit != unit) continue;
      auto known = std::ranges::find_if(
          all, [&](const SeriesByGpu& other) { return quantity_of(other).matches(quantity); });
      if (known == all.end()) known = all.insert(known, SeriesByGpu(of_gpus.size()));
      (*known)[gpu] = &series;
    }
  }
  std::ranges::stable_sort(all, std::greater(), [](const SeriesByGpu& by_gpu) {
    return quantity_of(by_gpu).parameters;
  });
  return all;
}

}  // namespace

const Quantity& ValueRow::quantity() const {
  const auto first =
      std::ranges::find_if(by_gpu, [](const auto& measurement) { return measurement.has_value(); });
  return *(*first)->quantity;
}

Value ValueRow::value(std::size_t gpu, const std::string& root) const {
  if (ran_out[gpu]) return Value::missing(kOutOfMemory);
  return by_gpu[gpu] ? by_gpu[gpu]->value(name, root) : Value();
}

bool ValueRow::is_on_several_gpus() const {
  return std::ranges::count_if(by_gpu,
                               [](const auto& measurement) { return measurement.has_value(); }) > 1;
}

bool ValueRow::was_tried_on_several_gpus() const {
  std::size_t tried = 0;
  for (std::size_t gpu = 0; gpu < by_gpu.size(); ++gpu)
    tried += by_gpu[gpu] || ran_out[gpu] ? 1 : 0;
  return tried > 1;
}

bool ValueRow::is_set_by_cpu() const {
  return std::ranges::any_of(by_gpu, [this](const auto& measurement) {
    return measurement && measurement->quantity->is_set_by_cpu(name);
  });
}

std::string ValueRow::label(bool with_setting) const {
  std::vector<std::string> words{network, quantity().precision,
                                 with_setting ? quantity().setting : "", name};
  std::erase(words, "");
  return join(words, ", ");
}

std::vector<ValueRow> value_rows(const std::string& topic, const std::vector<GpuRuns>& gpus) {
  std::vector<std::vector<Series>> of_gpus;
  std::vector<std::string> units;
  for (const GpuRuns& gpu : gpus) {
    of_gpus.push_back(quantity_series(gpu, topic));
    for (const Series& series : of_gpus.back()) units.push_back(series.front().quantity->unit);
  }
  std::vector<ValueRow> rows;
  for (const std::string& unit : distinct(units)) {
    const std::vector<SeriesByGpu> quantities = quantities_in(of_gpus, unit);
    for (const SeriesByGpu& by_gpu : quantities) {
      for (const std::string& name : value_names(measured(by_gpu))) {
        ValueRow& row =
            rows.emplace_back(ValueRow{.network = network_name(gpus, quantity_of(by_gpu)),
                                       .name = name,
                                       .by_gpu = {},
                                       .ran_out = {}});
        for (const Series* series : by_gpu) {
          row.by_gpu.push_back(series == nullptr ? std::nullopt
                                                 : chosen_measurement(*series, name));
          const auto too_long =
              series == nullptr ? std::vector<std::string>() : names_out_of_memory(*series);
          row.ran_out.push_back(std::ranges::find(too_long, name) != too_long.end());
        }
      }
    }
  }
  return rows;
}

std::string common_setting(const std::vector<ValueRow>& rows) {
  const auto setting = [](const ValueRow& row) { return row.quantity().setting; };
  const auto settings = distinct(each(rows, setting));
  return settings.size() == 1 ? settings.front() : "";
}

std::string baseline_name(const Topic& topic, const Quantity& quantity) {
  const std::string_view name = topic.name;
  if (name == topic::kFastestStep) return quantity.values.front().first;
  if (name == topic::kCompilation) return "eager";
  if (name == topic::kSeveralGpus) return std::string(describe(Scheme::kPerParameter));
  if (name == topic::kScaling) return topic::kOneGpu;
  return name == topic::kSharding ? std::string(describe(Sharding::kNone)) : "";
}

const ValueRow* conclusive_row(const Topic& topic, const std::vector<ValueRow>& rows) {
  const bool is_smaller_better =
      topic.conclusion == Conclusion::kBest || topic.conclusion == Conclusion::kBestAtLargest;
  const auto rank = [&](const ValueRow& row) {
    const Quantity& quantity = row.quantity();
    double largest = 0;
    for (std::size_t gpu = 0; gpu < row.by_gpu.size(); ++gpu) {
      const Value value = row.value(gpu, "");
      if (!value.is_missing()) largest = std::max(largest, *value.number());
    }
    return std::tuple(row.is_on_several_gpus(), quantity.unit == rows.front().quantity().unit,
                      quantity.parameters, row.name == describe(Measure::kStep),
                      quantity.unit == "ms" && !quantity.precision.starts_with("FP32"),
                      row.name == describe(Scheme::kOverlapped),
                      topic.conclusion == Conclusion::kPlainAtLargest &&
                          quantity.setting.ends_with(describe(AttentionBackend::kEager)),
                      topic.conclusion >= Conclusion::kBestAtLargest ? number_in(row.name) : 0,
                      is_smaller_better ? -largest : largest);
  };
  const ValueRow* best = nullptr;
  for (const ValueRow& row : rows) {
    const bool is_finding = !row.is_set_by_cpu() && row.name != describe(Scheme::kNone);
    if (is_finding && (best == nullptr || rank(row) > rank(*best))) best = &row;
  }
  return best;
}

}  // namespace labreport
