#include "publish/hand_in_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "document/demonstration.h"
#include "experiments/catalog.h"
#include "experiments/handout.h"
#include "publish/submission_folder.h"
#include "results/run_store.h"
#include "writers/markdown/markdown.h"

namespace labreport {
namespace {

const Part* find_part(const Document& document, std::string_view problem, std::string_view letter) {
  for (const Section& section : document.sections) {
    if (section.problem != problem) continue;
    const auto part = std::ranges::find(section.parts, letter, &Part::letter);
    if (part != section.parts.end()) return &*part;
  }
  return nullptr;
}

/// Counts the parts of a problem by who answered them.
struct AnswerCounts {
  std::int64_t yours = 0, generated = 0, empty = 0, missing = 0;
  bool is_calculated = true;  ///< True if no part's answer needs a measurement.

  AnswerCounts(const HandoutProblem& problem, const Document& document, Answers answers) {
    for (const std::string_view letter : problem.letters) {
      const Part* part = find_part(document, problem.experiment, letter);
      if (part == nullptr) {
        ++missing;
        continue;
      }
      const bool is_generated = !part->generated_answer(answers).empty();
      const bool is_yours = part->note && (part->note->replaces_answer || !is_generated);
      ++(is_yours ? yours : is_generated ? generated : empty);
      is_calculated = is_calculated && part->calculated;
    }
  }

  bool are_all_missing() const { return yours + generated + empty == 0; }

  /// "yours", "2 yours, 1 generated", "not measured"
  std::string words() const {
    if (are_all_missing()) return "not measured";
    std::vector<std::pair<std::int64_t, const char*>> counts{
        {yours, "yours"}, {generated, "generated"}, {empty, "empty"}, {missing, "missing"}};
    std::erase_if(counts, [](const auto& count) { return count.first == 0; });
    if (counts.size() == 1) return counts.front().second;
    std::vector<std::string> words;
    for (const auto& [count, name] : counts) words.push_back(fmt::format("{} {}", count, name));
    return join(words, ", ");
  }
};

std::string screenshot_words(const Part* part, const Screenshots& screenshots) {
  const bool has_figure =
      part != nullptr &&
      std::ranges::any_of(part->figures, [](const Figure& f) { return !f.page_only; });
  if (!has_figure) return "missing";
  return screenshots.file.empty() ? "figures of the report"
                                  : fmt::format("figures of the report, or {}", screenshots.file);
}

/// Says whose code gave the problem's numbers; empty if there are none.
std::string source_words(const HandoutProblem& problem, const AnswerCounts& counts,
                         const std::map<std::string, MeasuredBy>& sources) {
  const auto source = sources.find(std::string(problem.experiment));
  if (counts.are_all_missing() || source == sources.end()) return "";
  if (counts.is_calculated) return "none: calculated";
  if (source->second.on_cpu) return source->second.users_code ? "yours, on a CPU" : kDemonstration;
  return source->second.users_code ? "yours" : "labreport’s";
}

}  // namespace

std::map<std::string, MeasuredBy> measured_by(const WriteUp& write_up) {
  std::map<std::string, MeasuredBy> sources;
  for (const WriteUpRun& taken : write_up.runs) {
    const Run run = RunStore(taken.folder).load();
    const bool on_cpu = !RunView(run, find_edition(run.edition)).on_gpu();
    for (const std::string& problem : taken.problems)
      sources[problem] = {.users_code = taken.own_code.contains(problem), .on_cpu = on_cpu};
  }
  return sources;
}

HandInList::HandInList(const Document& document, Answers answers,
                       const std::map<std::string, MeasuredBy>& sources, bool has_pdf)
    : edition_(document.edition) {
  table_.columns = {{fmt::format("Problem of the {} edition", edition_), "", Align::kLeft},
                    {"Points", "", Align::kRight, false, kAsCount},
                    {"Answers", "", Align::kLeft},
                    {"Code", "", Align::kLeft}};
  int all = 0, code = 0, empty = 0;
  for (const HandoutProblem& problem : handout_problems(edition_)) {
    all += problem.points;
    if (problem.experiment.empty()) {
      code += problem.points;
      table_.rows.push_back({{problem.name, problem.points, "code to hand in", ""}});
      continue;
    }
    const AnswerCounts counts(problem, document, answers);
    if (counts.missing > 0)
      missing_points_ += problem.points;
    else if (counts.empty > 0)
      empty += problem.points;
    has_unwritten_answer_ = has_unwritten_answer_ || counts.generated + counts.empty > 0;
    table_.rows.push_back(
        {{problem.name, problem.points, counts.words(), source_words(problem, counts, sources)}});
    for (const Screenshots& screenshots : problem.screenshots) {
      const Part* part = find_part(document, problem.experiment, screenshots.answered_letter);
      table_.rows.push_back(
          {{fmt::format("– ({}) asks for {}", screenshots.letter, screenshots.wanted), "",
            screenshot_words(part, screenshots), ""}});
    }
  }
  const int answered = all - code - empty - missing_points_;
  const std::string empty_words = empty > 0 ? fmt::format(", {} empty", empty) : "";
  table_.rows.push_back({{"In all", all,
                          fmt::format("{} answered, {} of code{}, {} missing", answered, code,
                                      empty_words, missing_points_),
                          ""}});
  table_.rows.push_back({{SubmissionFolder::kWriteUp, "", has_pdf ? "written" : "missing", ""}});
}

std::string HandInList::text() const {
  std::string text;
  const auto add = [&](const std::string& item, const std::string& points,
                       const std::string& answers, const std::string& code) {
    text += fmt::format("{:<46} {:>3} {:<31} {}", item, points, answers, code);
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  };
  add(table_.columns[0].title, "Pts", table_.columns[2].title, table_.columns[3].title);
  for (const RowView& row : table_.rows)
    add(table_.text(row, 0), table_.text(row, 1), table_.text(row, 2), table_.text(row, 3));
  if (has_unwritten_answer_) {
    text += "Write answers of your own into your notes, which `labreport notes --init` begins.\n";
  }
  if (missing_points_ == 0) return text;
  return text +
         fmt::format("`labreport report --edition {} --problems PROBLEM` measures one more.\n",
                     edition_);
}

std::string HandInList::markdown() const {
  return "# What is handed in\n\n" + table_markdown(table_) +
         "Figures of the report stand for screenshots. PyTorch’s [memory_viz]"
         "(https://pytorch.org/memory_viz) opens the `.pickle` files that a run on a GPU keeps in "
         "its "
         "folder `artifacts/`.\n";
}

}  // namespace labreport
