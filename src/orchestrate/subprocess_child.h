// Runs work of this program in a separate process with limits.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace labreport {

struct ChildLimits {
  int seconds;         ///< Wall time.
  std::int64_t bytes;  ///< Memory the child may write to.
};

/// Runs `work` in a child of this process, which must have a single thread, and returns its text.
/// Throws an `InputError` of `work` again, and one with the reason if a limit ended the child.
std::string text_from_child(const std::function<std::string()>& work, const ChildLimits& limits);

}  // namespace labreport
