// Removes invisible characters from text of any origin and decides where its lines may break.
#pragma once

#include <string>
#include <string_view>

namespace labreport {

/// Makes the spaces between a number and its deviation or unit, "3.2 ± 0.1 ms", unbreakable.
std::string keep_numbers_whole(std::string_view text);

/// Removes control characters and marks that change the direction of text. Line ends and tabs
/// become spaces; `keep_lines` keeps each '\n'.
std::string visible_text(std::string_view text, bool keep_lines = false);

/// Prepares text for typesetters: calls `visible_text` and `keep_numbers_whole`, and puts
/// U+200B, a space of no width, at each place where a long word may break.
std::string paper_words(std::string_view text);

/// Prepares code for typesetters like `paper_words`, but lines may break at every space.
std::string paper_code(std::string_view text);

}  // namespace labreport
