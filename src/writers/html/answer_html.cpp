#include "document/byline.h"
#include "writers/html/html_parts.h"
#include "writers/html/template.h"

namespace labreport {
namespace {

/// Regions of one page have names of their own.
std::string region_label(const Part& part, const std::string& whose) {
  const std::string letter = part.letter.empty() ? "" : "(" + part.letter + ") ";
  return whose + ": " + letter + part.title;
}

}  // namespace

std::string answer_html(const Part& part, const PageState& state) {
  const std::string answer = part.generated_answer(state.answers);
  const bool facts = state.answers == Answers::kFacts;
  const bool awaited = part.awaits_answer(state.answers);
  const std::string whose = awaited ? "Your answer" : own_words(state.front);
  std::string html = fill_template(
      "answer.html",
      {{"generated", !answer.empty()},
       {"answer", facts ? facts_html(answer) : markdown_to_html(answer)},
       {"compares", state.compares},
       {"noted", part.note.has_value()},
       {"note", part.note ? markdown_to_html(part.note->markdown, part.note->formulas) : ""},
       {"note_mark", note_mark(state.front)},
       {"awaited", awaited},
       {"label", region_label(part, whose)}});
  while (html.ends_with('\n')) html.pop_back();  // what sections that are not shown leave
  return html.empty() ? html : html + "\n";
}

}  // namespace labreport
