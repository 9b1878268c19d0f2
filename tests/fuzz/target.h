// Declares what every fuzz target shares: the call by libFuzzer and the report of a broken promise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/error.h"

/// Tries one input; ends the process if
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace labreport::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Ends the process if
inline void promise(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

/// Bad input must be refused by `InputError` in one line; anything else ends the process. True if
/// nothing was refused.
bool accepted(const auto& work) {
  try {
    work();
    return true;
  } catch (const InputError& error) {
    promise(!std::string_view(error.what()).empty(), "a refusal says why");
    return false;
  }
}

}  // namespace labreport::fuzz
