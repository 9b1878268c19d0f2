#include "document/section.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace labreport::section_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::string_view kWords = R"(
# benchmarking_script: Timing the training step

## (b) Durations
### Question
How long?
### Answer
It takes {{time}}.
### Method
One clock.

## (c) Warm-up
### Question
Why?
)";

PartContent sample_content() {
  PartContent content;
  content.facts.set("time", "12 ms");
  content.details.warnings = {"hot"};
  return content;
}

TEST(ParseSection, FindsProblemPartsAndBlocks) {
  const SectionWords words = parse_section(kWords);
  EXPECT_EQ(words.problem, "benchmarking_script");
  EXPECT_EQ(words.title, "Timing the training step");
  ASSERT_EQ(words.parts.size(), 2u);
  EXPECT_EQ(words.parts[0].letter, "b");
  EXPECT_EQ(words.parts[0].title, "Durations");
  EXPECT_EQ(words.parts[0].question, "How long?");
  EXPECT_EQ(words.parts[0].answer, "It takes {{time}}.");
  EXPECT_EQ(words.parts[1].letter, "c");
  EXPECT_THAT(words.parts[1].answer, IsEmpty());
}

TEST(ParseSection, AProblemWithASinglePartHasNoLetter) {
  const SectionWords words = parse_section("# accumulation: Sums\n## Four loops\n");
  EXPECT_EQ(words.parts.at(0).letter, "");
  EXPECT_EQ(words.parts.at(0).title, "Four loops");
}

/// Returns the message with which a section.md is refused.
std::string refusal(const std::string& words) {
  try {
    parse_section(words);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ParseSection, NamesTheLineThatDoesNotFollowTheFormat) {
  EXPECT_THAT(refusal(""), HasSubstr("begins with '# problem: Title'"));
  EXPECT_THAT(refusal("# no title"), HasSubstr("line 1: expected '# problem: Title'"));
  EXPECT_THAT(refusal("# a: A\nlost"), HasSubstr("line 2: text outside of a block: lost"));
  EXPECT_THAT(refusal("# a: A\n### Answer"), HasSubstr("before the first part"));
  EXPECT_THAT(refusal("# a: A\n## (b) B\n### Anser"), HasSubstr("unknown block 'Anser'"));
  EXPECT_THAT(refusal("# a: A\n## (b) B\n## (b) C"), HasSubstr("part (b) appears twice"));
  EXPECT_THAT(refusal("# a: A\n## (b) B\n### Table t\ntitle: T\n\nWords."),
              HasSubstr("table 't' has a caption, which only a figure shows"));
  EXPECT_THAT(refusal("# a: A\n## (b) B\n### Answer\nx\n### Answer\ny"), HasSubstr("twice"));
}

TEST(ComposeSection, FillsThePartsThatHaveContent) {
  const Section section = compose_section(kWords, {{"b", sample_content()}});
  ASSERT_EQ(section.parts.size(), 1u);
  const Part& part = section.parts[0];
  EXPECT_EQ(part.anchor(), "benchmarking_script-b");
  EXPECT_EQ(part.answer, "It takes 12 ms.");
  EXPECT_EQ(part.details.method, "One clock.");
  EXPECT_EQ(part.details.warnings, std::vector<std::string>{"hot"});
}

TEST(ComposeSection, SaysPlainlyThatARunBearsOutNoSentence) {
  const auto answer_to = [](const std::string& question, bool known) {
    PartContent content;
    content.facts.flag("known", known);
    const std::string words =
        "# p: P\n## (a) A\n" + question + "### Answer\n{{#known}}So.{{/known}}\n";
    return compose_section(words, {{"a", content}}).parts.at(0).answer;
  };
  EXPECT_EQ(answer_to("### Question\nWhy?\n", true), "So.");
  EXPECT_EQ(answer_to("### Question\nWhy?\n", false), "This run does not answer this question.");
  EXPECT_EQ(answer_to("", false), "") << "nothing was asked";
}

TEST(ComposeSection, MovesTheMethodOfAHiddenPart) {
  constexpr std::string_view kParts =
      "# p: P\n## (a) A\n### Method\nOne clock for {{time}}.\n"
      "## (b) B\n### Method\nAs in part (a). Twice.\n## (c) C\n### Method\nAs in part (a).\n";
  const auto methods = [&](const std::string& letters) {
    std::map<std::string, PartContent> contents;
    for (const char letter : letters) contents.emplace(std::string(1, letter), sample_content());
    std::vector<std::string> all;
    for (const Part& part : compose_section(kParts, contents).parts) {
      all.push_back(part.details.method);
    }
    return all;
  };
  EXPECT_THAT(methods("abc"),
              ElementsAre("One clock for 12 ms.", "As in part (a). Twice.", "As in part (a)."));
  EXPECT_THAT(methods("bc"), ElementsAre("One clock for 12 ms.\n\nTwice.", "As in part (b)."));
  EXPECT_THAT(methods("c"), ElementsAre("One clock for 12 ms."));
}

TEST(ComposeSection, ChoosesTheAnswerOfARunWithoutNumbers) {
  PartContent unmeasured;
  unmeasured.set_answer(std::nullopt);
  PartContent measured;
  measured.set_answer(Facts().set("time", "2 ms"));
  const auto part_of = [](const PartContent& content) {
    return compose_section(
               "# p: P\n## (a) A\n### Answer\n{{time}}\n### Answer without numbers\nNo step ran.\n"
               "### Summary\n- {{time}}\n",
               {{"a", content}})
        .parts.at(0);
  };
  EXPECT_EQ(part_of(unmeasured).answer, "No step ran.");
  EXPECT_EQ(part_of(unmeasured).summary.words, "");
  EXPECT_EQ(part_of(measured).answer, "2 ms");
  EXPECT_EQ(part_of(measured).summary.words, "- 2 ms");
}

TEST(ComposeSection, RefusesContentWithoutWordsAndTagsWithoutFacts) {
  EXPECT_THROW(compose_section(kWords, {{"d", sample_content()}}), Error);
  EXPECT_THROW(compose_section(kWords, {{"b", PartContent()}}), Error);
}

constexpr const char* kExhibitWords = R"(# timing: Timing
## Steps
### Figure steps
title: Steps of {{size}}
columns: phase, ms
alt: Bars.
paper: no
page: Pointing at a bar names it.

Means of {{count}} steps.
### Table steps
title: All steps
### Details Table samples
data: steps
title: Samples
)";

struct Phase {
  std::string phase;
  double ms;
};

Dataset phases(const std::string& variant = "",
               std::vector<Phase> rows = {{"forward", 2}, {"loss", 1}}) {
  Dataset data = make_dataset("steps",
                              std::vector<Column<Phase>>{{"phase", "Phase", &Phase::phase},
                                                         {"ms", "Time", &Phase::ms, "ms"}},
                              rows);
  data.family = variant.empty() ? "" : "Context";
  data.variant = variant;
  return data;
}

std::string_view figure_file(const std::string&) {
  return R"({"data": {"name": "steps"}, "encoding": {"x": {"field": "ms"}, "color": {"field": "phase", "type": "nominal"}},
             "layer": [{"data": {"name": "other"}}], "mark": "bar"})";
}

Part part_with(const std::vector<Dataset>& datasets) {
  PartContent content;
  content.facts.set("size", "small");
  content.facts.set("count", "10");
  content.datasets = datasets;
  return compose_section(kExhibitWords, {{"", content}}, figure_file).parts.at(0);
}

TEST(Exhibits, UseFindingsAsTitlesOfFiguresOnly) {
  const auto figure = [](bool slower) {
    PartContent content;
    content.facts.when("slower", slower, "times", "2.1");
    content.datasets = {phases()};
    const char* words =
        "# a: A\n## B\n### Figure steps\ntitle: Steps\n"
        "finding: {{#slower}}Backward takes {{times}} times as long{{/slower}}\n";
    return compose_section(words, {{"", content}}, figure_file).parts.at(0).figures.at(0);
  };
  EXPECT_EQ(figure(true).title, "Backward takes 2.1 times as long");
  EXPECT_EQ(figure(true).table.title, "Steps");
  EXPECT_EQ(figure(false).title, "Steps");
}

TEST(Exhibits, PreferADatasetsOwnFinding) {
  Dataset data = phases();
  data.finding = "Forward takes 2 ms";
  EXPECT_EQ(part_with({data}).figures.at(0).title, "Forward takes 2 ms");
}

TEST(Exhibits, TellWhetherASummaryShowsThem) {
  const auto part = [](const std::string& summary) {
    PartContent content;
    content.datasets = {phases()};
    return compose_section("# a: A\n## B\n### Figure steps\ntitle: T\n" + summary, {{"", content}},
                           figure_file)
        .parts.at(0);
  };
  EXPECT_FALSE(part("").figures.at(0).for_summary);
  EXPECT_TRUE(part("summary: yes\n").figures.at(0).for_summary);
  EXPECT_THAT(part("summary: only\n").figures, IsEmpty());
  EXPECT_THAT(part("summary: only\n").summary.figures, SizeIs(1));
}

TEST(Exhibits, HaveTheAttributesOfTheirBlocks) {
  const Part part = part_with({phases()});
  ASSERT_THAT(part.figures, SizeIs(1));
  EXPECT_EQ(part.figures[0].slug, "steps");
  EXPECT_EQ(part.figures[0].title, "Steps of small");
  EXPECT_EQ(part.figures[0].caption, "Means of 10 steps.");
  EXPECT_EQ(part.figures[0].alt,
            "Steps of small. Bars. forward: Time 2.000 ms; loss: Time 1.000 ms.");
  EXPECT_EQ(part.figures[0].page_caption, "Pointing at a bar names it.");
  EXPECT_TRUE(part.figures[0].page_only);
  EXPECT_EQ(part.figures[0].table.columns.size(), 2u);
  ASSERT_THAT(part.tables, SizeIs(1));
  EXPECT_EQ(part.tables[0].title, "All steps");
  ASSERT_THAT(part.details.tables, SizeIs(1));
  EXPECT_EQ(part.details.tables[0].slug, "samples");
}

TEST(Exhibits, FillFiguresWithRowsAndColors) {
  const nlohmann::json figure = part_with({phases()}).figures.at(0).spec;
  EXPECT_EQ(figure["data"]["values"][0]["ms"], 2.0);
  const nlohmann::json scale = figure["encoding"]["color"]["scale"];
  EXPECT_EQ(scale["domain"], (nlohmann::json{"forward", "loss"}));
  EXPECT_EQ(scale["range"][0], "#1f6fb2");
  EXPECT_FALSE(figure["data"]["values"][0].contains("ms_text"))
      << "which the figure's file does not mention";
}

TEST(Exhibits, FillLayersWithTheirOwnDatasets) {
  Dataset other = phases("", {{"band", 7}});
  other.name = "other";
  const nlohmann::json layer = part_with({phases(), other}).figures.at(0).spec["layer"][0];
  EXPECT_EQ(layer["data"]["values"][0]["phase"], "band");
  EXPECT_THAT(part_with({phases()}).figures.at(0).spec["layer"][0]["data"]["values"], IsEmpty());
}

TEST(Exhibits, PassScriptDataToFigures) {
  Dataset traced = phases();
  traced.script_data = {{"steps", {1, 2}}};
  EXPECT_EQ(part_with({traced}).figures.at(0).script_data, traced.script_data);
  EXPECT_TRUE(part_with({phases()}).figures.at(0).script_data.is_null());
}

TEST(Exhibits, MakeAFigureForEachVariant) {
  const Part part = part_with({phases("128"), phases("2,048")});
  ASSERT_THAT(part.figures, SizeIs(2));
  EXPECT_EQ(part.figures[1].slug, "steps-2-048");
  EXPECT_EQ(part.figures[1].family, "Context");
  EXPECT_EQ(part.figures[1].variant, "2,048");
  EXPECT_EQ(part.figures[1].title, "Steps of small, 2,048");
}

TEST(Exhibits, PrintOnlyTheLastVariant) {
  PartContent content;
  content.datasets = {phases("128"), phases("512"), phases("2,048", {})};
  const Part part = compose_section("# a: A\n## (b) B\n### Figure steps\ntitle: T\npaper: last\n",
                                    {{"b", content}}, figure_file)
                        .parts.at(0);
  ASSERT_THAT(part.figures, SizeIs(2));
  EXPECT_TRUE(part.figures[0].page_only);
  EXPECT_FALSE(part.figures[1].page_only);
}

TEST(Exhibits, AreAbsentWithoutRows) {
  const Part part = part_with({phases("", {})});
  EXPECT_THAT(part.figures, IsEmpty());
  EXPECT_THAT(part.tables, IsEmpty());
}

TEST(Exhibits, NeedATitle) {
  EXPECT_THROW(parse_section("# a: A\n## B\n### Table x\nno attributes\n"), Error);
}

}  // namespace
}  // namespace labreport::section_test
