// Declares the functions that every fuzz target shares: its entry for libFuzzer, and the checks of
// promises.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/error.h"

/// Tries one input; ends the process if a promise is broken.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace labreport::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Ends the process if `holds` is false, with a message that says which promise is broken.
inline void promise(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

/// Returns true if `work` accepts its input, and false if it refuses it by an `InputError`. Any
/// other exception ends the process.
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
