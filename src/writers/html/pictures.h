// Prepares a chart's SVG for a page, as a separate file or for a link preview.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace labreport {

/// Returns the ratio of height to width; nothing if the root element lacks one of them.
std::optional<double> height_over_width(std::string_view svg);

/// Returns the SVG as a separate file that changes its colors on a dark screen.
std::string picture_file(std::string_view svg);

/// Link previews of a page show this PNG beside the page.
inline constexpr const char* kCardFile = "card.png";
inline constexpr int kCardWidth = 1200;  ///< In pixels, like the height.
inline constexpr int kCardHeight = 630;

/// Returns the chart centered on a white SVG of half the card's width and height; a print has two
/// pixels for each unit. Returns an empty text if the chart's root element has no size.
std::string card_drawing(std::string_view svg);

/// Returns an `<img>` of the file `path` in the size of `svg`. A page fetches the file when it
/// comes into view. The alt text is empty because the frame around the picture has the text.
std::string picture_element(std::string_view svg, const std::string& path);

}  // namespace labreport
