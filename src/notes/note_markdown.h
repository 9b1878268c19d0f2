// What somebody typed, made safe for every format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "notes/note.h"

namespace labreport {

struct SafeMarkdown {
  std::string markdown;
  std::vector<NoteProblem> problems;
};

/// Lines end in '\n' alone; a byte order mark and control characters are gone, tabs stay.
std::string clean_text(std::string_view text);

/// Without <!-- comments -->, also one that is never closed; line ends inside them stay, so that
/// lines keep their numbers.
std::string without_comments(std::string_view text);

/// The same words as Markdown without raw HTML (it is text), with links to http, https and relative
/// addresses only and pictures where `find_picture` publishes them; headings stand below a part's.
/// Math stays as it was written. What nests too deeply for any reader is refused: empty, with the
/// reason.
SafeMarkdown safe_markdown(std::string_view markdown, const FindPicture& find_picture);

}  // namespace labreport
