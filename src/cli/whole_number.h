// A flag's whole number.
#pragma once

#include <cstdint>
#include <string>

namespace labreport {

/// Throws `InputError`, naming the flag, for what is no whole number from `least` to `most`.
std::int64_t whole_number(const std::string& flag, const std::string& text, std::int64_t least,
                          std::int64_t most = 1'000'000'000);

}  // namespace labreport
