// Errors that reach a user: one line that says what failed, on what, and what to do.
#pragma once

#include <stdexcept>
#include <string>

namespace labreport {

/// Exit statuses of every verb of `labreport`.
enum class ExitStatus : int { kDone = 0, kIncomplete = 1, kBadInput = 2, kInterrupted = 130 };

/// A failure with a remedy. `what()` is "<problem>; <remedy>" on one line, ready to print.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& problem, const std::string& remedy = "")
      : std::runtime_error(remedy.empty() ? problem : problem + "; " + remedy) {}
};

/// The caller gave something unusable: a flag, a file, a device. Ends a verb with `kBadInput`.
class InputError : public Error {
 public:
  using Error::Error;
};

/// Thrown where work stops because the user, or the system, wants the program to end. No `Error`:
/// what goes on without a part that failed does not go on without this one.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

}  // namespace labreport
