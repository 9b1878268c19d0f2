// Lists the flags with which a user names code to measure.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "results/run.h"

namespace labreport {

/// A flag that names code of the user's.
struct CodeFlag {
  std::string_view flag;
  std::optional<std::string> Request::* code;
  std::string_view problem = {};  ///< The only problem that measures it; empty if several do.
  std::string_view part = {};     ///< The worker's name for a part of distributed training.
  std::string_view letters = {};  ///< The parts of `problem` that such a part answers.
  /// The parts of `problem` that ask about the code's design, which only its author can answer.
  std::string_view letters_on_design = {};

  bool is_given(const Request& request) const { return (request.*code).has_value(); }
};

inline constexpr CodeFlag kCodeFlags[]{
    {"--model", &Request::model},
    {"--step", &Request::step},
    {"--attention", &Request::attention, "flash_benchmarking"},
    {"--ddp", &Request::ddp, "data_parallel", "ddp", "cd"},
    {"--sharded-optimizer", &Request::sharded_optimizer, "optimizer_state_sharding_accounting",
     "sharded_optimizer", "ab", "c"},
    {"--fsdp", &Request::fsdp, "fsdp_accounting", "fsdp", "ab", "b"}};

/// A flag that describes code which another flag names.
struct CodeDetail {
  std::string_view flag, owner;
};

inline constexpr CodeDetail kCodeDetails[]{{"--model-args", "--model"},
                                           {"--loss", "--model"},
                                           {"--optimizer", "--model"},
                                           {"--compile", "--model"},
                                           {"--step-args", "--step"}};

/// Returns the first of the flags that the request gives; null if it names no code.
inline const CodeFlag* given_code(const Request& request) {
  const auto given = std::ranges::find_if(
      kCodeFlags, [&](const CodeFlag& flag) { return flag.is_given(request); });
  return given == std::end(kCodeFlags) ? nullptr : given;
}

/// Returns the flag that names the code in a command.
inline const CodeFlag& flag_of(const ModelSource& code) {
  const std::string_view flag = code.attention ? "--attention" : code.step ? "--step" : "--model";
  return *std::ranges::find_if(kCodeFlags, [&](const CodeFlag& known) {
    return code.part ? known.part == *code.part : known.flag == flag;
  });
}

/// True for problems that the course's adapters answer. Parts of `data_parallel` have none.
inline bool is_asked_of_students(std::string_view problem) {
  return problem != "data_parallel" &&
         std::ranges::find(kCodeFlags, problem, &CodeFlag::problem) != std::end(kCodeFlags);
}

/// Returns the parts, such as "fsdp_accounting.b", that ask about the design of the code that
/// `problems` measure.
inline std::set<std::string> parts_on_design(const std::set<std::string>& problems) {
  std::set<std::string> parts;
  for (const CodeFlag& code : kCodeFlags) {
    const std::string problem(code.problem);
    if (!problems.contains(problem)) continue;
    for (const char letter : code.letters_on_design) parts.insert(problem + "." + letter);
  }
  return parts;
}

/// Returns the request with the flags of `other` that name or describe code.
inline Request with_code(Request request, const Request& other) {
  for (const CodeFlag& flag : kCodeFlags)
    request = with_flag(std::move(request), std::string(flag.flag), other);
  for (const CodeDetail& detail : kCodeDetails)
    request = with_flag(std::move(request), std::string(detail.flag), other);
  return request;
}

}  // namespace labreport
