// Tests `labreport submit` and `labreport drop`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/notes_fixture.h"

namespace labreport {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

class SubmitTest : public NotesTest {
 protected:
  std::filesystem::path run_folder() const {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "site/runs")) {
      if (entry.path().filename() == "run.json") return entry.path().parent_path();
    }
    return {};
  }
};

TEST_F(SubmitTest, WritesAFolderAndSaysWhatItLacks) {
  const CompletedProcess process = call({"submit"});
  EXPECT_EQ(process.exit_status, 0) << process.messages;
  for (const char* file : {"report.md", "report.tex", "report.html", "cells.csv", "run.json"})
    EXPECT_TRUE(std::filesystem::exists(folder_ / "submission" / file)) << file;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "submission.zip"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "submission/index.html"));
  EXPECT_THAT(process.output, ContainsRegex("\nmixed_precision_accumulation +1 generated +CPU "));
  EXPECT_THAT(
      read_file(folder_ / "submission/README.md"),
      HasSubstr("| mixed\\_precision\\_accumulation | 1 | generated | CPU demonstration |"));
  EXPECT_THAT(process.output, HasSubstr("missing: no author"));
}

TEST_F(SubmitTest, MissesNoWordsWithNotesAndAnAuthor) {
  write_note("author.md", "name: Ada Lovelace\n");
  write_note("mixed_precision_accumulation.md", "<!-- replaces the answer -->\nRounding.\n");
  call({"submit"});
  const CompletedProcess again = call({"submit"});
  EXPECT_EQ(again.exit_status, 0) << again.messages;
  EXPECT_THAT(again.output, ContainsRegex("mixed_precision_accumulation +1 yours "));
  EXPECT_THAT(again.output, Not(HasSubstr("notes --init")));
  EXPECT_THAT(again.output, Not(HasSubstr("author")));
  EXPECT_THAT(read_file(folder_ / "submission/report.md"), HasSubstr("Rounding."));
}

TEST_F(SubmitTest, AMissingPdfHasALineAndStatusOne) {
  const CompletedProcess process =
      run({"sh", "-c", "LABREPORT_TYPESET_MIB=1 \"$LABREPORT\" submit"});
  if (process.messages.find("PDF is left out") != std::string::npos) GTEST_SKIP() << "no Typst";
  EXPECT_EQ(process.exit_status, 1);
  EXPECT_THAT(process.output, ContainsRegex("\nreport.pdf +missing\n"));
  EXPECT_THAT(process.messages, HasSubstr("/report.pdf is left out: Typst needs more than 1 MiB"));
}

TEST_F(SubmitTest, LeavesWhatIsNoSubmissionAlone) {
  call({"render"});
  std::filesystem::create_directories(folder_ / "thesis");
  write_atomically(folder_ / "thesis/chapter.tex", "words");
  write_atomically(folder_ / "paper.zip", "of another program");
  std::filesystem::create_directory_symlink("thesis", folder_ / "linked");
  std::filesystem::create_directories(folder_ / "essay.part/of_mine");
  const std::string page = page_folder().lexically_relative(folder_).string();
  const std::pair<std::string, std::string> refusals[] = {
      {"thesis", "thesis holds no earlier submission"},
      {page, page + " holds no earlier submission"},
      {"paper", "paper.zip is not as labreport wrote it"},
      {"linked", "linked is a link"},
      {"essay", "essay.part is in the way"},
      {"thesis/chapter.tex", "thesis/chapter.tex is no folder"},
      {".", "'.' is no folder's name"},
      {"thesis/..", "'thesis/..' is no folder's name"}};
  for (const auto& [out, reason] : refusals) {
    const CompletedProcess process = call({"submit", "--out", out});
    EXPECT_EQ(process.exit_status, 2) << out;
    EXPECT_THAT(process.messages, HasSubstr("labreport: " + reason)) << out;
    EXPECT_EQ(std::ranges::count(process.messages, '\n'), 1) << process.messages;
  }
  EXPECT_EQ(read_file(folder_ / "thesis/chapter.tex"), "words");
  EXPECT_EQ(read_file(folder_ / "paper.zip"), "of another program");
  EXPECT_TRUE(std::filesystem::exists(folder_ / page / "index.html"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "essay.part/of_mine"));
}

TEST_F(SubmitTest, TheAuthorsFilesStay) {
  call({"submit"});
  write_atomically(folder_ / "submission/plot.png", "drawn by hand");
  std::filesystem::create_directories(folder_ / "submission/appendix/empty");
  std::filesystem::create_symlink("../plot.png", folder_ / "submission/appendix/link.png");
  const CompletedProcess again = call({"submit", "--answers", "none"});
  EXPECT_EQ(again.exit_status, 0) << again.messages;
  EXPECT_EQ(read_file(folder_ / "submission/plot.png"), "drawn by hand");
  EXPECT_TRUE(std::filesystem::is_directory(folder_ / "submission/appendix/empty"));
  EXPECT_EQ(std::filesystem::read_symlink(folder_ / "submission/appendix/link.png"), "../plot.png");
  EXPECT_THAT(read_file(folder_ / "submission.zip"), HasSubstr("submission/plot.png"));
}

TEST_F(SubmitTest, AFileThatTheAuthorChangedIsNeverReplaced) {
  call({"submit"});
  write_atomically(folder_ / "submission/report.md", "in my words");
  const CompletedProcess process = call({"submit"});
  EXPECT_EQ(process.exit_status, 2);
  EXPECT_THAT(process.messages, HasSubstr("submission/report.md is not as labreport wrote it; "
                                          "move it away, or choose another --out"));
  std::filesystem::rename(folder_ / "submission/report.md", folder_ / "mine.md");
  EXPECT_EQ(call({"submit"}).exit_status, 0);
  EXPECT_EQ(read_file(folder_ / "mine.md"), "in my words");
}

TEST_F(SubmitTest, AFailureKeepsTheEarlierSubmissionAndLeavesNothingElse) {
  call({"submit", "--answers", "none"});
  const std::string report = read_file(folder_ / "submission/report.md");
  const std::string zip = read_file(folder_ / "submission.zip");
  // A limit on file sizes imitates a full disk.
  const CompletedProcess process = run({"sh", "-c", "ulimit -f 4; \"$LABREPORT\" submit"});
  EXPECT_EQ(process.exit_status, 2);
  EXPECT_THAT(process.messages,
              MatchesRegex("labreport: cannot write submission.part/[^ ]*: File too large; raise "
                           "the limit on the size of files \\(ulimit -f\\)\n"));
  EXPECT_EQ(read_file(folder_ / "submission/report.md"), report);
  EXPECT_EQ(read_file(folder_ / "submission.zip"), zip);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "submission.part"));
}

TEST_F(SubmitTest, WithoutGeneratedAnswersTheyAreEmpty) {
  const CompletedProcess process = call({"submit", "--answers", "none"});
  EXPECT_THAT(process.output, ContainsRegex("mixed_precision_accumulation +1 empty "));
}

TEST_F(SubmitTest, ADroppedRunIsMovedAsideAndCanComeBack) {
  const auto run = run_folder();
  const CompletedProcess process = call({"drop", "latest"});
  EXPECT_EQ(process.exit_status, 0) << process.messages;
  EXPECT_FALSE(std::filesystem::exists(run));
  const auto dropped = folder_ / "site/dropped" / run.lexically_relative(folder_ / "site/runs");
  EXPECT_TRUE(std::filesystem::exists(dropped / "run.json"));
  EXPECT_THAT(process.output, HasSubstr("to bring it back: mv site/dropped/"));
}

TEST_F(SubmitTest, TheCommandThatBringsADroppedRunBackCanBePasted) {
  const std::string odd = "site/runs/a;touch pasted;";
  std::filesystem::create_directories(folder_ / odd);
  std::filesystem::rename(run_folder(), folder_ / odd / "run");
  const CompletedProcess process = call({"drop", odd + "/run"});
  EXPECT_EQ(process.exit_status, 0) << process.messages;
  const std::string command = process.output.substr(process.output.find("mv "));
  EXPECT_EQ(std::system(("cd '" + folder_.string() + "' && " + command).c_str()), 0) << command;
  EXPECT_TRUE(std::filesystem::exists(folder_ / odd / "run/run.json"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "pasted"));
}

TEST_F(SubmitTest, OneLineSaysWhatCannotBeWritten) {
  write_atomically(folder_ / "site/dropped", "a file in the place of the folder");
  const CompletedProcess process = call({"drop", "latest"});
  EXPECT_EQ(process.exit_status, 2);
  EXPECT_THAT(process.messages,
              MatchesRegex("labreport: cannot read or write site/dropped/[^ ]*: Not a directory; "
                           "check that the folder is there and writable\n"));
  EXPECT_TRUE(std::filesystem::exists(run_folder()));
}

TEST_F(SubmitTest, OnlyARecordedRunIsDropped) {
  const CompletedProcess process = call({"drop", "notes/.."});
  EXPECT_EQ(process.exit_status, 2);
  EXPECT_TRUE(std::filesystem::exists(run_folder()));
}

}  // namespace
}  // namespace labreport
