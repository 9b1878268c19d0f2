#include "imports/text_table.h"

#include <algorithm>

#include "imports/lines.h"

namespace labreport {
namespace {

constexpr std::size_t kNearbyLines = 4;
constexpr std::size_t kLongestCaption = 1000;  // Longer ones are data, not words about a table.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kSpaces = " \t\r";

std::string words_above(const std::vector<std::string_view>& lines, std::size_t begin,
                        std::size_t after) {
  std::string words;
  std::size_t found = 0;
  for (std::size_t i = begin; i > after && found < kNearbyLines; --i) {
    const std::string_view line = lines[i - 1];
    if (is_blank(line)) continue;
    ++found;
    if (line.size() <= kLongestCaption) words = std::string(line) + "\n" + words;
  }
  return words;
}

std::optional<FoundTable> table_at(const std::vector<std::string_view>& lines, std::size_t begin) {
  if (is_blank(lines[begin])) return std::nullopt;
  for (const auto find : {pipe_table, separated_table, aligned_table}) {
    if (auto found = find(lines, begin)) return found;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string_view> lines_of(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string_view without_spaces(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

bool is_blank(std::string_view line) { return without_spaces(line).empty(); }

std::string_view describe(TableForm form) {
  switch (form) {
    case TableForm::kPipes:
      return "Markdown";
    case TableForm::kSeparated:
      return "separated values";
    case TableForm::kAligned:
      return "aligned columns";
  }
  return "";
}

std::vector<TextTable> find_tables(std::string_view text) {
  const std::vector<std::string_view> lines = lines_of(text);
  std::vector<TextTable> tables;
  std::size_t after = 0;
  for (std::size_t i = 0; i < lines.size();) {
    auto found = table_at(lines, i);
    if (!found) {
      ++i;
      continue;
    }
    found->table.line = i + 1;
    found->table.nearby = words_above(lines, i, after);
    tables.push_back(std::move(found->table));
    i = after = found->end;
  }
  return tables;
}

}  // namespace labreport
