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

// Launches of one GPU differ by up to this factor, “two per cent” in topic.md.
constexpr double kMaxLaunchRatio = 1.02;
// Reports write MiB with one decimal, five digits of 16,392.6.
constexpr Notation kMebibytesFormat{Notation::kNoTrailingZeros, 5};

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

/// Returns the title of the column of names: what the topic's values differ by.
const char* name_title(std::string_view topic) {
  return topic == topic::kFastestStep ? "Change"
         : topic == topic::kSeveralGpus || topic == topic::kSharding || topic == topic::kScaling
             ? "Scheme"
         : topic == topic::kKernels   ? "Part"
         : topic == topic::kAllReduce ? "Size"
                                      : "Quantity";
}

/// Returns the title of the column of settings, without the words that all rows share.
const char* setting_title(std::string_view topic) {
  return topic == topic::kAttention || topic == topic::kAttentionMemory ? "Implementation"
                                                                        : "Setting";
}

/// Returns the setting in which the values of a quantity are compared. A ladder's baseline is one
/// of the values, so it is no setting.
std::string plain_setting(const Topic& topic, const Quantity& quantity) {
  const std::string baseline = baseline_name(topic, quantity) + " baseline";
  return replaced(quantity.setting, ", " + baseline, "");
}

/// Returns the facts of the conclusion: the topic's sentence and, for times, how much faster the
/// fastest GPU is than the slowest. Nothing if the sentence needs a baseline and no GPU has it, or
/// if the value is not below it on each GPU that does.
std::optional<Facts> conclusion_facts(const Topic& topic, const ValueRow& row,
                                      const std::vector<ValueRow>& rows,
                                      const std::vector<GpuRuns>& gpus) {
  const std::string unit = row.quantity().unit;
  const std::string baseline = baseline_name(topic, row.quantity());
  const auto baseline_row = std::ranges::find_if(rows, [&](const ValueRow& other) {
    return other.name == baseline && other.quantity().matches(row.quantity());
  });
  std::vector<std::string> words;
  std::set<std::string> distinct_numbers;
  std::vector<std::pair<double, std::size_t>> numbers_of_gpus;
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    const Value value = row.value(gpu, kTopicToRoot);
    if (value.is_missing()) continue;
    const std::string number =
        unit == "MiB" ? format_bytes_briefly(*value.number() * kBytesPerMebibyte)
                      : with_unit(format_value(value, brief_ms(*value.number())), unit);
    const Value from = baseline_row == rows.end() ? Value() : baseline_row->value(gpu, "");
    if (!baseline.empty() && from.is_missing()) continue;
    if (!baseline.empty() && *from.number() <= *value.number()) return std::nullopt;
    distinct_numbers.insert(number);
    numbers_of_gpus.emplace_back(*value.number(), gpu);
    const std::string from_words =
        baseline.empty()
            ? ""
            : "from " + keyed_number(format_value(from, brief_ms(*from.number())), from) + " to ";
    words.push_back(from_words + "**" + keyed_number(number, value) + "** on the " +
                    escape_markdown(gpus[gpu].short_name));
  }
  if (words.empty()) return std::nullopt;
  if (baseline.empty() && words.size() > 1 && distinct_numbers.size() == 1) {
    const Value value = row.value(numbers_of_gpus.front().second, "");
    words = {"**" + keyed_number(*distinct_numbers.begin(), value) + "** on each GPU"};
  }
  const auto [fast, slow] = std::ranges::minmax(numbers_of_gpus);
  const Value times = row.value(slow.second, "").over(row.value(fast.second, ""));
  return Facts()
      .set_markdown(
          "sentence",
          fmt::format(
              fmt::runtime(topic.sentence), fmt::arg("network", escape_markdown(row.network)),
              fmt::arg("precision", escape_markdown(row.quantity().precision)),
              fmt::arg("setting", escape_markdown(plain_setting(topic, row.quantity()))),
              fmt::arg("name", escape_markdown(row.name)), fmt::arg("values", join_words(words))))
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

/// True if several GPUs have the value and a table would show all alike, so that one column does.
bool reads_the_same_on_all(const ValueRow& row, std::size_t gpu_count) {
  for (std::size_t gpu = 0; gpu < gpu_count; ++gpu) {
    const Value value = row.value(gpu, "");
    if (value.is_missing() || format_value(value, {}) != format_value(row.value(0, ""), {}))
      return false;
  }
  return gpu_count > 1;
}

/// Makes a table of rows in one unit. Words that several rows share are part of its title. Times
/// that the CPU sets have no advantage of a GPU.
Dataset row_data(const std::string& name, const std::vector<ValueRow>& rows,
                 const std::vector<GpuRuns>& gpus) {
  std::vector<Column<ValueRow>> columns;
  if (rows.empty()) return make_dataset(name, columns, rows);
  const Quantity& first = rows.front().quantity();
  std::vector<std::string> shared;
  const auto add_words = [&](const char* column, const char* title, const auto& words_of) {
    const std::vector<std::string> words = distinct(each(rows, words_of));
    const bool is_label = column == std::string_view("name");
    if (words.size() > 1 || (rows.size() == 1 && is_label)) {
      columns.push_back({column, title, words_of});
    } else if (!words.front().empty()) {
      shared.push_back(words.front());
    }
  };
  add_words("network", "Network", [](const ValueRow& row) { return row.network; });
  add_words("precision", "Precision", [](const ValueRow& row) { return row.quantity().precision; });
  const std::vector<std::string> shared_setting =
      shared_words(each(rows, [](const ValueRow& row) { return &row.quantity(); }));
  std::ranges::copy(shared_setting, std::back_inserter(shared));
  add_words("setting", setting_title(first.topic),
            [&](const ValueRow& row) { return words_except(shared_setting, row.quantity()); });
  add_words("name", name_title(first.topic), [](const ValueRow& row) { return row.name; });
  const bool is_same = std::ranges::all_of(
      rows, [&](const ValueRow& row) { return reads_the_same_on_all(row, gpus.size()); });
  for (std::size_t gpu = 0; gpu < (is_same ? 1 : gpus.size()); ++gpu) {
    columns.push_back({gpus[gpu].name, is_same ? "Each GPU" : gpus[gpu].short_name,
                       [gpu, &gpus](const ValueRow& row) {
                         return row.ran_out[gpu]
                                    ? Value::missing(gpus[gpu].short_name + ": " + kOutOfMemory)
                                    : row.value(gpu, kTopicToRoot);
                       },
                       first.unit, first.unit == "MiB" ? kMebibytesFormat : Notation()});
  }
  const bool is_of_gpus = std::ranges::none_of(rows, &ValueRow::is_set_by_cpu);
  const bool differs = std::ranges::any_of(rows, [&](const ValueRow& row) {
    return row.is_on_several_gpus() && !reads_the_same_on_all(row, gpus.size());
  });
  if (differs && is_of_gpus) {
    add_advantage(
        columns, gpus,
        [](const ValueRow& row, std::size_t gpu) { return row.value(gpu, kTopicToRoot); },
        [](const ValueRow& row) { return row.quantity().unit; });
  }
  Dataset dataset = make_dataset(name, columns, rows);
  dataset.variant = "in " + first.unit + (shared.empty() ? "" : ": ") + join(shared, ", ");
  return dataset;
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

/// Links to the reports whose steps the page divides by limits, as far as they have no ladder;
/// nothing if there are none.
std::optional<Facts> divided_step_facts(const std::vector<GpuRuns>& gpus) {
  std::vector<std::string> links;
  for (const GpuRuns& gpu : gpus) {
    const RunSummary* divided = nullptr;
    double parameters = 0;
    for (const RunSummary* run : gpu.runs) {
      for (const LimitedStep& step : run->steps) {
        if (!step.tuned && step.parameters > parameters)
          divided = run, parameters = step.parameters;
      }
    }
    const bool has_ladder =
        divided != nullptr && std::ranges::find(divided->quantities, topic::kFastestStep,
                                                &Quantity::topic) != divided->quantities.end();
    if (divided != nullptr && !has_ladder) {
      links.push_back("the [" + escape_markdown(gpu.short_name) + "](" + kTopicToRoot +
                      divided->address("") + ")");
    }
  }
  if (links.empty()) return std::nullopt;
  return Facts().set_markdown("runs", join_words(links));
}

/// Makes the section of one topic. Its figures' and tables' slugs begin with the topic's.
Section topic_section(const Topic& topic, const std::vector<GpuRuns>& gpus) {
  const std::vector<ValueRow> rows = value_rows(topic.name, gpus);
  const ValueRow* conclusion = conclusive_row(topic, rows);
  PartContent content;
  content.facts.when("fits", topic.name == std::string_view(topic::kMemory) && has_fits_page(gpus),
                     "page", std::string(kTopicToRoot) + kFitsFile);
  content.facts.when("concluded", conclusion == nullptr
                                      ? std::nullopt
                                      : conclusion_facts(topic, *conclusion, rows, gpus));
  TopicFigure figure = topic_figure(topic, gpus);
  content.facts.add(figure.facts);
  const bool is_overlapped =
      conclusion != nullptr && conclusion->name == describe(Scheme::kOverlapped);
  if (!is_overlapped) content.facts.when("overlap", std::nullopt);
  if (topic.name == std::string_view(topic::kFastestStep))
    content.facts.when("divided", divided_step_facts(gpus));
  for (const char* sentence : {"overlap", "lost", "winners", "kept", "where", "longest", "reached",
                               "fastest", "refused"}) {
    if (!content.facts.entries().contains(sentence)) content.facts.when(sentence, std::nullopt);
  }
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
    const bool has_conclusion = conclusion != nullptr && unit_of(*conclusion) == unit;
    std::vector<ValueRow> shown, others, alone, set_by_cpu;
    for (const ValueRow& row : in_unit) {
      const bool is_in_table =
          has_conclusion && !row.is_set_by_cpu() &&
          row.was_tried_on_several_gpus() == conclusion->was_tried_on_several_gpus() &&
          is_shown(topic, *conclusion, row);
      // The data of the figure has the other rows that it draws.
      const bool is_repeated = figure.labels_all_numbers || !is_in_table;
      if (is_repeated && !row.is_set_by_cpu() && is_drawn(row)) continue;
      (row.is_set_by_cpu()         ? set_by_cpu
       : is_in_table               ? shown
       : !row.is_on_several_gpus() ? alone
                                   : others)
          .push_back(row);
    }
    content.datasets.push_back(row_data("numbers", shown, gpus));
    content.datasets.push_back(row_data("others", others, gpus));
    content.datasets.push_back(row_data("alone", alone, gpus));
    content.datasets.push_back(row_data("cpu", set_by_cpu, gpus));
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
