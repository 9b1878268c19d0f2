// Returns the name of a flag, and reads its whole number.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace labreport {

/// Returns the flag as it is typed: "--sizes".
std::string flag_name(const CLI::Option& option);

inline constexpr std::int64_t kMaxNumber = 1'000'000'000;

/// Throws `InputError` that names the flag if the text is no whole number in this range.
std::int64_t whole_number(const std::string& flag, const std::string& text, std::int64_t min_value,
                          std::int64_t max_value = kMaxNumber);

}  // namespace labreport
