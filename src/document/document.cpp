#include "document/document.h"

#include <algorithm>

namespace labreport {

std::string Part::name() const { return letter.empty() ? problem : problem + "." + letter; }

std::string Part::anchor() const { return letter.empty() ? problem : problem + "-" + letter; }

std::string Details::words(Answers answers) const {
  if (answers != Answers::kFull || findings.empty()) return method;
  return method.empty() ? findings : method + "\n\n" + findings;
}

std::string Part::generated_answer(Answers answers) const {
  if (answers == Answers::kNone || (note && note->replaces)) return "";
  return answers == Answers::kFull ? answer : facts;
}

bool Part::awaits_answer(Answers answers) const {
  return answers == Answers::kNone && !note && !question.empty();
}

bool Section::asked() const {
  return std::ranges::any_of(parts, [](const Part& part) { return !part.question.empty(); });
}

}  // namespace labreport
