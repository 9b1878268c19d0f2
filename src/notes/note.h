// Parses an author's file: the words of a part, or the author's name and course.
//
// The first line of a note may choose how its words relate to the generated answer; without it they
// replace it:
//
//   <!-- replaces the answer -->
//   <!-- follows the answer -->
//
// Case, spaces, a closing full stop and the comment's marks do not matter, and "replace", "follow"
// and "follows the generated answer" serve as well. All the rest is GitHub's Markdown with tables,
// pictures and math. notes/author.md says whose report it is; comments and empty lines may stand
// anywhere, a value may stay empty:
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

/// A problem in an author's file and how the file was understood: one line, shown after the file's
/// name.
struct NoteProblem {
  int line = 0;  ///< From 1; 0 for the whole file.
  std::string text;
};

struct FrontMatterFile {
  FrontMatter front;
  std::vector<NoteProblem> problems;  ///< Lines that were left out, and why.
};

/// Never fails: lines that cannot be used are left out.
FrontMatterFile parse_front_matter(std::string_view text);

inline constexpr std::string_view kReplaces = "<!-- replaces the answer -->";
inline constexpr std::string_view kFollows = "<!-- follows the answer -->";

/// The published address of a note's picture, relative to the page. If there is none, the picture
/// is left out, its words stay, and `problem` says why.
struct PictureAnswer {
  std::optional<std::string> address;
  std::string problem;
};
using FindPicture = std::function<PictureAnswer(const std::string& target)>;

struct NoteFile {
  std::optional<AuthorNote> note;  ///< Empty if the file has only comments or cannot be used.
  std::vector<NoteProblem> problems;
  std::map<std::string, int> formula_lines = {};  ///< Lines of formulas by their source in `note`.
};

/// Never fails: content that cannot be used is left out and reported.
NoteFile parse_note(std::string_view text, const FindPicture& find_picture);

/// Returns the text with '\n' as the only line end, without a byte order mark or control characters
/// other than tabs.
std::string clean_text(std::string_view text);

}  // namespace labreport
