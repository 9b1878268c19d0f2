// Runs work of this program in a separate process with limits.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace labreport {

struct ChildLimits {
  int seconds;         ///< Wall time.
  std::int64_t bytes;  ///< Writable memory.
};

/// Runs `work` in a child process and returns its text. This process must have a single thread. If
/// `work` throws an `InputError`, throws it again. Throws another one if a limit ended the child.
std::string text_from_child(const std::function<std::string()>& work, const ChildLimits& limits);

}  // namespace labreport
