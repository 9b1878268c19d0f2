// A flag by itself: how it is written, and its whole number.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace labreport {

/// "--sizes": how a flag is written.
std::string flag_name(const CLI::Option& option);

inline constexpr std::int64_t kMostNumber = 1'000'000'000;

/// Throws `InputError`, naming the flag, for what is no whole number from `least` to `most`.
std::int64_t whole_number(const std::string& flag, const std::string& text, std::int64_t least,
                          std::int64_t most = kMostNumber);

}  // namespace labreport
