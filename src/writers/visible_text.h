// Prepares text of any origin for readers: no invisible characters, and lines end where they may.
#pragma once

#include <string>
#include <string_view>

namespace labreport {

/// Makes the spaces between a number and its deviation or unit unbreakable.
std::string keep_numbers_whole(std::string_view text);

/// Removes control characters and marks that change the direction of text. Line ends, Unicode's
/// too, become spaces unless plain ones are kept.
std::string without_marks(std::string_view text, bool keep_lines = false);

/// Prepares text for typesetters: without marks, with U+200B where a long word may break, and with
/// numbers kept with their units.
std::string paper_words(std::string_view text);

/// Prepares code for typesetters: like paper_words, but spaces stay breakable.
std::string paper_code(std::string_view text);

}  // namespace labreport
