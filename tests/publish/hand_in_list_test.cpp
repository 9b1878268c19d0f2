#include "publish/hand_in_list.h"

#include <gmock/gmock.h>

#include <regex>

#include "base/text.h"

namespace labreport::hand_in_list_test {
namespace {

using testing::HasSubstr;
using testing::IsSupersetOf;

Part part(const std::string& problem, const std::string& letter) {
  Part part;
  part.problem = problem;
  part.letter = letter;
  part.question = "Why?";
  part.answer = "Because.";
  return part;
}

/// Has two of three parts of the timing problem, one of them in the author's words, a problem of
/// the user's code, a calculated one and timelines of memory.
Document report() {
  Document document;
  document.edition = "2026";
  Section timing{"benchmarking_script", "Timing", {}};
  timing.parts = {part("benchmarking_script", "a"), part("benchmarking_script", "b")};
  timing.parts[0].note = AuthorNote{"Mine."};
  Section flash{"flash_benchmarking", "Attention", {part("flash_benchmarking", "")}};
  Section ring{"alternate_ring_all_reduce", "Ring", {part("alternate_ring_all_reduce", "")}};
  ring.parts[0].calculated = true;
  Section memory{"memory_profiling", "Memory", {part("memory_profiling", "a")}};
  memory.parts[0].figures.resize(1);
  document.sections = {timing, flash, ring, memory};
  return document;
}

std::string text(const Document& document, Answers answers = Answers::kFull, bool on_cpu = false) {
  return HandInList(document, answers,
                    {{"benchmarking_script", {.on_cpu = on_cpu}},
                     {"flash_benchmarking", {.users_code = true, .on_cpu = on_cpu}},
                     {"alternate_ring_all_reduce", {.on_cpu = on_cpu}}},
                    false)
      .text();
}

/// Returns the lines of a list with one space between their columns.
std::vector<std::string> rows(const std::string& list) {
  return split(std::regex_replace(list, std::regex(" +"), " "), '\n');
}

TEST(HandInList, SaysWhoAnsweredAndWhoseCodeWasMeasured) {
  EXPECT_THAT(
      rows(text(report())),
      IsSupersetOf({"benchmarking_script 4 1 yours, 1 generated, 1 missing labreport’s",
                    "flash_benchmarking 5 generated yours", "flash_forward 15 code to hand in",
                    "nsys_profile 5 not measured",
                    "alternate_ring_all_reduce 1 generated none: calculated",
                    "– (a) asks for 2 images of memory_viz figures of the report, or a .pickle in "
                    "memory_viz",
                    "– (f) asks for a screenshot of Nsight missing", "writeup.pdf missing",
                    "In all 137 6 answered, 60 of code, 71 missing"}));
}

TEST(HandInList, FitsATerminal) {
  for (const std::string edition : {"2025", "2026"}) {
    Document document = report();
    document.edition = edition;
    for (const std::string& line : split(text(document, Answers::kFull, true), '\n'))
      EXPECT_LE(letter_count(line), 100u) << line;
  }
}

TEST(HandInList, CountsAnEmptyAnswerAsNoAnswer) {
  EXPECT_THAT(rows(text(report(), Answers::kNone)),
              testing::Contains("In all 137 0 answered, 60 of code, 6 empty, 71 missing"));
  Document noted = report();
  noted.sections[1].parts[0].note = AuthorNote{.markdown = "Mine.", .replaces_answer = false};
  EXPECT_THAT(rows(text(noted, Answers::kNone)),
              testing::Contains("flash_benchmarking 5 yours yours"));
  EXPECT_THAT(rows(text(noted)), testing::Contains("flash_benchmarking 5 generated yours"));
}

TEST(HandInList, CallsADemonstrationWhatItIs) {
  EXPECT_THAT(rows(text(report(), Answers::kNone, true)),
              IsSupersetOf({"benchmarking_script 4 1 yours, 1 empty, 1 missing CPU demonstration",
                            "flash_benchmarking 5 empty yours, on a CPU"}));
}

TEST(HandInList, IsATableInMarkdown) {
  const std::string markdown = HandInList(report(), Answers::kFull, {}, true).markdown();
  EXPECT_THAT(markdown, HasSubstr("| Problem of the 2026 edition | Points | Answers | Code |\n"));
  EXPECT_THAT(markdown, HasSubstr("| fsdp | 15 | code to hand in |"));
}

}  // namespace
}  // namespace labreport::hand_in_list_test
