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

  void write_file(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories((folder_ / path).parent_path());
    write_atomically(folder_ / path, text);
  }

  /// Adds a run of an attention of the user's. The worker has kept what it measured.
  void add_own_run(const std::string& folder, const std::string& attention) {
    write_file(folder + "/run.json", read_file(std::filesystem::path(LABREPORT_SOURCE_DIR) /
                                               "tests/fixtures/runs/own-attention/run.json"));
    const std::string sources = folder + "/artifacts/sources/flash-a25313a5";
    write_file(sources + "/mine/flash.py", attention);
    write_file(sources + "/.origins", "mine/flash.py\tnow/flash.py\n");
    std::filesystem::create_symlink("/etc/hostname", folder_ / sources / "mine/secret.py");
  }
};

TEST_F(SubmitTest, WritesAFolderAndSaysWhatItLacks) {
  const CompletedProcess process = call({"submit"});
  for (const char* file : {"report.md", "report.tex", "report.html", "cells.csv", "run.json"})
    EXPECT_TRUE(std::filesystem::exists(folder_ / "submission" / file)) << file;
  const std::string zip = read_file(folder_ / "submission.zip");
  for (const char* file : {"cells.csv", "run.json", "tables/"})
    EXPECT_THAT(zip, HasSubstr(std::string("submission/") + file));
  for (const char* file : {"report.md", "report.tex", "parts/", "narrow", ".svg", ".png"})
    EXPECT_THAT(zip, Not(HasSubstr(file)));
  const bool has_pdf = std::filesystem::exists(folder_ / "writeup.pdf");
  EXPECT_EQ(process.exit_status, has_pdf ? 0 : 1) << process.messages;
  EXPECT_EQ(zip.find("submission/writeup.pdf") != zip.npos, has_pdf);
  EXPECT_EQ(zip.find("submission/report.html") != zip.npos, !has_pdf);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "submission/index.html"));
  EXPECT_THAT(process.output, ContainsRegex("\nmixed_precision_accumulation +1 generated +CPU "));
  EXPECT_THAT(
      read_file(folder_ / "submission/README.md"),
      HasSubstr("| mixed\\_precision\\_accumulation | 1 | generated | CPU demonstration |"));
  EXPECT_THAT(process.output, HasSubstr("missing: your name"));
  EXPECT_THAT(process.output,
              HasSubstr("into your notes, which `labreport notes --init` begins.\n"));
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
  environment_["LABREPORT_CACHE"] = "";  // Otherwise a PDF of an earlier test may be taken.
  const CompletedProcess process =
      run({"sh", "-c", "LABREPORT_TYPESET_MIB=1 \"$LABREPORT\" submit"});
  if (process.messages.find("PDF is left out") != std::string::npos) GTEST_SKIP() << "no Typst";
  EXPECT_EQ(process.exit_status, 1);
  EXPECT_THAT(process.output, ContainsRegex("\nwriteup.pdf +missing\n"));
  EXPECT_THAT(process.messages, HasSubstr("/report.pdf is left out: Typst needs more than 1 MiB"));
}

TEST_F(SubmitTest, LeavesWhatIsNoSubmissionAlone) {
  call({"render"});
  std::filesystem::create_directories(folder_ / "thesis");
  write_atomically(folder_ / "thesis/chapter.tex", "words");
  write_atomically(folder_ / "paper.zip", "of another program");
  std::filesystem::create_directory_symlink("thesis", folder_ / "linked");
  std::filesystem::create_directories(folder_ / "essay.part/of_mine");
  write_file("handin/writeup.pdf", "of another program");
  const std::string page = page_folder().lexically_relative(folder_).string();
  const std::pair<std::string, std::string> refusals[] = {
      {"thesis", "thesis holds no earlier submission"},
      {page, page + " holds no earlier submission"},
      {"paper", "paper.zip is not as labreport wrote it"},
      {"linked", "linked is a link"},
      {"essay", "essay.part is in the way"},
      {"handin/report", "handin/writeup.pdf is not as labreport wrote it"},
      {"code", "code would be in the way of code.zip"},
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
  EXPECT_EQ(read_file(folder_ / "handin/writeup.pdf"), "of another program");
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

TEST_F(SubmitTest, TheAuthorsCodeIsPackedAsItWasMeasured) {
  add_own_run("own", "attention");
  write_file("now/flash.py", "attention");
  const CompletedProcess process = call({"submit", "own", "--out", "hand/in"});
  EXPECT_THAT(process.output, HasSubstr("hand/code.zip: your code as it was measured\n"));
  EXPECT_THAT(process.output, Not(HasSubstr("changed")));
  EXPECT_THAT(read_file(folder_ / "hand/code.zip"), HasSubstr("mine/flash.py"));
  EXPECT_THAT(read_file(folder_ / "hand/code.zip"), Not(HasSubstr("secret.py")));
  EXPECT_THAT(read_file(folder_ / "hand/in.zip"), HasSubstr("in/code/mine/flash.py"));
  write_file("now/flash.py", "Attention");
  EXPECT_THAT(call({"submit", "own", "--out", "hand/in"}).output,
              HasSubstr("changed since measured: mine/flash.py; code.zip has what was measured\n"));
}

TEST_F(SubmitTest, WithoutCodeOfTheAuthorsNoEarlierCodeStays) {
  add_own_run("own", "attention");
  call({"submit", "own"});
  EXPECT_TRUE(std::filesystem::exists(folder_ / "code.zip"));
  EXPECT_THAT(call({"submit"}).output,
              HasSubstr("missing: code.zip: no code of yours was measured"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "code.zip"));
  std::filesystem::remove_all(folder_ / "own/artifacts");
  EXPECT_THAT(call({"submit", "own"}).output, HasSubstr("missing: sources of flash-a25313a5"));
}

TEST_F(SubmitTest, TwoSubmissionsInOneFolderShareTheFilesBeside) {
  add_own_run("own", "attention");
  call({"submit", "own"});
  const CompletedProcess process = call({"submit", "own", "--out", "handin"});
  EXPECT_EQ(process.exit_status, 0) << process.messages;
  EXPECT_EQ(call({"submit", "own"}).exit_status, 0);
  write_file("code.zip", "of my own");
  for (const char* out : {"submission", "handin"})
    EXPECT_THAT(call({"submit", "own", "--out", out}).messages,
                HasSubstr("code.zip is not as labreport wrote it"));
  EXPECT_EQ(read_file(folder_ / "code.zip"), "of my own");
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

TEST_F(SubmitTest, AnEarlierWriteUpStaysIfNoneCanBeMade) {
  call({"submit"});
  if (!std::filesystem::exists(folder_ / "writeup.pdf")) GTEST_SKIP() << "Typst is not installed";
  const std::string earlier = read_file(folder_ / "writeup.pdf");
  environment_["LABREPORT_CACHE"] = "";  // Otherwise a PDF of an earlier test may be taken.
  const CompletedProcess process =
      run({"sh", "-c", "LABREPORT_TYPESET_MIB=1 \"$LABREPORT\" submit --answers none"});
  EXPECT_EQ(process.exit_status, 2);
  EXPECT_THAT(process.messages, HasSubstr("writeup.pdf cannot be made, so the earlier"));
  EXPECT_EQ(read_file(folder_ / "writeup.pdf"), earlier);
}

TEST_F(SubmitTest, GoesOnWithoutAPdfIfThereIsNoTemporaryFolder) {
  environment_["TMPDIR"] = "/proc";
  environment_["LABREPORT_CACHE"] = (folder_ / "cache").string();
  const CompletedProcess process = call({"submit"});
  EXPECT_EQ(process.exit_status, 1);
  EXPECT_THAT(process.messages, ContainsRegex("\nPDF is left out: cannot make a temporary folder "
                                              "/proc/[^;]*; set TMPDIR to a writable one\n"));
  for (const char* file : {"submission/report.html", "submission.zip"})
    EXPECT_TRUE(std::filesystem::exists(folder_ / file)) << file;
}

TEST_F(SubmitTest, TwoAtOnceBothWriteIt) {
  const CompletedProcess process = run(
      {"bash", "-c", "\"$LABREPORT\" submit > first & \"$LABREPORT\" submit > second; wait $!"});
  EXPECT_THAT(process.messages, Not(HasSubstr("another labreport is using")));
  EXPECT_EQ(read_file(folder_ / "first"), read_file(folder_ / "second"));
  EXPECT_THAT(read_file(folder_ / "first"), HasSubstr("submission.zip: "));
}

TEST_F(SubmitTest, WithoutGeneratedAnswersTheyAreEmpty) {
  const CompletedProcess process = call({"submit", "--answers", "none"});
  EXPECT_THAT(process.output, ContainsRegex("mixed_precision_accumulation +1 empty "));
}

TEST_F(SubmitTest, WithoutGeneratedAnswersNoTitleStatesAFinding) {
  constexpr const char* kFinding = "The FP16 sum ends";
  call({"submit"});
  EXPECT_THAT(read_file(folder_ / "submission/report.html"), HasSubstr(kFinding));
  call({"submit", "--answers", "none"});
  for (const char* file : {"report.md", "report.html", "report.typ"})
    EXPECT_THAT(read_file(folder_ / "submission" / file), Not(HasSubstr(kFinding))) << file;
}

/// Has a run of the profiling half and one of an attention of the user's, both of a CPU.
class JoinedSubmitTest : public ProgramTest {
 protected:
  JoinedSubmitTest() {
    for (const char* name : {"demonstration", "own-attention"}) {
      const auto run = folder_ / "site/runs" / name / "2025" / name;
      std::filesystem::create_directories(run.parent_path());
      std::filesystem::copy(
          std::filesystem::path(LABREPORT_SOURCE_DIR "/tests/fixtures/runs") / name, run);
    }
  }

  std::string report() const { return read_file(folder_ / "submission/report.md"); }
};

TEST_F(JoinedSubmitTest, JoinsTheRunsInOneReport) {
  const CompletedProcess process = call({"submit"});
  EXPECT_EQ(process.exit_status, 0) << process.messages;
  EXPECT_THAT(process.output, HasSubstr("with figures, CSV and runs/"));
  EXPECT_THAT(report(), HasSubstr("| nsys\\_profile |"));
  EXPECT_THAT(report(), HasSubstr("own: my\\_attention.py:flash |"));
  for (const char* heading : {"## Run 1: CPU demonstration", "(`nsys_profile`)",
                              "## Run 2: CPU demonstration", "(`flash_benchmarking`)"})
    EXPECT_THAT(report(), HasSubstr(heading));
  for (const char* file : {"runs/1.json", "runs/2.json", "runs/2.csv", "report.html", "report.tex"})
    EXPECT_TRUE(std::filesystem::exists(folder_ / "submission" / file)) << file;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "submission/run.json"));
}

TEST_F(JoinedSubmitTest, NamedRunsAreJoinedInTheirOrder) {
  const CompletedProcess process = call({"submit", "own-attention,demonstration"});
  EXPECT_EQ(process.exit_status, 0) << process.messages;
  EXPECT_THAT(report(), HasSubstr("own: my\\_attention.py:flash |"));
  call({"submit", "own-attention"});
  EXPECT_THAT(report(), Not(HasSubstr("Run 1")));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "submission/run.json"));
}

TEST_F(JoinedSubmitTest, NotesBeginForThePartsOfAllItsRuns) {
  call({"notes", "--init"});
  for (const char* note : {"author.md", "flash_benchmarking.md", "nsys_profile.b.md"})
    EXPECT_TRUE(std::filesystem::exists(folder_ / "notes" / note)) << note;
  EXPECT_THAT(read_file(folder_ / "notes/flash_benchmarking.md"), HasSubstr("own-attention"));
  EXPECT_THAT(call({"notes"}).output,
              HasSubstr("nsys_profile.b                   says nothing yet"));
}

TEST_F(JoinedSubmitTest, ANoteFindsItsPartInTheJoinedReport) {
  std::filesystem::create_directories(folder_ / "notes");
  write_atomically(folder_ / "notes/flash_benchmarking.md", "My kernel is faster.\n");
  write_atomically(folder_ / "notes/nsys_profile.b.md", "My kernel is longer.\n");
  write_atomically(folder_ / "notes/author.md", "name: Ada Lovelace\n");
  const CompletedProcess process = call({"submit"});
  for (const char* words : {"My kernel is faster.", "My kernel is longer.", "Ada Lovelace"})
    EXPECT_THAT(report(), HasSubstr(words));
  EXPECT_THAT(process.messages, HasSubstr("notes from notes: 1 with "));
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

TEST_F(SubmitTest, ARunIsNotDroppedToAnotherFileSystem) {
  const auto elsewhere = "/dev/shm" / folder_.filename();
  std::filesystem::create_directory(elsewhere);
  std::filesystem::create_directory_symlink(elsewhere, folder_ / "site/dropped");
  const CompletedProcess process = call({"drop", "latest"});
  std::filesystem::remove_all(elsewhere);
  if (process.exit_status == 0) GTEST_SKIP() << "temporary files are on the same file system";
  EXPECT_EQ(process.exit_status, 2);
  EXPECT_THAT(process.messages, HasSubstr(": Invalid cross-device link; move it with mv"));
  EXPECT_TRUE(std::filesystem::exists(run_folder() / "run.json"));
}

TEST_F(SubmitTest, OnlyARecordedRunIsDropped) {
  const CompletedProcess process = call({"drop", "notes/.."});
  EXPECT_EQ(process.exit_status, 2);
  EXPECT_TRUE(std::filesystem::exists(run_folder()));
}

}  // namespace
}  // namespace labreport
