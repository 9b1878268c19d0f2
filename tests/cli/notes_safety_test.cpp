// Tests pictures and other files that are beside an author's notes, hostile ones included.
#include <gmock/gmock.h>

#include <filesystem>

#include "base/files.h"
#include "cli/notes_fixture.h"

namespace labreport::notes_safety_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kDrawing =
    "<svg xmlns=\"http://www.w3.org/2000/svg\"><rect width=\"1\" height=\"1\"/></svg>";

TEST_F(NotesTest, PicturesAreCopiedBesideThePage) {
  write_note("figures/My Plot.PNG", "png bytes");
  write_note("a.svg", kDrawing);
  write_note("b.svg", "no picture");
  fs::create_symlink("a.svg", folder_ / "notes/link.svg");
  write_note(
      "mixed_precision_accumulation.md",
      "![one](<figures/My Plot.PNG>) ![two](./a.svg) ![again](a.svg)\n\n![three](link.svg)\n\n"
      "![four](../site/runs/x.png)\n\n![five](/etc/x.png)\n\n![six](text.txt)\n\n"
      "![seven](b.svg)\n");
  const CompletedProcess process = render();
  EXPECT_EQ(process.exit_status, 0) << "pictures do not stop publishing";
  for (const char* refused : {":3: the picture link.svg is left out: only plain files inside notes",
                              ":5: the picture ../site/runs/x.png is left out: only plain files",
                              ":7: the picture /etc/x.png is left out",
                              ":9: the picture text.txt is left out: use png, jpg",
                              ":11: the picture b.svg is left out: it is no SVG"}) {
    EXPECT_THAT(process.messages, HasSubstr(refused));
  }
  EXPECT_EQ(read_published("notes/figures-my-plot.png"), "png bytes");
  EXPECT_THAT(read_published("notes/a.svg"), HasSubstr("<image "));
  EXPECT_FALSE(fs::exists(page_folder() / "notes/b.svg"));
  const std::string page = read_published("index.html");
  EXPECT_THAT(page, HasSubstr("<img src=\"notes/figures-my-plot.png\" alt=\"one\""));
  EXPECT_THAT(page, HasSubstr("<img src=\"notes/a.svg\" alt=\"two\""));
  EXPECT_THAT(page, HasSubstr("[missing picture: seven]"));
  EXPECT_THAT(read_published("report.md"), HasSubstr("![one](notes/figures-my-plot.png)"));
}

TEST_F(NotesTest, AnSvgIsEmbeddedInAnother) {
  write_note(
      "a.svg",
      "<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"460.8pt\"\n"
      "  height='345pt' onload=\"alert(1)\"><script>alert(1)</script></svg>");
  write_note("b.svg", "<svg width='1\"0' viewBox=\"5 5 40 30\"/>");
  write_note("mixed_precision_accumulation.md", "![one](a.svg) ![two](b.svg)\n");
  ASSERT_EQ(render().exit_status, 0);
  const std::string picture = read_published("notes/a.svg");
  EXPECT_THAT(picture, StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"460.8pt\" "
                                  "height=\"345pt\"><image width=\"100%\" height=\"100%\" "
                                  "href=\"data:image/svg+xml;base64,PD94bWwg"));
  for (const char* acting : {"alert", "onload", "<script"}) {
    EXPECT_THAT(picture, Not(HasSubstr(acting))) << acting;
  }
  EXPECT_THAT(read_published("notes/b.svg"),
              StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"30\"><"));
}

TEST_F(NotesTest, HostileWordsAreTextInEveryFile) {
  write_note("author.md",
             "name: <script>alert(1)</script> {{title}}\ncourse: [x](javascript:alert(1))\n");
  write_note("mixed_precision_accumulation.md",
             "So <script>alert(1)</script> {{{method}}} [x](javascript:alert(1)) <img src=x "
             "onerror=alert(1)>\n\n"
             "<div>\n\n```{=html}\n<script>\n```\n\n" +
                 std::string(10'000, 'w') +
                 "\xE2\x80\xAE"
                 "\n");
  ASSERT_EQ(render().exit_status, 1) << "a link is left out";
  const std::string page = read_published("index.html");
  for (const char* markup : {"<script>", "<img src=x", "<div>\n", "href=\"javascript"}) {
    EXPECT_THAT(page, Not(HasSubstr(markup))) << markup;
  }
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt; {{{method}}} x &lt;img"));
  const std::string report = read_published("report.md");
  EXPECT_THAT(report, HasSubstr("\\<script\\>alert(1)\\</script\\> {{{method}}} x \\<img"));
  EXPECT_THAT(report, Not(HasSubstr("[x](javascript")));
}

}  // namespace
}  // namespace labreport::notes_safety_test
