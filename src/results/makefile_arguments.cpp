#include "results/makefile_arguments.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "base/text.h"

namespace labreport {

std::string makefile_variable(const std::string& flag) {
  if (flag == "--allow-mismatch") return "ALLOW";
  if (flag == "--fail-on-regression") return "FAIL";
  constexpr std::array<std::string_view, 30> kFlagsWithVariables{
      "--edition",   "--preset",
      "--problems",  "--sizes",
      "--contexts",  "--gpus",
      "--model",     "--and",
      "--loss",      "--model-args",
      "--compile",   "--answers",
      "--notes",     "--out",
      "--resume",    "--optimizer",
      "--attention", "--format",
      "--paper",     "--site-url",
      "--own",       "--step",
      "--step-args", "--ranks",
      "--ddp",       "--sharded-optimizer",
      "--fsdp",      "--course",
      "--price-a",   "--price-b"};
  if (std::ranges::find(kFlagsWithVariables, flag) == kFlagsWithVariables.end()) return "";
  std::string name = replaced(flag.substr(2), "-", "_");
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c == '_' ? c : static_cast<char>(c - 'a' + 'A'); });
  return name;
}

std::string makefile_arguments(const std::vector<GivenFlag>& flags) {
  std::string text;
  std::vector<std::string> flags_without_variable;
  for (const GivenFlag& flag : flags) {
    const std::string variable = makefile_variable(flag.name);
    const std::string value = flag.values.empty() ? "1" : flag.values.front();
    if (variable.empty()) {
      std::ranges::copy(flag.words(), std::back_inserter(flags_without_variable));
    } else {
      text += " " + command_line(std::vector{variable + "=" + value});
    }
  }
  if (flags_without_variable.empty()) return text;
  const std::string line = command_line(flags_without_variable);
  const bool fits_double_quotes = line.find_first_of("\"$\\`!") == line.npos;
  return text + " " +
         (fits_double_quotes ? "ARGS=\"" + line + "\"" : command_line(std::vector{"ARGS=" + line}));
}

}  // namespace labreport
