// Texts of tables as words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace labreport {

std::string_view without_spaces(std::string_view text);

/// A cell without Markdown's emphasis, code marks and dollars: "**small**" → "small".
std::string plain_cell(std::string_view text);

std::string lower_case(std::string_view text);

/// Lower-case words: "avgForward (ms)" → avg, forward, ms; "µs" is "us", "σ" is "std".
/// Of more than 1,000 bytes none.
std::vector<std::string> words_of(std::string_view text);

/// For messages: control characters shown as "?", cut after 60 bytes, between quotes.
std::string in_quotes(std::string_view text);

}  // namespace labreport
