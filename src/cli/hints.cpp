#include "cli/hints.h"

#include <array>
#include <cstdlib>
#include <regex>
#include <string_view>

namespace labreport {
namespace {

constexpr const char* kCaller = "LABREPORT_CALLER";

/// A flag and its make variable; flags without a value are switched on by 1.
struct Variable {
  const char* flag;
  const char* name;
  bool takes_value = true;
};

constexpr std::array kVariables{Variable{"edition", "EDITION"},
                                Variable{"preset", "PRESET"},
                                Variable{"problems", "PROBLEMS"},
                                Variable{"sizes", "SIZES"},
                                Variable{"contexts", "CONTEXTS"},
                                Variable{"gpus", "GPUS"},
                                Variable{"model-args", "MODEL_ARGS"},
                                Variable{"model", "MODEL"},
                                Variable{"and", "AND"},
                                Variable{"loss", "LOSS"},
                                Variable{"optimizer", "OPTIMIZER"},
                                Variable{"compile", "COMPILE", false},
                                Variable{"attention", "ATTENTION"},
                                Variable{"answers", "ANSWERS"},
                                Variable{"notes", "NOTES"},
                                Variable{"out", "OUT"},
                                Variable{"resume", "RESUME", false},
                                Variable{"site-url", "SITE_URL"},
                                Variable{"format", "FORMAT"},
                                Variable{"paper", "PAPER"},
                                Variable{"own", "OWN", false},
                                Variable{"allow-mismatch", "ALLOW"},
                                Variable{"fail-on-regression", "FAIL", false}};

/// Only a number or a preset after a flag is surely its value and no word of the sentence.
constexpr const char* kBeforeValue = " (?=[0-9]|full\\b|quick\\b|demo\\b)";

}  // namespace

std::string in_callers_form(const std::string& message) {
  const char* caller = std::getenv(kCaller);
  if (caller == nullptr || std::string_view(caller) != "make") return message;
  std::string text = message;
  for (const Variable& variable : kVariables) {
    const std::string flag = std::string("--") + variable.flag + "(?![a-z-])";
    if (!variable.takes_value) {
      text = std::regex_replace(text, std::regex(flag), std::string(variable.name) + "=1");
      continue;
    }
    const std::regex with_value(flag + kBeforeValue);
    text = std::regex_replace(text, with_value, std::string(variable.name) + "=");
    text = std::regex_replace(text, std::regex(flag), variable.name);
  }
  return text;
}

}  // namespace labreport
