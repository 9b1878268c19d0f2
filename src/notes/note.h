// An author's note: the file's text → the words of a part.
//
// The first line may choose where the words stand; without it they replace the generated answer:
//
//   <!-- replaces the answer -->
//   <!-- follows the answer -->
//
// Case, spaces, a closing full stop and the comment's marks do not matter, and "replace", "follow"
// and "follows the generated answer" serve as well. All the rest is GitHub's Markdown with tables,
// pictures and math.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"
#include "notes/front_matter.h"

namespace labreport {

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
};

/// Never fails: what cannot be used is left out and named. `text` is UTF-8.
NoteFile parse_note(std::string_view text, const FindPicture& find_picture);

}  // namespace labreport
