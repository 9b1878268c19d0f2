#include "notes/note.h"

#include <gmock/gmock.h>

namespace labreport::front_matter_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kComplete =
    "<!-- whose\nreport -->\nName: Ada Lovelace\n\ncourse: CS336: Spring\n"
    "repository: https://github.com/ada/a2/\n";

std::vector<std::string> problems(std::string_view text) {
  std::vector<std::string> lines;
  for (const NoteProblem& problem : parse_front_matter(text).problems) {
    lines.push_back(std::to_string(problem.line) + ": " + problem.text);
  }
  return lines;
}

TEST(FrontMatter, HasNameCourseAndRepository) {
  const FrontMatter front = parse_front_matter(kComplete).front;
  EXPECT_EQ(front.author, "Ada Lovelace");
  EXPECT_EQ(front.course, "CS336: Spring");
  EXPECT_EQ(front.repository, "https://github.com/ada/a2/");
  EXPECT_THAT(problems(kComplete), IsEmpty());
}

TEST(FrontMatter, MayHaveEmptyValues) {
  EXPECT_THAT(problems("name:\ncourse:\nrepository:\n"), IsEmpty());
}

TEST(FrontMatter, NamesTheLineOfAProblem) {
  EXPECT_THAT(problems("<!--\n-->\nnmae: Ada\nAda\n"),
              ElementsAre("3: not understood: use name:, course: and repository:",
                          "4: not understood: use name:, course: and repository:"));
  EXPECT_THAT(problems("name: " + std::string(10'000, 'x')),
              ElementsAre(HasSubstr("1: name is longer than 200 characters")));
}

TEST(FrontMatter, LeavesOutARepositoryWithoutHttpsAddress) {
  for (const char* address : {"http://a.b", "javascript:alert(1)", "https://", "https://a b",
                              "https://a\"onclick=", "https://a](b", "https://a<b>", "git@a.b:c"}) {
    const std::string text = std::string("name: Ada\nrepository: ") + address;
    EXPECT_THAT(problems(text),
                ElementsAre("2: the repository is left out: give its address as https://…"));
    EXPECT_EQ(parse_front_matter(text).front.repository, "");
    EXPECT_EQ(parse_front_matter(text).front.author, "Ada");
  }
}

}  // namespace
}  // namespace labreport::front_matter_test
