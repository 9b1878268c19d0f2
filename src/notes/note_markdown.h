// Markdown that somebody typed made safe for every format.
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

/// The same words as Markdown without raw HTML (it is text), with links to http, https and relative
/// addresses only and pictures where `find_picture` publishes them; headings stand below a part's.
/// Math stays as it was written. What nests too deeply for any reader is refused: empty, with the
/// reason.
SafeMarkdown safe_markdown(std::string_view markdown, const FindPicture& find_picture);

}  // namespace labreport
