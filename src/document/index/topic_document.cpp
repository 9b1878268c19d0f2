// Makes a topic's page: the values of every GPU, side by side.
#include <algorithm>
#include <set>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "document/index/pages.h"
#include "document/index/value_rows.h"
#include "document/keyed_number.h"

namespace labreport {
namespace {

constexpr const char* kTopicToRoot = "../../";
constexpr std::ptrdiff_t kMaxDrawnRows = 24;  // More do not fit a screen.

/// Returns the facts of the conclusion: the row's number on each GPU and, for times, how much
/// faster the fastest GPU is than the slowest.
Facts conclusion_facts(const ValueRow& row, const std::vector<GpuRuns>& gpus) {
  constexpr double kMaxLaunchRatio = 1.02;  // Launches of one GPU differ by up to this factor.
  const std::string unit = row.quantity().unit;
  std::vector<std::string> words;
  std::set<std::string> distinct_numbers;
  std::vector<std::pair<double, std::size_t>> numbers_of_gpus;
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    const Value value = row.value(gpu, kTopicToRoot);
    if (value.is_missing()) continue;
    const std::string number = with_unit(format_value(value, kThreeDigits), unit);
    distinct_numbers.insert(number);
    numbers_of_gpus.emplace_back(*value.number(), gpu);
    words.push_back("**" + keyed_number(number, value) + "** on the " + gpus[gpu].short_name);
  }
  if (distinct_numbers.size() == 1) {
    const Value value = row.value(numbers_of_gpus.front().second, "");
    words = {"**" + keyed_number(*distinct_numbers.begin(), value) + "** on each GPU"};
  }
  const auto [fast, slow] = std::ranges::minmax(numbers_of_gpus);
  const Value times = row.value(slow.second, "").over(row.value(fast.second, ""));
  return Facts()
      .set("what", row.label(true))
      .set_markdown("values", join_words(words))
      .when("faster", unit == "ms" && slow.first > kMaxLaunchRatio * fast.first,
            Facts()
                .set("fast", gpus[fast.second].short_name)
                .set("slow", gpus[slow.second].short_name)
                .set_markdown("times", keyed_ratio(times)));
}

struct TopicDot {
  std::string row, device;
  Value value;
};

const std::vector<Column<TopicDot>> kDotColumns{{"row", "Row", &TopicDot::row},
                                                {"device", "GPU", &TopicDot::device},
                                                {"value", "Value", &TopicDot::value}};

Dataset dot_data(const std::vector<ValueRow>& rows, bool with_setting,
                 const std::vector<GpuRuns>& gpus) {
  std::vector<TopicDot> drawn;
  std::ptrdiff_t row_count = 0;
  for (const ValueRow& row : rows) {
    if (++row_count > kMaxDrawnRows) break;
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
      const Value value = row.value(gpu, kTopicToRoot);
      if (!value.is_missing())
        drawn.push_back({row.label(with_setting), gpus[gpu].short_name, value});
    }
  }
  return make_dataset("dots", kDotColumns, drawn);
}

Dataset row_data(const std::string& name, const std::vector<ValueRow>& rows, bool with_setting,
                 const std::vector<GpuRuns>& gpus) {
  std::vector<Column<ValueRow>> columns;
  if (rows.empty()) return make_dataset(name, columns, rows);
  const Quantity& first = rows.front().quantity();
  if (!first.network.empty()) columns.push_back({"network", "Network", &ValueRow::network});
  if (!first.precision.empty()) {
    columns.push_back(
        {"precision", "Precision", [](const ValueRow& row) { return row.quantity().precision; }});
  }
  if (with_setting) {
    columns.push_back(
        {"setting", "Setting", [](const ValueRow& row) { return row.quantity().setting; }});
  }
  columns.push_back({"name", "Quantity", &ValueRow::name});
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    columns.push_back({gpus[gpu].name, gpus[gpu].short_name,
                       [gpu](const ValueRow& row) { return row.value(gpu, kTopicToRoot); },
                       first.unit});
  }
  return make_dataset(name, columns, rows);
}

}  // namespace

Document topic_document(const Topic& topic, const std::vector<GpuRuns>& gpus) {
  const std::vector<ValueRow> rows = value_rows(topic.name, gpus);
  PartContent content;
  content.facts.when("fits", topic.name == std::string_view(topic::kMemory) && has_fits_page(gpus),
                     "page", std::string(kTopicToRoot) + kFitsFile);
  bool leaves_rows_out = false;
  const auto unit_of = [](const ValueRow& row) { return row.quantity().unit; };
  for (const std::string& unit : distinct(each(rows, unit_of))) {
    const auto in_unit = only(rows, [&](const ValueRow& row) { return unit_of(row) == unit; });
    const std::string setting = common_setting(in_unit);
    std::vector<ValueRow> compared, alone, set_by_cpu;
    for (const ValueRow& row : in_unit) {
      (row.is_set_by_cpu()        ? set_by_cpu
       : row.is_on_several_gpus() ? compared
                                  : alone)
          .push_back(row);
    }
    leaves_rows_out = leaves_rows_out || std::ssize(compared) > kMaxDrawnRows;
    for (Dataset dataset : {dot_data(compared, setting.empty(), gpus),
                            row_data("numbers", compared, setting.empty(), gpus),
                            row_data("alone", alone, setting.empty(), gpus),
                            row_data("cpu", set_by_cpu, setting.empty(), gpus)}) {
      dataset.variant = unit + (setting.empty() ? "" : ", ") + setting;
      content.datasets.push_back(std::move(dataset));
    }
  }
  const ValueRow* conclusion = conclusive_row(topic, rows);
  const bool concludes = conclusion != nullptr && conclusion->is_on_several_gpus();
  content.facts.when("concluded",
                     concludes ? std::optional(conclusion_facts(*conclusion, gpus)) : std::nullopt);
  content.facts.flag("cut", leaves_rows_out).set("drawn", format_count(kMaxDrawnRows));
  Document document;
  document.title = topic.name;
  document.sections = {overview_section("topic", std::move(content))};
  return document;
}

}  // namespace labreport
