#include "notes/note.h"

#include <gmock/gmock.h>

namespace labreport::note_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

FoundPicture no_pictures(const std::string& target) { return {{}, target + " is not there"}; }

ParsedNote parse(std::string_view text) { return parse_note(text, no_pictures); }

std::string markdown_of(std::string_view text) {
  const ParsedNote file = parse(text);
  return file.note ? file.note->markdown : "(none)";
}

std::vector<std::string> problems(const ParsedNote& file) {
  std::vector<std::string> lines;
  for (const NoteProblem& problem : file.problems) {
    lines.push_back(std::to_string(problem.line) + ": " + problem.text);
  }
  return lines;
}

TEST(NoteChoice, IsToReplaceByDefault) {
  const ParsedNote file = parse("The forward pass takes half of the backward pass.\n");
  ASSERT_TRUE(file.note);
  EXPECT_TRUE(file.note->replaces_answer);
  EXPECT_EQ(file.note->markdown, "The forward pass takes half of the backward pass.");
  EXPECT_THAT(file.problems, IsEmpty());
}

TEST(NoteChoice, HasManySpellings) {
  for (const char* line :
       {"<!-- follows the answer -->", "<!--follows-->", "<!-- Follow the answer. -->",
        "\n\n<!-- follows -->", "<!-- following the generated answer -->", "follows the answer",
        "Follows the answer:", "\xEF\xBB\xBF<!-- follows the answer -->\r"}) {
    const ParsedNote file = parse(std::string(line) + "\nMine.");
    ASSERT_TRUE(file.note) << line;
    EXPECT_FALSE(file.note->replaces_answer) << line;
    EXPECT_EQ(file.note->markdown, "Mine.") << line;
    EXPECT_THAT(file.problems, IsEmpty()) << line;
  }
  for (const char* line :
       {"<!-- replaces the answer -->", "<!-- replace -->", "REPLACES THE ANSWER"}) {
    const ParsedNote file = parse(std::string(line) + "\nMine.");
    ASSERT_TRUE(file.note) << line;
    EXPECT_TRUE(file.note->replaces_answer) << line;
    EXPECT_EQ(file.note->markdown, "Mine.") << line;
  }
}

TEST(NoteChoice, IsReportedIfMisspelt) {
  for (const char* line : {"<!-- folows the answer -->", "<!-- replcaes -->",
                           "<!-- follows the anwser -->", "folows the answer"}) {
    const ParsedNote file = parse(std::string("\n") + line + "\nMine.");
    ASSERT_TRUE(file.note) << line;
    EXPECT_TRUE(file.note->replaces_answer) << line;
    EXPECT_THAT(problems(file),
                ElementsAre("2: the first line is not understood, so the note replaces the answer: "
                            "write <!-- replaces the answer --> or <!-- follows the answer -->"))
        << line;
  }
}

TEST(NoteChoice, IsNotReadFromOtherFirstLines) {
  for (const char* line : {"<!-- what I still have to check -->", "Follow the money.",
                           "Replaces of kernels were seen.", "The answer is 42."}) {
    EXPECT_THAT(problems(parse(std::string(line) + "\n\nMine.")), IsEmpty()) << line;
  }
  EXPECT_THAT(markdown_of("Follow the money.\n"), HasSubstr("Follow the money"));
}

TEST(Note, IsAbsentIfTheFileHasOnlyComments) {
  EXPECT_FALSE(parse("<!-- replaces the answer -->\n<!--\nFacts:\n\n- 1 ms\n-->\n\n").note);
  EXPECT_FALSE(parse("<!-- never closed\n\ntext").note);
}

TEST(Note, KeepsTablesMathCodeAndStress) {
  EXPECT_EQ(markdown_of("Why **not** *now*, ~~later~~?"), "Why **not** *now*, ~~later~~?");
  EXPECT_THAT(markdown_of("| a | b |\n| --- | ---: |\n| x\\|y | 2 |\n"),
              HasSubstr("| x\\|y | 2 |"));
  EXPECT_EQ(markdown_of("So $t_{i} \\propto d_{j}^2$ holds."),
            "So $t_{i} \\propto d_{j}^2$ holds.");
  EXPECT_EQ(markdown_of("$$\n\\frac{a_1}{b_1}\n$$"), "$$\n\\frac{a_1}{b_1}\n$$");
  EXPECT_EQ(markdown_of("```sh\na $b$ <c>\n```"), "``` sh\na $b$ <c>\n```");
  EXPECT_EQ(markdown_of("```\na $b$ <c>\n```"), "    a $b$ <c>");
}

TEST(Note, ReadsTheMathOfOtherPrograms) {
  EXPECT_EQ(markdown_of("GitHub's $`a_b*c*d`$, 3 \\(a_1 * b_1\\) and \\[ b^2 \\]."),
            "GitHub's $a_b*c*d$, 3 $a_1 * b_1$ and $$ b^2 $$.");
  EXPECT_EQ(markdown_of("> ```math\n> a^2\n> + b\n> ```"), "> \n> \n> $$a^2 + b$$\n> ");
  EXPECT_EQ(markdown_of("$`a`$2 and \\(n\\)"), "$a$&#50; and $n$") << "not a sum of dollars";
}

TEST(Note, KeepsBracketsAroundWords) {
  for (const char* text : {"\\[1\\]", "\\[see here\\]", "\\[a\\_b\\]"})
    EXPECT_EQ(markdown_of(text), text);
  EXPECT_EQ(markdown_of("\\(see here\\), `\\(a_b\\)`"), "(see here), `\\(a_b\\)`");
  EXPECT_EQ(markdown_of("\\[[a_b](c_d)\\]"), "\\[[a\\_b](c_d)\\]");
}

TEST(Note, NumbersNoEquations) {
  for (const auto& [from, to] : {std::pair{"align*", "aligned"},
                                 {"align", "aligned"},
                                 {"split", "aligned"},
                                 {"gather", "gathered"},
                                 {"multline*", "gathered"}}) {
    const auto formula = [](const std::string& environment) {
      return "$$\\begin{" + environment + "}a\\\\b\\end{" + environment + "}$$";
    };
    EXPECT_EQ(markdown_of(formula(from)), formula(to));
  }
  EXPECT_EQ(markdown_of("$$\\begin{equation}a\\end{equation}$$"), "$$a$$");
}

TEST(Note, ListsFootnotesBelow) {
  EXPECT_EQ(markdown_of("One[^a], two[^b][^a].\n\n[^b]: Second $x$.\n[^a]: The *first*.\n"),
            "One¹, two²,¹.\n\n-----\n\n1.  The *first*.\n2.  Second $x$.");
  EXPECT_EQ(markdown_of("No[^note]."), "No\\[^note\\].");
  EXPECT_THAT(problems(parse("Words.\n\n```\n[^a]: code\n```\n\n[^b]: Lost.\n")),
              ElementsAre("7: the footnote [^b] is left out: nothing refers to it"));
}

TEST(Note, DrawsTheBoxesOfTasks) {
  EXPECT_EQ(markdown_of("- [ ] open\n- [X] done\n- [x](y)\n"),
            "  - ☐ open\n  - ☑ done\n  - [x](y)");
}

TEST(Note, GivesAlertsTheirTitle) {
  EXPECT_EQ(markdown_of("> [!WARNING]\n> Hot *GPU*.\n"), "> **Warning**\n> \n> Hot *GPU*.");
  EXPECT_EQ(markdown_of("> [!note]\n>\n> Below.\n"), "> **Note**\n> \n> Below.");
  EXPECT_EQ(markdown_of("> [!NOTE] here\n"), "> \\[\\!NOTE\\] here");
}

TEST(Note, LeavesOutFrontMatterWithALine) {
  const ParsedNote file = parse("---\ntitle: Mine\ntags:\n  - a\n---\n<!-- follows -->\nText.\n");
  ASSERT_TRUE(file.note);
  EXPECT_EQ(file.note->markdown, "Text.");
  EXPECT_FALSE(file.note->replaces_answer);
  EXPECT_THAT(problems(file), ElementsAre(HasSubstr("1: the front matter is left out")));
  EXPECT_EQ(markdown_of("---\nWords between rules.\n\n---\n"),
            "-----\n\nWords between rules.\n\n-----");
}

TEST(Note, KeepsADollarOutsideOfMath) {
  EXPECT_EQ(markdown_of("It costs \\$5, not $ 6 or \\$7\\$."),
            "It costs \\$5, not \\$ 6 or \\$7\\$.");
}

TEST(Note, IsUnchangedWhenReadAgain) {
  const std::string markdown = markdown_of(
      "# Why\n\n1. *a_b*\n2. `c`\n\n> [x](https://a.b/(c)) $q$ \\$ <b>\n\n| a |\n| --- |\n| 1 |\n");
  EXPECT_EQ(markdown_of("<!-- replaces -->\n" + markdown_of("text \\$x\\$ <i> $m$")),
            markdown_of("text \\$x\\$ <i> $m$"));
  EXPECT_THAT(markdown, HasSubstr("#### Why"));
}

TEST(Note, LowersHeadings) {
  EXPECT_EQ(markdown_of("# One\n\n## Two\n\n##### Five"), "#### One\n\n##### Two\n\n###### Five");
}

TEST(Note, EscapesRawHtml) {
  for (const char* html :
       {"<script>alert(1)</script>", "a <img src=x onerror=alert(1)> b", "<iframe src=\"//a\">",
        "[x](<javascript:alert(1)>) <b>bold</b>", "$<script>$", "<svg/onload=alert(1)>"}) {
    const std::string text = markdown_of(html);
    for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos; ++at) {
      ASSERT_GT(at, 0u) << text;
      EXPECT_EQ(text[at - 1], '\\') << text;
    }
  }
}

TEST(Note, DropsUnsafeLinks) {
  EXPECT_EQ(markdown_of("[a](https://b.c) [d](kernels.csv) [e](#memory_profiling-b)"),
            "[a](https://b.c) [d](kernels.csv) [e](#memory_profiling-b)");
  for (const char* link :
       {"[a](javascript:alert(1))", "[a](JaVaScRiPt:alert(1))", "[a](data:text/html,x)",
        "[a](&#106;avascript:alert(1))", "[a](file:///etc/passwd)", "[a](//evil.example)",
        "[a](mailto:x@y.z)", "[a][b]\n\n[b]: vbscript:x"}) {
    EXPECT_EQ(markdown_of(link), "a") << link;
  }
}

TEST(Note, ShowsPicturesAtTheirPublishedAddresses) {
  const auto find = [](const std::string& target) {
    return target == "plot.png" ? FoundPicture{"notes/plot.png", ""} : no_pictures(target);
  };
  const ParsedNote file = parse_note("One.\n\n![a plot](plot.png)\n\n![gone](other.png)\n", find);
  ASSERT_TRUE(file.note);
  EXPECT_EQ(file.note->markdown,
            "One.\n\n![a plot](notes/plot.png)\n\n\\[missing picture: gone\\]");
  EXPECT_THAT(problems(file), ElementsAre("5: other.png is not there"));
}

TEST(Note, ShowsPicturesOfHtml) {
  const auto find = [](const std::string& target) {
    return target == "plot.png" ? FoundPicture{"notes/plot.png", ""} : no_pictures(target);
  };
  const ParsedNote file = parse_note(
      "See <IMG width=9 alt='a plot' src=\"plot.png\"> here.\n\n$$\na\n$$\n\n"
      "<p align=\"center\">\n<img src=\"gone.png\" alt=\"gone\">\n</p>\n\n"
      "<img src=\"https://a.b/c.png\" alt=\"far\">\n\n<img src=\"javascript:x\" alt=\"bad\">\n",
      find);
  ASSERT_TRUE(file.note);
  EXPECT_EQ(file.note->markdown,
            "See ![a plot](notes/plot.png \"width=9\") here.\n\n$$\na\n$$\n\n\\[missing picture: "
            "gone\\]\n\n"
            "[far](https://a.b/c.png)\n\nbad");
  EXPECT_THAT(problems(file),
              ElementsAre(HasSubstr("13: the link to javascript:x"), "7: gone.png is not there"));
}

TEST(Note, TurnsARemotePictureIntoALink) {
  EXPECT_EQ(markdown_of("![a plot](https://a.b/plot.png)"), "[a plot](https://a.b/plot.png)");
  EXPECT_EQ(markdown_of("![a plot](data:image/png;base64,AAAA)"), "a plot");
}

TEST(Note, DropsControlCharacters) {
  EXPECT_EQ(markdown_of("a\x01\x1B[31mb\xC2\x9B"
                        "c\r\nd\re"),
            "a\\[31mbc\nd\ne");
}

TEST(Note, KeepsTemplateTagsAsText) {
  EXPECT_THAT(markdown_of("{{title}} {{{method}}} {{#x}}"),
              HasSubstr("{{title}} {{{method}}} {{\\#x}}"));
}

TEST(Note, KeepsLongWordsWhole) {
  const std::string word(10'000, 'x');
  EXPECT_EQ(markdown_of(word), word);
}

TEST(Note, IsRefusedIfItNestsTooDeeply) {
  const ParsedNote file = parse(std::string(500'000, '>') + " deep");
  EXPECT_FALSE(file.note);
  EXPECT_THAT(problems(file), ElementsAre(HasSubstr("more than 24 levels deep")));
}

std::string repeated(std::size_t count, std::string_view piece) {
  std::string text;
  while (count-- > 0) text += piece;
  return text;
}

TEST(Note, MayRepeatAnyMarkupForAMebibyte) {
  for (const char* piece :
       {"word ", "*a", "[",     "`",           "$a$ ",    "<b>",          "| a ",    "- a\n",
        "![",    "\\", "$",     "a@",          "a@b.co ", "www._",        "<!---->", "\\(",
        "\\[a",  "$`", "[^a] ", "[^a]: x\n\n", "[^",      "> [!NOTE]\n\n"}) {
    const std::string text = repeated((1u << 20) / std::string_view(piece).size(), piece);
    EXPECT_THAT(problems(parse(text)), testing::SizeIs(testing::Le(1u))) << piece;
  }
  EXPECT_THAT(problems(parse(repeated(80'000, "<img src='a'>"))), testing::SizeIs(20u));
}

TEST(Note, IsRefusedIfItsTablesHaveTooManyCells) {
  const std::string head = repeated(2'000, "|x") + "\n" + repeated(2'000, "|-") + "\n";
  EXPECT_TRUE(parse(head + repeated(90, "|x\n")).note);
  for (const char* mark : {"", "> ", "1. "}) {
    std::string text = mark + head + repeated(24'000, "|x\n");
    text.insert(text.find("|-"), std::string_view(mark) == "> " ? mark : "");
    const ParsedNote file = parse(text);
    EXPECT_FALSE(file.note);
    EXPECT_THAT(problems(file),
                ElementsAre("0: its tables have more than 200000 cells: the note is "
                            "left out"));
  }
}

TEST(Note, IsRefusedIfItsLinksCopyALongDefinition) {
  const std::string definition = "\n\n[a]: /" + std::string(100'000, 'b');
  EXPECT_TRUE(parse("[a] [a]" + definition).note);
  for (const std::string& text :
       {repeated(66'000, "[a] ") + definition,
        repeated(66'000, "[a] ") + "\n\n[a]\uFDD0:\n/" + definition.substr(7)}) {
    const ParsedNote file = parse(text);
    EXPECT_FALSE(file.note);
    EXPECT_THAT(problems(file),
                ElementsAre("0: its links copy their definitions too often: the note is left out"));
  }
}

TEST(Note, IsRefusedIfItIsWrittenAsMoreThan8MiB) {
  constexpr std::string_view kProblem = "over 8 MiB when its links are written out";
  EXPECT_THAT(problems(parse(repeated(900'000, "ten bytes "))), ElementsAre(HasSubstr(kProblem)));
  // From 0.29.0.gfm.7 on, cmark-gfm writes no more copies of a definition than the note is long.
  const ParsedNote copies = parse(repeated(100, "[a] ") + "\n\n[a]: /" + std::string(100'000, 'b'));
  if (copies.note) {
    EXPECT_LE(copies.note->markdown.size(), 8u << 20);
  } else {
    EXPECT_THAT(problems(copies), ElementsAre(HasSubstr(kProblem)));
  }
}

}  // namespace
}  // namespace labreport::note_test
