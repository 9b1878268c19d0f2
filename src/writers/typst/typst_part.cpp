#include "base/text.h"
#include "document/byline.h"
#include "writers/paper_choice.h"
#include "writers/typst/typst_parts.h"
#include "writers/typst/typst_text.h"

namespace labreport {
namespace {

/// Set off by a line at its side; a mark on the last line, where that has room, says whose words
/// these are.
std::string framed(std::string blocks, const std::string& mark, const std::string& stroke) {
  while (blocks.ends_with('\n')) blocks.pop_back();
  return "#block(stroke: (left: " + stroke +
         "), inset: (left: 0.9em, y: 0.2em), spacing: 0.9em)[\n" + blocks +
         " #h(1fr)#box[#text(size: 0.85em, style: \"italic\", fill: luma(90))[" + typst_text(mark) +
         "]]\n]\n\n";
}

/// Where the author writes, by hand or in the source.
constexpr std::string_view kRoomForAnswer =
    "#block(stroke: (left: 1.5pt + rgb(\"#1f5fa8\")), inset: (left: 0.9em), height: 7em, "
    "breakable: false)[\n"
    "#text(size: 0.85em, style: \"italic\", fill: luma(90))[Your answer]\n]\n\n";

/// Where to look for what is not here.
std::string elsewhere(const Part& part, const PaperPart& paper) {
  std::string text;
  for (std::size_t i = 0; i < paper.further.size(); ++i) {
    const std::string label = typst_label(further_label(part, i));
    const std::string title = typst_text(paper.further[i]->title);
    const std::string number = label.empty() ? "" : " (#ref(" + label.substr(1) + "))";
    text += (text.empty() ? "At the end\\: " : "; ") + title + number;
  }
  if (!text.empty()) text += ". ";
  return text + typst_left(paper.left);
}

/// The main table, where it can stand beside the last figure, which would be alone.
const TableView* beside_figure(const PaperPart& paper, const TypstSource& source) {
  if (paper.figures.size() % 2 == 0 || paper.tables.empty()) return nullptr;
  const bool drawn = source.drawings.contains(paper.figures.back()->slug);
  return drawn && fits_half(*paper.tables.front()) ? paper.tables.front() : nullptr;
}

std::string figures_and_tables(const Part& part, const TypstSource& source) {
  const PaperPart paper = on_paper(part);
  const TableView* beside = beside_figure(paper, source);
  std::string text = typst_figures(paper.figures, source, beside);
  for (const TableView* table : paper.tables) {
    if (table != beside) text += typst_table(*table);
  }
  const std::string more = elsewhere(part, paper);
  return more.empty() ? text : text + "#text(size: 0.85em, fill: luma(90))[" + more + "]\n\n";
}

std::vector<const Figure*> all_figures(const Part& part) {
  std::vector<const Figure*> all;
  for (const Figure& figure : part.figures) all.push_back(&figure);
  return all;
}

}  // namespace

std::string typst_heading(const Part& part, bool with_problem) {
  const std::string letter = part.letter.empty() ? "" : "(" + part.letter + ") ";
  const std::string problem = with_problem ? typst_code(part.problem) + " " : "";
  return problem + typst_text(letter + part.title);
}

std::string typst_part(const Part& part, const TypstSource& source) {
  std::string text;
  if (!part.title.empty()) {
    text = "== " + typst_heading(part, false) + typst_label(part.anchor()) + "\n\n";
  }
  text += typst_muted(typst_text(part.setting));
  if (!part.question.empty()) {
    text += "#quote(block: true)[\n" + typst_blocks(part.question, source) + "]\n\n";
  }
  const std::string answer = part.generated_answer(source.options.answers);
  if (!answer.empty()) {
    text += framed(typst_blocks(answer, source), "Generated from this run’s measurements.",
                   "1.5pt + luma(190)");
  }
  if (part.note) {
    text += framed(typst_blocks(part.note->markdown, source, part.note->formulas),
                   note_mark(source.document.front), "1.5pt + rgb(\"#1f5fa8\")");
  }
  if (part.awaits_answer(source.options.answers)) text += kRoomForAnswer;
  if (source.whole) return text + figures_and_tables(part, source);
  text += typst_figures(all_figures(part), source);
  for (const TableView& table : part.tables) text += typst_table(table);
  return text;
}

}  // namespace labreport
