#include "document/document.h"

#include <algorithm>

#include "base/text.h"
#include "document/joined_report.h"

namespace labreport {

std::string ColumnView::head() const { return unit.empty() ? title : title + " (" + unit + ")"; }

std::string RowView::reason_or_dash() const {
  return missing_reason.empty() ? kNoNumber : missing_reason;
}

std::string RowView::joined_flags() const { return join(flags, ", "); }

std::string TableView::text(const RowView& row, std::size_t column) const {
  return column < row.cells.size() ? format_value(row.cells[column], columns[column].notation) : "";
}

std::string Part::name() const { return letter.empty() ? problem : problem + "." + letter; }

std::string Part::anchor() const { return letter.empty() ? problem : problem + "-" + letter; }

std::string Part::lettered_title() const {
  return letter.empty() ? title : "(" + letter + ") " + title;
}

bool Details::is_empty(Answers answers) const {
  return words(answers).empty() && tables.empty() && figures.empty() && warnings.empty();
}

std::string Details::words(Answers answers) const {
  if (answers != Answers::kFull || findings.empty()) return method;
  return method.empty() ? findings : method + "\n\n" + findings;
}

std::string Part::generated_answer(Answers answers) const {
  if (answers == Answers::kNone || (note && note->replaces_answer)) return "";
  return answer;
}

bool Part::awaits_answer(Answers answers) const {
  return answers == Answers::kNone && !note && !question.empty();
}

bool Section::is_handout_problem() const {
  return std::ranges::any_of(parts, [](const Part& part) { return !part.question.empty(); });
}

std::string FrontMatter::attribution() const {
  if (author.empty()) return "In the author’s own words";
  // Writers may append a full stop, which a name such as "Ada L." already has.
  return "In the words of " + author.substr(0, author.size() - (author.ends_with('.') ? 1 : 0));
}

std::string FrontMatter::repository_label() const {
  std::string address = repository.substr(repository.find("//") + 2);
  while (address.ends_with('/')) address.pop_back();
  return address;
}

std::string RunDescription::date() const {
  constexpr std::size_t kDateLength = 10;
  return started_at.substr(0, kDateLength);
}

std::string Document::name() const { return device.empty() ? title : title + " · " + device; }

std::string Document::provenance_line(Answers answers) const {
  std::int64_t own = 0, answered = 0;
  bool has_generated_answer = false;
  for (const Section& section : sections) {
    for (const Part& part : section.parts) {
      const bool is_own = part.note && part.note->replaces_answer;
      const bool is_generated = !part.generated_answer(answers).empty();
      own += is_own;
      answered += is_own || (is_generated && !part.question.empty());
      has_generated_answer = has_generated_answer || (is_generated && !part.calculated);
    }
  }
  if (!has_generated_answer || (own > 0 && own == answered)) return provenance;
  if (!relation.empty()) return provenance + " Answers are generated from both runs’ measurements.";
  if (own > 0) {
    return provenance + " · " + std::to_string(own) + " of " + std::to_string(answered) +
           " answers in the author’s words, the rest generated";
  }
  const std::string runs = has_part(kListOfRuns) ? "these runs’" : "this run’s";
  return provenance + " · answers are generated from " + runs + " measurements";
}

bool Document::has_part(const std::string& anchor) const {
  return std::ranges::any_of(sections, [&](const Section& section) {
    return std::ranges::find(section.parts, anchor, &Part::anchor) != section.parts.end();
  });
}

std::string Document::run_line() const {
  return edition + " edition · " + preset + " preset · " + date() +
         (reference ? " · reference run" : "");
}

}  // namespace labreport
