// Columns apart by spaces: what `print(frame)` of pandas shows.
#include <algorithm>
#include <cctype>
#include <span>

#include "imports/lines.h"
#include "imports/table_number.h"

namespace labreport {
namespace {

/// Prose has two lines with equally many words sooner than three.
constexpr std::size_t kFewestRows = 2;

/// A word and its place in the line, in code points.
struct Field {
  std::string_view text;
  std::size_t begin = 0;
  std::size_t end = 0;
};
using Fields = std::vector<Field>;
using Split = Fields (*)(std::string_view);

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](unsigned char byte) { return (byte & 0xC0) != 0x80; }));
}

/// `gap` finds where a field ends, at `from` or later.
Fields split_at(std::string_view line, std::size_t (*gap)(std::string_view, std::size_t)) {
  Fields fields;
  std::size_t column = 0;
  std::size_t end = 0;
  for (std::size_t begin = 0; (begin = line.find_first_not_of(" \t", end)) != line.npos;) {
    column += begin - end;
    end = std::min(gap(line, begin), line.size());
    const std::string_view text = line.substr(begin, end - begin);
    fields.push_back({text, column, column + code_points(text)});
    column = fields.back().end;
  }
  return fields;
}

/// Names may hold single spaces.
Fields by_two_spaces(std::string_view line) {
  return split_at(line, [](std::string_view text, std::size_t from) {
    return std::min(text.find("  ", from), text.find('\t', from));
  });
}

/// For frames whose names hold none: pandas leaves one space where columns are narrow.
Fields by_one_space(std::string_view line) {
  return split_at(line, [](std::string_view text, std::size_t from) {
    return text.find_first_of(" \t", from);
  });
}

bool holds_digit(std::string_view line) {
  return std::ranges::any_of(line, [](unsigned char letter) { return std::isdigit(letter) != 0; });
}

/// Each field shares a place with its head; an index in front has none.
bool aligns(const Fields& head, const Fields& row) {
  const std::size_t unnamed = row.size() - head.size();
  return std::ranges::equal(head, std::span(row).subspan(unnamed),
                            [](const Field& name, const Field& field) {
                              return name.begin < field.end && field.begin < name.end;
                            });
}

/// Behind the first, some column holds nothing but numbers and what stands for one.
bool holds_numbers(const Fields& first, const Fields& second) {
  using Kind = TableNumber::Kind;
  for (std::size_t i = 1; i < first.size(); ++i) {
    const Kind a = parse_table_number(first[i].text).kind;
    const Kind b = parse_table_number(second[i].text).kind;
    const auto fits = [](Kind kind) {
      return kind == Kind::kNumber || kind == Kind::kOutOfMemory || kind == Kind::kMissing;
    };
    if (fits(a) && fits(b) && (a == Kind::kNumber || b == Kind::kNumber)) return true;
  }
  return false;
}

/// Two rows below a head, each field under its name, and numbers among them.
bool is_table(const Fields& head, const Fields& first, const Fields& second) {
  const bool indexed = first.size() == head.size() + 1;
  return head.size() >= 2 && (first.size() == head.size() || indexed) &&
         second.size() == first.size() && aligns(head, first) && aligns(head, second) &&
         holds_numbers(first, second);
}

std::vector<std::string> texts(const Fields& fields) {
  std::vector<std::string> words;
  words.reserve(fields.size());
  for (const Field& field : fields) words.emplace_back(without_spaces(field.text));
  return words;
}

std::optional<FoundTable> table_split_by(Split split, const std::vector<std::string_view>& lines,
                                         std::size_t begin) {
  if (begin + kFewestRows >= lines.size()) return std::nullopt;
  const Fields head = split(lines[begin]);
  const Fields first = split(lines[begin + 1]);
  if (!is_table(head, first, split(lines[begin + 2]))) return std::nullopt;
  FoundTable found;
  found.table.form = TableForm::kAligned;
  found.table.header = texts(head);
  if (first.size() > head.size()) found.table.header.insert(found.table.header.begin(), "");
  std::size_t i = begin + 1;
  for (; i < lines.size() && !is_blank(lines[i]); ++i) {
    const Fields row = split(lines[i]);
    // A row that lacks a number, say, is for the reader of the table to refuse.
    if (row.size() != first.size() && !holds_digit(lines[i])) break;
    found.table.rows.push_back({i + 1, texts(row)});
  }
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
