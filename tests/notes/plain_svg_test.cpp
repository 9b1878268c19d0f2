#include "notes/plain_svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace labreport {
namespace {

using testing::HasSubstr;

constexpr const char* kBegin =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\">";

std::string inside(const std::string& content) { return kBegin + content + "</svg>"; }

/// Empty for a picture that only draws.
std::string problem(const std::string& svg) {
  const auto found = svg_problem(svg);
  return found ? found->what : "";
}

TEST(PlainSvg, MayDrawAsDrawingProgramsDo) {
  EXPECT_EQ(problem(R"svg(<?xml version="1.0" encoding="utf-8" standalone="no"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN"
  "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns:xlink="http://www.w3.org/1999/xlink" width="460pt" height="345pt" viewBox="0 0 460 345"
     xmlns="http://www.w3.org/2000/svg" version="1.1">
 <metadata>
  <rdf:RDF xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:cc="http://creativecommons.org/ns#"
           xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
   <cc:Work><dc:type rdf:resource="http://purl.org/dc/dcmitype/StillImage"/>
    <dc:title>Made (by hand) at https://example.org/ &amp; elsewhere</dc:title></cc:Work>
  </rdf:RDF>
 </metadata>
 <defs><style type="text/css"><![CDATA[*{stroke-linejoin: round} @media (x: y) {} a:not(.b) {fill: rgb(1,2,3)}]]></style>
  <clipPath id="p1"><rect x="1" y="2" width="3" height="4"/></clipPath></defs>
 <!-- a curve -->
 <g id="axes_1" aria-label="time(ms): 3 @ noon" clip-path="url(#p1)" transform="translate(1 2)">
  <path d="M 1 2 L 3 4 z" style="fill: none; stroke: #1f77b4; filter: url('#f')"/>
  <use xlink:href="#m1" x="1" y="2"/><text font-family="'DejaVu Sans'">5 &lt; 6 &#x3bc;s</text>
  <image href="data:image/png;base64,iVBORw0KGgo=" width="1" height="1"/>
 </g>
</svg>
)svg"),
            "");
}

TEST(PlainSvg, HasNoScriptHandlerAnimationLinkOrForeignObject) {
  for (const char* content :
       {"<script>alert(1)</script>", "<Script/>", "<g onclick='x'/>", "<g oNload='x'/>",
        "<foreignObject/>", "<a href='#x'/>", "<iframe/>", "<handler/>", "<set/>",
        "<animate attributeName='href' values='javascript:x'/>", "<svg:script/>",
        "<h:script xmlns:h='http://www.w3.org/1999/xhtml'/>",
        "<g xmlns='http://www.w3.org/1999/xhtml'/>",
        "<dc:script xmlns:dc='http://www.w3.org/1999/xhtml'/>", "<rdf:x onload='y'/>",
        "<body xmlns=''/>", "<g xml:base='https://example.org/'/>", "<g src='x'/>",
        "<style><b/></style>"}) {
    EXPECT_NE(problem(inside(content)), "") << content;
  }
}

TEST(PlainSvg, RefersToNothingOutsideOfIt) {
  for (const char* content :
       {"<use href='other.svg#x'/>", "<use xlink:href='https://example.org/#x'/>",
        "<use href='data:image/png;base64,AA'/>", "<image href='x.png'/>",
        "<image href='data:image/svg+xml;base64,AA'/>",
        "<image href='data:image/png;base64,A,\"'/>", "<image href=' javascript:x'/>",
        "<image href='&#106;avascript:x'/>", "<rect fill='url(https://example.org/x)'/>",
        "<rect fill='URL( x )'/>", "<rect style='fill:url(&quot;x&quot;)'/>",
        "<rect style='fill: u\\72l(x)'/>", "<rect style='fill:image-set(\"x\")'/>",
        "<rect mask='src(\"x\")'/>", "<style>@import 'x';</style>",
        "<style>a{b:u<!-- -->rl(x)}</style>", "<style>a{b:u<![CDATA[rl(x)}]]></style>",
        "<style>a{b:&#117;rl(x)}</style>"}) {
    EXPECT_NE(problem(inside(content)), "") << content;
  }
}

TEST(PlainSvg, IsOneWholeDocumentWithoutDeclarations) {
  for (const std::string& text :
       std::vector<std::string>{"",
                                "words",
                                "<g/>",
                                kBegin,
                                inside("") + "<svg/>",
                                inside("") + "words",
                                inside("<g>"),
                                inside("</g>"),
                                inside("<g a/>"),
                                inside("<g id=x/>"),
                                inside("<g id='<'/>"),
                                inside("<g id='a'class='b'/>"),
                                inside("&x;"),
                                inside("&"),
                                inside("<?php x ?>"),
                                "<?xml-stylesheet href='x'?>" + inside(""),
                                "<?xml version='1.0' encoding='utf-7'?>" + inside(""),
                                "<!DOCTYPE svg [<!ENTITY x 'y'>]>" + inside(""),
                                "<!DOCTYPE svg SYSTEM 'x'>" + inside(""),
                                "<!DOCTYPE html>" + inside(""),
                                inside("<!ENTITY x 'y'>"),
                                inside("\xFF"),
                                inside(std::string(1, '\0')),
                                inside("<!-- "),
                                inside("<style>"),
                                kBegin + std::string(100'000, '<')}) {
    EXPECT_NE(problem(text), "") << text.substr(0, 200);
  }
  std::string deep;
  for (int i = 0; i < 10'000; ++i) deep += "<g>";
  EXPECT_THAT(problem(kBegin + deep), HasSubstr("too deeply"));
}

TEST(PlainSvg, ProblemsHaveALine) {
  EXPECT_EQ(svg_problem(inside("\n\n<g onload='x'/>")).value().line, 3u);
  EXPECT_EQ(svg_problem(inside("\n<script/>")).value().what, "the element script");
}

}  // namespace
}  // namespace labreport
