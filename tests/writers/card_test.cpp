// The index: which runs it shows where, and what it says of each.
#include "writers/html/card.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "writers/sample_fixture.h"

namespace labreport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

RunCard card(const std::string& device, const std::string& time) {
  return {.folder = device + "/2025/" + time,
          .device = device,
          .edition = "2025",
          .preset = "full",
          .started_at = time,
          .revision = "a1b2c3d",
          .outcome = "40 cells: 40 ok",
          .key_numbers = {{"forward, 2.7B", "1.5 ± 0.1 ms", "x"}},
          .formats = {}};
}

RunCard reference(RunCard card) {
  card.reference = true;
  return card;
}

RunCard demonstration(const std::string& time) {
  RunCard shown = card("Some CPU", time);
  shown.demonstration = true;
  return shown;
}

std::vector<std::string> order(const std::vector<RunCard>& cards) {
  std::vector<std::string> found;
  for (const CardGroup& group : grouped(cards)) {
    for (const RunCard& one : group.cards) found.push_back(one.device + " " + one.started_at);
  }
  return found;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

TEST(Grouped, NewestFirstWithinADevice) {
  EXPECT_THAT(order({card("A", "2026-01-01"), card("A", "2026-03-01"), card("A", "2026-02-01")}),
              ElementsAre("A 2026-03-01", "A 2026-02-01", "A 2026-01-01"));
}

TEST(Grouped, OnesOwnBeforeThoseThatShipWithTheProject) {
  EXPECT_THAT(order({reference(card("A", "2026-03-01")), card("A", "2026-01-01")}),
              ElementsAre("A 2026-01-01", "A 2026-03-01"));
  EXPECT_THAT(order({reference(card("A", "2026-03-01")), card("B", "2026-01-01")}),
              ElementsAre("B 2026-01-01", "A 2026-03-01"));
}

TEST(Grouped, FullRunsThatShipWithTheProjectBeforeQuickOnes) {
  RunCard quick = reference(card("A", "2026-03-01"));
  quick.preset = "quick";
  RunCard full = reference(card("A", "2026-01-01"));
  full.preset = "full";
  EXPECT_THAT(order({quick, full}), ElementsAre("A 2026-01-01", "A 2026-03-01"));
}

TEST(Grouped, DevicesByTheirNewestRunAndDemonstrationsLast) {
  EXPECT_THAT(order({demonstration("2026-09-01"), card("A", "2026-01-01"), card("B", "2026-03-01"),
                     card("A", "2026-05-01"), reference(card("C", "2026-08-01"))}),
              ElementsAre("A 2026-05-01", "A 2026-01-01", "B 2026-03-01", "C 2026-08-01",
                          "Some CPU 2026-09-01"));
}

TEST(Grouped, DoesNotDependOnTheOrderGiven) {
  const std::vector<RunCard> one = {card("A", "2026-01-01"), card("B", "2026-01-01")};
  EXPECT_EQ(order(one), order({one[1], one[0]}));
}

TEST(FormatsAmong, NamesWhatThereIsInAFixedOrder) {
  const auto formats =
      formats_among({"x/run.json", "x/report.pdf", "y/report.tex", "x/index.html"}, "x");
  ASSERT_EQ(formats.size(), 2u);
  EXPECT_EQ(formats[0].name, "PDF");
  EXPECT_EQ(formats[1].file, "run.json");
}

TEST(Index, HasOneCardARunWithThreeHeadlinesAtMost) {
  const std::string index = index_html({run_card(sample_document(), "a", "2026-05-01T10:15:00Z"),
                                        run_card(demonstration_document(), "b", "")});
  EXPECT_EQ(count(index, "<li class=\"card"), 2u);
  EXPECT_EQ(count(index, "class=\"value\""), 6u);
  EXPECT_THAT(index, HasSubstr("<a href=\"a/index.html\">2025 edition, full preset</a>"));
  EXPECT_THAT(index, HasSubstr(">2026-05-01, 10:15 UTC</time>"));
  EXPECT_THAT(index, HasSubstr("<nav class=\"devices\""));
}

TEST(Index, WithoutARunSaysHowToMakeOne) {
  EXPECT_THAT(index_html({}), HasSubstr("No run has been recorded yet"));
}

TEST(Index, WithOneRunIsNothingButItsCard) {
  const std::string index = index_html({card("A", "2026-01-01")});
  EXPECT_THAT(index, Not(HasSubstr("<nav")));
  EXPECT_THAT(index, Not(HasSubstr("<details")));
  EXPECT_THAT(index, Not(HasSubstr("class=\"formats\""))) << "there is none";
}

TEST(Index, PutsADevicesOlderRunsBehindOneClick) {
  std::vector<RunCard> cards;
  for (int i = 10; i < 17; ++i) cards.push_back(card("A", "2026-01-" + std::to_string(i)));
  const std::string index = index_html(cards);
  EXPECT_THAT(index, HasSubstr("<summary>1 run more</summary>"));
  EXPECT_GT(index.find("A/2025/2026-01-10"), index.find("<details"));
  EXPECT_LT(index.find("A/2025/2026-01-11"), index.find("<details"));
}

TEST(RunCard, IsTheSameAfterItWasKept) {
  RunCard before = run_card(demonstration_document(), "cpu", "2026-05-01T10:15:00Z");
  before.incomplete = before.reference = true;
  before.formats = {{"PDF", "report.pdf"}};
  const nlohmann::json kept = before;
  const auto after = nlohmann::json::parse(kept.dump()).get<RunCard>();
  EXPECT_EQ(index_html({before}), index_html({after}));
}

}  // namespace
}  // namespace labreport
