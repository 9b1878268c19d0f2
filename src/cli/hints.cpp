#include "cli/hints.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string_view>
#include <utility>

#include "plan/editions.h"
#include "results/makefile_arguments.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

// In prose, the word after a flag is surely its value only if it is a number or a preset.
constexpr const char* kFlagInProse = R"((--[a-z-]+)( (?=[0-9]|full\b|quick\b|demo\b))?)";
constexpr const char* kFlagInCommand = R"((--[a-z-]+)( (?=[^-]))?)";

/// Pairs of a verb and the target of make that calls it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kTargets{
    {{"report", "report"},
     {"render", "site"},
     {"diff", "diff"},
     {"notes --init", "notes"},
     {"submit", "submit"}}};

/// Replaces "--edition 2026" by "EDITION=2026", and a flag without a value by a variable set to 1.
std::string with_variables(const std::string& text, const char* pattern) {
  static constexpr std::array<std::string_view, 4> kSwitches{"OWN", "RESUME", "COMPILE", "FAIL"};
  const std::regex flag(pattern);
  std::string result;
  auto copied_end = text.begin();
  for (std::sregex_iterator match(text.begin(), text.end(), flag), end; match != end; ++match) {
    const std::string variable = makefile_variable(match->str(1));
    if (variable.empty()) continue;
    const bool is_switch = std::ranges::find(kSwitches, variable) != kSwitches.end();
    result.append(copied_end, (*match)[1].first).append(variable);
    if (is_switch) result += "=1" + match->str(2);
    if (!is_switch && (*match)[2].matched) result += "=";
    copied_end = (*match)[0].second;
  }
  return result.append(copied_end, text.end());
}

/// Returns a command, without "labreport", as a target of make or else as a call of this program.
std::string typed_command(const std::string& words) {
  for (const auto& [verb, target] : kTargets) {
    if (!words.starts_with(verb)) continue;
    const std::string rest = with_variables(words.substr(verb.size()), kFlagInCommand);
    if (rest.find("--") == rest.npos) return "make " + std::string(target) + rest;
  }
  return fs::proximate(fs::read_symlink("/proc/self/exe")).string() + " " + words;
}

}  // namespace

std::string edition_hint(const std::string& edition, const std::string& what_it_does) {
  const auto other =
      std::ranges::find_if(editions(), [&](const Edition& known) { return known.name != edition; });
  return "this is the " + edition + " edition; --edition " + other->name + " " + what_it_does;
}

std::string in_callers_form(const std::string& message) {
  const char* caller = std::getenv("LABREPORT_CALLER");
  if (caller == nullptr || std::string_view(caller) != "make") return message;
  static const std::regex command("`(?:[^ `]*/)?labreport ([^`]*)`");
  std::string result;
  auto copied_end = message.begin();
  for (std::sregex_iterator match(copied_end, message.end(), command), end; match != end; ++match) {
    result += with_variables({copied_end, (*match)[0].first}, kFlagInProse);
    result += "`" + typed_command((*match)[1]) + "`";
    copied_end = (*match)[0].second;
  }
  return result + with_variables({copied_end, message.end()}, kFlagInProse);
}

}  // namespace labreport
