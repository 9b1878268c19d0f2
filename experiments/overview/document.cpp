#include <algorithm>
#include <exception>
#include <functional>
#include <iterator>
#include <map>
#include <set>

#include "base/lists.h"
#include "base/text.h"
#include "document/comparison/two_models.h"
#include "document/part_drawer.h"
#include "experiments/answered_problems.h"
#include "experiments/catalog.h"
#include "experiments/chosen_problems.h"
#include "experiments/overview/overview.h"
#include "results/shipped_variant.h"

namespace labreport {
namespace {

constexpr const char* kOwnStepPart = "data_parallel.e";

/// The names of the problems that a report presents; if empty, all that the run answers.
using Problems = std::set<std::string>;

bool is_presented(const Experiment& experiment, const Problems& problems) {
  return problems.empty() || problems.contains(std::string(experiment.name));
}

void drop_empty_tables(std::vector<TableView>& tables) {
  std::erase_if(tables, [](const TableView& table) { return table.rows.empty(); });
}

/// Lists the parts that cannot be presented. Without a list of lines, their exceptions pass.
class LeftOutParts {
 public:
  explicit LeftOutParts(std::vector<std::string>* lines) : lines_(lines) {}

  /// Does `work` for a part and returns true. Returns false if the part is left out.
  bool attempt(const std::string& part, const std::function<void()>& work) try {
    work();
    return true;
  } catch (const std::exception& error) {
    if (lines_ == nullptr) throw;
    names_.push_back(part);
    lines_->push_back(part + ": " + error.what());
    return false;
  }

  /// Does `work`, which fails as a whole if one of its parts does. Returns false if it failed and
  /// the parts should be tried one by one.
  bool attempt_all(const std::function<void()>& work) const try {
    work();
    return true;
  } catch (const std::exception&) {
    if (lines_ == nullptr) throw;
    return false;
  }

  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string>* lines_;
  std::vector<std::string> names_;
};

/// Says which measurements succeeded, and lists in a table which did not and why. Returns nothing
/// if all succeeded, because the report's head says so.
std::optional<Section> what_ran_section(const RunView& view, const LeftOutParts& left_out) {
  Part part;
  part.problem = "ran";
  part.tables = {overview::missing_networks(view)};
  part.details.title = "Each measurement, with the reasons in full";
  part.details.tables = {overview::missing_measurements(view)};
  drop_empty_tables(part.tables);
  drop_empty_tables(part.details.tables);
  std::string remarks = overview::own_step_words(view.run());
  if (!overview::attention_outcomes(view.run()).empty())
    remarks += " Rows of the tables say which.";
  if (!left_out.names().empty()) {
    remarks +=
        " This report lacks " + join_words(left_out.names()) + ", which labreport cannot present.";
  }
  if (part.tables.empty() && remarks.empty()) return {};
  part.setting = overview::outcome_line(view.run()) + "." + remarks;
  return Section{"ran", "What ran", {std::move(part)}};
}

/// Moves settings with one value in all parts to the provenance. The keys are names of parts.
void move_common_settings(Document& document,
                          const std::map<std::string, overview::Settings>& settings) {
  std::map<std::string, std::set<std::string>> values;
  std::vector<std::string> common;
  for (const auto& [part, part_settings] : settings) {
    for (const auto& [name, words] : part_settings) values[name].insert(words);
  }
  const auto is_common = [&](const std::string& name) { return values[name].size() == 1; };
  for (Section& section : document.sections) {
    for (Part& part : section.parts) {
      if (!settings.contains(part.name())) continue;
      std::vector<std::string> particular;
      for (const auto& [name, words] : settings.at(part.name())) {
        std::vector<std::string>& target = is_common(name) ? common : particular;
        if (std::ranges::find(target, words) == target.end()) target.push_back(words);
      }
      part.setting = join(particular, " · ");
    }
  }
  common.insert(common.begin(), document.provenance);
  document.provenance = join(common, " · ");
}

/// Returns the contents of the experiment's parts that the run was asked for.
Presentation presented_parts(const Experiment& experiment, const RunView& view,
                             LeftOutParts& left_out) {
  const std::string problem(experiment.name);
  Presentation parts;
  left_out.attempt(problem, [&] { parts = experiment.present(view); });
  const auto chosen = chosen_problems(view.run());
  if (!chosen || chosen->contains(problem)) return parts;
  // The run may have measured parts only because a chosen part needs their cells.
  std::erase_if(parts,
                [&](const auto& part) { return !chosen->contains(problem + "." + part.first); });
  return parts;
}

/// Joins the parts with their words, and removes from `parts` those that are left out.
Section composed_section(const Experiment& experiment, Presentation& parts,
                         LeftOutParts& left_out) {
  const std::string problem(experiment.name);
  Section section;
  const auto compose = [&](const Presentation& contents) {
    return compose_section(experiment.section_text, contents, figure_files(problem));
  };
  if (left_out.attempt_all([&] { section = compose(parts); })) return section;
  std::erase_if(parts, [&](const auto& part) {
    const std::string name = part.first.empty() ? problem : problem + "." + part.first;
    return !left_out.attempt(name, [&] { compose({part}); });
  });
  left_out.attempt(problem, [&] { section = compose(parts); });
  return section;
}

void add_sections(Document& document, const RunView& view, const Problems& problems,
                  LeftOutParts& left_out) {
  std::map<std::string, overview::Settings> settings;
  const bool presents_steps =
      measures_profiling(view.run()) && std::ranges::any_of(catalog(), [&](const auto& experiment) {
        return experiment.in_profiling_half && is_presented(experiment, problems);
      });
  left_out.attempt("summary", [&] {
    if (!presents_steps) return;
    auto summary = overview::summary_section(view);
    if (!summary) return;
    summary->parts.front().title = "";
    document.sections.push_back(std::move(*summary));
  });
  const auto problems_begin = static_cast<std::ptrdiff_t>(document.sections.size());
  for (const Experiment& experiment : catalog()) {
    if (!is_presented(experiment, problems)) continue;
    Presentation parts = presented_parts(experiment, view, left_out);
    if (parts.empty()) continue;
    Section section = composed_section(experiment, parts, left_out);
    for (Part& part : section.parts) {
      settings[part.name()] = overview::settings_of(view, parts.at(part.letter).cells);
      drop_empty_tables(part.tables);
      drop_empty_tables(part.details.tables);
    }
    if (!section.parts.empty()) document.sections.push_back(std::move(section));
  }
  if (auto what_ran = what_ran_section(view, left_out)) {
    document.sections.insert(document.sections.begin() + problems_begin, std::move(*what_ran));
  } else {
    document.provenance = document.outcome + " · " + document.provenance;
  }
  move_common_settings(document, settings);
}

/// Makes a summary of what the parts add to it, unless the document begins with one. A step of the
/// user's comes before labreport's.
void add_summary_of_parts(Document& document) {
  if (!document.sections.empty() && document.sections.front().problem == "summary") return;
  Part summary;
  summary.problem = "summary";
  summary.details.title = kPartDrawer;
  std::vector<std::string> words;
  for (Section& section : document.sections) {
    for (Part& part : section.parts) {
      if (part.summary.words.empty()) continue;
      const bool is_users = part.name() == kOwnStepPart;
      words.insert(is_users ? words.begin() : words.end(), part.summary.words);
      std::ranges::move(part.summary.figures, std::back_inserter(summary.figures));
      const auto in_part =
          std::ranges::stable_partition(part.figures, std::not_fn(&Figure::for_summary));
      std::ranges::move(in_part, std::back_inserter(summary.figures));
      part.figures.erase(in_part.begin(), in_part.end());
    }
  }
  if (words.empty()) return;
  summary.answer = join(words, "\n");
  document.sections.insert(document.sections.begin(), {"summary", "Summary", {summary}});
}

/// Begins the summary with the mistakes of the user's code that has no times because of them.
void add_failed_code(Document& document, const Run& run) {
  std::vector<std::string> words;
  for (const Session& session : run.sessions) {
    for (const ModelSource* code : code_of(session)) {
      const Launch* failure = nullptr;
      const bool has_times = std::ranges::any_of(run.cells, [&](const Cell& cell) {
        if (cell.spec.implementation != code->implementation) return false;
        const Launch* launch = representative(cell);
        if (launch != nullptr && is_failure(launch->outcome)) failure = launch;
        return launch != nullptr && is_ok(launch->outcome);
      });
      if (has_times || failure == nullptr) continue;
      const std::string name = code->model.substr(code->model.rfind(':') + 1);
      const auto* failed = std::get_if<Failed>(&failure->outcome);
      const std::string mistake = failed != nullptr ? failed->message : describe(failure->outcome);
      words.push_back("- **" + escape_markdown(name) + " has no times:** " +
                      escape_markdown(mistake.substr(0, mistake.find('\n'))));
    }
  }
  words = distinct(words);
  if (words.empty()) return;
  auto& sections = document.sections;
  if (sections.empty() || sections.front().problem != "summary") {
    Part summary;
    summary.problem = "summary";
    sections.insert(sections.begin(), {"summary", "Summary", {std::move(summary)}});
  }
  std::string& answer = sections.front().parts.front().answer;
  answer = join(words, "\n") + (answer.empty() ? "" : "\n" + answer);
}

/// Names a report by what it shows: "Profiling and benchmarking" if it has any problem of that half
/// of the handout, else the titles of one or two problems, else "Training on several GPUs" if all
/// problems need these, else two titles "and more".
std::string title_of(const Document& document, const RunView& view) {
  std::vector<std::string> titles;
  bool any_profiling = false, all_parallel = true;
  for (const Experiment& experiment : catalog()) {
    const auto section = std::ranges::find(document.sections, experiment.name, &Section::problem);
    if (section == document.sections.end()) continue;
    std::string title = section->title;
    const bool is_acronym = title.size() > 1 && title[1] >= 'A' && title[1] <= 'Z';
    if (!titles.empty() && !is_acronym) title.front() = lower(title).front();
    titles.push_back(std::move(title));
    any_profiling = any_profiling || experiment.in_profiling_half;
    all_parallel = all_parallel && experiment.needs_several_gpus;
  }
  if (any_profiling || titles.empty())
    return "Profiling and benchmarking (§" + view.edition().section + ")";
  if (titles.size() <= 2) return join_words(titles);
  return all_parallel ? "Training on several GPUs"
                      : titles.front() + " and " + titles[1] + ", and more";
}

Document build_document_of(const Problems& problems, const Run& run, bool reference,
                           LeftOutParts left_out) {
  const std::optional<Run> users_part = overview::users_part(run);
  const RunView view(users_part ? *users_part : run, find_edition(run.edition));
  Document document{overview::describe(run, view, reference)};
  document.provenance = overview::provenance(view);
  add_sections(document, view, problems, left_out);
  add_summary_of_parts(document);
  add_failed_code(document, run);
  document.title = title_of(document, view);
  const ModelSource* model = measured_model(run);
  const std::string course = course_name(run);
  const std::string code = course.empty() && model != nullptr ? model->implementation : course;
  if (!code.empty()) document.title += " of " + code;
  document.method = overview::method_text(view);
  document.environment = overview::environment_table(view);
  document.reproduce = overview::repeating_commands(run);
  // A part of the user's stands beside labreport's schemes in its own problem.
  if (!users_part || measured_model(run)->part) return document;
  left_out.attempt("comparison of the two networks", [&] {
    auto comparison = two_models_section(run);
    if (!comparison) return;
    auto& sections = document.sections;
    const auto is_no_summary = [](const Section& section) { return section.problem != "summary"; };
    sections.insert(std::ranges::find_if(sections, is_no_summary), std::move(*comparison));
  });
  return document;
}

}  // namespace

Document build_document(const Run& run, bool reference) {
  return build_document_of({}, run, reference, LeftOutParts(nullptr));
}

Document build_document(const Run& run, bool reference, std::vector<std::string>& left_out) {
  return build_document_of({}, run, reference, LeftOutParts(&left_out));
}

Document build_document_of(const std::set<std::string>& problems, const Run& run, bool reference,
                           std::vector<std::string>& left_out) {
  return build_document_of(problems, run, reference, LeftOutParts(&left_out));
}

std::map<std::string, AnsweredProblem> answered_problems(const Run& run) {
  const std::optional<Run> users_part = overview::users_part(run);
  const RunView view(users_part ? *users_part : run, find_edition(run.edition));
  const auto is_users_code = [](const Cell* cell) {
    return !cell->spec.implementation.empty() && !is_shipped(cell->spec);
  };
  std::map<std::string, AnsweredProblem> problems;
  for (const Experiment& experiment : catalog()) {
    std::vector<std::string> failures;
    LeftOutParts left_out(&failures);
    const Presentation parts = presented_parts(experiment, view, left_out);
    if (parts.empty() && failures.empty()) continue;
    AnsweredProblem& problem = problems[std::string(experiment.name)];
    problem.parts = parts.size();
    for (const auto& [letter, part] : parts) problem.cells += part.cells.size();
    problem.measures_users_code = std::ranges::any_of(parts, [&](const auto& part) {
      return std::ranges::any_of(part.second.cells, is_users_code);
    });
  }
  return problems;
}

}  // namespace labreport
