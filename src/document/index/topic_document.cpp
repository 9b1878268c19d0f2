// Makes a topic's page: the newest values of every GPU, side by side.
#include <algorithm>
#include <set>
#include <tuple>

#include "analysis/measures.h"
#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "document/index/pages.h"

namespace labreport {
namespace {

constexpr const char* kTopicToRoot = "../../";
constexpr std::ptrdiff_t kMaxDrawnRows = 24;  // More do not fit a screen.

/// One quantity's measurements on each GPU, in the GPUs' order; null for a GPU without any.
using SeriesByGpu = std::vector<const Series*>;

const Quantity& quantity_of(const SeriesByGpu& by_gpu) {
  const auto first =
      std::ranges::find_if(by_gpu, [](const auto* series) { return series != nullptr; });
  return *(*first)->front().quantity;
}

/// One named value of one quantity.
struct ValueRow {
  std::string network, precision, setting, name;
  const SeriesByGpu* by_gpu;

  std::string label() const {
    std::vector<std::string> words{quantity_of(*by_gpu).network, precision, setting, name};
    std::erase(words, "");
    return join(words, ", ");
  }
  Value value(std::size_t gpu) const {
    const Series* series = (*by_gpu)[gpu];
    return series == nullptr ? Value() : newest_value(*series, name, kTopicToRoot);
  }
  bool is_on_several_gpus() const {
    std::size_t values = 0;
    for (std::size_t gpu = 0; gpu < by_gpu->size(); ++gpu) values += !value(gpu).is_missing();
    return values > 1;
  }
};

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

std::vector<ValueRow> value_rows(const std::vector<SeriesByGpu>& quantities, bool with_setting,
                                 const std::vector<GpuRuns>& gpus) {
  std::vector<ValueRow> rows;
  for (const SeriesByGpu& by_gpu : quantities) {
    std::vector<Series> measured;
    for (const Series* series : by_gpu) {
      if (series != nullptr) measured.push_back(*series);
    }
    const Quantity& quantity = quantity_of(by_gpu);
    for (const std::string& name : value_names(measured)) {
      rows.push_back({network_names(gpus, quantity), quantity.precision,
                      with_setting ? quantity.setting : "", name, &by_gpu});
    }
  }
  return rows;
}

/// Returns the row that the topic's conclusion is about, among those that several GPUs measured;
/// null if there is none. A row wins if it alone is not launch-bound, else by the larger network,
/// by a time in reduced precision, by the whole step, and at last by the larger value, or by the
/// smaller one if the topic's values are alternatives.
const ValueRow* conclusive_row(const Topic& topic, const std::vector<ValueRow>& rows) {
  const double sign = topic.has_alternatives ? -1 : 1;
  const auto rank = [sign](const ValueRow& row) {
    const Quantity& quantity = quantity_of(*row.by_gpu);
    double largest = 0;
    for (std::size_t gpu = 0; gpu < row.by_gpu->size(); ++gpu) {
      if (!row.value(gpu).is_missing()) largest = std::max(largest, *row.value(gpu).number());
    }
    return std::tuple(!quantity.is_launch_bound(), quantity.parameters,
                      quantity.unit == "ms" && row.precision != "FP32",
                      row.name == describe(Measure::kStep), sign * largest);
  };
  const ValueRow* best = nullptr;
  for (const ValueRow& row : rows) {
    if (row.is_on_several_gpus() && (best == nullptr || rank(row) > rank(*best))) best = &row;
  }
  return best;
}

/// Returns the facts of the conclusion: the row's number on each GPU and, for times, how much
/// faster the fastest GPU is than the slowest.
Facts conclusion_facts(const ValueRow& row, const std::vector<GpuRuns>& gpus,
                       const std::string& unit) {
  constexpr double kMaxLaunchRatio = 1.02;  // Launches of one GPU differ by up to this factor.
  std::vector<std::string> words;
  std::set<std::string> distinct_numbers;
  std::vector<std::pair<double, std::string>> numbers_of_gpus;
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    const Value value = row.value(gpu);
    if (value.is_missing()) continue;
    const std::string number = format_value(*value.number(), {Notation::kSignificant, 3});
    distinct_numbers.insert(number);
    numbers_of_gpus.emplace_back(*value.number(), gpus[gpu].short_name);
    words.push_back("**" + number + (unit == "×" ? "" : " ") + unit + "** on the " +
                    gpus[gpu].short_name);
  }
  const std::string on_each = "**" + *distinct_numbers.begin() + " " + unit + "** on each GPU";
  const auto [fast, slow] = std::ranges::minmax(numbers_of_gpus);
  return Facts()
      .set("what", row.label())
      .set_markdown("values", distinct_numbers.size() == 1 ? on_each : join_words(words))
      .when("faster", unit == "ms" && slow.first > kMaxLaunchRatio * fast.first,
            Facts()
                .set("fast", fast.second)
                .set("slow", slow.second)
                .set("times", format_ratio(slow.first / fast.first)));
}

struct TopicDot {
  std::string row, device;
  Value value;
};

const std::vector<Column<TopicDot>> kDotColumns{{"row", "Row", &TopicDot::row},
                                                {"device", "GPU", &TopicDot::device},
                                                {"value", "Value", &TopicDot::value}};

Dataset dot_data(const std::vector<ValueRow>& rows, const std::vector<GpuRuns>& gpus) {
  std::vector<TopicDot> drawn;
  std::ptrdiff_t row_count = 0;
  for (const ValueRow& row : rows) {
    if (!row.is_on_several_gpus() || ++row_count > kMaxDrawnRows) continue;
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
      const Value value = row.value(gpu);
      if (!value.is_missing()) drawn.push_back({row.label(), gpus[gpu].short_name, value});
    }
  }
  return make_dataset("dots", kDotColumns, drawn);
}

}  // namespace

Document topic_document(const Topic& topic, const std::vector<GpuRuns>& gpus) {
  std::vector<std::vector<Series>> of_gpus;
  std::vector<std::string> units;
  for (const GpuRuns& gpu : gpus) {
    of_gpus.push_back(quantity_series(gpu, topic.name));
    for (const Series& series : of_gpus.back()) units.push_back(series.front().quantity->unit);
  }
  PartContent content;
  content.facts.when("fits", topic.name == std::string_view(topic::kMemory) && has_fits_page(gpus),
                     "page", std::string(kTopicToRoot) + kFitsFile);
  bool leaves_rows_out = false;
  std::optional<Facts> conclusion;
  for (const std::string& unit : distinct(units)) {
    const std::vector<SeriesByGpu> quantities = quantities_in(of_gpus, unit);
    std::vector<Series> all;  // without runs, which common_setting() does not read
    for (const SeriesByGpu& by_gpu : quantities) all.push_back({{nullptr, &quantity_of(by_gpu)}});
    const std::string setting = common_setting(all);
    const std::vector<ValueRow> rows = value_rows(quantities, setting.empty(), gpus);
    const Quantity& first = quantity_of(quantities.front());
    std::vector<Column<ValueRow>> columns;
    if (!first.network.empty()) columns.push_back({"network", "Network", &ValueRow::network});
    if (!first.precision.empty())
      columns.push_back({"precision", "Precision", &ValueRow::precision});
    if (setting.empty()) columns.push_back({"setting", "Setting", &ValueRow::setting});
    columns.push_back({"name", "Quantity", &ValueRow::name});
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
      columns.push_back({gpus[gpu].name, gpus[gpu].short_name,
                         [gpu](const ValueRow& row) { return row.value(gpu); }, unit});
    }
    const ValueRow* row = conclusive_row(topic, rows);
    if (!conclusion && row != nullptr) conclusion = conclusion_facts(*row, gpus, unit);
    leaves_rows_out = leaves_rows_out ||
                      std::ranges::count_if(rows, &ValueRow::is_on_several_gpus) > kMaxDrawnRows;
    const auto is_on_one_gpu = [](const ValueRow& row) { return !row.is_on_several_gpus(); };
    for (Dataset dataset :
         {dot_data(rows, gpus),
          make_dataset("numbers", columns, only(rows, &ValueRow::is_on_several_gpus)),
          make_dataset("alone", columns, only(rows, is_on_one_gpu))}) {
      dataset.variant = unit + (setting.empty() ? "" : ", ") + setting;
      content.datasets.push_back(std::move(dataset));
    }
  }
  content.facts.when("concluded", conclusion);
  content.facts.flag("cut", leaves_rows_out).set("drawn", format_count(kMaxDrawnRows));
  Document document;
  document.title = topic.name;
  document.sections = {overview_section("topic", std::move(content))};
  return document;
}

}  // namespace labreport
