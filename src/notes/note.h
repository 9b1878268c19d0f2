// Parses the files that an author writes: a note, which is text for one part of the report, and
// author.md.
//
// The first line of a note may say whether the note replaces the generated answer, which is the
// default, or follows it:
//
//   <!-- replaces the answer -->
//   <!-- follows the answer -->
//
// Case, spaces, a closing full stop and the comment's marks do not matter. "replace", "follow" and
// "follows the generated answer" have the same meaning. All other lines are GitHub's Markdown with
// tables, pictures and math.
//
// notes/author.md names the author of the report. Comments and empty lines may be anywhere, and
// values may be empty:
//
//   name: Ada Lovelace
//   course: CS336
//   repository: https://github.com/ada/assignment2
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"

namespace labreport {

/// A problem in an author's file, and what was done about it. The text is one line, which is shown
/// after the file's name.
struct NoteProblem {
  int line = 0;  ///< From 1; 0 for the whole file.
  std::string text;
  bool is_missing_picture = false;  ///< The note shows where the picture would stand.
};

struct ParsedFrontMatter {
  FrontMatter front;
  std::vector<NoteProblem> problems;  ///< Lines that were left out, and the reasons.
};

/// Parses author.md. Never throws: lines that cannot be used are left out.
ParsedFrontMatter parse_front_matter(std::string_view text);

inline constexpr std::string_view kReplacesAnswer = "<!-- replaces the answer -->";
inline constexpr std::string_view kFollows = "<!-- follows the answer -->";

/// The result of the search for a note's picture. If the picture cannot be published, the note
/// shows "[missing picture: …]" instead, with its alternative text or else its address.
struct FoundPicture {
  std::optional<std::string> address;  ///< Relative to the page; absent if it cannot be published.
  std::string problem;                 ///< The reason why `address` is absent.
};

/// Finds the picture for a link in the note's Markdown.
using FindPicture = std::function<FoundPicture(const std::string& target)>;

struct ParsedNote {
  std::optional<AuthorNote> note;  ///< Empty if the file has only comments or cannot be used.
  std::vector<NoteProblem> problems;
  std::map<std::string, int> formula_lines = {};  ///< Maps TeX sources in `note` to line numbers.
};

/// Parses a note. Never throws: content that cannot be used is left out and reported.
ParsedNote parse_note(std::string_view text, const FindPicture& find_picture);

/// Returns the text with '\n' as the only line end, without a byte order mark or control characters
/// other than tabs.
std::string clean_text(std::string_view text);

}  // namespace labreport
