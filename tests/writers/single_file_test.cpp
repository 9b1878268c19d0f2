#include "writers/html/assets.h"

#include <gmock/gmock.h>

#include "writers/html/html.h"
#include "writers/sample_fixture.h"

namespace labreport::single_file_test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string sample_single_page(const std::string& bundle = "bundle();\n") {
  const Document document = sample_document();
  FakeChartTool tool;
  return single_page_html(document, draw_all({&document}, tool).front(), Answers::kFull, bundle);
}

/// Returns the texts of all elements that `opening` begins.
std::vector<std::string> contents(const std::string& page, const std::string& opening,
                                  const std::string& closing) {
  std::vector<std::string> texts;
  for (std::size_t at = page.find(opening); at != std::string::npos; at = page.find(opening, at)) {
    at += opening.size();
    texts.push_back(page.substr(at, page.find(closing, at) - at));
  }
  return texts;
}

TEST(SinglePage, FetchesNothingAndLeadsToNoFile) {
  const std::string page = sample_single_page();
  for (const char* outside : {" src=", "<link rel=\"stylesheet\"", "href=\"report.md\"",
                              "index.html\"", "href=\"run.json\""}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
  EXPECT_THAT(page, HasSubstr("role=\"img\""));
  EXPECT_THAT(page, HasSubstr("<svg"));
}

TEST(SinglePage, AllowsItsOwnTextsByHash) {
  const std::string page = sample_single_page();
  const auto scripts = contents(page, "<script>", "</script>");
  ASSERT_EQ(scripts.size(), 3u);
  for (const std::string& script : scripts) {
    EXPECT_THAT(page, HasSubstr("'sha256-" + sha256_base64(script) + "'"));
  }
  const auto styles = contents(page, "<style>", "</style>");
  ASSERT_EQ(styles.size(), 1u);
  EXPECT_THAT(page, HasSubstr("style-src 'sha256-" + sha256_base64(styles[0]) + "'"));
  EXPECT_THAT(page, Not(HasSubstr("unsafe")));
}

TEST(Sha256, AgreesWithTheStandardsExample) {
  EXPECT_EQ(sha256_base64("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}

TEST(SinglePage, KeepsPicturesWithoutABundle) {
  const std::string page = sample_single_page("");
  EXPECT_EQ(contents(page, "<script>", "</script>").size(), 1u);
  EXPECT_THAT(page, HasSubstr("role=\"img\""));
}

TEST(SinglePage, EscapesTheEndOfAScript) {
  EXPECT_EQ(enclosed_script("a = '</script>' + '<!--'"), "a = '<\\/script>' + '<\\!--'");
  const std::string page = sample_single_page("x = '</script><script>alert(1)</script>';");
  EXPECT_THAT(page, Not(HasSubstr("</script><script>alert")));
}

TEST(SinglePage, KeepsTheWordsOfRemovedLinks) {
  EXPECT_EQ(without_file_links("<p><a href=\"kernels.csv\">all <b>of</b> them</a> and "
                               "<a href=\"#x\">x</a>, <a href=\"https://a/b\">b</a></p>"),
            "<p>all <b>of</b> them and <a href=\"#x\">x</a>, <a href=\"https://a/b\">b</a></p>");
}

TEST(Specs, CannotEndAScriptElement) {
  Document document = sample_document();
  Figure& figure = document.sections[0].parts[0].figures[0];
  figure.spec["description"] = "</script><script>alert(1)</script>";
  FakeChartTool tool;
  const std::string script = specs_script(document, draw_all({&document}, tool).front());
  EXPECT_THAT(script, Not(HasSubstr("<")));
  EXPECT_THAT(script, HasSubstr("\\u003c/script>"));
}

TEST(Specs, ContainTheDataOfALiveFigure) {
  Document document = sample_document();
  Figure& figure = document.sections[0].parts[0].figures[0];
  figure.script_data = {{"texts", {"</script><script>"}}};
  FakeChartTool tool;
  const Drawings drawings = draw_all({&document}, tool).front();
  const std::string script = specs_script(document, drawings);
  EXPECT_THAT(script, HasSubstr("{\"texts\":[\"\\u003c/script>\\u003cscript>\"]}"));
  EXPECT_THAT(page_html(document, drawings, {}), HasSubstr(" data-live>"));
  EXPECT_THAT(page_html(sample_document(), drawings, {}), Not(HasSubstr("data-live")));
}

TEST(SinglePage, ContainsThePicturesOfNotes) {
  Document document = sample_document();
  Part& part = document.sections.at(0).parts.at(0);
  part.note = AuthorNote{"![my plot](notes/plot.svg) ![photograph](notes/photo.jpg)"};
  part.attachments = {{"notes/plot.svg", "<svg/>"}, {"notes/photo.jpg", "foobar"}};
  const std::string page = single_page_html(document, {}, Answers::kFull, "");
  EXPECT_THAT(page, HasSubstr("<img src=\"data:image/svg+xml;base64,PHN2Zy8+\" alt=\"my plot\""));
  EXPECT_THAT(page, HasSubstr("<img src=\"data:image/jpeg;base64,Zm9vYmFy\""));
  EXPECT_THAT(page, Not(HasSubstr("src=\"notes/")));
}

TEST(PicturesInside, LeavesAddressesThatAreNoFiles) {
  const std::string html = "<img src=\"a.png\"><p>src=\"b.png\"</p><img src=\"data:,\">";
  EXPECT_EQ(with_pictures_inside(html, {{"b.png", "b"}}), html);
  EXPECT_EQ(with_pictures_inside("<img src=\"b.png", {{"b.png", {"\xff\x00\xfb", 3}}}),
            "<img src=\"data:image/png;base64,/wD7");
  EXPECT_EQ(with_pictures_inside("<img src=\"b.png", {{"b.png", "f"}}),
            "<img src=\"data:image/png;base64,Zg==");
}

}  // namespace
}  // namespace labreport::single_file_test
