#include "base/lists.h"

#include <gtest/gtest.h>

#include <string>

namespace labreport::lists_test {
namespace {

struct Row {
  std::string name;
  int size;
  bool kept;
};

const std::vector<Row> kRows{{"a", 1, true}, {"b", 3, false}, {"a", 3, true}};

std::vector<std::string> names(const std::vector<Row>& rows) { return each(rows, &Row::name); }

TEST(Lists, AreFilteredByAMemberOrAFunction) {
  EXPECT_EQ(only(kRows, &Row::kept).size(), 2u);
  EXPECT_EQ(names(only(kRows, [](const Row& row) { return row.size > 1; })),
            (std::vector<std::string>{"b", "a"}));
}

TEST(Lists, DistinctKeepsFirstOccurrences) {
  EXPECT_EQ(distinct(names(kRows)), (std::vector<std::string>{"a", "b"}));
}

TEST(Lists, LargestReturnsTheFirstMaximumOrNull) {
  EXPECT_EQ(largest(kRows, &Row::size), &kRows[1]);
  EXPECT_EQ(largest(std::vector<Row>(), &Row::size), nullptr);
}

}  // namespace
}  // namespace labreport::lists_test
