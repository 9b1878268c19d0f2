#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "document/comparison/beside.h"
#include "experiments/catalog.h"
#include "experiments/chosen_problems.h"
#include "experiments/memory_profiling/what_fits.h"
#include "experiments/overview/overview.h"

namespace labreport {
namespace {

constexpr std::size_t kRevisionDigits = 8;
constexpr std::size_t kDateLength = 10;

void drop_empty(std::vector<TableView>& tables) {
  std::erase_if(tables, [](const TableView& table) { return table.rows.empty(); });
}

/// Says in one sentence what ran, and lists in a table what did not and why.
Section what_ran_section(const RunView& view) {
  Part part;
  part.problem = "ran";
  part.setting = overview::outcome_line(view.run()) + ".";
  if (!overview::outcome_within(view.run()).empty()) {
    part.setting += " Rows of the tables say which.";
  }
  part.tables = {overview::what_ran(view)};
  drop_empty(part.tables);
  return {"ran", "What ran", {std::move(part)}};
}

/// Moves settings that all parts share to the head of the report; each part keeps its own.
void share_settings(Document& document, const std::map<std::string, overview::Setting>& settings) {
  std::map<std::string, std::set<std::string>> values;
  std::vector<std::string> common;
  for (const auto& [part, setting] : settings) {
    for (const auto& [what, words] : setting) values[what].insert(words);
  }
  const auto is_common = [&](const std::string& what) { return values[what].size() == 1; };
  for (Section& section : document.sections) {
    for (Part& part : section.parts) {
      if (!settings.contains(part.name())) continue;
      std::vector<std::string> own;
      for (const auto& [what, words] : settings.at(part.name())) {
        std::vector<std::string>& kept = is_common(what) ? common : own;
        if (std::ranges::find(kept, words) == kept.end()) kept.push_back(words);
      }
      part.setting = join(own, " · ");
    }
  }
  common.insert(common.begin(), document.provenance);
  document.provenance = join(common, " · ");
}

/// Removes parts that were measured only for the sake of others.
void drop_unasked(Presentation& parts, const std::string& problem,
                  const std::set<std::string>& chosen) {
  if (chosen.contains(problem)) return;
  std::erase_if(parts,
                [&](const auto& part) { return !chosen.contains(problem + "." + part.first); });
}

void add_sections(Document& document, const RunView& view) {
  std::map<std::string, overview::Setting> settings;
  if (auto summary = overview::summary(view)) {
    summary->section.parts.front().title = "";
    document.sections.push_back(std::move(summary->section));
    document.headline = summary->headline;
  }
  document.sections.push_back(what_ran_section(view));
  const auto chosen = chosen_problems(view.run());
  for (const Experiment& experiment : catalog()) {
    Presentation shown = experiment.present(view);
    if (chosen) drop_unasked(shown, std::string(experiment.name), *chosen);
    if (shown.empty()) continue;
    Section section = compose_section(experiment.words, shown, figure_files(experiment.name));
    for (Part& part : section.parts) {
      settings[part.name()] = overview::setting(view, shown.at(part.letter).cells);
      drop_empty(part.tables);
      drop_empty(part.details.tables);
    }
    document.sections.push_back(std::move(section));
  }
  share_settings(document, settings);
}

void set_origin(Document& document, const Run& run) {
  if (run.sessions.empty()) return;
  const Session& session = run.sessions.front();
  document.date = session.started_at.substr(0, kDateLength);
  document.revision = session.revision.substr(0, kRevisionDigits);
}

bool lacks_launches(const Run& run) {
  return std::any_of(run.cells.begin(), run.cells.end(),
                     [](const Cell& cell) { return cell.launches.empty(); });
}

/// Lists the parts' key numbers as the summary of a run that timed no training step.
void add_key_numbers(Document& document) {
  std::string answer;
  for (const Section& section : document.sections) {
    for (const Part& part : section.parts) {
      if (part.key_number.topic.empty()) continue;
      answer += (answer.empty() ? "- **" : "\n- **") + escape_markdown(part.key_number.topic) +
                ":** " + escape_markdown(part.key_number.words);
    }
  }
  if (answer.empty() || document.sections.front().problem == "summary") return;
  Part part;
  part.problem = "summary";
  part.answer = answer;
  document.sections.insert(document.sections.begin(), {"summary", "Summary", {part}});
}

/// A quantity whose part is not in the report leads to the page.
std::vector<Quantity> quantities_of(const Document& document, const RunView& view) {
  std::vector<Quantity> all = overview::quantities(view);
  for (Quantity& quantity : all) {
    const bool shown = std::ranges::any_of(document.sections, [&](const Section& section) {
      return std::ranges::find(section.parts, quantity.part, &Part::anchor) != section.parts.end();
    });
    if (!shown) quantity.part.clear();
  }
  return all;
}

std::string lower_start(std::string title) {
  const bool acronym = title.size() > 1 && std::isupper(static_cast<unsigned char>(title[1])) != 0;
  if (!acronym) title[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(title[0])));
  return title;
}

/// A report is called by what it measured: the profiling half, one or two problems by their titles,
/// more of them by what they have in common.
std::string title_of(const Document& document, const RunView& view) {
  std::vector<std::string> titles;
  bool profiling = false, parallel = true;
  for (const Experiment& experiment : catalog()) {
    const auto section = std::ranges::find(document.sections, experiment.name, &Section::problem);
    if (section == document.sections.end()) continue;
    titles.push_back(titles.empty() ? section->title : lower_start(section->title));
    profiling = profiling || experiment.profiling;
    parallel = parallel && experiment.several_gpus;
  }
  if (profiling || titles.empty())
    return "Profiling and benchmarking (§" + view.edition().section + ")";
  if (titles.size() <= 2) return join_words(titles);
  return parallel ? "Training on several GPUs"
                  : titles.front() + " and " + titles[1] + ", and more";
}

/// "NVIDIA H200"; "2 × NVIDIA H200" if ranks ran on several.
std::string device_words(const RunView& view) {
  const Device* device = view.device();
  if (device == nullptr) return "no device";
  std::int64_t gpus = 1;
  for (const Cell& cell : view.run().cells) {
    const bool joined = cell.spec.ranks && cell.spec.device == DeviceKind::kCuda;
    if (joined && ok_launch(cell) != nullptr) gpus = std::max(gpus, cell.spec.ranks->count);
  }
  return gpus == 1 ? device->name : fmt::format("{} × {}", gpus, device->name);
}

/// If the run measures both networks, the report shows the user's model.
Document build_document_of(const Run& run, const Run& shown, bool reference) {
  const RunView view(shown, find_edition(run.edition));
  Document document;
  document.device = device_words(view);
  document.edition = run.edition;
  document.preset = run.preset;
  set_origin(document, run);
  document.provenance = overview::provenance(view);
  document.demonstration = !view.on_gpu();
  document.reference = reference;
  document.incomplete = lacks_launches(run);
  document.mostly_failed = mostly_failed(run);
  document.outcome_line = overview::outcome_line(shown);
  add_sections(document, view);
  add_key_numbers(document);
  document.quantities = quantities_of(document, view);
  document.memory = memory_profiling::memory_formulas(RunView(run, view.edition()));
  document.title = title_of(document, view);
  if (const ModelSource* model = measured_model(run))
    document.title += " of " + model->implementation;
  document.method = overview::method(view);
  document.environment = overview::environment(view);
  document.reproduce = overview::reproduce(run);
  return document;
}

/// Places the comparison after the summary.
void add_comparison(Document& document, const Run& run) {
  auto compared = beside_section(run);
  if (!compared) return;
  auto& sections = document.sections;
  const auto ran = std::ranges::find(sections, "ran", &Section::problem);
  sections.insert(ran, std::move(*compared));
}

}  // namespace

Document build_document(const Run& run, bool reference) {
  if (!measures_both(run)) return build_document_of(run, run, reference);
  const Run shown = users_half(run);
  Document document = build_document_of(run, shown, reference);
  add_comparison(document, run);
  return document;
}

RunSummary overview::numbers(const Run& run) {
  if (measures_both(run)) return numbers(users_half(run));
  const RunView view(run, find_edition(run.edition));
  RunSummary summary{};
  summary.device = device_words(view);
  summary.edition = run.edition;
  if (!run.sessions.empty()) summary.started_at = run.sessions.front().started_at;
  summary.quantities = quantities(view);
  return summary;
}

}  // namespace labreport
