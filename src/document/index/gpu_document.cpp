#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/measures.h"
#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "document/index/pages.h"
#include "document/index/value_rows.h"
#include "document/keyed_number.h"

namespace labreport {
namespace {

constexpr const char* kGpuToRoot = "../";
constexpr std::size_t kMinHistoryRuns = 3;

/// Returns the GPUs with `gpu` first.
std::vector<GpuRuns> with_first(const GpuRuns& gpu, std::vector<GpuRuns> gpus) {
  std::ranges::stable_partition(gpus, [&](const GpuRuns& other) { return other.name == gpu.name; });
  return gpus;
}

std::vector<const RunSummary*> newest_first(std::vector<const RunSummary*> runs) {
  std::ranges::sort(runs,
                    [](const auto* run, const auto* other) { return run->is_newer_than(*other); });
  return runs;
}

struct LimitRow {
  std::string what;  ///< "BF16, sustained GEMM rate (TFLOP/s)"
  std::vector<Value> cells;
  Value sheet = {};  ///< The first GPU's, by its data sheet.
};

/// Returns the value of the row's limit that the GPU's data sheet has.
Value datasheet_value(const GpuRuns& gpu, const ValueRow& row) {
  for (const Series& series : quantity_series(gpu, topic::kDataSheet)) {
    const Quantity& sheet = *series.front().quantity;
    if (sheet.setting != row.quantity().setting || sheet.unit != row.quantity().unit) continue;
    const auto measurement = chosen_measurement(series, row.name);
    Value value = measurement ? measurement->value(row.name, "") : Value();
    value.link = "";  // No report shows it.
    return value;
  }
  return {};
}

/// Makes a row for each limit that the first GPU measured, with that GPU's data sheet, a column for
/// each GPU and, for two, the ratio.
Dataset limit_data(const std::vector<GpuRuns>& gpus) {
  std::vector<LimitRow> rows;
  if (!gpu_memory(gpus.front()).is_missing())
    rows.push_back({"memory (GiB)", each(gpus, gpu_memory)});
  for (const ValueRow& row : value_rows(topic::kLimits, gpus)) {
    if (!row.by_gpu.front()) continue;
    LimitRow limit{row.quantity().setting + ", " + row.name + " (" + row.quantity().unit + ")", {}};
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu)
      limit.cells.push_back(row.value(gpu, kGpuToRoot));
    limit.sheet = datasheet_value(gpus.front(), row);
    rows.push_back(std::move(limit));
  }
  std::vector<Column<LimitRow>> columns{{"what", "Measured limit", &LimitRow::what}};
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    columns.push_back(
        {gpus[i].name, gpus[i].short_name, [i](const LimitRow& row) { return row.cells[i]; }});
    if (i > 0) continue;
    columns.push_back({"sheet", "Its data sheet", &LimitRow::sheet});
    columns.push_back({"of_sheet", "Of the data sheet",
                       [](const LimitRow& row) { return row.cells[0].over(row.sheet); }, "%",
                       kAsPercent});
  }
  add_advantage(
      columns, gpus, [](const LimitRow& row, std::size_t i) { return row.cells[i]; },
      [](const LimitRow&) { return std::string(); });
  return make_dataset("limits", columns, rows);
}

/// A rate that the GPU sustains beside its data sheet's.
struct LimitShare {
  std::string what;  ///< "GEMMs in BF16"
  Value rate, sheet;
  std::string unit;
  Value fastest = {};      ///< The fastest GEMM of any run; missing for a copy.
  Value run_fastest = {};  ///< The fastest GEMM of the run that measured the sustained rate.

  Value share() const { return rate.over(sheet); }
  Value fastest_share() const { return fastest.over(sheet); }
  bool is_copy() const { return unit == "GB/s"; }
  std::string rate_words() const {
    return format_value(rate, *rate.number() < 1000 ? kThreeDigits : kAsCount);
  }
  std::string sheet_words() const {
    return format_value(sheet,
                        *sheet.number() < 1000 ? Notation{Notation::kNoTrailingZeros} : kAsCount);
  }
  std::string words() const { return rate_words() + " of " + sheet_words() + " " + unit; }
};

const std::vector<Column<LimitShare>> kShareColumns{
    {"what", "Rate", &LimitShare::what},
    {"rate", "Measured", &LimitShare::rate},
    {"sheet", "Data sheet", &LimitShare::sheet},
    {"fastest", "Fastest GEMM", &LimitShare::fastest},
    {"share", "Of the data sheet", &LimitShare::share, "%", kAsPercent},
    {"fastest_share", "Fastest GEMM's share", &LimitShare::fastest_share, "%", kAsPercent},
    {"words", "Label", &LimitShare::words}};

/// Returns the copy bandwidth and the sustained rates that the GPU's data sheet has, in the order
/// of the table of limits.
std::vector<LimitShare> limit_shares(const GpuRuns& gpu) {
  std::vector<LimitShare> shares;
  const std::vector<ValueRow> rows = value_rows(topic::kLimits, {gpu});
  for (const ValueRow& row : rows) {
    const Value sheet = datasheet_value(gpu, row);
    if (sheet.is_missing() || row.quantity().setting == topic::kFastestGemm) continue;
    const bool is_copy = row.quantity().unit == "GB/s";
    LimitShare& share =
        shares.emplace_back(LimitShare{is_copy ? row.quantity().setting : "GEMMs in " + row.name,
                                       row.value(0, kGpuToRoot), sheet, row.quantity().unit});
    for (const ValueRow& other : rows) {
      if (is_copy || other.name != row.name || other.quantity().setting != topic::kFastestGemm)
        continue;
      share.fastest = other.value(0, kGpuToRoot);
      for (const Quantity& quantity : row.by_gpu[0]->run->quantities) {
        if (quantity.matches(other.quantity()) && quantity.find(row.name) != nullptr)
          share.run_fastest = *quantity.find(row.name);
      }
    }
  }
  return shares;
}

/// Returns the facts of the GEMMs whose sustained rate comes nearest to the data sheet's and of
/// those that stay farthest from it; nothing if there are fewer than two kinds.
std::optional<Facts> extreme_facts(const std::vector<LimitShare>& shares) {
  const auto gemms = only(shares, [](const LimitShare& each) { return !each.is_copy(); });
  if (gemms.size() < 2) return std::nullopt;
  const auto share = [](const LimitShare& each) { return *each.share().number(); };
  const auto [worst, best] = std::ranges::minmax_element(gemms, {}, share);
  return Facts()
      .set("what", best->what)
      .set("share", best->share(), kAsPercent)
      .set("worst", worst->what.substr(std::string_view("GEMMs ").size()))
      .set("worst_share", worst->share(), kAsPercent);
}

/// Returns the facts of the rate: what a copy or GEMMs in BF16 sustain, and for GEMMs how far that
/// is below the fastest one of the same run.
std::optional<Facts> rate_facts(const std::vector<LimitShare>& shares, bool is_copy) {
  const auto rate = std::ranges::find_if(shares, [&](const LimitShare& share) {
    return is_copy ? share.is_copy() : share.what == "GEMMs in BF16";
  });
  if (rate == shares.end()) return std::nullopt;
  Value fastest = rate->run_fastest;
  fastest.key = "run-fastest/" + rate->rate.key;
  Value lost = rate->rate.over(fastest);
  lost.key = "lost/" + rate->rate.key;
  const bool has_dropped = !lost.is_missing() && *lost.number() < 1;
  if (has_dropped) lost.content = 1 - *lost.number();
  const auto keyed = [](const Value& value, const Notation& notation) {
    return value.is_missing() ? "" : keyed_number(format_value(value, notation), value);
  };
  return Facts()
      .set("what", rate->what)
      .set_markdown("rate", keyed_number(rate->rate_words() + " " + rate->unit, rate->rate))
      .set_markdown("share", keyed(rate->share(), kAsPercent))
      .set("sheet", rate->sheet_words())
      .when("drop", has_dropped,
            Facts()
                .set_markdown("fastest", keyed(fastest, kThreeDigits))
                .set_markdown("share", keyed(lost, kAsPercent)));
}

struct MachineFact {
  std::string name, words;
};

/// Makes a row for each fact of the GPU and its hosts. Where runs differ, the newest run's words
/// come first.
Dataset machine_data(const GpuRuns& gpu) {
  std::vector<std::pair<std::string, std::vector<std::string>>> facts;
  for (const RunSummary* run : gpu.runs) {
    for (const auto& [name, words] : run->machine) {
      auto known = std::ranges::find(facts, name, [](const auto& fact) { return fact.first; });
      if (known == facts.end()) known = facts.insert(known, {name, {}});
      if (std::ranges::find(known->second, words) == known->second.end())
        known->second.push_back(words);
    }
  }
  std::vector<MachineFact> rows;
  for (const auto& [name, words] : facts) rows.push_back({name, join(words, "; ")});
  const std::vector<Column<MachineFact>> columns{{"what", "What", &MachineFact::name},
                                                 {"value", "Recorded", &MachineFact::words}};
  return make_dataset("machine", columns, rows);
}

/// Says for each other GPU how the limits and the training step of both compare, as the advantage
/// of `leading_gpu`: those of the largest network that both measured, as far as the GPU sets the
/// time. Empty if nothing is comparable.
std::string comparisons(const std::vector<GpuRuns>& gpus) {
  std::string sentences;
  for (std::size_t other = 1; other < gpus.size(); ++other) {
    std::vector<GpuRuns> both{gpus.front(), gpus[other]};
    if (leading_gpu(both) == 1) std::swap(both[0], both[1]);
    const auto in_both = [](const std::string& topic, const std::vector<GpuRuns>& two) {
      return only(value_rows(topic, two), [](const ValueRow& row) {
        return row.is_on_several_gpus() && !row.is_set_by_cpu();
      });
    };
    std::vector<std::string> limits, steps;
    const Value memory = gpu_memory(both[0]).over(gpu_memory(both[1]));
    if (!memory.is_missing()) limits.push_back(keyed_ratio(memory) + " the memory");
    for (const ValueRow& row : in_both(topic::kLimits, both)) {
      const std::string times = keyed_ratio(row.value(0, "").over(row.value(1, "")));
      if (row.quantity().unit == "GB/s") limits.push_back(times + " its bandwidth");
      if (row.name == "BF16" && row.quantity().setting != topic::kFastestGemm)
        limits.push_back(times + " the rate that GEMMs sustain in BF16");
    }
    std::string network;
    for (const ValueRow& row : in_both(topic::kTrainingStep, both)) {
      if (row.name != describe(Measure::kStep) || (!network.empty() && network != row.network))
        continue;
      network = row.network;
      steps.push_back(keyed_ratio(row.value(1, "").over(row.value(0, ""))) + " as fast in " +
                      row.quantity().precision);
    }
    if (limits.empty() || steps.empty()) continue;
    sentences +=
        fmt::format("Against the {}, the {} has {}: {}’s training step is {}.\n\n",
                    escape_markdown(both[1].short_name), escape_markdown(both[0].short_name),
                    join_words(limits), escape_markdown(network), join_words(steps));
  }
  return sentences;
}

struct PastStep {
  const RunSummary* run;
  std::string precision;
  double ms;

  Value time() const {
    Value time = ms;
    time.key = run->key(precision + " step");
    return time;
  }
};

const std::vector<Column<PastStep>> kHistoryColumns{
    {"measured", "Measured (UTC)",
     [](const PastStep& step) { return readable_time(step.run->started_at); }},
    {"revision", "Revision", [](const PastStep& step) { return step.run->revision; }},
    {"precision", "Precision", &PastStep::precision},
    {"time", "Training step", &PastStep::time, "ms", {Notation::kSignificant, 4}}};

/// Makes a dataset for each network and edition of which the GPU has three runs or more.
std::vector<Dataset> history_data(const GpuRuns& gpu) {
  std::map<std::tuple<std::string, std::string>, std::vector<const RunSummary*>> runs;
  for (const RunSummary* run : gpu.runs) {
    const bool has_step = run->headline.fp32_ms > 0 || run->headline.mixed_ms > 0;
    if (has_step) runs[{run->headline.network, run->edition}].push_back(run);
  }
  std::vector<Dataset> datasets;
  for (const auto& [key, history] : runs) {
    if (history.size() < kMinHistoryRuns) continue;
    std::vector<PastStep> steps;
    for (const RunSummary* run : history) {
      const Headline& headline = run->headline;
      if (headline.fp32_ms > 0) steps.push_back({run, "FP32", headline.fp32_ms});
      if (headline.mixed_ms > 0) steps.push_back({run, headline.precision, headline.mixed_ms});
    }
    const auto& [network, edition] = key;
    datasets.push_back(make_dataset("history", kHistoryColumns, steps));
    datasets.back().family = "Network";
    datasets.back().variant = network + " (" + edition + ")";
  }
  return datasets;
}

/// Returns the runs for a second table of the page, whose rows are no targets of links.
Dataset run_numbers(Dataset runs) {
  runs.name = "run-numbers";
  for (RowView& row : runs.rows) row.id.clear();
  return runs;
}

}  // namespace

Document gpu_document(const GpuRuns& gpu, const std::vector<GpuRuns>& gpus) {
  const std::vector<GpuRuns> only_this_gpu{gpu}, this_gpu_first = with_first(gpu, gpus);
  PartContent card, content;
  card.facts.set_markdown("comparisons", comparisons(this_gpu_first));
  const std::vector<LimitShare> shares = limit_shares(gpu);
  card.facts.when("best", extreme_facts(shares))
      .when("gemms", rate_facts(shares, /*is_copy=*/false))
      .when("copy", rate_facts(shares, /*is_copy=*/true));
  card.datasets = {make_dataset("limit-shares", kShareColumns, shares), limit_data(this_gpu_first),
                   machine_data(gpu)};
  content.datasets = history_data(gpu);
  const Dataset runs = run_data(newest_first(gpu.runs), gpus, kGpuToRoot);
  content.datasets.insert(
      content.datasets.end(),
      {finding_data("found", only_this_gpu, gpus, kGpuToRoot), runs, run_numbers(runs)});
  Document document;
  document.title = gpu.name;
  document.sections = {overview_section("gpu", std::move(card)),
                       overview_section("gpu_findings", std::move(content))};
  document.sections.back().title = "What was found on it";
  return document;
}

}  // namespace labreport
