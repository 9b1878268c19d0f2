// Errors for users: one line that says what failed, on what, and what to do.
#pragma once

#include <stdexcept>
#include <string>

namespace labreport {

/// The exit statuses of `labreport`, for every verb.
enum class ExitStatus : int { kDone = 0, kIncomplete = 1, kBadInput = 2, kInterrupted = 130 };

/// A failure with a remedy. `what()` is "<problem>; <remedy>" on one line, ready to print.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& problem, const std::string& remedy = "")
      : std::runtime_error(remedy.empty() ? problem : problem + "; " + remedy) {}
};

/// A flag, file or device of the user's that cannot be used. It ends the program with `kBadInput`.
class InputError : public Error {
 public:
  using Error::Error;
};

/// Thrown if the user or the system asks the program to end. It is not an `Error`, because code
/// that catches an `Error` and continues must not catch an interruption.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

}  // namespace labreport
