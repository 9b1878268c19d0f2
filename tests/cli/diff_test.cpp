// Tests the verb's exit statuses and refusals.
#include <gmock/gmock.h>

#include "base/files.h"
#include "cli/kept_runs.h"
#include "cli/program_fixture.h"

namespace labreport::diff_test {
namespace {

namespace fs = std::filesystem;
using namespace testing_samples;
using testing::HasSubstr;
using testing::IsEmpty;

class DiffVerb : public ProgramTest {
 protected:
  void keep(const std::string& name, const labreport::Run& run) { keep_run(folder_, name, run); }
};

labreport::Run with_batch(std::int64_t batch) {
  labreport::Run run = three_launches();
  for (Cell& cell : run.cells) {
    if (cell.spec.model) cell.spec.batch = batch;
    cell.id = cell_id(cell.spec);
  }
  return run;
}

TEST_F(DiffVerb, EveryFormatSaysWhichMismatchWasAllowed) {
  keep("a", three_launches());
  keep("b", with_batch(8));
  for (const char* format : {"table", "md", "json", "html"}) {
    const CompletedProcess process =
        call({"diff", "a", "b", "--allow-mismatch", "batch", "--format", format});
    EXPECT_EQ(process.exit_status, 0) << process.messages;
    const bool is_page = format == std::string("html");
    if (is_page) {
      EXPECT_EQ(process.output, "diff: diff.html\n");
    }
    EXPECT_THAT(is_page ? read_file(folder_ / "diff.html") : process.output,
                HasSubstr("batch 2 against 8"))
        << format;
  }
}

TEST_F(DiffVerb, ARegressionGivesStatusOneOnlyWithTheFlag) {
  keep("a", three_launches());
  keep("b", three_launches(1.1));
  EXPECT_EQ(call({"diff", "a", "b"}).exit_status, 0);
  EXPECT_EQ(call({"diff", "b", "a", "--fail-on-regression"}).exit_status, 0);
  const CompletedProcess process = call({"diff", "a", "b", "--fail-on-regression"});
  EXPECT_EQ(process.exit_status, 1);
  EXPECT_THAT(process.messages, HasSubstr("B is slower in 2 rows"));
}

TEST_F(DiffVerb, FailOnRegressionIsRefusedIfNoVerdictIsPossible) {
  keep("a", three_launches());
  keep("gpu", run_on_another_gpu(true));
  const CompletedProcess process = call({"diff", "a", "gpu", "--fail-on-regression"});
  EXPECT_EQ(process.exit_status, 2);
  EXPECT_THAT(process.messages, HasSubstr("no verdict is possible: different hardware; measure"));
  EXPECT_THAT(process.output, HasSubstr("measurements in both")) << "the comparison itself is made";
  labreport::Run few = three_launches(2);
  for (Cell& cell : few.cells) cell.launches.resize(2);
  keep("few", few);
  EXPECT_THAT(call({"diff", "a", "few", "--fail-on-regression"}).messages,
              HasSubstr("no undisturbed row has three launches a side"));
}

TEST_F(DiffVerb, RunsWithNothingInCommonAreBothNamed) {
  keep("a", three_launches());
  labreport::Run other = three_launches();
  other.cells = {timing_cell(network_spec(Mode::kInference), {1e6})};
  keep("other", other);
  EXPECT_THAT(call({"diff", "a", "other"}).messages,
              HasSubstr("3 only in A (a), 1 only in B (other); mode differs most often"));
}

TEST_F(DiffVerb, TheFilesEndingChoosesTheFormat) {
  keep("a", three_launches());
  for (const auto& [file, begins] :
       {std::pair("d.json", "{"), std::pair("d.html", "<!DOCTYPE html>"), std::pair("d.md", "# "),
        std::pair("d.txt", "NVIDIA H200"), std::pair("d", "NVIDIA H200")}) {
    call({"diff", "a", "a", "--out", file});
    EXPECT_THAT(read_file(folder_ / file), testing::StartsWith(begins)) << file;
  }
  call({"diff", "a", "a", "--out", "d.html", "--format", "md"});
  EXPECT_THAT(read_file(folder_ / "d.html"), testing::StartsWith("# ")) << "as the flag says";
}

TEST_F(DiffVerb, OverwritesOtherFilesOnlyWithForce) {
  keep("a", three_launches());
  for (const char* format : {"table", "md", "json", "html"}) {
    write_atomically(folder_ / "d", "precious");
    const std::vector<std::string> words{"diff", "a", "a", "--format", format, "--out", "d"};
    EXPECT_EQ(call(words).exit_status, 2) << format;
    EXPECT_EQ(read_file(folder_ / "d"), "precious");
    std::vector<std::string> forced = words;
    forced.emplace_back("--force");
    EXPECT_EQ(call(forced).exit_status, 0) << format;
    EXPECT_EQ(call(words).exit_status, 0) << format;
  }
}

TEST_F(DiffVerb, WritesIntoAPipeOrADeviceAndReplacesNeither) {
  keep("a", three_launches());
  const CompletedProcess piped =
      run({"bash", "-c",
           "mkfifo pipe && { cat pipe > read & } && \"$LABREPORT\" diff a a --out pipe "
           "--format md && wait && test -p pipe && \"$LABREPORT\" diff a a --out "
           "/proc/self/fd/9 9> /dev/null"});
  EXPECT_EQ(piped.exit_status, 0) << piped.messages;
  EXPECT_THAT(read_file(folder_ / "read"), testing::StartsWith("# NVIDIA H200 vs."));
  // Uses a name at which a failing test cannot replace the machine's own device.
  const CompletedProcess full =
      run({"bash", "-c", "\"$LABREPORT\" diff a a --out /proc/self/fd/9 9> /dev/full"});
  EXPECT_EQ(full.exit_status, 2);
  EXPECT_THAT(full.messages, HasSubstr("cannot write /proc/self/fd/9: No space left on device"));
}

TEST_F(DiffVerb, RefusesFoldersAndLinksToOtherFolders) {
  keep("a", three_launches());
  fs::create_directory(folder_ / "other");
  write_atomically(folder_ / "other/d.md", "precious");
  fs::create_symlink("other/d.md", folder_ / "leaves.md");
  fs::create_symlink("nowhere", folder_ / "dangles.md");
  fs::create_symlink("loops.md", folder_ / "loops.md");
  for (const char* out : {"leaves.md", "dangles.md", "loops.md", "other"}) {
    const CompletedProcess process = call({"diff", "a", "a", "--out", out, "--force"});
    EXPECT_EQ(process.exit_status, 2) << out;
    EXPECT_THAT(process.messages, HasSubstr(std::string("cannot write ") + out + ": it is a "))
        << out;
  }
  EXPECT_EQ(read_file(folder_ / "other/d.md"), "precious");
  EXPECT_FALSE(fs::exists(folder_ / "nowhere"));
  fs::create_symlink("stays.txt", folder_ / "stays.md");
  write_atomically(folder_ / "stays.txt", "precious");
  EXPECT_EQ(call({"diff", "a", "a", "--out", "stays.md"}).exit_status, 2) << "no comparison";
  EXPECT_EQ(call({"diff", "a", "a", "--out", "stays.md", "--force"}).exit_status, 0);
  EXPECT_TRUE(fs::is_symlink(folder_ / "stays.md"));
  EXPECT_THAT(read_file(folder_ / "stays.txt"), testing::StartsWith("# NVIDIA H200"));
}

TEST_F(DiffVerb, RefusesUnknownValues) {
  keep("a", three_launches());
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"diff", "a", "nowhere"},
                                             {"diff", "a", "a", "--format", "pdf"},
                                             {"diff", "a", "a", "--edition", "2024"},
                                             {"diff", "a", "a", "--allow-mismatch", "steps"}}) {
    const CompletedProcess process = call(words);
    EXPECT_EQ(process.exit_status, 2) << process.output;
    EXPECT_EQ(std::ranges::count(process.messages, '\n'), 1) << process.messages;
  }
}

}  // namespace
}  // namespace labreport::diff_test
