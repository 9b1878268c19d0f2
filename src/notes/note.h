// An author's file: its text → the words of a part, or whose report it is.
//
// The first line of a note may choose where its words stand; without it they replace the generated
// answer:
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

/// What is wrong in an author's file, and how it was understood: one line, to be shown behind the
/// file's name.
struct NoteProblem {
  int line = 0;  ///< From 1; 0: the file as a whole.
  std::string text;
};

struct FrontMatterFile {
  FrontMatter front;
  std::vector<NoteProblem> problems;  ///< What was left out, and why.
};

/// Never fails: what cannot be used is left out.
FrontMatterFile parse_front_matter(std::string_view text);

inline constexpr std::string_view kReplaces = "<!-- replaces the answer -->";
inline constexpr std::string_view kFollows = "<!-- follows the answer -->";

/// Where a picture that a note names is published: its address relative to the page. None: it is
/// left out, and its words stay; then `problem` says why.
struct PictureAnswer {
  std::optional<std::string> address;
  std::string problem;
};
using FindPicture = std::function<PictureAnswer(const std::string& target)>;

struct NoteFile {
  std::optional<AuthorNote> note;  ///< None where there is nothing but comments.
  std::vector<NoteProblem> problems;
  std::map<std::string, int> formula_lines = {};  ///< By a formula's source in `note`.
};

/// Never fails: what cannot be used is left out and named. `text` is UTF-8.
NoteFile parse_note(std::string_view text, const FindPicture& find_picture);

/// Lines end in '\n' alone; a byte order mark and control characters are gone, tabs stay.
std::string clean_text(std::string_view text);

}  // namespace labreport
