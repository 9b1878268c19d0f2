// Work of this program in a process of its own, which may use up only so much.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace labreport {

struct ChildLimits {
  int seconds;
  std::int64_t bytes;  ///< Memory that the child may write to.
};

/// Runs `work` in a child of this process, which must have a single thread, and returns its text.
/// Throws an `InputError` of `work` again, and one that says so where a limit ended the child.
std::string text_from_child(const std::function<std::string()>& work, const ChildLimits& limits);

}  // namespace labreport
