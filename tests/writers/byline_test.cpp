#include <gmock/gmock.h>

#include "writers/html/html.h"
#include "writers/markdown/markdown.h"

namespace labreport {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Byline, IsEmptyWhereNothingIsKnown) {
  EXPECT_EQ(byline_html({}), "");
  EXPECT_EQ(byline_markdown({}), "");
}

TEST(Byline, IsTextInEveryFormat) {
  const FrontMatter front{"<b>Ada</b> {{title}} *x*", "[CS](javascript:x)", ""};
  EXPECT_THAT(byline_html(front), HasSubstr("&lt;b&gt;Ada&lt;/b&gt; {{title}} *x*"));
  EXPECT_THAT(byline_markdown(front), HasSubstr("\\<b\\>Ada\\</b\\>"));
  EXPECT_THAT(byline_markdown(front), Not(HasSubstr("[CS](")));
}

TEST(Byline, ShowsTheRepositoryByItsName) {
  const FrontMatter front{"Ada Lovelace", "CS336: Spring", "https://github.com/ada/a2/"};
  EXPECT_EQ(byline_markdown(front),
            "**Ada Lovelace** · CS336: Spring · [github.com/ada/a2](https://github.com/ada/a2/)");
  EXPECT_THAT(byline_html(front),
              HasSubstr("<a href=\"https://github.com/ada/a2/\">github.com/ada/a2</a>"));
}

}  // namespace
}  // namespace labreport
