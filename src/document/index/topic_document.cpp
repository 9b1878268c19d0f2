// Makes a topic's page: the values of every GPU, side by side.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "document/index/pages.h"
#include "document/index/topic_figures.h"
#include "document/index/value_rows.h"
#include "document/keyed_number.h"

namespace labreport {
namespace {

constexpr double kMaxLaunchRatio = 1.02;  // Launches of one GPU differ by up to this factor.

/// True if no scheme that communicates is faster than the row's by more than launches differ, on
/// any GPU.
bool is_unbeaten(const ValueRow& row, const std::vector<ValueRow>& rows, std::size_t gpu_count) {
  for (const ValueRow& other : rows) {
    if (other.name == describe(Scheme::kNone) || !other.quantity().matches(row.quantity()))
      continue;
    for (std::size_t gpu = 0; gpu < gpu_count; ++gpu) {
      const Value ms = row.value(gpu, ""), other_ms = other.value(gpu, "");
      if (!ms.is_missing() && !other_ms.is_missing() &&
          *ms.number() > kMaxLaunchRatio * *other_ms.number())
        return false;
    }
  }
  return true;
}

/// Returns the facts of the conclusion: the topic's sentence and, for times, how much faster the
/// fastest GPU is than the slowest.
Facts conclusion_facts(const Topic& topic, const ValueRow& row, const std::vector<ValueRow>& rows,
                       const std::vector<GpuRuns>& gpus) {
  const std::string unit = row.quantity().unit;
  std::vector<std::string> words;
  std::set<std::string> distinct_numbers;
  std::vector<std::pair<double, std::size_t>> numbers_of_gpus;
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    const Value value = row.value(gpu, kTopicToRoot);
    if (value.is_missing()) continue;
    const std::string number = with_unit(format_value(value, brief_ms(*value.number())), unit);
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
      .set_markdown("sentence",
                    fmt::format(fmt::runtime(topic.sentence), fmt::arg("network", row.network),
                                fmt::arg("precision", row.quantity().precision),
                                fmt::arg("setting", row.quantity().setting),
                                fmt::arg("name", row.name), fmt::arg("values", join_words(words))))
      .flag("unbeaten", topic.name == std::string_view(topic::kSeveralGpus) &&
                            is_unbeaten(row, rows, gpus.size()))
      .when("faster", unit == "ms" && slow.first > kMaxLaunchRatio * fast.first,
            Facts()
                .set("fast", gpus[fast.second].short_name)
                .set("slow", gpus[slow.second].short_name)
                .set_markdown("times", keyed_ratio(times)));
}

/// True if the topic's table shows the row beside the conclusion.
bool is_shown(const Topic& topic, const ValueRow& conclusion, const ValueRow& row) {
  return topic.draws_quantity ? row.quantity().matches(conclusion.quantity())
                              : row.name == conclusion.name;
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
  if (rows.front().is_on_several_gpus()) {
    add_ratio(columns, gpus, 1,
              [](const ValueRow& row, std::size_t gpu) { return row.value(gpu, kTopicToRoot); });
  }
  return make_dataset(name, columns, rows);
}

/// Returns the keys of all numbers in the datasets.
std::set<std::string> keys_in(const std::vector<Dataset>& datasets) {
  std::set<std::string> keys;
  for (const Dataset& dataset : datasets) {
    for (const RowView& row : dataset.rows) {
      for (const Value& value : row.cells) {
        if (!value.key.empty()) keys.insert(value.key);
      }
    }
  }
  return keys;
}

/// Makes the section of one topic. Its figures' and tables' slugs begin with the topic's.
Section topic_section(const Topic& topic, const std::vector<GpuRuns>& gpus) {
  const std::vector<ValueRow> rows = value_rows(topic.name, gpus);
  const ValueRow* conclusion = conclusive_row(topic, rows);
  if (conclusion != nullptr && !conclusion->is_on_several_gpus()) conclusion = nullptr;
  PartContent content;
  content.facts.when("fits", topic.name == std::string_view(topic::kMemory) && has_fits_page(gpus),
                     "page", std::string(kTopicToRoot) + kFitsFile);
  content.facts.when("concluded", conclusion == nullptr ? std::nullopt
                                                        : std::optional(conclusion_facts(
                                                              topic, *conclusion, rows, gpus)));
  TopicFigure figure = topic_figure(topic, gpus);
  content.facts.add(figure.facts);
  const std::set<std::string> drawn_keys = keys_in(figure.data);
  const auto is_drawn = [&](const ValueRow& row) {
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
      if (row.by_gpu[gpu] && !drawn_keys.contains(row.value(gpu, "").key)) return false;
    }
    return true;
  };
  const auto unit_of = [](const ValueRow& row) { return row.quantity().unit; };
  for (const std::string& unit : distinct(each(rows, unit_of))) {
    const auto in_unit = only(rows, [&](const ValueRow& row) { return unit_of(row) == unit; });
    const std::string setting = common_setting(in_unit);
    const bool has_conclusion = conclusion != nullptr && unit_of(*conclusion) == unit;
    std::vector<ValueRow> shown, others, alone, set_by_cpu;
    for (const ValueRow& row : in_unit) {
      const bool is_in_table = has_conclusion && row.is_on_several_gpus() && !row.is_set_by_cpu() &&
                               is_shown(topic, *conclusion, row);
      // The data of the figure has the other rows that it draws.
      if (!is_in_table && !row.is_set_by_cpu() && is_drawn(row)) continue;
      (row.is_set_by_cpu()         ? set_by_cpu
       : !row.is_on_several_gpus() ? alone
       : is_in_table               ? shown
                                   : others)
          .push_back(row);
    }
    std::vector<Dataset> datasets{row_data("numbers", shown, setting.empty(), gpus),
                                  row_data("others", others, setting.empty(), gpus),
                                  row_data("alone", alone, setting.empty(), gpus),
                                  row_data("cpu", set_by_cpu, setting.empty(), gpus)};
    for (Dataset& dataset : datasets) {
      dataset.variant = unit + (setting.empty() ? "" : ", ") + setting;
      content.datasets.push_back(std::move(dataset));
    }
  }
  std::ranges::move(figure.data, std::back_inserter(content.datasets));
  Section section = overview_section("topic", std::move(content));
  section.problem = slug(topic.name);
  section.title = topic.name;
  const auto prefix = [&](std::string& slug) { slug = section.problem + "-" + slug; };
  for (Part& part : section.parts) {
    for (Figure& figure : part.figures) prefix(figure.slug);
    for (TableView& table : part.tables) prefix(table.slug);
    for (TableView& table : part.details.tables) prefix(table.slug);
  }
  return section;
}

/// Draws on each GPU the steps whose parts are known.
std::vector<Figure> step_figures(const std::vector<GpuRuns>& gpus) {
  std::vector<Figure> figures;
  for (const GpuRuns& gpu : gpus) {
    std::vector<LimitedStep> steps;
    for (const RunSummary* run : gpu.runs) {
      for (LimitedStep step : run->steps) {
        step.network = network_name(
            gpus, {.topic = "", .network = step.network, .parameters = step.parameters});
        steps.push_back(std::move(step));
      }
    }
    std::ranges::move(step_limits_figures(steps, gpu.short_name), std::back_inserter(figures));
  }
  return figures;
}

}  // namespace

Document topic_document(const std::string& page, const std::vector<GpuRuns>& gpus) {
  Document document;
  document.title = page;
  for (const Topic& topic : topics_on_page(gpus, page)) {
    document.sections.push_back(topic_section(topic, gpus));
    if (topic.name == std::string_view(topic::kFastestStep)) {
      std::ranges::move(step_figures(gpus),
                        std::back_inserter(document.sections.back().parts.front().figures));
    }
  }
  return document;
}

}  // namespace labreport
