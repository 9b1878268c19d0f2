#include "notes/svg_parts.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace labreport {
namespace {

constexpr std::string_view kSvgSpace = "http://www.w3.org/2000/svg";

struct NameSpace {
  std::string_view prefix, address;
};

constexpr std::array<NameSpace, 13> kNameSpaces{
    {{"", kSvgSpace},
     {"svg", kSvgSpace},
     {"xlink", "http://www.w3.org/1999/xlink"},
     {"xml", "http://www.w3.org/XML/1998/namespace"},
     {"rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"},
     {"cc", "http://creativecommons.org/ns#"},
     {"cc", "http://web.resource.org/cc/"},
     {"dc", "http://purl.org/dc/elements/1.1/"},
     {"dcterms", "http://purl.org/dc/terms/"},
     {"inkscape", "http://www.inkscape.org/namespaces/inkscape"},
     {"sodipodi", "http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd"},
     {"serif", "http://www.serif.com/"},
     {"sketch", "http://www.bohemiancoding.com/sketch/ns"}}};

constexpr std::string_view kElements =
    " circle clipPath defs desc ellipse feBlend feColorMatrix feComponentTransfer feComposite "
    "feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood "
    "feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology "
    "feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence filter g image line "
    "linearGradient marker mask metadata path pattern polygon polyline radialGradient rect stop "
    "style svg switch symbol text textPath title tspan use ";

constexpr std::string_view kAttributes =
    " alignment-baseline amplitude azimuth baseFrequency baseProfile baseline-shift bias calcMode "
    "class clip clip-path clip-rule clipPathUnits color color-interpolation "
    "color-interpolation-filters color-rendering contentScriptType contentStyleType cursor cx cy d "
    "diffuseConstant direction display divisor dominant-baseline dx dy edgeMode elevation "
    "enable-background exponent fill fill-opacity fill-rule filter filterRes filterUnits "
    "flood-color flood-opacity font font-family font-size font-size-adjust font-stretch font-style "
    "font-variant font-weight fr fx fy gradientTransform gradientUnits height href id "
    "image-rendering in in2 intercept isolation k1 k2 k3 k4 kernelMatrix kernelUnitLength kerning "
    "lang lengthAdjust letter-spacing lighting-color limitingConeAngle line-height marker "
    "marker-end marker-mid marker-start markerHeight markerUnits markerWidth mask mask-type "
    "maskContentUnits maskUnits media method mix-blend-mode mode numOctaves offset opacity "
    "operator order orient overflow paint-order pathLength patternContentUnits patternTransform "
    "patternUnits pointer-events points pointsAtX pointsAtY pointsAtZ preserveAlpha "
    "preserveAspectRatio primitiveUnits r radius refX refY requiredExtensions requiredFeatures "
    "result role rotate rx ry scale seed shape-rendering side slope spacing specularConstant "
    "specularExponent spreadMethod startOffset stdDeviation stitchTiles stop-color stop-opacity "
    "stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit "
    "stroke-opacity stroke-width style surfaceScale systemLanguage tabindex tableValues targetX "
    "targetY text-align text-anchor text-decoration text-rendering textLength transform "
    "transform-box transform-origin type unicode-bidi values vector-effect version viewBox "
    "visibility white-space width word-spacing writing-mode x x1 x2 xChannelSelector xlink:actuate "
    "xlink:arcrole xlink:href xlink:role xlink:show xlink:title xlink:type xml:lang xml:space y y1 "
    "y2 yChannelSelector z zoomAndPan ";

constexpr std::string_view kStyleFunctions =
    " blur brightness calc circle contrast drop-shadow ellipse grayscale hsl hsla hue-rotate inset "
    "invert lab lch matrix matrix3d max media min not nth-child nth-of-type oklab oklch opacity "
    "polygon "
    "rgb rgba rotate saturate scale scalex scaley sepia skew skewx skewy translate translate3d "
    "translatex translatey ";

constexpr std::array<std::string_view, 5> kRasters{
    "data:image/png;base64,", "data:image/jpeg;base64,", "data:image/jpg;base64,",
    "data:image/gif;base64,", "data:image/webp;base64,"};

/// One of the words between spaces.
bool holds_word(std::string_view words, std::string_view word) {
  if (word.empty() || word.find(' ') != word.npos) return false;
  return words.find(" " + std::string(word) + " ") != words.npos;
}

bool is_of_a_function(char letter) {
  return is_alnum(letter) || letter == '-' || letter == '_' || (letter & 0x80) != 0;
}

/// The name before the bracket at `open`; empty where none touches it.
std::string function_before(std::string_view css, std::size_t open) {
  std::size_t begin = open;
  while (begin > 0 && is_of_a_function(css[begin - 1])) --begin;
  return lower(css.substr(begin, open - begin));
}

/// `url(#part)`, with or without quotes.
bool refers_to_a_part(std::string_view behind_bracket) {
  std::size_t at = std::min(behind_bracket.find_first_not_of(" \t\r\n"), behind_bracket.size());
  if (at < behind_bracket.size() && (behind_bracket[at] == '\'' || behind_bracket[at] == '"')) ++at;
  return at < behind_bracket.size() && behind_bracket[at] == '#';
}

}  // namespace

std::string_view svg_prefix(std::string_view name) {
  const std::size_t colon = name.find(':');
  return colon == name.npos ? std::string_view() : name.substr(0, colon);
}

std::string_view svg_local(std::string_view name) {
  const std::size_t colon = name.find(':');
  return colon == name.npos ? name : name.substr(colon + 1);
}

SvgSpace svg_space(std::string_view prefix) {
  const auto found = std::ranges::find(kNameSpaces, prefix, &NameSpace::prefix);
  if (found == kNameSpaces.end()) return SvgSpace::kUnknown;
  return found->address == kSvgSpace ? SvgSpace::kSvg : SvgSpace::kInert;
}

bool is_svg_name_space(std::string_view prefix, std::string_view address) {
  return std::ranges::any_of(kNameSpaces, [&](const NameSpace& known) {
    return known.prefix == prefix && known.address == address;
  });
}

bool is_svg_element(std::string_view name) { return holds_word(kElements, name); }

bool is_svg_prose(std::string_view attribute) {
  return attribute.starts_with("aria-") || attribute.starts_with("data-");
}

bool is_svg_attribute(std::string_view name) {
  return is_svg_prose(name) || holds_word(kAttributes, name);
}

bool is_svg_reference(std::string_view address) {
  if (address.starts_with('#')) return true;
  const auto found = std::ranges::find_if(
      kRasters, [&](std::string_view begins) { return address.starts_with(begins); });
  if (found == kRasters.end()) return false;
  address.remove_prefix(found->size());
  return std::ranges::all_of(address, [](char letter) {
    return is_alnum(letter) ||
           std::string_view("+/= \t\r\n").find(letter) != std::string_view::npos;
  });
}

std::string svg_style_problem(std::string_view css) {
  if (css.find('\\') != css.npos) return "a backslash in a style";
  for (std::size_t at = css.find('@'); at != css.npos; at = css.find('@', at + 1)) {
    const bool media =
        css.substr(at).starts_with("@media ") || css.substr(at).starts_with("@media(");
    if (!media) return "an @-rule in a style";
  }
  for (std::size_t open = css.find('('); open != css.npos; open = css.find('(', open + 1)) {
    const std::string name = function_before(css, open);
    if (name == "url") {
      if (!refers_to_a_part(css.substr(open + 1))) return "a url() to something outside of it";
    } else if (!name.empty() && !holds_word(kStyleFunctions, name)) {
      return "the function " + name.substr(0, 40) + "() in a style";
    }
  }
  return "";
}

}  // namespace labreport
