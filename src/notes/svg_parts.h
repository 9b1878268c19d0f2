// What may stand in an SVG that only draws.
#pragma once

#include <string>
#include <string_view>

namespace labreport {

/// "xlink:href" is "href" of "xlink"; empty where a name has no prefix.
std::string_view svg_prefix(std::string_view name);
std::string_view svg_local(std::string_view name);

/// Whether elements of that prefix are SVG's; those of the other known prefixes draw nothing.
enum class SvgSpace { kSvg, kInert, kUnknown };
SvgSpace svg_space(std::string_view prefix);

/// Whether a document may give that prefix that meaning: each has but one.
bool is_svg_name_space(std::string_view prefix, std::string_view address);

bool is_svg_element(std::string_view name);
bool is_svg_attribute(std::string_view name);

/// Attributes whose value is words for people.
bool is_svg_prose(std::string_view attribute);

/// A part of the document, or a raster picture that stands in the address itself.
bool is_svg_reference(std::string_view address);

/// What is wrong with a style, or with a value that may be one; empty where nothing is.
std::string svg_style_problem(std::string_view css);

}  // namespace labreport
