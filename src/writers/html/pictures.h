// Prepares a chart's picture for a page, as a separate file or inside the page.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace labreport {

/// The ratio of the root's height to its width; nothing if it has no size.
std::optional<double> height_over_width(std::string_view svg);

/// The SVG as a separate file whose inks are dark on a dark screen.
std::string picture_file(std::string_view svg);

/// The picture that link previews show of a page: PNG, in pixels, beside the page.
inline constexpr const char* kCardFile = "card.png";
inline constexpr int kCardWidth = 1200;
inline constexpr int kCardHeight = 630;

/// The SVG as such a picture, to be printed with two pixels a unit; empty if it does not say its
/// size.
std::string card_drawing(std::string_view svg);

/// The element that shows such a file, of the picture's size, fetched as it comes into view. The
/// frame around it has the text for readers who cannot see it.
std::string picture_element(std::string_view svg, const std::string& path);

}  // namespace labreport
