#include "document/index/index_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/format.h"
#include "base/text.h"
#include "document/section.h"
#include "embedded/document.h"

namespace labreport {
namespace {

/// Of the runs that ship with the project the full ones are worth a reader's first look.
bool is_excerpt(const RunEntry& run) {
  return run.reference && (run.preset != "full" || !run.problems.empty());
}

/// One's own runs come before those that ship with the project, and of these full ones that time a
/// network first; then the newest. CPU demonstrations come last. ISO times compare as texts.
bool before(const RunEntry& a, const RunEntry& b) {
  const auto kind = [](const RunEntry& run) {
    return std::tuple(run.demonstration, run.reference, is_excerpt(run));
  };
  if (kind(a) != kind(b)) return kind(a) < kind(b);
  return std::tie(b.started_at, a.folder) < std::tie(a.started_at, b.folder);
}

constexpr Notation kMilliseconds{Notation::kSignificant, 4};
constexpr Notation kSpeedup{Notation::kSignificant, 3};

/// "2026-05-01T12:34:56Z" → "2026-05-01 12:34"
std::string readable_time(std::string iso) {
  constexpr std::size_t kDate = 10;
  constexpr std::size_t kMinutes = 16;
  if (iso.size() <= kMinutes || iso[kDate] != 'T') return iso;
  iso[kDate] = ' ';
  return iso.substr(0, kMinutes);
}

Value measured(double value) { return value > 0 ? Value(value) : Value(); }

struct RunRow {
  const RunEntry* run;
  std::string id;
  std::vector<std::string> flags;

  const Headline& headline() const { return run->headline; }
  Value speedup() const {
    const auto& [network, precision, fp32, mixed, mfu, peak] = headline();
    return fp32 > 0 && mixed > 0 ? Value(fp32 / mixed) : Value();
  }
  Value device() const {
    Value name = run->device;
    name.link = run->folder + "/index.html";
    return name;
  }
};

RunRow run_row(const RunEntry& run, bool names_references) {
  RunRow row{.run = &run, .id = "run-" + slug(run.folder), .flags = {}};
  if (run.demonstration) row.flags.emplace_back("CPU demonstration");
  if (run.reference && names_references) row.flags.emplace_back("reference run");
  if (run.incomplete) row.flags.emplace_back("interrupted");
  if (run.preset != "full" && !run.demonstration) row.flags.push_back(run.preset + " preset");
  return row;
}

const std::vector<Column<RunRow>> kRuns{
    {"device", "GPU", &RunRow::device},
    {"edition", "Edition", [](const RunRow& row) { return row.run->edition; }},
    {"measured", "Measured (UTC)",
     [](const RunRow& row) { return readable_time(row.run->started_at); }},
    {"network", "Network or problems",
     [](const RunRow& row) {
       return row.headline().network.empty() ? row.run->problems : row.headline().network;
     }},
    {"fp32", "FP32 step", [](const RunRow& row) { return measured(row.headline().fp32_ms); }, "ms",
     kMilliseconds},
    {"mixed", "BF16 step", [](const RunRow& row) { return measured(row.headline().mixed_ms); },
     "ms", kMilliseconds},
    {"speedup", "Speedup", &RunRow::speedup, "×", kSpeedup},
    {"mfu",
     "BF16 MFU",
     [](const RunRow& row) { return measured(row.headline().mfu); },
     "%",
     {Notation::kPercent}},
    {"peak",
     "Peak memory",
     [](const RunRow& row) { return measured(row.headline().peak_bytes); },
     "GiB",
     {Notation::kGibibytes}},
    {"outcome", "Outcome", [](const RunRow& row) { return row.run->outcome; }}};

/// One training step of one run at one precision.
struct Step {
  const RunEntry* run;
  std::string precision;
  double ms;
  std::string note;  ///< Beside the lane's slowest step.

  std::string lane() const {
    return fmt::format("{}, {} ({})", run->device, run->headline.network, run->edition);
  }
};

const std::vector<Column<Step>> kSteps{
    {"lane", "GPU, network (edition)", &Step::lane},
    {"measured", "Measured (UTC)",
     [](const Step& step) { return readable_time(step.run->started_at); }},
    {"revision", "Revision", [](const Step& step) { return step.run->revision; }},
    {"precision", "Precision", &Step::precision},
    {"time", "Training step", &Step::ms, "ms", kMilliseconds},
    {"note", "MFU", &Step::note}};

void add_steps(std::vector<Step>& steps, const RunEntry& run) {
  const auto& [network, precision, fp32, mixed, mfu, peak] = run.headline;
  const std::string note =
      mfu > 0 ? precision + ": " + format_value(mfu, {Notation::kPercent}) + " % MFU" : "";
  if (fp32 > 0) steps.push_back({&run, "FP32", fp32, ""});
  if (mixed > 0) steps.push_back({&run, precision, mixed, note});
}

/// What can be held against each other: one device, one edition, one network.
auto subject(const RunEntry& run) {
  return std::tie(run.device, run.edition, run.headline.network);
}

Dataset newest_steps(const std::vector<RunEntry>& entries) {
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  std::vector<Step> steps;
  for (const RunEntry& run : entries) {
    if (seen.insert(subject(run)).second) add_steps(steps, run);
  }
  return make_dataset("steps", kSteps, steps);
}

/// One dataset for each subject of three runs or more; two are compared on a page of their own.
std::vector<Dataset> histories(const std::vector<RunEntry>& entries) {
  constexpr std::size_t kFewestRuns = 3;
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<const RunEntry*>> runs;
  for (const RunEntry& run : entries) {
    if (run.headline.fp32_ms > 0 || run.headline.mixed_ms > 0) runs[subject(run)].push_back(&run);
  }
  std::vector<Dataset> datasets;
  for (const auto& [key, history] : runs) {
    if (history.size() < kFewestRuns) continue;
    std::vector<Step> steps;
    for (const RunEntry* run : history) add_steps(steps, *run);
    Dataset& dataset = datasets.emplace_back(make_dataset("history", kSteps, steps));
    dataset.family = "GPU";
    dataset.variant = steps.front().lane();
  }
  return datasets;
}

/// The topics of the site, in the order of the matrix's columns.
constexpr const char* kTopics[]{
    "Training step", "Mixed precision", "Memory",        "Attention",    "Attention’s memory",
    "Compilation",   "Fastest step",    "Checkpointing", "Several GPUs", "All-reduce"};

/// A key number and the run that has it; null where no run of the GPU has one.
struct Newest {
  const RunEntry* run = nullptr;
  const KeyNumber* number = nullptr;
};

/// `runs` are in the order of their preference.
Newest newest_number(const std::vector<const RunEntry*>& runs, const std::string& topic) {
  for (const RunEntry* run : runs) {
    const auto found = std::ranges::find(run->key_numbers, topic, &KeyNumber::topic);
    if (found != run->key_numbers.end()) return {run, &*found};
  }
  return {};
}

Value cell_of(const Newest& newest, bool with_edition) {
  if (newest.run == nullptr) return {};
  Value cell = newest.number->words + (with_edition ? " (" + newest.run->edition + ")" : "");
  cell.link = newest.run->folder + "/index.html#" + newest.number->part;
  return cell;
}

/// "NVIDIA H200" of "2 × NVIDIA H200".
std::string gpu_of(const RunEntry& run) {
  constexpr std::string_view kTimes = " × ";
  const std::size_t times = run.device.find(kTimes);
  return times == std::string::npos ? run.device : run.device.substr(times + kTimes.size());
}

/// "H100" of "NVIDIA H100 80GB HBM3", unless another GPU of the site begins alike.
std::string short_device(const std::string& device, const std::vector<RunEntry>& entries) {
  const auto name = [](const std::string& of) { return replaced(of, "NVIDIA ", ""); };
  const std::string word = name(device).substr(0, name(device).find(' '));
  const bool taken = std::ranges::any_of(entries, [&](const RunEntry& run) {
    return gpu_of(run) != device && name(gpu_of(run)).starts_with(word);
  });
  return taken ? name(device) : word;
}

/// A GPU and its runs, full ones before others, newer before older; demonstrations are left out.
using GpuRuns = std::vector<std::pair<std::string, std::vector<const RunEntry*>>>;
GpuRuns runs_by_gpu(const std::vector<RunEntry>& entries) {
  std::vector<const RunEntry*> runs;
  for (const RunEntry& run : entries) {
    if (!run.demonstration && !run.key_numbers.empty()) runs.push_back(&run);
  }
  std::ranges::stable_sort(runs, std::greater<>(), [](const RunEntry* run) {
    return std::pair(run->preset == "full", run->started_at);
  });
  GpuRuns gpus;
  for (const RunEntry* run : runs) {
    auto gpu = std::ranges::find(gpus, gpu_of(*run), &GpuRuns::value_type::first);
    if (gpu == gpus.end()) gpu = gpus.insert(gpu, {gpu_of(*run), {}});
    gpu->second.push_back(run);
  }
  return gpus;
}

/// A row for each topic, a column for each GPU. Editions call different networks alike, so a row
/// that mixes them names them.
Dataset matrix(const std::vector<RunEntry>& entries) {
  const GpuRuns gpus = runs_by_gpu(entries);
  std::map<std::string, std::set<std::string>> editions;
  std::vector<std::string> topics;
  for (const std::string topic : kTopics) {
    for (const auto& [device, runs] : gpus) {
      const Newest newest = newest_number(runs, topic);
      if (newest.run != nullptr) editions[topic].insert(newest.run->edition);
    }
    if (!editions[topic].empty()) topics.push_back(topic);
  }
  std::vector<Column<std::string>> columns{
      {"topic", "Topic", [](const std::string& topic) { return topic; }}};
  for (const auto& gpu : gpus) {
    columns.push_back({gpu.first, short_device(gpu.first, entries), [&](const std::string& topic) {
                         return cell_of(newest_number(gpu.second, topic),
                                        editions.at(topic).size() > 1);
                       }});
  }
  return make_dataset("matrix", columns, topics);
}

/// One GPU's run of a ladder that several GPUs have climbed.
struct Tuned {
  const RunEntry* run;
  const TunedStep* step;
  std::string device;  ///< "H100"
};

/// Each GPU's newest ladder of the largest network that most of them have: same parameters,
/// precision and first rung.
std::vector<Tuned> common_ladders(const std::vector<RunEntry>& entries) {
  std::map<std::tuple<double, std::string, std::string>, std::vector<Tuned>> all;
  for (const RunEntry& run : entries) {
    if (run.demonstration) continue;
    for (const TunedStep& step : run.tuned) {
      auto& same = all[{step.parameters, step.precision, step.rungs.front().change}];
      const bool known = std::ranges::any_of(
          same, [&](const Tuned& other) { return other.run->device == run.device; });
      if (!known) same.push_back({&run, &step, short_device(run.device, entries)});
    }
  }
  if (all.empty()) return {};
  return std::ranges::max_element(all, {},
                                  [](const auto& entry) {
                                    const auto& [parameters, precision, first] = entry.first;
                                    return std::tuple(entry.second.size(), parameters,
                                                      precision != "FP32");
                                  })
      ->second;
}

struct TunedRung {
  std::string device, change;
  double ms;
};

const std::vector<Column<TunedRung>> kTunedRungs{
    {"device", "GPU", &TunedRung::device},
    {"change", "Change", &TunedRung::change},
    {"ms", "Training step", &TunedRung::ms, "ms", kMilliseconds}};

Dataset ladder_rungs(const std::vector<Tuned>& ladders) {
  std::vector<TunedRung> rungs;
  for (const Tuned& ladder : ladders) {
    for (const TunedStep::Rung& rung : ladder.step->rungs)
      rungs.push_back({ladder.device, rung.change, rung.ms});
  }
  return make_dataset("ladders", kTunedRungs, rungs);
}

/// The slowest and the fastest GPU of a common ladder, before and after it.
std::optional<Facts> tuning_facts(const std::vector<Tuned>& ladders) {
  if (ladders.size() < 2) return std::nullopt;
  constexpr Notation kThree{Notation::kSignificant, 3};
  const auto first = [](const Tuned& ladder) { return ladder.step->first_ms(); };
  const auto [fast, slow] = std::ranges::minmax(ladders, {}, first);
  const double before = fast.step->first_ms(), after = slow.step->best_ms();
  const double apart = slow.step->best_ms() / fast.step->best_ms();
  return Facts()
      .set("network", fast.step->network)
      .set("precision", fast.step->precision)
      .set("fast", fast.device)
      .set("slow", slow.device)
      .set("fast_from", before, kThree)
      .set("fast_to", fast.step->best_ms(), kThree)
      .set("slow_from", slow.step->first_ms(), kThree)
      .set("slow_to", after, kThree)
      .when("beats", after < before, "times", format_ratio(before / after))
      .when("apart", apart > 1, "times", format_ratio(apart));
}

/// The speedup of reduced precision on each GPU, for the network that most GPUs have timed in a
/// full run.
std::optional<Facts> mixed_facts(const std::vector<RunEntry>& entries) {
  // Editions call different networks alike.
  std::map<std::tuple<std::string, std::string, std::string>,
           std::map<std::string, const RunEntry*>>
      networks;
  for (const RunEntry& run : entries) {
    const Headline& headline = run.headline;
    const bool both = headline.fp32_ms > 0 && headline.mixed_ms > 0;
    if (both && run.preset == "full")
      networks[{run.edition, headline.network, headline.precision}].try_emplace(run.device, &run);
  }
  if (networks.empty()) return std::nullopt;
  const auto& [network, gpus] = *std::ranges::max_element(
      networks, {}, [](const auto& entry) { return entry.second.size(); });
  std::vector<std::string> gains;
  for (const auto& [device, run] : gpus) {
    const double gain = run->headline.fp32_ms / run->headline.mixed_ms;
    gains.push_back(format_ratio(gain) + " times as fast on the " + short_device(device, entries));
  }
  return Facts()
      .set("network", std::get<1>(network))
      .set("precision", std::get<2>(network))
      .set("gains", join_words(gains));
}

std::string_view file(const std::string& name) {
  return embedded::document().at("src/document/index/" + name);
}

constexpr std::size_t kMostNamedProblems = 3;

/// Of many the first one's name and how many more there are.
std::string problems_of(const Document& document) {
  std::vector<std::string> names;
  for (const Section& section : document.sections) {
    if (section.asked()) names.push_back(section.problem);
  }
  if (names.size() <= kMostNamedProblems) return join_words(names);
  return fmt::format("{} and {} more", names.front(), names.size() - 1);
}

std::vector<KeyNumber> key_numbers_of(const Document& document) {
  std::vector<KeyNumber> found;
  for (const Section& section : document.sections) {
    for (const Part& part : section.parts) {
      if (!part.key_number.topic.empty()) found.push_back(part.key_number);
    }
  }
  return found;
}

}  // namespace

RunEntry run_entry(const Document& document, const std::string& folder,
                   const std::string& started_at) {
  return {.folder = folder,
          .device = document.device,
          .edition = document.edition,
          .preset = document.preset,
          .started_at = started_at.empty() ? document.date : started_at,
          .revision = document.revision,
          .outcome = document.outcome_line,
          .demonstration = document.demonstration,
          .reference = document.reference,
          .incomplete = document.incomplete,
          .headline = document.headline,
          .problems = document.headline.network.empty() ? problems_of(document) : "",
          .key_numbers = key_numbers_of(document),
          .tuned = document.tuned};
}

Document index_document(std::vector<RunEntry> entries) {
  std::ranges::sort(entries, before);
  std::vector<RunRow> rows;
  // Where all runs came with the project, that sets none of them apart.
  const bool names_references = !std::ranges::all_of(entries, &RunEntry::reference);
  for (const RunEntry& run : entries) rows.push_back(run_row(run, names_references));
  PartContent content;
  content.datasets = histories(entries);
  const std::vector<Tuned> ladders = common_ladders(entries);
  content.datasets.push_back(ladder_rungs(ladders));
  content.datasets.push_back(matrix(entries));
  if (ladders.size() < 2) content.datasets.push_back(newest_steps(entries));
  content.facts.when("tuning", tuning_facts(ladders)).when("mixed", mixed_facts(entries));
  content.facts.set("network", ladders.empty() ? "" : ladders.front().step->network);
  content.facts.set("precision", ladders.empty() ? "" : ladders.front().step->precision);
  content.datasets.push_back(make_dataset("runs", kRuns, rows));
  Document document;
  document.title = "A training step, measured";
  document.demonstration = std::ranges::any_of(entries, &RunEntry::demonstration);
  if (entries.empty()) return document;
  document.sections = {compose_section(file("section.md"), {{"", content}}, [](const auto& name) {
    return file("figures/" + name + ".vl.json");
  })};
  return document;
}

}  // namespace labreport
