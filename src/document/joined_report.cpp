#include "document/joined_report.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

#include "base/text.h"
#include "document/demonstration.h"
#include "document/facts.h"

namespace labreport {
namespace {

/// A run with its number in the write-up, from 1.
struct NumberedRun : RunReport {
  std::string number;

  std::string device() const {
    return report.demonstration ? std::string(kDemonstration) + " on " + report.device
                                : report.device;
  }
  std::string name() const { return "Run " + number; }
  std::string heading() const { return name() + ": " + device(); }
};

using Runs = std::vector<NumberedRun>;

/// Returns the runs' different words that are not empty, joined in the order of the runs.
std::string distinct_words(const Runs& runs,
                           const std::function<std::string(const Document&)>& get) {
  std::vector<std::string> words;
  for (const NumberedRun& run : runs) {
    const std::string word = get(run.report);
    const bool is_new = std::ranges::find(words, word) == words.end();
    if (is_new && !word.empty()) words.push_back(word);
  }
  return join_words(words);
}

/// Describes the runs together. The date is that of the newest run, and a demonstration's device is
/// named only beside no GPU.
RunDescription description_of(const Runs& runs) {
  const auto any = [&](bool Document::* is_so) {
    return std::ranges::any_of(runs, [&](const NumberedRun& run) { return run.report.*is_so; });
  };
  const auto all = [&](bool Document::* is_so) {
    return std::ranges::all_of(runs, [&](const NumberedRun& run) { return run.report.*is_so; });
  };
  RunDescription all_runs{.edition = runs.front().report.edition,
                          .demonstration = all(&Document::demonstration),
                          .reference = all(&Document::reference),
                          .incomplete = any(&Document::incomplete)};
  all_runs.device = distinct_words(runs, [&](const Document& each) {
    return each.demonstration && !all_runs.demonstration ? "" : each.device;
  });
  all_runs.preset = distinct_words(runs, [](const Document& each) { return each.preset; });
  all_runs.outcome = distinct_words(runs, [](const Document& each) { return each.outcome; });
  for (const NumberedRun& run : runs)
    all_runs.started_at = std::max(all_runs.started_at, run.report.started_at);
  return all_runs;
}

/// Returns the section that lists the problems with their runs.
Section list_of_runs(const Runs& runs, const std::vector<const Section*>& sections) {
  TableView table{"problems", "The problems and the runs that answer them", {}, {}};
  for (const char* title : {"Problem", "Parts", "Run", "Measured on", "Date", "Code"})
    table.columns.push_back({title, "", Align::kLeft});
  for (const Section* section : sections) {
    const auto run = std::ranges::find_if(
        runs, [&](const NumberedRun& each) { return each.code.contains(section->problem); });
    std::vector<std::string> letters;
    for (const Part& part : section->parts) {
      if (!part.letter.empty()) letters.push_back(part.letter);
    }
    Value number(run->number);
    number.link = "runs/" + run->number + ".json";
    const std::string& code = run->code.at(section->problem);
    table.rows.push_back({{section->problem, join(letters, ", "), number, run->device(),
                           run->report.date(), code.empty() ? "labreport’s" : "own: " + code}});
  }
  Part part;
  part.problem = kListOfRuns;
  part.tables = {std::move(table)};
  for (const NumberedRun& run : runs) {
    part.attachments.push_back({"runs/" + run.number + ".json", run.run_json});
    part.attachments.push_back({"runs/" + run.number + ".csv", run.cells_csv});
  }
  return {kListOfRuns, "Runs", {std::move(part)}};
}

/// Returns the sections of the run's report that answer no problem, as parts of one section. The
/// names of parts and figures end in the run's number, because other runs have them, too.
Section introduction_of(NumberedRun& run) {
  Part place;
  place.problem = "run-" + run.number;
  place.setting = run.report.run_line() + " · " + run.report.provenance;
  if (run.report.demonstration) place.setting += std::string(" · ") + kDemonstrationMeaning;
  if (run.report.incomplete) place.setting += " · Interrupted run: cells are missing.";
  Section introduction{place.problem, run.heading(), {std::move(place)}};
  for (Section& section : run.report.sections) {
    if (run.code.contains(section.problem)) continue;
    for (Part& part : section.parts) {
      part.problem += "-" + run.number;
      part.title = section.problem == "summary" ? "" : section.title;
      for (std::vector<Figure>* figures : {&part.figures, &part.details.figures}) {
        for (Figure& figure : *figures) figure.slug += "-" + run.number;
      }
      introduction.parts.push_back(std::move(part));
    }
  }
  return introduction;
}

/// Joins the runs' methods, each below the run's heading. If all are the same, it stands once.
std::string joined_methods(const Runs& runs) {
  const std::string& first = runs.front().report.method;
  const bool are_equal =
      std::ranges::all_of(runs, [&](const NumberedRun& run) { return run.report.method == first; });
  if (are_equal) return first;
  std::string all;
  for (const NumberedRun& run : runs)
    all += "### " + escape_markdown(run.heading()) + "\n\n" + run.report.method + "\n\n";
  return all;
}

std::string joined_commands(const Runs& runs) {
  std::vector<std::string> all;
  for (const NumberedRun& run : runs)
    all.push_back("# " + run.heading() + "\n" + std::string(trimmed(run.report.reproduce)) + "\n");
  return join(all, "\n");
}

/// Joins the runs' tables, each below a row with the run's name.
TableView joined_environments(const Runs& runs) {
  TableView all = runs.front().report.environment;
  all.rows.clear();
  for (const NumberedRun& run : runs) {
    all.rows.push_back({{run.name(), run.device()}});
    std::ranges::copy(run.report.environment.rows, std::back_inserter(all.rows));
  }
  return all;
}

/// Makes the names of the parts' files unique. Notes of different runs may have pictures of one
/// name, and their words then refer to the new name.
void rename_equal_files(Document& document) {
  std::map<std::string, std::string> contents;
  for (Section& section : document.sections) {
    for (Part& part : section.parts) {
      std::erase_if(part.attachments, [&](Attachment& file) {
        const std::string wanted = file.name;
        const auto is_other = [&] {
          const auto known = contents.find(file.name);
          return known != contents.end() && known->second != file.bytes;
        };
        for (int number = 2; is_other(); ++number) {
          const std::size_t name = wanted.rfind('/') + 1;
          file.name = wanted.substr(0, name) + std::to_string(number) + "-" + wanted.substr(name);
        }
        if (part.note && file.name != wanted)
          part.note->markdown = replaced(part.note->markdown, "(" + wanted, "(" + file.name);
        return !contents.emplace(file.name, file.bytes).second;
      });
    }
  }
}

}  // namespace

Document joined_report(std::vector<RunReport> reports, const std::vector<std::string>& problems) {
  Runs runs;
  for (RunReport& report : reports)
    runs.push_back({std::move(report), std::to_string(runs.size() + 1)});
  Document document{description_of(runs)};
  document.title = "CS336 assignment 2";
  document.provenance =
      "Joined from " + std::to_string(runs.size()) + " runs; each part names its run";
  document.method = joined_methods(runs);
  document.environment = joined_environments(runs);
  document.reproduce = joined_commands(runs);
  const auto has_author = [](const NumberedRun& run) { return !run.report.front.author.empty(); };
  const auto authors = std::ranges::find_if(runs, has_author);
  document.front = (authors == runs.end() ? runs.front() : *authors).report.front;
  std::vector<NumberedRun*> owners;  // The run of each problem that a run answers.
  std::vector<const Section*> listed;
  for (const std::string& problem : problems) {
    for (NumberedRun& run : runs) {
      const auto section = std::ranges::find(run.report.sections, problem, &Section::problem);
      if (section == run.report.sections.end() || !run.code.contains(problem)) continue;
      owners.push_back(&run);
      listed.push_back(&*section);
    }
  }
  document.sections.push_back(list_of_runs(runs, listed));
  std::set<const NumberedRun*> introduced;
  for (std::size_t i = 0; i < listed.size(); ++i) {
    NumberedRun& run = *owners[i];
    if (introduced.insert(&run).second) document.sections.push_back(introduction_of(run));
    Section& section = document.sections.emplace_back(*listed[i]);
    for (Part& part : section.parts) {
      part.setting =
          run.name() + ", " + run.device() + (part.setting.empty() ? "" : " · " + part.setting);
    }
  }
  rename_equal_files(document);
  return document;
}

}  // namespace labreport
