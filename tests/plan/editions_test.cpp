#include "plan/editions.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "plan/planner.h"
#include "results/run_labels.h"

namespace labreport::editions_test {
namespace {

std::int64_t parameters(const char* edition, const char* size) {
  for (const Size& candidate : find_edition(edition).sizes) {
    if (candidate.name == size) return parameter_count(candidate.shape);
  }
  return 0;
}

std::string refusal(const char* text) {
  try {
    parse_size(text, kHandoutVocab);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Editions, HaveTheHandoutsParameterCounts) {
  EXPECT_EQ(parameters("2025", "small"), 128'625'408);
  EXPECT_EQ(parameters("2025", "medium"), 423'183'360);
  EXPECT_EQ(parameters("2025", "large"), 969'411'840);
  EXPECT_EQ(parameters("2025", "xl"), 1'998'235'200);
  EXPECT_EQ(parameters("2025", "2.7B"), 3'406'809'600);
  EXPECT_EQ(parameters("2026", "xl"), 3'406'809'600);
  EXPECT_EQ(parameters("2026", "10B"), 12'832'823'808);
}

TEST(Editions, AreThoseThatARunMayHave) {
  EXPECT_EQ(editions().size(), std::size(kEditionNames));
  for (const std::string_view name : kEditionNames) EXPECT_EQ(find_edition(name).name, name);
  for (const std::string_view name : kPresetNames) {
    if (name == kPresetNone) continue;
    EXPECT_EQ(labreport::name(parse_name<Preset>(name)), name);
  }
}

TEST(Editions, RefuseUnknownNames) { EXPECT_THROW(find_edition("2024"), InputError); }

TEST(OwnSizes, AreParsed) {
  EXPECT_THROW(parse_size(std::string(201, 'm') + "=512,2048,8,8", 100), InputError);
  EXPECT_THROW(parse_size("a\x1b[31m=512,2048,8,8", 100), InputError);
  const Size mini = parse_size("mini=512,2048,8,8", 100);
  EXPECT_EQ(mini.name, "mini");
  EXPECT_EQ(mini.shape, (ModelShape{512, 2048, 8, 8, 100}));
}

TEST(OwnSizes, AreRefusedWithTheMistake) {
  EXPECT_NE(refusal("mini").find("NAME=d_model,d_ff,layers,heads"), std::string::npos);
  EXPECT_NE(refusal("=1,2,3,4").find("not of the form"), std::string::npos);
  EXPECT_NE(refusal("mini=512,2048,8").find("not of the form"), std::string::npos);
  EXPECT_NE(refusal("mini=512,x,8,8").find("d_ff is 'x'"), std::string::npos);
  EXPECT_NE(refusal("mini=512,2048,0,8").find("layers is '0'"), std::string::npos);
  EXPECT_NE(refusal("mini=512,2048,8,7").find("7 heads do not divide d_model 512"),
            std::string::npos);
  EXPECT_NE(refusal("mini=60,2048,8,4").find("a head is 15 wide"), std::string::npos);
}

}  // namespace
}  // namespace labreport::editions_test
