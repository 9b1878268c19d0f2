// What has to be said before a table can be read, all of it asked for at once.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "imports/reading.h"

namespace labreport {

void add_missing(std::vector<MissingFact>& all, const std::vector<MissingFact>& more) {
  for (const MissingFact& fact : more) {
    const bool asked = std::ranges::find(all, fact.flag, &MissingFact::flag) != all.end();
    if (!asked) all.push_back(fact);
  }
}

void refuse_missing(const std::vector<MissingFact>& missing, const std::string& file) {
  if (missing.empty()) return;
  std::vector<std::string> problems;
  std::vector<std::string> flags;
  for (const auto& [problem, flag, line] : missing) {
    problems.push_back(line == 0 ? problem : fmt::format("line {}: {}", line, problem));
    flags.push_back(flag);
  }
  throw InputError(file + ": " + join(problems, "; "), "say " + join(flags, ", and "));
}

}  // namespace labreport
