#include "base/table.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace labreport::table_test {
namespace {

enum class Sign { kPlus, kMinus, kNone };

constexpr Names<Sign, 2> kSigns{{{Sign::kPlus, "plus"}, {Sign::kMinus, "minus"}}};

TEST(Table, LooksUpTheValueOfAKey) {
  EXPECT_EQ(*look_up(kSigns, Sign::kMinus), "minus");
  EXPECT_EQ(look_up(kSigns, Sign::kNone), nullptr);
}

TEST(Names, ConvertValuesToNamesAndBack) {
  EXPECT_EQ(name_in(kSigns, Sign::kPlus), "plus");
  EXPECT_EQ(name_in(kSigns, Sign::kNone), "");
  EXPECT_EQ(parse_name(kSigns, "sign", "minus"), Sign::kMinus);
}

TEST(Names, RefuseAnUnknownNameAndSayWhichOneIsNear) {
  try {
    parse_name(kSigns, "sign", "minos");
    FAIL() << "took an unknown name";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("minus"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace labreport::table_test
