#include "results/run_store.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "results/run_json.h"
#include "results/sample.h"

namespace labreport::run_store_test {
namespace {

namespace fs = std::filesystem;
using testing_samples::sample_run;

class RunStoreTest : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(root_); }
  void TearDown() override { fs::remove_all(root_); }

  /// Returns the sample run before its first launch.
  static labreport::Run empty_run() {
    labreport::Run run = sample_run();
    run.cells.clear();
    run.devices.clear();
    return run;
  }

  static void save_launches(const RunStore& store, const labreport::Run& run) {
    for (const Cell& cell : run.cells) {
      for (std::size_t i = 0; i < cell.launches.size(); ++i) {
        store.save_launch(run, cell, static_cast<std::int64_t>(i));
      }
    }
  }

  const fs::path root_ = fs::path(testing::TempDir()) / "run_store_test";
  const RunStore store_{root_ / "run"};
};

TEST_F(RunStoreTest, LoadsSeparatelySavedLaunches) {
  store_.create(empty_run());
  save_launches(store_, sample_run());
  EXPECT_EQ(to_json(store_.load()), to_json(sample_run()));
}

TEST_F(RunStoreTest, RefusesFilesThatTogetherExceed64MiB) {
  store_.create(empty_run());
  save_launches(store_, sample_run());
  const auto pad = [](const fs::path& file, std::size_t bytes) {
    std::ofstream(file, std::ios::app) << std::string(bytes, ' ');
  };
  pad(store_.run_file(), 33u << 20);
  pad(fs::directory_iterator(store_.cells_folder())->path(), 33u << 20);
  try {
    store_.load();
    FAIL() << "66 MiB were read";
  } catch (const InputError& error) {
    EXPECT_NE(std::string_view(error.what()).find("together exceed 64 MiB"), std::string::npos);
  }
}

TEST_F(RunStoreTest, FinishLeavesOneFile) {
  store_.create(empty_run());
  save_launches(store_, sample_run());
  store_.finish(store_.load());
  EXPECT_EQ(std::distance(fs::directory_iterator(store_.folder()), fs::directory_iterator()), 1);
  EXPECT_EQ(to_json(store_.load()), to_json(sample_run()));
}

TEST_F(RunStoreTest, FinishKeepsTheCellsFolderOfAnIncompleteRun) {
  labreport::Run run = sample_run();
  run.cells[0].launches.clear();
  store_.create(run);
  save_launches(store_, run);
  store_.finish(store_.load());
  EXPECT_TRUE(fs::is_directory(store_.cells_folder()));
  EXPECT_TRUE(fs::is_empty(store_.cells_folder()));
  store_.finish(sample_run());
  EXPECT_FALSE(fs::exists(store_.cells_folder()));
}

TEST_F(RunStoreTest, IgnoresLaunchesThatTheRunHas) {
  store_.create(sample_run());
  save_launches(store_, sample_run());
  EXPECT_EQ(to_json(store_.load()), to_json(sample_run()));
}

TEST_F(RunStoreTest, SaveMergedRemovesLaunchFiles) {
  store_.create(empty_run());
  save_launches(store_, sample_run());
  store_.save_merged(store_.load());
  EXPECT_TRUE(fs::is_empty(store_.cells_folder()))
      << "there still, so that the run is gone on with";
  EXPECT_EQ(to_json(store_.load()), to_json(sample_run()));
}

TEST_F(RunStoreTest, LoadsTheSameRunAfterAnInterruptedMerge) {
  store_.create(empty_run());
  save_launches(store_, sample_run());
  store_.save(store_.load());
  for (const auto& file : fs::directory_iterator(store_.cells_folder())) {
    fs::remove(file);
    EXPECT_EQ(to_json(store_.load()), to_json(sample_run()));
  }
}

TEST_F(RunStoreTest, CreateRefusesAFolderWithARun) {
  store_.create(empty_run());
  EXPECT_THROW(store_.create(empty_run()), InputError);
}

TEST_F(RunStoreTest, NamesATruncatedLaunchFile) {
  store_.create(empty_run());
  std::ofstream(store_.launch_file("x", 0)) << "{\"id\": ";
  try {
    store_.load();
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), store_.launch_file("x", 0).string() +
                                " was cut short when it was written; delete it: --resume measures "
                                "its launch again");
  }
}

TEST_F(RunStoreTest, LoadRefusesAFolderWithoutARun) { EXPECT_THROW(store_.load(), InputError); }

TEST_F(RunStoreTest, NamesNewFoldersByDeviceEditionAndTime) {
  EXPECT_EQ(new_run_path("runs", sample_run()),
            fs::path("runs/a-processor/2025/20260501-123456-aaaaaaaa"));
}

TEST_F(RunStoreTest, ListsOldestRunsFirst) {
  RunStore(root_ / "b" / "20260502-000000-x").create(empty_run());
  RunStore(root_ / "c" / "20260501-000000-x").create(empty_run());
  const auto found = list_runs(root_);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found.front().filename(), "20260501-000000-x");
  EXPECT_TRUE(list_runs(root_ / "absent").empty());
}

TEST(RunStore, KeepsImportedRunsApartFromMeasuredOnes) {
  const fs::path root = fs::path(testing::TempDir()) / "imported-runs";
  fs::remove_all(root);
  labreport::Run run = testing_samples::sample_run();
  run.source = "imported";
  for (const char* ending : {"imported", "imported-2"}) {
    const RunStore store(make_import_folder(root, run));
    store.save_imported(run);
    EXPECT_TRUE(store.folder().string().ends_with(ending)) << store.folder();
    EXPECT_TRUE(store.is_imported());
  }
  EXPECT_EQ(list_runs(root).size(), 2U);
  EXPECT_TRUE(list_measured_runs(root).empty());
}

}  // namespace
}  // namespace labreport::run_store_test
