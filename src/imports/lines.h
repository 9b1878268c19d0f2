// A text as lines without their ends.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "imports/text_table.h"

namespace labreport {

/// Without a byte order mark; "\r\n" ends a line as "\n" does.
std::vector<std::string_view> lines_of(std::string_view text);

std::string_view without_spaces(std::string_view text);
bool is_blank(std::string_view line);

/// A table and the index of the first line behind it.
struct FoundTable {
  TextTable table;
  std::size_t end = 0;
};

/// A table whose header is line `begin`; nothing where there is none.
std::optional<FoundTable> pipe_table(const std::vector<std::string_view>& lines, std::size_t begin);
std::optional<FoundTable> separated_table(const std::vector<std::string_view>& lines,
                                          std::size_t begin);
std::optional<FoundTable> aligned_table(const std::vector<std::string_view>& lines,
                                        std::size_t begin);

}  // namespace labreport
