#include "cli/hints.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string_view>
#include <utility>

#include "results/make_words.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

// In prose, only a number or a preset after a flag is surely its value.
constexpr const char* kFlagInProse = R"((--[a-z-]+)( (?=[0-9]|full\b|quick\b|demo\b))?)";
constexpr const char* kFlagInCommand = R"((--[a-z-]+)( (?=[^-]))?)";

/// Verbs that a target of make calls.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kTargets{
    {{"report", "report"},
     {"render", "site"},
     {"diff", "diff"},
     {"notes --init", "notes"},
     {"submit", "submit"}}};

/// "--edition 2026" → "EDITION=2026"; switches are set to 1.
std::string with_variables(const std::string& text, const char* pattern) {
  static constexpr std::array<std::string_view, 4> kSwitches{"OWN", "RESUME", "COMPILE", "FAIL"};
  const std::regex flag(pattern);
  std::string changed;
  auto copied = text.begin();
  for (std::sregex_iterator match(text.begin(), text.end(), flag), end; match != end; ++match) {
    const std::string variable = makefile_variable(match->str(1));
    if (variable.empty()) continue;
    const bool is_switch = std::ranges::find(kSwitches, variable) != kSwitches.end();
    changed.append(copied, (*match)[1].first).append(variable);
    if (is_switch) changed += "=1" + match->str(2);
    if (!is_switch && (*match)[2].matched) changed += "=";
    copied = (*match)[0].second;
  }
  return changed.append(copied, text.end());
}

/// A command's words after "labreport", as a target of make or as a call of this program.
std::string typed_command(const std::string& words) {
  for (const auto& [verb, target] : kTargets) {
    if (!words.starts_with(verb)) continue;
    const std::string rest = with_variables(words.substr(verb.size()), kFlagInCommand);
    if (rest.find("--") == rest.npos) return "make " + std::string(target) + rest;
  }
  return fs::proximate(fs::read_symlink("/proc/self/exe")).string() + " " + words;
}

}  // namespace

std::string in_callers_form(const std::string& message) {
  const char* caller = std::getenv("LABREPORT_CALLER");
  if (caller == nullptr || std::string_view(caller) != "make") return message;
  static const std::regex command("`(?:[^ `]*/)?labreport ([^`]*)`");
  std::string changed;
  auto copied = message.begin();
  for (std::sregex_iterator match(copied, message.end(), command), end; match != end; ++match) {
    changed += with_variables({copied, (*match)[0].first}, kFlagInProse);
    changed += "`" + typed_command((*match)[1]) + "`";
    copied = (*match)[0].second;
  }
  return changed + with_variables({copied, message.end()}, kFlagInProse);
}

}  // namespace labreport
