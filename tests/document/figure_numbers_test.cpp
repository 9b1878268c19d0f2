// Tests that variants of a figure share its number.
#include "document/figure_numbers.h"

#include <gmock/gmock.h>

namespace labreport::figure_numbers_test {
namespace {

using testing::ElementsAre;

Figure figure(const std::string& slug, const std::string& family = "",
              const std::string& variant = "") {
  Figure figure;
  figure.slug = slug;
  figure.family = family;
  figure.variant = variant;
  return figure;
}

std::vector<std::string> numbers_of(const std::vector<Figure>& figures, bool in_drawer = false) {
  FigureNumbers numbers;
  numbers.add({}, in_drawer);
  numbers.add(figures, in_drawer);
  std::vector<std::string> all;
  for (const Figure& each : figures) all.push_back(numbers.of(each));
  return all;
}

TEST(FigureNumbers, CountFiguresInAndOutsideDrawers) {
  EXPECT_THAT(numbers_of({figure("a"), figure("b")}), ElementsAre("1", "2"));
  EXPECT_THAT(numbers_of({figure("a"), figure("b")}, true), ElementsAre("A1", "A2"));
}

TEST(FigureNumbers, AreSharedByVariants) {
  EXPECT_THAT(
      numbers_of({figure("a", "Context", "128"), figure("b", "Context", "512"), figure("c")}),
      ElementsAre("1a", "1b", "2"));
  EXPECT_THAT(numbers_of({figure("a", "Context", "128"), figure("b", "Context", "128"),
                          figure("c", "Context", "512"), figure("d", "Step", "x")}),
              ElementsAre("1a", "2a", "1b", "3"));
}

}  // namespace
}  // namespace labreport::figure_numbers_test
