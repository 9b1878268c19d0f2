// Work of this program in a process of its own, which may use up only so much.
#pragma once

#include <cstdint>
#include <functional>

#include "base/error.h"

namespace labreport {

struct ChildLimits {
  int seconds;
  std::int64_t bytes;  ///< Of memory that the child may write to.
};

/// Runs `work` in a child, which prints where this process prints, and returns its status. Throws
/// `InputError` where a limit ended it. This process must have a single thread.
ExitStatus run_in_child(const std::function<ExitStatus()>& work, const ChildLimits& limits);

}  // namespace labreport
