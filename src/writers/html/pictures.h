// Prepares a chart's SVG for a page, as a separate file or for a link preview.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace labreport {

/// The height of the picture over its width; nothing if the root element lacks one of them.
std::optional<double> height_over_width(std::string_view svg);

/// The SVG as a separate file that changes its colors on a dark screen.
std::string picture_file(std::string_view svg);

/// The picture that link previews of a page show, a PNG beside the page; its size is in pixels.
inline constexpr const char* kCardFile = "card.png";
inline constexpr int kCardWidth = 1200;
inline constexpr int kCardHeight = 630;

/// The chart centered on a white SVG of half the card's width and height, to be printed with two
/// pixels for each unit. Empty if the chart's root element has no size.
std::string card_drawing(std::string_view svg);

/// The `<img>` that shows the file `path`, in the size of `svg`, fetched when it comes into view.
/// Its alt text is empty because the frame around it has the text.
std::string picture_element(std::string_view svg, const std::string& path);

}  // namespace labreport
