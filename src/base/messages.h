// Prints messages to the user beside a result. The work continues if a stream cannot be written,
// such as a log on a full disk or a closed terminal.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

#include "base/printable.h"

namespace labreport {

/// Writes the text and ignores failures.
void say_to(std::FILE* stream, const std::string& text);

/// Formats like `fmt::print`, writes to stderr, and ignores failures. Characters that could control
/// the terminal, which a file's name may have, are made visible.
template <typename... Values>
void say(fmt::format_string<Values...> format, Values&&... values) {
  say_to(stderr, printable(fmt::format(format, std::forward<Values>(values)...), kLinesAndTabs));
}

/// Writes a line to stderr unless the same line was written before.
void warn_once(const std::string& line);

/// Warns once that an unreadable input is left out. The program then exits with status 1 or higher.
void skip(const std::string& line);

bool has_skipped();

}  // namespace labreport
