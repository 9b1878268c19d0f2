// Text of any origin as readers are shown it: nothing unseen in it, and lines end where they may.
#pragma once

#include <string>
#include <string_view>

namespace labreport {

/// No line ends between a number and its deviation or unit: those spaces become unbreakable.
std::string keep_numbers_whole(std::string_view text);

/// Without what no reader should meet: controls, and marks that turn the direction of text. Line
/// ends are spaces, Unicode's too, unless plain ones are to stay.
std::string without_marks(std::string_view text, bool keep_lines = false);

/// For typesetters: the same with U+200B where a long word may break, and numbers kept with their
/// units.
std::string paper_words(std::string_view text);

/// Without the latter.
std::string paper_code(std::string_view text);

}  // namespace labreport
