// An SVG from elsewhere, opened by itself, is a document of the site's own: it may only draw.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace labreport {

struct SvgProblem {
  std::size_t line = 0;
  std::string what;  ///< "the attribute onload" and what is wrong with it.
};

/// The first thing in it that is not known to draw and do nothing else; none where there is none.
/// Known are the elements and attributes of static SVG, references to its own parts and to raster
/// pictures inside it, styles without imports, and what drawing programs say about themselves. No
/// script, no handler, no animation, no link, no foreign object, no entity.
std::optional<SvgProblem> svg_problem(std::string_view svg);

}  // namespace labreport
