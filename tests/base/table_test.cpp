#include "base/table.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace labreport {
namespace table_test {

enum class Shade { kLight, kDark, kUnnamed };

}  // namespace table_test

template <>
inline constexpr auto kEnumNames<table_test::Shade> =
    enum_names<table_test::Shade>("shade", {{table_test::Shade::kLight, "light", "a light shade"},
                                            {table_test::Shade::kDark, "dark", "a dark shade"}});

namespace table_test {
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

TEST(EnumNames, GiveNamesAndWordsAndReadNames) {
  EXPECT_EQ(name(Shade::kDark), "dark");
  EXPECT_EQ(describe(Shade::kDark), "a dark shade");
  EXPECT_EQ(name(Shade::kUnnamed), "");
  EXPECT_EQ(parse_name<Shade>("dark"), Shade::kDark);
  EXPECT_EQ(all_names<Shade>(), (std::vector<std::string>{"light", "dark"}));
}

TEST(EnumNames, RefuseAnUnknownNameAndSayWhichOneIsNear) {
  try {
    parse_name<Shade>("drak");
    FAIL() << "took an unknown name";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("unknown shade 'drak'"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("dark"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace table_test
}  // namespace labreport
