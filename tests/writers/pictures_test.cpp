#include "writers/html/pictures.h"

#include <gmock/gmock.h>

namespace labreport {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(PictureFile, CarriesItsDarkInks) {
  const std::string file = picture_file("<svg width=\"20\"><g/></svg>");
  EXPECT_THAT(file, StartsWith("<svg width=\"20\"><style>@media (prefers-color-scheme: dark) {"));
  EXPECT_THAT(file, HasSubstr("[fill=\"#1f2328\"] { fill: #e6e9ec; }"));
  EXPECT_THAT(file, HasSubstr("}</style><g/></svg>"));
}

TEST(PictureElement, KeepsTheRoomThatThePictureWillTake) {
  const std::string html = picture_element("<svg width=\"703\" height=\"549.5\">", "charts/a.svg");
  EXPECT_THAT(html, HasSubstr(" width=\"703\" height=\"549.5\""));
  EXPECT_THAT(html, HasSubstr("src=\"charts/a.svg\" alt=\"\" loading=\"lazy\""));
  EXPECT_THAT(picture_element("", "a\"b.svg"), HasSubstr("src=\"a&quot;b.svg\""));
  EXPECT_THAT(picture_element("", "a.svg"), Not(HasSubstr("width")));
}

}  // namespace
}  // namespace labreport
