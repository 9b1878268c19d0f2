#include "results/make_words.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "base/text.h"

namespace labreport {

std::string make_variable(const std::string& flag) {
  if (flag == "--allow-mismatch") return "ALLOW";
  if (flag == "--fail-on-regression") return "FAIL";
  constexpr std::array<std::string_view, 21> kFlags{
      "--edition", "--preset",   "--problems", "--sizes",      "--contexts",  "--gpus",
      "--model",   "--and",      "--loss",     "--model-args", "--compile",   "--answers",
      "--notes",   "--out",      "--resume",   "--optimizer",  "--attention", "--format",
      "--paper",   "--site-url", "--own"};
  if (std::ranges::find(kFlags, flag) == kFlags.end()) return "";
  std::string name = replaced(flag.substr(2), "-", "_");
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c == '_' ? c : static_cast<char>(c - 'a' + 'A'); });
  return name;
}

std::string make_words(const std::vector<GivenFlag>& flags) {
  std::string text;
  std::vector<std::string> others;
  for (const GivenFlag& flag : flags) {
    const std::string variable = make_variable(flag.name);
    const std::string value = flag.values.empty() ? "1" : flag.values.front();
    if (variable.empty()) {
      std::ranges::copy(flag.words(), std::back_inserter(others));
    } else {
      text += " " + command_line(std::vector{variable + "=" + value});
    }
  }
  if (others.empty()) return text;
  const std::string line = command_line(others);
  const bool plain = line.find_first_of("\"$\\`!") == line.npos;
  return text + " " + (plain ? "ARGS=\"" + line + "\"" : command_line(std::vector{"ARGS=" + line}));
}

}  // namespace labreport
