#include "measure/memory/files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "measure/memory/history_script.h"
#include "measure/memory/pickle.h"

namespace labreport::files_test {
namespace {

TEST(Pickle, EqualsPythonsBytes) {
  Pickle pickle;
  pickle.open_dict();
  pickle.write_text("a");
  pickle.write_integer(-2);
  pickle.write_text("b");
  pickle.write_text("a");
  pickle.close_dict();
  using namespace std::string_literals;
  EXPECT_EQ(std::move(pickle).finish(), "\x80\x02}("s + "X\1\0\0\0ar\0\0\0\0"s +
                                            "J\xfe\xff\xff\xff"s + "X\1\0\0\0br\1\0\0\0"s +
                                            "j\0\0\0\0"s + "u."s);
}

TEST(Pickle, WritesLargeIntegersInEightBytes) {
  Pickle pickle;
  pickle.write_integer(std::int64_t{1} << 40);
  using namespace std::string_literals;
  EXPECT_EQ(std::move(pickle).finish(), "\x80\x02\x8a\x08\0\0\0\0\0\1\0\0."s);
}

TEST(AllocationsCsv, HasOneRowForEachAllocation) {
  const HistoryScript script = one_block_step();
  const std::string csv = allocations_csv(timeline_of(script.history, known_in_one_block_step()));
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 2 + 7) << "header, resident, step";
  EXPECT_NE(csv.find("\n1000,1024,0,,parameters,,,,,,,\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\n500,512,1,9,activations,0,8000,forward,backward,layers.0/ffn/w1,Linear,"
                     "aten::mm\n"),
            std::string::npos)
      << csv;
}

TEST(MemoryCounter, CountsCategoriesUnderTheirPhases) {
  const HistoryScript script = one_block_step();
  const auto timeline = timeline_of(script.history, known_in_one_block_step());
  const std::string trace = memory_counter(timeline);
  EXPECT_EQ(trace.find("{\"displayTimeUnit\""), 0u);
  EXPECT_NE(trace.find("\"ph\":\"X\",\"pid\":0,\"tid\":0,\"name\":\"forward\""), std::string::npos);
  EXPECT_NE(trace.find("\"parameters\":1000,"), std::string::npos) << trace;
  const auto counters = [&] {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = trace.find("\"ph\":\"C\"", at)) != std::string::npos; ++at)
      ++found;
    return found;
  }();
  EXPECT_EQ(counters, timeline.instants.size());
}

TEST(MemoryFiles, AreWrittenToANewFolder) {
  const HistoryScript script = one_block_step();
  const auto folder = std::filesystem::path(testing::TempDir()) / "not yet" / "there";
  const auto timeline = timeline_of(script.history, known_in_one_block_step());
  EXPECT_EQ(keep_memory_files((folder / "cell.0").string(), timeline), "");
  for (const char* ending : {".pickle", ".allocations.csv", ".trace.json"}) {
    EXPECT_TRUE(std::filesystem::exists((folder / "cell.0").string() + ending)) << ending;
  }
}

/// Reads the snapshot with PyTorch's own reader, if its Python is installed.
TEST(SnapshotPickle, CanBeReadByTorch) {
  const HistoryScript script = one_block_step();
  const auto folder = std::filesystem::path(testing::TempDir()) / "SnapshotPickle";
  std::filesystem::create_directories(folder);
  const auto timeline = timeline_of(script.history, known_in_one_block_step());
  EXPECT_EQ(keep_memory_files((folder / "step").string(), timeline), "");
  const std::string reader =
      std::string(LABREPORT_SOURCE_DIR) + "/tests/measure/memory/read_snapshot.py";
  const std::string command = std::string(LABREPORT_TORCH_PYTHON) + " -B -W ignore " + reader +
                              " " + (folder / "step.pickle").string();
  if (std::string(LABREPORT_TORCH_PYTHON).empty()) GTEST_SKIP() << "torch has no Python here";
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace labreport::files_test
