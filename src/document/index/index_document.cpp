#include "document/index/index_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "analysis/measures.h"
#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "document/index/ladders.h"
#include "document/index/pages.h"

namespace labreport {
namespace {

constexpr Notation kLadderFormat{Notation::kSignificant, 3};
constexpr Notation kStepTimeFormat{Notation::kSignificant, 4};

/// True if `a` is listed before `b`. The user's runs come before those that ship with the project,
/// whose full runs come before excerpts. CPU demonstrations come last. Otherwise newer runs come
/// first.
bool is_listed_before(const RunSummary& a, const RunSummary& b) {
  const auto rank = [](const RunSummary& run) {
    const bool is_excerpt = run.reference && (run.preset != "full" || !run.problems.empty());
    return std::tuple(run.demonstration, run.reference, is_excerpt);
  };
  return rank(a) != rank(b) ? rank(a) < rank(b) : a.is_newer_than(b);
}

/// One training step of one run at one precision.
struct IndexStep {
  const RunSummary* run;
  std::string precision;
  double ms;
  std::string note;  ///< The MFU, drawn beside the lane.

  std::string lane() const {
    return run->device + ", " + run->headline.network + " (" + run->edition + ")";
  }
};

const std::vector<Column<IndexStep>> kStepColumns{
    {"lane", "GPU, network (edition)", &IndexStep::lane},
    {"precision", "Precision", &IndexStep::precision},
    {"time", "Training step", &IndexStep::ms, "ms", kStepTimeFormat},
    {"note", "MFU", &IndexStep::note}};

/// Makes the dataset "steps" from the first listed run of each GPU, edition and network.
Dataset first_listed_steps(const std::vector<RunSummary>& runs) {
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  std::vector<IndexStep> steps;
  for (const RunSummary& run : runs) {
    const Headline& headline = run.headline;
    if (!seen.insert({run.device, run.edition, headline.network}).second) continue;
    if (headline.fp32_ms > 0) steps.push_back({&run, "FP32", headline.fp32_ms, ""});
    if (headline.mixed_ms <= 0) continue;
    steps.push_back({&run, headline.precision, headline.mixed_ms, ""});
    if (headline.mfu > 0) {
      steps.back().note =
          headline.precision + ": " + format_value(headline.mfu, {Notation::kPercent}) + " % MFU";
    }
  }
  return make_dataset("steps", kStepColumns, steps);
}

Value key_number_cell(const PreferredKeyNumber& preferred, bool with_edition) {
  if (preferred.run == nullptr) return {};
  Value cell = preferred.number->words + (with_edition ? " (" + preferred.run->edition + ")" : "");
  cell.link = preferred.run->address(preferred.number->part);
  return cell;
}

/// Makes the dataset "matrix": a row for each topic and a column for each GPU. A row has the
/// numbers of the edition in which most GPUs have one. If a GPU has only another edition's number,
/// the numbers name their editions, because editions give one name to different networks. The last
/// row links to the GPUs' pages.
Dataset topic_matrix_data(const std::vector<GpuRuns>& gpus) {
  constexpr const char* kAll = "All numbers";
  struct Row {
    std::string topic;
    Value name;
    std::vector<Value> cells = {};
  };
  std::vector<Row> rows;
  for (const std::string topic : each(kTopics, &Topic::name)) {
    const std::string edition = most_common_edition(gpus, topic);
    if (edition.empty()) continue;
    Row& row = rows.emplace_back(Row{topic, topic});
    if (has_topic_page(gpus, topic)) row.name.link = topic_folder(topic) + "/index.html";
    std::vector<PreferredKeyNumber> numbers;
    for (const GpuRuns& gpu : gpus) numbers.push_back(preferred_key_number(gpu, topic, edition));
    const bool mixes_editions =
        std::ranges::any_of(numbers, [&](const PreferredKeyNumber& preferred) {
          return preferred.run != nullptr && preferred.run->edition != edition;
        });
    for (const PreferredKeyNumber& preferred : numbers)
      row.cells.push_back(key_number_cell(preferred, mixes_editions));
  }
  if (!rows.empty()) {
    Row& row = rows.emplace_back(Row{kAll, kAll});
    for (const GpuRuns& gpu : gpus) {
      row.cells.emplace_back(gpu.name);
      row.cells.back().link = gpu.folder() + "/index.html";
    }
  }
  std::vector<Column<Row>> columns{{"topic", "Topic", &Row::name}};
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    columns.push_back(
        {gpus[gpu].name, gpus[gpu].short_name, [gpu](const Row& row) { return row.cells[gpu]; }});
  }
  return make_dataset("matrix", columns, rows);
}

Facts ladder_facts(const GpuLadder& ladder) {
  return Facts()
      .set("gpu", ladder.gpu->short_name)
      .set("from", ladder.first_ms(), kLadderFormat)
      .set("to", ladder.best_ms(), kLadderFormat);
}

/// Sets the facts of the ladder if one GPU has one. If several have it, sets those of the two GPUs
/// whose first steps are fastest and slowest.
void set_ladder_facts(Facts& facts, const std::vector<GpuLadder>& ladders) {
  facts.when("alone", ladders.size() == 1,
             ladders.size() == 1 ? ladder_facts(ladders[0]) : Facts());
  facts.set("network", ladders.empty() ? "" : ladders.front().quantity->network);
  facts.set("precision", ladders.empty() ? "" : ladders.front().quantity->precision);
  if (ladders.size() < 2) {
    facts.when("tuning", std::nullopt);
    return;
  }
  const auto [fast, slow] = std::ranges::minmax(ladders, {}, &GpuLadder::first_ms);
  // Above 1, the slow GPU with all changes beats the fast GPU without any.
  const double changes_speedup = fast.first_ms() / slow.best_ms();
  const double tuned_speedup = slow.best_ms() / fast.best_ms();
  facts.when("tuning",
             Facts()
                 .when("fast", ladder_facts(fast))
                 .when("slow", ladder_facts(slow))
                 .when("beats", changes_speedup > 1, "times", format_ratio(changes_speedup))
                 .when("apart", tuned_speedup > 1, "times", format_ratio(tuned_speedup)));
}

/// Returns the facts of the speedup of a training step in reduced precision on each GPU, for the
/// largest of the networks that most GPUs have timed in both precisions.
std::optional<Facts> mixed_precision_facts(const std::vector<GpuRuns>& gpus) {
  struct Speedups {
    const Quantity* mixed;
    std::vector<std::string> words;
  };
  std::vector<Speedups> speedups;
  const std::string step = describe(Measure::kStep);
  for (const GpuRuns& gpu : gpus) {
    const auto all = quantity_series(gpu, topic::kTrainingStep);
    for (const Series& series : all) {
      const Quantity* mixed = series.front().quantity;
      const double* mixed_ms = mixed->find(step);
      if (mixed_ms == nullptr || mixed->precision == "FP32") continue;
      Quantity fp32_quantity = *mixed;
      fp32_quantity.precision = "FP32";
      const auto fp32 = std::ranges::find_if(
          all, [&](const Series& other) { return other.front().quantity->matches(fp32_quantity); });
      const double* fp32_ms = fp32 == all.end() ? nullptr : fp32->front().quantity->find(step);
      if (fp32_ms == nullptr) continue;
      auto known = std::ranges::find_if(
          speedups, [&](const Speedups& speedup) { return speedup.mixed->matches(*mixed); });
      if (known == speedups.end()) known = speedups.insert(known, {mixed, {}});
      known->words.push_back(format_ratio(*fp32_ms / *mixed_ms) + " times as fast on the " +
                             gpu.short_name);
    }
  }
  if (speedups.empty()) return std::nullopt;
  const Speedups& most = *std::ranges::max_element(speedups, {}, [](const Speedups& speedup) {
    return std::tuple(speedup.words.size(), speedup.mixed->parameters,
                      speedup.mixed->precision == "BF16");
  });
  return Facts()
      .set("network", most.mixed->network)
      .set("precision", most.mixed->precision)
      .set("gains", join_words(most.words));
}

}  // namespace

Document index_document(std::vector<RunSummary> runs) {
  std::ranges::sort(runs, is_listed_before);
  Document document;
  document.title = "A training step, measured";
  document.demonstration = std::ranges::any_of(runs, &RunSummary::demonstration);
  if (runs.empty()) return document;
  const std::vector<GpuRuns> gpus = runs_by_gpu(runs);
  const std::vector<GpuLadder> ladders = common_ladders(gpus);
  PartContent content;
  set_ladder_facts(content.facts, ladders);
  content.facts.when("mixed", mixed_precision_facts(gpus));
  content.facts.when("fits", has_fits_page(gpus), "page", kFitsFile);
  std::vector<const RunSummary*> rows;
  for (const RunSummary& run : runs) rows.push_back(&run);
  content.datasets = {ladder_data(ladders), topic_matrix_data(gpus), run_data(rows, "")};
  if (ladders.empty()) content.datasets.push_back(first_listed_steps(runs));
  document.sections = {overview_section("index", std::move(content))};
  return document;
}

std::vector<OverviewPage> overview_pages(const std::vector<RunSummary>& runs) {
  std::vector<OverviewPage> pages{{"",
                                   "Each report measures a Transformer’s training step, on one GPU "
                                   "or several, and answers problems of CS336 assignment 2 from "
                                   "what it measured.",
                                   index_document(runs)}};
  const bool has_compare_page = runs.size() > 1;
  if (has_compare_page) pages.front().compare_link = kCompareFile;
  const std::vector<GpuRuns> gpus = runs_by_gpu(runs);
  for (const GpuRuns& gpu : gpus) {
    pages.push_back({gpu.folder(),
                     "The newest number of each kind that this GPU measured, and its runs.",
                     gpu_document(gpu, gpus)});
    if (has_compare_page)
      pages.back().compare_link = std::string("../") + kCompareFile + "?a=" + gpu.folder();
  }
  for (const Topic& topic : kTopics) {
    if (!has_topic_page(gpus, topic.name)) continue;
    pages.push_back({topic_folder(topic.name), "The newest numbers of every GPU, side by side.",
                     topic_document(topic, gpus)});
  }
  if (has_compare_page) {
    Document compare_document;
    compare_document.title = "Compare two GPUs or runs";
    pages.push_back({"",
                     "The main numbers of both, side by side. Networks with equally many "
                     "parameters share a row.",
                     compare_document});
    pages.back().file = kCompareFile;
  }
  if (has_fits_page(gpus)) pages.push_back(fits_page(gpus));
  return pages;
}

std::string summaries_script(std::vector<RunSummary> runs) {
  std::ranges::sort(runs, &RunSummary::is_newer_than);
  nlohmann::json gpus = nlohmann::json::array();
  for (const GpuRuns& gpu : runs_by_gpu(runs)) {
    gpus.push_back({{"folder", gpu.folder()}, {"name", gpu.name}, {"short_name", gpu.short_name}});
  }
  std::string lines;
  for (const RunSummary& run : runs) {
    lines += lines.empty() ? "" : ",\n";
    lines += trimmed(summary_json(run));
  }
  return fmt::format(
      "window.labreportSummaries = {{\"topics\": {},\n\"gpus\": {},\n\"runs\": [\n{}\n]}};\n",
      nlohmann::json(each(kTopics, &Topic::name)).dump(-1, ' ', true), gpus.dump(-1, ' ', true),
      lines);
}

}  // namespace labreport
