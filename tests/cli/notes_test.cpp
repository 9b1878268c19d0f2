// Follows an author's notes from the first empty file to the page.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>

#include "base/files.h"
#include "base/text.h"
#include "cli/notes_fixture.h"
#include "results/run_store.h"

namespace labreport::notes_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST_F(NotesTest, InitWritesANoteForEachPartAndKeepsWhatIsThere) {
  write_note("author.md", "name: Ada\n");
  const CompletedProcess first = call({"notes", "--init"});
  EXPECT_EQ(first.exit_status, 0) << first.messages;
  EXPECT_EQ(first.output,
            "kept     notes/author.md\nwritten  notes/mixed_precision_accumulation.md\n");
  const auto written = read_notes_folder();
  EXPECT_EQ(written.at("author.md"), "name: Ada\n");
  const std::string& text = written.at("mixed_precision_accumulation.md");
  EXPECT_THAT(text, StartsWith("<!-- replaces the answer -->\n<!--\n"
                               "mixed_precision_accumulation: A thousand additions of 0.01\n\n"
                               "Four loops add 0.01 a thousand times"));
  EXPECT_THAT(text, HasSubstr("FP16 **9.9531**"));
  EXPECT_TRUE(text.ends_with("-->\n\n"));
  for (const std::string& line : split(text, '\n')) EXPECT_LE(line.size(), 110u) << line;
  const CompletedProcess second = call({"notes", "--init"});
  EXPECT_THAT(second.output, Not(HasSubstr("written")));
  EXPECT_EQ(read_notes_folder(), written);
}

TEST_F(NotesTest, AnUntouchedNoteChangesNoPage) {
  ASSERT_EQ(render().exit_status, 0);
  const std::string before = read_published("index.html");
  ASSERT_EQ(call({"notes", "--init"}).exit_status, 0);
  const CompletedProcess process = render();
  EXPECT_EQ(process.exit_status, 0) << process.messages;
  EXPECT_EQ(read_published("index.html"), before);
}

TEST_F(NotesTest, NotesAppearInThePageAndSurviveEveryRender) {
  write_note("author.md",
             "name: Ada Lovelace\ncourse: CS336\nrepository: https://github.com/ada/a2\n");
  write_note("mixed_precision_accumulation.md",
             "<!-- replaces the answer -->\nBecause of *rounding*.\n");
  const auto notes = read_notes_folder();
  ASSERT_EQ(render().exit_status, 0);
  const std::string page = read_published("index.html");
  EXPECT_THAT(page, HasSubstr("<p>Because of <em>rounding</em>.</p>"));
  EXPECT_THAT(page, HasSubstr("In the words of Ada Lovelace."));
  EXPECT_THAT(page, HasSubstr("<a href=\"https://github.com/ada/a2\">"));
  EXPECT_THAT(page, Not(HasSubstr("answers are generated")));
  EXPECT_THAT(read_published("report.md"), HasSubstr("\n\nBecause of *rounding*.\n\n"));
  ASSERT_EQ(render().exit_status, 0);
  EXPECT_EQ(read_published("index.html"), page);
  ASSERT_EQ(render({"--answers", "none"}).exit_status, 0);
  EXPECT_EQ(read_notes_folder(), notes);
}

TEST_F(NotesTest, TheListSaysWhatBecomesOfEachNote) {
  const CompletedProcess none = call({"notes"});
  EXPECT_EQ(none.exit_status, 0);
  EXPECT_EQ(none.messages, "no notes yet; `labreport notes --init` writes empty ones\n");
  EXPECT_THAT(none.output, HasSubstr("notes in notes\n\nmixed_precision_accumulation     –\n"));
  write_note("author.md", "name:\n");
  EXPECT_THAT(call({"notes"}).output, HasSubstr("mixed_precision_accumulation     –\n"));
  write_note("mixed_precision_accumulation.md", "<!-- -->\n");
  EXPECT_THAT(call({"notes"}).output, HasSubstr("says nothing yet\n"));
  write_note("mixed_precision_accumulation.md", "<!-- follows the answer -->\nMine.\n");
  EXPECT_THAT(call({"notes"}).output, HasSubstr("follows the answer\n"));
}

TEST_F(NotesTest, UnusableNotesAreReportedAndTheRenderContinues) {
  write_note("benchmarking_scrip.b.md", "Mine.\n");
  write_note("nsys_profile.a.md", " \n");
  write_note("nsys_profile.b.md", "\xFF\xFE");
  write_note("nsys_profile.c.md", std::string((1u << 20) + 1, 'x'));
  fs::create_symlink("nsys_profile.a.md", folder_ / "notes/nsys_profile.d.md");
  fs::create_directory(folder_ / "notes/nsys_profile.e.md");
  write_note("memory_profiling.a.md", "Mine.\n");
  write_note("mixed_precision_accumulation.md", "<!-- folows -->\nMine.\n");
  write_note("README.md", "nobody's business\n");
  const CompletedProcess process = render();
  EXPECT_EQ(process.exit_status, 1);
  EXPECT_EQ(
      process.messages.substr(process.messages.find('\n') + 1),
      "notes/benchmarking_scrip.b.md belongs to no part; nearest: benchmarking_script.b, "
      "benchmarking_script.a, benchmarking_script.c\n"
      "notes/mixed_precision_accumulation.md:1: the first line is not understood, so the note "
      "replaces the answer: write <!-- replaces the answer --> or <!-- follows the answer -->\n"
      "notes/nsys_profile.a.md is empty: write into it or delete it\n"
      "notes/nsys_profile.b.md is not UTF-8 and is left out: save it as UTF-8\n"
      "notes/nsys_profile.c.md is over 1 MiB and is left out\n"
      "notes/nsys_profile.d.md is a link and is left out: put the file itself there\n"
      "notes/nsys_profile.e.md is no plain file and is left out\n");
  EXPECT_THAT(process.messages, HasSubstr(", 1 for no run here\n"))
      << "memory_profiling.a.md waits";
}

TEST_F(NotesTest, AMissingPictureIsNamedOnThePageAndStopsNoPublishing) {
  const std::string line =
      "notes/mixed_precision_accumulation.md:1: the picture gone.png is not in notes\n";
  write_note("mixed_precision_accumulation.md", "See ![a plot](gone.png) and ![](gone.png).\n");
  for (int i = 0; i < 2; ++i) {
    const CompletedProcess process = render();
    EXPECT_EQ(process.exit_status, 0);
    EXPECT_THAT(process.messages, HasSubstr(line)) << "also where nothing is drawn anew";
  }
  EXPECT_THAT(read_published("index.html"),
              HasSubstr("See [missing picture: a plot] and [missing picture: gone.png]."));
  EXPECT_EQ(call({"notes"}).exit_status, 0);
}

TEST_F(NotesTest, InitNamesItsFlagIfItCannotWrite) {
  const CompletedProcess process = call({"notes", "--init", "--notes", "/proc/notes"});
  EXPECT_EQ(process.exit_status, 2);
  EXPECT_THAT(process.messages, testing::MatchesRegex("labreport: cannot make the folder /proc/"
                                                      "notes: .*; choose another with --notes\n"));
}

TEST_F(NotesTest, AReportWithAnUnusableNoteHasStatusOne) {
  write_note("mixed_precision_accumulation.md", " \n");
  const auto report = [&](const std::string& out) {
    return call(
        {"report", "--preset", "demo", "--only", "mixed_precision_accumulation", "--out", out});
  };
  const CompletedProcess process = report("first");
  EXPECT_EQ(process.exit_status, 1);
  EXPECT_THAT(process.messages, HasSubstr(".md is empty: write into it or delete it\n"));
  EXPECT_THAT(process.output, HasSubstr("report: first/public/"));
  write_note("mixed_precision_accumulation.md", "Mine.\n");
  EXPECT_EQ(report("second").exit_status, 0);
}

TEST_F(NotesTest, NotesInARunsFolderReplaceTheSharedOnes) {
  const fs::path older = only_run();
  const fs::path newer = older.parent_path() / "29990101-000000-newer";
  const fs::path reference = older.parent_path() / "29990102-000000-reference";
  for (const fs::path& copy : {newer, reference})
    fs::copy(older, copy, fs::copy_options::recursive);
  write_atomically(reference / "reference", "ships with the project\n");
  // A run's time names its page, so each copy is rendered separately.
  write_note("author.md", "name: Ada\n");
  write_note("mixed_precision_accumulation.md", "From the shared folder.\n");
  const auto shown = [&](const fs::path& run) {
    EXPECT_EQ(render({run.string()}).exit_status, 0);
    return read_published("report.md");
  };
  EXPECT_THAT(shown(older), HasSubstr("From the shared folder."));
  fs::create_directory(older / "notes");
  write_atomically(older / "notes/mixed_precision_accumulation.md", "From its own.\n");
  EXPECT_THAT(shown(older), HasSubstr("From its own."));
  EXPECT_THAT(shown(older), HasSubstr("**Ada**")) << "author.md holds for every run of one's own";
  EXPECT_THAT(call({"notes"}).output,
              StartsWith("site/runs/" + fs::relative(newer, folder_ / "site/runs").string()));
  const CompletedProcess init = call({"notes", "--init", reference.string()});
  EXPECT_THAT(init.output, HasSubstr("written  " + (reference / "notes/author.md").string()));
}

TEST_F(NotesTest, NotesStayUntilANewerRunOfTheSameNetworkSucceeds) {
  const fs::path first = fs::relative(only_run(), folder_).parent_path() / "20260101-000000-a";
  fs::rename(only_run(), folder_ / first);
  write_note("author.md", "name: Ada\n");
  EXPECT_THAT(render().messages, Not(HasSubstr("notes"))) << "a name is no answer";
  write_note("mixed_precision_accumulation.md", "Mine.\n");
  const std::string there = "notes from notes: 1 with " + first.string() + "\n";
  EXPECT_EQ(render().messages, there);
  // Each copy has its own time, which names its page.
  const auto copied = [&](const char* name, const std::string& old_words,
                          const std::string& new_words) {
    const fs::path copy = folder_ / first.parent_path() / name;
    fs::create_directory(copy);
    std::string text = replaced(read_file(folder_ / first / "run.json"), old_words, new_words);
    const std::string key = "\"started_at\": \"";
    text.replace(text.find(key) + key.size(), 10,
                 fmt::format("2099-01-{}", name + 6).substr(0, 10));
    write_atomically(copy / "run.json", text);
  };
  copied("20260102-000000-edition", "\"2025\"", "\"2026\"");
  copied("20260103-000000-failed", "\"status\": \"ok\"",
         "\"status\": \"error\", \"message\": \"no\"");
  EXPECT_EQ(render().messages, there);
  EXPECT_EQ(render().messages, there) << "also where nothing is drawn anew";
  copied("20260104-000000-newer", "\"2025\"", "\"2025\"");
  EXPECT_THAT(render().messages, HasSubstr("1 with site/runs/")) << "a newer run of the same";
  EXPECT_THAT(render().messages, Not(HasSubstr(first.string())));
}

TEST_F(NotesTest, ProblemsOfANoteAreReportedWithFileAndLine) {
  write_note("mixed_precision_accumulation.md",
             "<!-- before the rest -->\nSee [x](javascript:alert(1)).\n\nSo $\\frac{a$.\n");
  for (int i = 0; i < 2; ++i) {
    const CompletedProcess process = render();
    EXPECT_EQ(process.exit_status, 1);
    const std::string file = "notes/mixed_precision_accumulation.md";
    EXPECT_THAT(process.messages, HasSubstr(file + ":1: the first line is not understood"));
    EXPECT_THAT(process.messages, HasSubstr(file + ":2: the link to javascript:alert(1) is left"));
    if (process.messages.find("formulas of notes are shown as TeX") != std::string::npos) continue;
    EXPECT_THAT(process.messages, HasSubstr(file + ":4: $\\frac{a$ cannot be typeset"));
  }
}

}  // namespace
}  // namespace labreport::notes_test
