#include "writers/html/pictures.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "writers/html/assets.h"
#include "writers/html/template.h"

namespace labreport {
namespace {

std::string_view root_tag(std::string_view svg) {
  const std::size_t end = svg.find('>');
  return svg.starts_with("<svg") && end != std::string_view::npos ? svg.substr(0, end + 1) : "";
}

/// Returns the digits in the root element's attribute: "703" for `width`; empty if it is absent.
std::string attribute_text(std::string_view svg, const std::string& name) {
  const std::string_view root = root_tag(svg);
  const std::string begin = " " + name + "=\"";
  const std::size_t at = root.find(begin);
  if (at == std::string_view::npos) return "";
  const std::size_t first = at + begin.size();
  const std::size_t last = std::min(root.find_first_not_of("0123456789.", first), root.size());
  return std::string(root.substr(first, last - first));
}

/// Returns the attribute of the root element as a number; 0 if it is absent.
double attribute_number(std::string_view svg, const std::string& name) {
  return leading_number<double>(attribute_text(svg, name)).value_or(0);
}

std::string copied_attribute(std::string_view svg, const std::string& name) {
  const std::string text = attribute_text(svg, name);
  return text.empty() ? "" : " " + name + "=\"" + text + "\"";
}

}  // namespace

std::optional<double> height_over_width(std::string_view svg) {
  const double width = attribute_number(svg, "width");
  const double height = attribute_number(svg, "height");
  if (width <= 0 || height <= 0) return {};
  return height / width;
}

std::string picture_file(std::string_view svg) {
  const std::string_view root = root_tag(svg);
  return std::string(root) + "<style>@media (prefers-color-scheme: dark) {\n" + dark_inks() +
         "}</style>" + std::string(svg.substr(root.size()));
}

std::string card_drawing(std::string_view svg) {
  constexpr double kWidth = kCardWidth / 2.0, kHeight = kCardHeight / 2.0, kMargin = 12;
  const double width = attribute_number(svg, "width"), height = attribute_number(svg, "height");
  if (width <= 0 || height <= 0) return "";
  const double scale = std::min((kWidth - 2 * kMargin) / width, (kHeight - 2 * kMargin) / height);
  return fmt::format(
      R"svg(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}">)svg"
      R"svg(<rect width="{0}" height="{1}" fill="#ffffff"/>)svg"
      R"svg(<g transform="translate({2:.2f} {3:.2f}) scale({4:.4f})">{5}</g></svg>)svg",
      kWidth, kHeight, (kWidth - scale * width) / 2, (kHeight - scale * height) / 2, scale, svg);
}

std::string picture_element(std::string_view svg, const std::string& path) {
  return "<img src=\"" + escape_html(path) + "\" alt=\"\" loading=\"lazy\" decoding=\"async\"" +
         copied_attribute(svg, "width") + copied_attribute(svg, "height") + ">";
}

}  // namespace labreport
