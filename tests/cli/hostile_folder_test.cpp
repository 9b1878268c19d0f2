// Tests a run's folder that somebody shared: its content is read as text, leads nowhere else and
// cannot block a reader.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "base/machine.h"
#include "cli/program_fixture.h"
#include "results/run_store.h"

namespace labreport::hostile_folder_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class HostileFolder : public ProgramTest {
 protected:
  void SetUp() override {
    const CompletedProcess process = measure({});
    ASSERT_EQ(process.exit_status, 0) << process.messages;
    run_folder_ = only_run();
    std::ofstream(folder_ / "secret.md") << "a secret of the reader's";
  }

  CompletedProcess measure(const std::vector<std::string>& flags) {
    std::vector<std::string> words{"run", "--preset", "demo", "--only",
                                   "mixed_precision_accumulation"};
    words.insert(words.end(), flags.begin(), flags.end());
    return call(words);
  }

  /// True if any file below `folder` contains the words.
  static bool any_file_contains(const fs::path& folder, const std::string& words) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file() && read_file(entry).find(words) != std::string::npos) return true;
    }
    return false;
  }

  void expect_refused(const std::string& words) {
    for (const char* verb : {"check", "render"}) {
      const CompletedProcess process = call({verb, run_folder_.string()});
      EXPECT_EQ(process.exit_status, 2) << verb;
      EXPECT_THAT(process.messages, HasSubstr(words)) << verb;
    }
    EXPECT_EQ(call({"render"}).exit_status, 2) << "there is no other run";
  }

  fs::path run_folder_;
};

TEST_F(HostileFolder, ARunThatIsALinkIsRefused) {
  fs::rename(run_folder_ / "run.json", folder_ / "elsewhere.json");
  fs::create_symlink(folder_ / "elsewhere.json", run_folder_ / "run.json");
  expect_refused("run.json: it is a link; put the file itself there");
}

TEST_F(HostileFolder, ARunThatIsAPipeIsRefusedAtOnce) {
  fs::remove(run_folder_ / "run.json");
  ASSERT_EQ(mkfifo((run_folder_ / "run.json").c_str(), 0600), 0);
  expect_refused("run.json: it is no plain file");
}

TEST_F(HostileFolder, ARunOfAHundredMegabytesIsRefusedUnread) {
  fs::resize_file(run_folder_ / "run.json", 100'000'000);
  expect_refused("run.json is too large (100000000 bytes, at most 67108864)");
}

TEST_F(HostileFolder, ARunThatTakesAllMemoryDoesNotStopTheOthers) {
  const fs::path large = run_folder_.parent_path() / "20200101-000000-large";
  fs::copy(run_folder_, large, fs::copy_options::recursive);
  std::ofstream(large / "run.json", std::ios::app) << std::string(60u << 20, ' ');
  const CompletedProcess process =
      run({"sh", "-c", "ulimit -d 60000; \"$LABREPORT\" render --format md"});
  EXPECT_EQ(process.exit_status, 1) << process.messages;
  EXPECT_THAT(process.messages, HasSubstr("-large: std::bad_alloc"));
  EXPECT_TRUE(any_file_contains(folder_ / "site/public", "H100") ||
              any_file_contains(folder_ / "site/public", "CPU"));
}

TEST_F(HostileFolder, AFoldersNameIsPrintedAsText) {
  fs::rename(run_folder_, run_folder_.parent_path() / "run \x1b[2J\nsecond");
  const std::string listed = call({"list", "runs"}).output;
  EXPECT_THAT(listed, HasSubstr("run \uFFFD[2J\uFFFDsecond  demo  "));
  EXPECT_EQ(std::ranges::count(listed, '\n'), 1);
}

TEST_F(HostileFolder, LaunchesThatLieElsewhereAreRefused) {
  fs::create_directory_symlink(folder_, run_folder_ / "cells");
  expect_refused("cells is a link, and a run keeps its files in its own folder");
  fs::remove(run_folder_ / "cells");
  fs::create_directory(run_folder_ / "cells");
  fs::create_symlink(folder_ / "secret.md", run_folder_ / "cells/a.0.json");
  expect_refused("a.0.json: it is a link");
}

TEST_F(HostileFolder, ResumingARunRefusesLinkedFolders) {
  for (const char* name : {"scratch", "artifacts"}) {
    fs::create_directories(run_folder_ / "cells");
    fs::create_directory_symlink(folder_, run_folder_ / name);
    const CompletedProcess process = measure({"--resume", "--out", run_folder_.string()});
    EXPECT_EQ(process.exit_status, 2);
    EXPECT_THAT(process.messages, HasSubstr(std::string(name) + " is a link"));
    fs::remove(run_folder_ / name);
  }
}

TEST_F(HostileFolder, NotesThatLieElsewhereAreNotShown) {
  fs::create_directory(folder_ / "mine");
  fs::rename(folder_ / "secret.md", folder_ / "mine/mixed_precision_accumulation.md");
  fs::create_directory_symlink(folder_ / "mine", run_folder_ / "notes");
  const CompletedProcess process = call({"render", run_folder_.string(), "--out", "pages"});
  EXPECT_EQ(process.exit_status, 1);
  EXPECT_THAT(process.messages, HasSubstr("notes is a link and is left out"));
  EXPECT_FALSE(any_file_contains(folder_ / "pages", "a secret of the reader"));
  EXPECT_EQ(call({"notes", "--init", run_folder_.string()}).exit_status, 2);
}

TEST_F(HostileFolder, FilesInTheWayStayUnlessForced) {
  ASSERT_EQ(call({"render", "--out", "pages"}).exit_status, 0);
  fs::remove(folder_ / "pages/index.html");
  std::ofstream(folder_ / "pages/.labreport-site") << "";
  std::ofstream(folder_ / "pages/index.html") << "precious";
  const CompletedProcess refused = call({"render", "--out", "pages"});
  EXPECT_EQ(refused.exit_status, 2);
  EXPECT_THAT(refused.messages, HasSubstr("pages/index.html is in the way"));
  EXPECT_EQ(read_file(folder_ / "pages/index.html"), "precious");
  EXPECT_EQ(call({"render", "--out", "pages", "--force"}).exit_status, 0);
  EXPECT_THAT(read_file(folder_ / "pages/index.html"), HasSubstr("<!DOCTYPE html>"));
}

TEST_F(HostileFolder, ANameThatLooksLikeAFlagIsAName) {
  fs::create_directories(folder_ / "--out/--help");
  fs::copy(run_folder_, folder_ / "--out/--help", fs::copy_options::recursive);
  EXPECT_EQ(call({"render", "./--out/--help", "--out", "pages"}).exit_status, 0);
  EXPECT_EQ(call({"check", "--out/--help"}).exit_status, 2) << "a flag that is none";
}

TEST_F(HostileFolder, NamesNeedNotBeUtf8) {
  fs::create_directory(run_folder_ / "notes");
  std::ofstream(run_folder_ / "notes/a picture \xFF.png") << "no picture";
  fs::rename(run_folder_, run_folder_.parent_path() / "run \xFE");
  for (int i = 0; i < 2; ++i) {
    const CompletedProcess process = call({"render", "--out", "pages"});
    EXPECT_LT(process.exit_status, 2) << process.messages;
    EXPECT_THAT(process.messages, Not(HasSubstr("json.exception")));
  }
  EXPECT_TRUE(fs::exists(folder_ / "pages/index.html"));
}

class Privacy : public ProgramTest {
 protected:
  Privacy() {
    environment_["HOME"] = folder_.string();
    environment_["OMP_PLACES"] = folder_.string() + "/places";
  }

  std::string report_and_read_run(const std::vector<std::string>& flags) {
    std::vector<std::string> words{
        "report", "--preset", "demo", "--sizes", "demo-1", "--out", (folder_ / "mine").string()};
    words.insert(words.end(), flags.begin(), flags.end());
    call(words);
    return read_file(only_run("mine/runs") / "run.json");
  }
};

TEST_F(Privacy, RunsAndPagesContainNeitherHomeNorHost) {
  environment_["FAKE_WORKER"] = "status7";  // The worker's messages contain its path.
  EXPECT_THAT(report_and_read_run({}), Not(HasSubstr(folder_.string())));
  for (const auto& entry : fs::recursive_directory_iterator(folder_ / "mine/public")) {
    if (!entry.is_regular_file()) continue;
    const std::string bytes = read_file(entry);
    EXPECT_THAT(bytes, Not(HasSubstr(folder_.string()))) << entry.path();
    if (entry.path().extension() == ".html") {
      EXPECT_THAT(bytes, Not(HasSubstr(">Host<"))) << entry.path();
    }
  }
}

TEST_F(Privacy, KeepHostRecordsHomeAndHost) {
  const std::string run = report_and_read_run({"--keep-host"});
  EXPECT_THAT(run, HasSubstr(folder_.string() + "/mine"));
  EXPECT_THAT(run, HasSubstr("\"host\": \"" + host_name() + "\""));
}

}  // namespace
}  // namespace labreport::hostile_folder_test
