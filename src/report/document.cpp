#include "report/document.h"

namespace labreport {

std::string Part::anchor() const { return letter.empty() ? problem : problem + "-" + letter; }

std::string Part::generated_answer(Answers answers) const {
  if (answers == Answers::kNone || (note && note->replaces)) return "";
  return answers == Answers::kFull ? answer : facts;
}

}  // namespace labreport
