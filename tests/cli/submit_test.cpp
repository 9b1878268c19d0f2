// Tests `labreport submit` and `labreport drop`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/notes_fixture.h"

namespace labreport {
namespace {

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
  EXPECT_THAT(process.output, HasSubstr("missing: 1 of 1 answers are generated"));
  EXPECT_THAT(process.output, HasSubstr("missing: no author"));
}

TEST_F(SubmitTest, MissesNothingWithNotesAndAnAuthor) {
  write_note("author.md", "name: Ada Lovelace\n");
  write_note("mixed_precision_accumulation.md", "<!-- replaces the answer -->\nRounding.\n");
  call({"submit"});
  const CompletedProcess again = call({"submit"});
  EXPECT_EQ(again.exit_status, 0) << again.messages;
  EXPECT_THAT(again.output, Not(HasSubstr("missing:")));
  EXPECT_THAT(read_file(folder_ / "submission/report.md"), HasSubstr("Rounding."));
}

TEST_F(SubmitTest, AMissingPdfHasALineAndStatusOne) {
  const CompletedProcess process =
      run({"sh", "-c", "LABREPORT_TYPESET_MIB=1 \"$LABREPORT\" submit"});
  if (process.messages.find("PDF is left out") != std::string::npos) GTEST_SKIP() << "no Typst";
  EXPECT_EQ(process.exit_status, 1);
  EXPECT_THAT(process.output, HasSubstr("missing: report.pdf"));
  EXPECT_THAT(process.messages, HasSubstr("/report.pdf is left out: Typst needs more than 1 MiB"));
}

TEST_F(SubmitTest, LeavesAFolderOfSomethingElseAlone) {
  std::filesystem::create_directories(folder_ / "thesis");
  write_atomically(folder_ / "thesis/chapter.tex", "words");
  const CompletedProcess process = call({"submit", "--out", "thesis"});
  EXPECT_EQ(process.exit_status, 2);
  EXPECT_THAT(process.messages, HasSubstr("thesis holds no earlier submission"));
  EXPECT_EQ(read_file(folder_ / "thesis/chapter.tex"), "words");
}

TEST_F(SubmitTest, AFailureKeepsTheEarlierSubmissionAndLeavesNothingElse) {
  call({"submit"});
  write_atomically(folder_ / "submission/report.md", "the earlier one");
  const std::string zip = read_file(folder_ / "submission.zip");
  // A limit on file sizes imitates a full disk.
  const CompletedProcess process = run({"sh", "-c", "ulimit -f 4; \"$LABREPORT\" submit"});
  EXPECT_EQ(process.exit_status, 2);
  EXPECT_THAT(process.messages,
              MatchesRegex("labreport: cannot write submission.part/[^ ]*: File too large; raise "
                           "the limit on the size of files \\(ulimit -f\\)\n"));
  EXPECT_EQ(read_file(folder_ / "submission/report.md"), "the earlier one");
  EXPECT_EQ(read_file(folder_ / "submission.zip"), zip);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "submission.part"));
}

TEST_F(SubmitTest, LeftoversOfAKilledSubmitAreRemoved) {
  std::filesystem::create_directories(folder_ / "handed/in.part/in");
  const CompletedProcess process = call({"submit", "--out", "handed/in"});
  EXPECT_EQ(process.exit_status, 0) << process.messages;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "handed/in/report.md"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "handed/in.zip"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "handed/in.part"));
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
