// Names a flag, and reads its whole number.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace labreport {

/// The flag as it is typed: "--sizes".
std::string flag_name(const CLI::Option& option);

inline constexpr std::int64_t kMostNumber = 1'000'000'000;

/// Throws `InputError`, naming the flag, if the text is no whole number from `least` to `most`.
std::int64_t whole_number(const std::string& flag, const std::string& text, std::int64_t least,
                          std::int64_t most = kMostNumber);

}  // namespace labreport
