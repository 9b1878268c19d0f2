#include "document/index/index_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "analysis/measures.h"
#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "document/charts/charts.h"
#include "document/index/ladders.h"
#include "document/index/pages.h"
#include "document/index/value_rows.h"
#include "document/keyed_number.h"
#include "embedded/document.h"

namespace labreport {
namespace {

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
  std::string note;  ///< The MFU or HFU, drawn beside the lane.

  std::string lane() const {
    return run->device + ", " + run->headline.network + " (" + run->edition + ")";
  }
  Value time() const {
    Value time = ms;
    time.key = run->key(precision + " step");
    return time;
  }
};

const std::vector<Column<IndexStep>> kStepColumns{
    {"lane", "GPU, network (edition)", &IndexStep::lane},
    {"precision", "Precision", &IndexStep::precision},
    {"time", "Training step", &IndexStep::time, "ms", kStepTimeFormat},
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
      steps.back().note = headline.precision + ": " +
                          format_value(headline.mfu, {Notation::kPercent}) + " % " +
                          headline.utilization;
    }
  }
  return make_dataset("steps", kStepColumns, steps);
}

/// Sets the facts of the ladder if one GPU has one. If several have it, sets those of the two GPUs
/// whose first steps are fastest and slowest.
void set_ladder_facts(Facts& facts, const std::vector<GpuLadder>& ladders) {
  const auto facts_of = [](const GpuLadder& ladder) {
    const Value first = ladder.first(), best = ladder.best();
    return Facts()
        .set("gpu", ladder.gpu->short_name)
        .set_markdown("from", keyed_number(format_value(first, kThreeDigits), first))
        .set_markdown("to", keyed_number(format_value(best, kThreeDigits) + " ms", best))
        .set("from_ms", first, kThreeDigits)
        .set("to_ms", best, kThreeDigits)
        .set("ratio", format_ratio(*first.over(best).number()))
        .set_markdown("times", keyed_ratio(first.over(best)));
  };
  facts.when("alone", ladders.size() == 1, ladders.size() == 1 ? facts_of(ladders[0]) : Facts());
  facts.set("network", ladders.empty() ? "" : ladders.front().network);
  const double parameters = ladders.empty() ? 0 : ladders.front().quantity().parameters;
  facts.when("counted", parameters > 0, "parameters",
             parameters < 1e9 ? format_fixed(parameters / 1e6, 0) + " million"
                              : format_fixed(parameters / 1e9, 1) + " billion");
  facts.set("precision", ladders.empty() ? "" : ladders.front().quantity().precision);
  if (ladders.size() < 2) {
    facts.when("tuning", std::nullopt);
    return;
  }
  const auto [fast, slow] = std::ranges::minmax(
      ladders, {}, [](const GpuLadder& ladder) { return *ladder.first().number(); });
  // Above 1, the slow GPU with all changes beats the fast GPU without any.
  const Value changes_speedup = fast.first().over(slow.best());
  const Value tuned_speedup = slow.best().over(fast.best());
  facts.when("tuning", Facts()
                           .when("fast", facts_of(fast))
                           .when("slow", facts_of(slow))
                           .when("beats", *changes_speedup.number() > 1,
                                 Facts().set_markdown("times", keyed_ratio(changes_speedup)))
                           .when("apart", *tuned_speedup.number() > 1,
                                 Facts().set_markdown("times", keyed_ratio(tuned_speedup))));
}

/// Says in a heading what the ladders show: that changes to the step gain more than the fastest GPU
/// does, else what they gain on the GPU with the fastest step.
std::string title_of(const std::vector<GpuLadder>& ladders) {
  if (ladders.empty()) return "A training step, measured";
  const auto time = [](const GpuLadder& ladder) { return *ladder.best().number(); };
  const auto [fast, slow] = std::ranges::minmax(ladders, {}, time);
  const bool beats = ladders.size() > 1 && time(slow) < *fast.first().number();
  const GpuLadder& shown = beats ? slow : fast;
  const std::size_t count = shown.changes_to_best();
  constexpr const char* kCounts[] = {"No", "One", "Two", "Three", "Four", "Five", "Six"};
  const std::string changes =
      (count < std::size(kCounts) ? kCounts[count] : std::to_string(count)) +
      std::string(count == 1 ? " change" : " changes") + " to the code ";
  if (beats) return changes + (count == 1 ? "beats" : "beat") + " a new GPU";
  return changes + (count == 1 ? "makes" : "make") + " a training step " +
         format_ratio(*shown.first().over(shown.best()).number()) + "× as fast";
}

/// Links to the ladders' reports if the topic's finding, a step of the same network, is another
/// report's.
std::optional<Facts> ladder_sources(const std::vector<GpuLadder>& ladders,
                                    const std::vector<GpuRuns>& gpus) {
  const std::vector<ValueRow> rows = value_rows(topic::kTrainingStep, gpus);
  const ValueRow* step =
      conclusive_row(*std::ranges::find(kTopics, topic::kTrainingStep, &Topic::name), rows);
  std::vector<std::string> links;
  bool is_timed_twice = false;
  for (const GpuLadder& ladder : ladders) {
    const std::string& first = ladder.quantity().values.front().first;
    const Measurement source = *chosen_measurement(ladder.series, first);
    links.push_back(fmt::format("[{}]({})", escape_markdown(ladder.gpu->short_name),
                                source.run->address(source.quantity->part)));
    const auto gpu = std::ranges::find(gpus, ladder.gpu->name, &GpuRuns::name) - gpus.begin();
    is_timed_twice =
        is_timed_twice ||
        (step != nullptr && step->by_gpu[gpu] && step->by_gpu[gpu]->run != source.run &&
         step->quantity().parameters == ladder.quantity().parameters);
  }
  if (!is_timed_twice) return std::nullopt;
  return Facts().set_markdown("links", join_words(links));
}

/// Returns the facts of the topic's finding, the speedup of a training step in reduced precision on
/// each GPU.
std::optional<Facts> mixed_precision_facts(const std::vector<GpuRuns>& gpus) {
  const std::vector<ValueRow> rows = value_rows(topic::kMixedPrecision, gpus);
  const ValueRow* row =
      conclusive_row(*std::ranges::find(kTopics, topic::kMixedPrecision, &Topic::name), rows);
  if (row == nullptr || row->name != describe(Measure::kStep)) return std::nullopt;
  std::vector<std::string> gains;
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    const Value speedup = row->value(gpu, "");
    if (!speedup.is_missing())
      gains.push_back(keyed_ratio(speedup) + " as fast on the " +
                      escape_markdown(gpus[gpu].short_name));
  }
  return Facts()
      .set("network", row->network)
      .set("precision", row->quantity().precision)
      .set_markdown("gains", join_words(gains));
}

/// Returns the facts of what a training step gains from the bandwidth of one GPU's memory: those of
/// the largest network that two GPUs profiled in reduced precision. Nothing unless the optimizer
/// gains about as much as copies do.
std::optional<Facts> memory_facts(const std::vector<GpuRuns>& gpus) {
  constexpr double kConfirmingFactor = 1.1;
  const auto limits = only(value_rows(topic::kLimits, gpus), [](const ValueRow& row) {
    return row.quantity().unit == "GB/s" && row.is_on_several_gpus();
  });
  const auto rows = only(value_rows(topic::kKernels, gpus), [](const ValueRow& row) {
    return row.quantity().precision != "FP32" && row.is_on_several_gpus();
  });
  const auto optimizer = std::ranges::find(rows, step_part::kOptimizer, &ValueRow::name);
  if (limits.empty() || optimizer == rows.end()) return std::nullopt;
  std::size_t fast = 0, slow = 0;
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    const auto bandwidth = [&](std::size_t i) {
      return limits.front().by_gpu[i] && optimizer->by_gpu[i]
                 ? *limits.front().value(i, "").number()
                 : 0;
    };
    if (bandwidth(gpu) > bandwidth(fast)) fast = gpu;
    if (bandwidth(slow) == 0 || (bandwidth(gpu) > 0 && bandwidth(gpu) < bandwidth(slow)))
      slow = gpu;
  }
  if (fast == slow) return std::nullopt;
  const auto gemms_ms = [&](std::size_t gpu) {
    Value sum = 0;
    for (const ValueRow& row : rows) {
      const Value ms = row.value(gpu, "");
      if (!row.quantity().matches(optimizer->quantity()) ||
          !row.name.ends_with(step_part::kGemms) || ms.is_missing())
        continue;
      sum = *sum.number() + *ms.number();
      sum.key = "gemms/" + ms.key;
    }
    return sum;
  };
  const Value times = limits.front().value(fast, "").over(limits.front().value(slow, ""));
  const Value ms = optimizer->value(fast, ""), slow_ms = optimizer->value(slow, "");
  const double gain = *slow_ms.number() / *ms.number();
  if (std::abs(std::log(gain / *times.number())) > std::log(kConfirmingFactor)) return std::nullopt;
  const auto keyed_ms = [](const Value& value) {
    return keyed_number(format_value(value, kThreeDigits) + " ms", value);
  };
  return Facts()
      .set("fast", gpus[fast].short_name)
      .set("slow", gpus[slow].short_name)
      .set("network", optimizer->network)
      .set("precision", optimizer->quantity().precision)
      .set_markdown("ms", keyed_ms(ms))
      .set_markdown("slow_ms", keyed_ms(slow_ms))
      .set_markdown("times", keyed_ratio(times))
      .set_markdown("gemms", keyed_ms(gemms_ms(fast)))
      .set_markdown("slow_gemms", keyed_ms(gemms_ms(slow)));
}

/// Links to the pages that a reader of the index wants next.
std::string next_links(const std::vector<GpuRuns>& gpus, bool has_ladders) {
  std::vector<std::string> links;
  if (has_ladders) {
    links.push_back(fmt::format("[where each change saves time]({}/index.html)",
                                topic_folder(topic::kFastestStep)));
  }
  if (has_fits_page(gpus))
    links.push_back(fmt::format("[which step fits on which GPU]({})", kFitsFile));
  links.push_back(fmt::format("[two GPUs side by side]({})", kCompareFile));
  return join_words(links);
}

/// Returns the GPU's value of each quantity and the page that shows it, as site/compare.js reads
/// them.
nlohmann::json chosen_quantities(const GpuRuns& gpu) {
  nlohmann::json quantities = nlohmann::json::array();
  for (const Topic& topic : kTopics) {
    for (const Series& series : quantity_series(gpu, topic.name)) {
      nlohmann::json quantity = *series.front().quantity;
      quantity.erase("part");
      quantity["remark"] = remark_on(series);
      quantity["values"] = quantity["set_by_cpu"] = nlohmann::json::array();
      for (const std::string& name : value_names({series})) {
        const Measurement chosen = *chosen_measurement(series, name);
        const Value value = chosen.value(name, "");
        quantity["values"].push_back({name, *value.number(), value.link});
        if (chosen.quantity->is_set_by_cpu(name)) quantity["set_by_cpu"].push_back(name);
      }
      quantities.push_back(std::move(quantity));
    }
  }
  return quantities;
}

/// Returns the spec of the figure of two sides' advantages, without rows and names of sides.
nlohmann::json advantages_spec(ChartWidth width) {
  auto spec = nlohmann::json::parse(
      embedded::document().at("src/document/charts/figures/advantages.vl.json"));
  spec["layer"][0]["encoding"]["color"]["scale"] = series_scale("color", {"a", "b"});
  return themed(std::move(spec), width);
}

}  // namespace

Document index_document(std::vector<RunSummary> runs) {
  std::ranges::sort(runs, is_listed_before);
  Document document;
  document.title = title_of({});
  document.demonstration = std::ranges::any_of(runs, &RunSummary::demonstration);
  if (runs.empty()) return document;
  const std::vector<GpuRuns> gpus = runs_by_gpu(runs);
  const std::vector<GpuLadder> ladders = common_ladders(gpus);
  document.title = title_of(ladders);
  PartContent content;
  set_ladder_facts(content.facts, ladders);
  content.facts.when("sources", ladder_sources(ladders, gpus));
  content.facts.when("pages", gpus.empty() ? std::nullopt
                                           : std::optional(Facts().set_markdown(
                                                 "links", next_links(gpus, !ladders.empty()))));
  content.facts.when("mixed", mixed_precision_facts(gpus)).when("memory", memory_facts(gpus));
  std::vector<const RunSummary*> rows;
  for (const RunSummary& run : runs) rows.push_back(&run);
  content.datasets = {ladder_data(ladders), finding_data("matrix", gpus, gpus, ""),
                      report_data(rows, gpus), run_data(rows, gpus, "")};
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
  if (!runs.empty()) pages.front().compare_link = kCompareFile;
  const std::vector<GpuRuns> gpus = runs_by_gpu(runs);
  for (const GpuRuns& gpu : gpus) {
    pages.push_back({gpu.folder(), "", gpu_document(gpu, gpus)});
    pages.back().compare_link = std::string("../") + kCompareFile + "?a=" + gpu.folder();
  }
  for (const Topic& topic : kTopics) {
    if (topic.page != topic.name || topics_on_page(gpus, topic.page).empty()) continue;
    pages.push_back({topic_folder(topic.page), "", topic_document(topic.page, gpus)});
  }
  if (has_fits_page(gpus)) pages.push_back(fits_page(gpus));
  for (OverviewPage& page : pages) {
    page.document.reference = std::ranges::all_of(runs, &RunSummary::reference);
    const bool is_topic = page.folder.starts_with("topic/");
    page.document.provenance = words_of_editions(gpus, is_topic ? page.document.title : "");
  }
  return pages;
}

std::vector<SiteLink> site_links(const std::vector<RunSummary>& runs) {
  const std::vector<GpuRuns> gpus = runs_by_gpu(runs);
  std::vector<SiteLink> links;
  for (const GpuRuns& gpu : gpus) links.push_back({gpu.short_name, gpu.folder() + "/index.html"});
  // The order does not depend on the runs' times, so that a new run changes no page's head.
  std::ranges::sort(links, {}, &SiteLink::name);
  for (const Topic& topic : kTopics) {
    if (topic.page == topic.name && !topics_on_page(gpus, topic.page).empty())
      links.push_back({topic.name, topic_folder(topic.page) + "/index.html"});
  }
  if (!runs.empty()) links.push_back({"Compare", kCompareFile});
  if (has_fits_page(gpus)) links.push_back({"What fits", kFitsFile});
  return links;
}

std::map<std::string, std::string> topics_of_parts(const RunSummary& run, const std::string& root) {
  std::map<std::string, std::string> addresses;
  if (run.demonstration) return addresses;
  for (const Quantity& quantity : run.quantities) {
    for (const Topic& topic : kTopics) {
      if (quantity.topic == topic.name && topic.page != nullptr && !quantity.part.empty())
        addresses.emplace(quantity.part, topic_address(topic, root));
    }
  }
  return addresses;
}

std::string parts_script(const std::vector<RunSummary>& runs) {
  nlohmann::json parts = nlohmann::json::object();
  for (const GpuRuns& gpu : runs_by_gpu(runs)) {
    std::set<std::string> known;  // The newest run is the first.
    for (const RunSummary* run : gpu.runs) {
      for (const Quantity& quantity : run->quantities) {
        if (quantity.part.empty() || !known.insert(quantity.part).second) continue;
        parts[quantity.part].push_back(
            {gpu.short_name, gpu.folder() + "/", run->address(quantity.part)});
      }
    }
  }
  return "linkOtherGpus(" + parts.dump() + ");\n";
}

bool ComparedPair::compares(const std::string& gpu_folder) const {
  return std::ranges::any_of(
      runs, [&](const std::string& run) { return run.starts_with(gpu_folder + "/"); });
}

Document compare_document() {
  Document document;
  document.title = "Compare two GPUs or runs";
  document.relation = "by main numbers";
  document.method =
      "A ready comparison joins two runs cell by cell. Any other pair is compared by the main "
      "numbers of both, from each run’s `summary.json`. Networks with equally many parameters "
      "share a row. Of a GPU, the run counts that its ready comparisons show, and for what it "
      "lacks the "
      "newest.";
  document.reproduce = "make diff A=… B=…";
  return document;
}

std::string summaries_script(std::vector<RunSummary> runs, const std::vector<ComparedPair>& pairs) {
  std::ranges::sort(runs, &RunSummary::is_newer_than);
  const std::vector<GpuRuns> all_gpus = runs_by_gpu(runs);
  nlohmann::json gpus = nlohmann::json::array(), networks = nlohmann::json::object();
  for (const GpuRuns& gpu : all_gpus) {
    gpus.push_back({{"folder", gpu.folder()},
                    {"name", gpu.name},
                    {"short_name", gpu.short_name},
                    {"color", series_style(gpu.short_name, gpus.size()).color},
                    {"quantities", chosen_quantities(gpu)}});
    for (const RunSummary* run : gpu.runs) {
      for (const Quantity& quantity : run->quantities) {
        if (quantity.parameters > 0)
          networks[fmt::format("{:.0f}", quantity.parameters)] = network_name(all_gpus, quantity);
      }
    }
  }
  std::string lines;
  for (const RunSummary& run : runs) {
    lines += lines.empty() ? "" : ",\n";
    lines += trimmed(summary_json(run));
  }
  const auto compact = [](const nlohmann::json& json) { return json.dump(-1, ' ', true); };
  return fmt::format(
      "window.labreportSummaries = {{\"topics\": {},\n\"networks\": {},\n\"gpus\": {},\n"
      "\"comparisons\": {},\n\"advantages\": {},\n\"runs\": [\n{}\n]}};\n",
      compact(each(kTopics, &Topic::name)), compact(networks), compact(gpus),
      compact(nlohmann::json(pairs)),
      compact({advantages_spec(ChartWidth::kWide), advantages_spec(ChartWidth::kNarrow)}), lines);
}

}  // namespace labreport
