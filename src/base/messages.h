// What is said beside a result. A stream that takes no words, such as a log on a full disk or a
// terminal that was closed, never ends the work they are about.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace labreport {

/// Writes what it can.
void say_to(std::FILE* stream, const std::string& text);

/// The same to stderr, as `fmt::print`.
template <typename... Values>
void say(fmt::format_string<Values...> format, Values&&... values) {
  say_to(stderr, fmt::format(format, std::forward<Values>(values)...));
}

/// A line on stderr, once however often the program comes across its cause.
void warn_once(const std::string& line);

/// The same of what could not be read and is left out; the program's status is then 1 at best.
void skip(const std::string& line);

/// Whether anything was skipped.
bool has_skipped();

}  // namespace labreport
