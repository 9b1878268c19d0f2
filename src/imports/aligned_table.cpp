// Columns apart by spaces: what `print(frame)` of pandas shows.
#include <algorithm>
#include <cctype>

#include "imports/lines.h"

namespace labreport {
namespace {

using Split = std::vector<std::string> (*)(std::string_view);

/// Names may hold single spaces.
std::vector<std::string> by_two_spaces(std::string_view line) {
  std::vector<std::string> fields;
  line = without_spaces(line);
  while (!line.empty()) {
    const std::size_t end = std::min({line.find("  "), line.find('\t'), line.size()});
    fields.emplace_back(without_spaces(line.substr(0, end)));
    line = without_spaces(line.substr(end));
  }
  return fields;
}

/// For frames printed without their index: pandas leaves one space between columns then.
std::vector<std::string> by_one_space(std::string_view line) {
  std::vector<std::string> fields;
  line = without_spaces(line);
  while (!line.empty()) {
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    fields.emplace_back(line.substr(0, end));
    line = without_spaces(line.substr(end));
  }
  return fields;
}

bool holds_digit(std::string_view line) {
  return std::ranges::any_of(line, [](unsigned char letter) { return std::isdigit(letter) != 0; });
}

std::optional<FoundTable> table_split_by(Split split, const std::vector<std::string_view>& lines,
                                         std::size_t begin) {
  FoundTable found;
  found.table.form = TableForm::kAligned;
  found.table.header = split(lines[begin]);
  const std::size_t named = found.table.header.size();
  if (named < 2 || begin + 1 >= lines.size()) return std::nullopt;
  const std::size_t columns = split(lines[begin + 1]).size();
  if (columns != named && columns != named + 1) return std::nullopt;
  // The index has no name.
  if (columns == named + 1) found.table.header.insert(found.table.header.begin(), "");
  std::size_t i = begin + 1;
  for (; i < lines.size() && holds_digit(lines[i]); ++i) {
    found.table.rows.push_back({i + 1, split(lines[i])});
  }
  if (found.table.rows.empty()) return std::nullopt;
  found.end = i;
  return found;
}

}  // namespace

std::optional<FoundTable> aligned_table(const std::vector<std::string_view>& lines,
                                        std::size_t begin) {
  if (auto found = table_split_by(by_two_spaces, lines, begin)) return found;
  return table_split_by(by_one_space, lines, begin);
}

}  // namespace labreport
