// What a command of TeX's math stands for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "writers/math/math.h"

namespace labreport {

/// "alpha" → letter α, "le" → operator ≤, "log" → a function, "," → a space, …
std::optional<MathNode> math_symbol(std::string_view command);

/// A character that stands for itself, ASCII or not: "x", "7", "+", "≤". Nothing for others.
std::optional<MathNode> math_character(std::string_view character);

/// What \left and \right take: "(", ".", "\lfloor", …; empty text for ".".
std::optional<std::string> math_fence(std::string_view delimiter);

/// One letter or digit in an alphabet of its own, e.g. ("mathbf", 'x') → 𝐱.
std::optional<std::string> styled_letter(std::string_view command, char letter);

bool is_math_accent(std::string_view command);

}  // namespace labreport
