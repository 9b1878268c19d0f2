// Names and escapes in an SVG's text.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace labreport {

/// Thrown at the first thing in an SVG that is not known to draw and do nothing else.
class NotPlain : public Error {
 public:
  using Error::Error;
};

bool begins_svg_name(char letter);
bool is_in_svg_name(char letter);

/// "xlink:href" is "href" of "xlink"; empty where a name has no prefix.
std::string_view svg_prefix(std::string_view name);
std::string_view svg_local(std::string_view name);

/// A name in a message.
std::string shown_name(std::string_view name);

/// With `&lt;` and `&#60;` as "<". Throws `NotPlain` for entities that are not XML's own; letters
/// beyond ASCII become some byte that is none of it, since nothing looks for them.
std::string svg_unescaped(std::string_view text);

}  // namespace labreport
