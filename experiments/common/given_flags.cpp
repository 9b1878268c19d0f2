#include "experiments/common/given_flags.h"

#include <algorithm>

namespace labreport {

std::vector<std::string> given_values(const Session& session, std::string_view flag) {
  std::vector<std::string> values;
  bool of_flag = false;
  for (const std::string& word : session.argv) {
    if (!word.starts_with("--")) {
      if (of_flag) values.push_back(word);
      continue;
    }
    const std::size_t equals = std::min(word.find('='), word.size());
    const bool named = std::string_view(word).substr(0, equals) == flag;
    of_flag = named && equals == word.size();
    if (named && !of_flag) values.push_back(word.substr(equals + 1));
  }
  return values;
}

bool is_given(const Session& session, std::string_view flag) {
  return std::ranges::find(session.argv, flag) != session.argv.end();
}

}  // namespace labreport
