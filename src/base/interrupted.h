// An interrupt on its way up to the exit status.
#pragma once

#include <stdexcept>

namespace labreport {

/// Thrown where work stops because the user, or the system, wants the program to end. No `Error`:
/// what goes on without a part that failed does not go on without this one.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

}  // namespace labreport
