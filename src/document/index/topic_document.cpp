#include <algorithm>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "document/index/pages.h"

namespace labreport {
namespace {

constexpr const char* kAboveTopic = "../../";
constexpr std::ptrdiff_t kMostDrawn = 24;  // More rows do not fit a screen.

/// One quantity on each GPU, in the GPUs' order; null: not measured there.
using OnGpus = std::vector<const Measurements*>;

const Quantity& quantity_of(const OnGpus& measured) {
  const auto first =
      std::ranges::find_if(measured, [](const auto* same) { return same != nullptr; });
  return *(*first)->front().quantity;
}

/// One named value of one quantity.
struct ValueRow {
  std::string network, precision, setting, name;
  const OnGpus* measured;

  std::string label() const {
    std::vector<std::string> words{quantity_of(*measured).network, precision, setting, name};
    std::erase(words, "");
    return join(words, ", ");
  }
  Value value(std::size_t gpu) const {
    const Measurements* same = (*measured)[gpu];
    return same == nullptr ? Value() : newest_value(*same, name, kAboveTopic);
  }
  bool on_several() const {
    std::size_t known = 0;
    for (std::size_t gpu = 0; gpu < measured->size(); ++gpu) known += !value(gpu).is_missing();
    return known > 1;
  }
};

/// The quantities that GPUs measured in one unit, larger networks first.
std::vector<OnGpus> matched(const std::vector<std::vector<Measurements>>& of_gpus,
                            const std::string& unit) {
  std::vector<OnGpus> all;
  for (std::size_t gpu = 0; gpu < of_gpus.size(); ++gpu) {
    for (const Measurements& same : of_gpus[gpu]) {
      const Quantity& quantity = *same.front().quantity;
      if (quantity.unit != unit) continue;
      auto known = std::ranges::find_if(
          all, [&](const OnGpus& other) { return quantity_of(other).matches(quantity); });
      if (known == all.end()) known = all.insert(known, OnGpus(of_gpus.size()));
      (*known)[gpu] = &same;
    }
  }
  std::ranges::stable_sort(all, std::greater(),
                           [](const OnGpus& measured) { return quantity_of(measured).parameters; });
  return all;
}

/// A row for each value of each quantity.
std::vector<ValueRow> value_rows(const std::vector<OnGpus>& quantities, bool with_setting,
                                 const std::vector<GpuRuns>& gpus) {
  std::vector<ValueRow> rows;
  for (const OnGpus& measured : quantities) {
    std::vector<Measurements> known;
    for (const Measurements* same : measured) {
      if (same != nullptr) known.push_back(*same);
    }
    const Quantity& quantity = quantity_of(measured);
    for (const std::string& name : value_names(known)) {
      rows.push_back({network_names(gpus, quantity), quantity.precision,
                      with_setting ? quantity.setting : "", name, &measured});
    }
  }
  return rows;
}

struct Dot {
  std::string row, device;
  Value value;
};

const std::vector<Column<Dot>> kDots{
    {"row", "Row", &Dot::row}, {"device", "GPU", &Dot::device}, {"value", "Value", &Dot::value}};

Dataset dots(const std::vector<ValueRow>& rows, const std::vector<GpuRuns>& gpus) {
  std::vector<Dot> drawn;
  std::ptrdiff_t count = 0;
  for (const ValueRow& row : rows) {
    if (!row.on_several() || ++count > kMostDrawn) continue;
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
      const Value value = row.value(gpu);
      if (!value.is_missing()) drawn.push_back({row.label(), gpus[gpu].short_name, value});
    }
  }
  return make_dataset("dots", kDots, drawn);
}

}  // namespace

Document topic_document(const std::string& topic, const std::vector<GpuRuns>& gpus) {
  std::vector<std::vector<Measurements>> of_gpus;
  std::vector<std::string> units;
  for (const GpuRuns& gpu : gpus) {
    of_gpus.push_back(measurements(gpu, topic));
    for (const Measurements& same : of_gpus.back()) units.push_back(same.front().quantity->unit);
  }
  PartContent content;
  content.facts.when("fits", topic == topic::kMemory && has_fits(gpus), "page",
                     std::string(kAboveTopic) + kFitsFile);
  bool cut = false;
  for (const std::string& unit : distinct(units)) {
    const std::vector<OnGpus> quantities = matched(of_gpus, unit);
    std::vector<Measurements> all;
    for (const OnGpus& measured : quantities) all.push_back({{nullptr, &quantity_of(measured)}});
    const std::string common = common_setting(all);
    const std::vector<ValueRow> rows = value_rows(quantities, common.empty(), gpus);
    const Quantity& first = *all.front().front().quantity;
    std::vector<Column<ValueRow>> columns;
    if (!first.network.empty()) columns.push_back({"network", "Network", &ValueRow::network});
    if (!first.precision.empty())
      columns.push_back({"precision", "Precision", &ValueRow::precision});
    if (common.empty()) columns.push_back({"setting", "Setting", &ValueRow::setting});
    columns.push_back({"name", "Value", &ValueRow::name});
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
      columns.push_back({gpus[gpu].gpu, gpus[gpu].short_name,
                         [gpu](const ValueRow& row) { return row.value(gpu); }, unit});
    }
    cut = cut || std::ranges::count_if(rows, &ValueRow::on_several) > kMostDrawn;
    const auto alone = [](const ValueRow& row) { return !row.on_several(); };
    for (Dataset dataset :
         {dots(rows, gpus), make_dataset("numbers", columns, only(rows, &ValueRow::on_several)),
          make_dataset("alone", columns, only(rows, alone))}) {
      dataset.variant = unit + (common.empty() ? "" : ", ") + common;
      content.datasets.push_back(std::move(dataset));
    }
  }
  content.facts.flag("cut", cut).set("drawn", format_count(kMostDrawn));
  Document document;
  document.title = topic;
  document.sections = {overview_section("topic", std::move(content))};
  return document;
}

}  // namespace labreport
