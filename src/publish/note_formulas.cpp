#include "publish/note_formulas.h"

#include <set>

#include "base/error.h"

namespace labreport {
namespace {

std::vector<AuthorNote*> notes_of(std::vector<SiteRun>& runs) {
  std::vector<AuthorNote*> notes;
  for (SiteRun& run : runs) {
    for (Section& section : run.document.sections) {
      for (Part& part : section.parts) {
        if (part.note) notes.push_back(&*part.note);
      }
    }
  }
  return notes;
}

}  // namespace

std::string convert_note_formulas(std::vector<SiteRun>& runs, ChartTool& tool) {
  std::set<std::string> sources;
  for (const AuthorNote* note : notes_of(runs)) {
    for (const MathSpan& span : cut_math(note->markdown).spans) {
      if (find_formula(span, {}) == nullptr) sources.insert(span.source());
    }
  }
  if (sources.empty()) return "";
  try {
    const Formulas formulas = tool.convert(sources);
    for (AuthorNote* note : notes_of(runs)) note->formulas = formulas;
    return "";
  } catch (const Error& error) {
    return std::string("formulas of notes are shown as TeX: ") + error.what();
  }
}

}  // namespace labreport
