// What importing leaves on disk, and what it refuses before it reads.
#include <gmock/gmock.h>

#include "base/files.h"
#include "cli/program_fixture.h"
#include "results/run_store.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ImportTest : public ProgramTest {
 protected:
  Ended import(const std::string& bytes) {
    write_atomically(folder_ / "table.csv", bytes);
    return call({"import", "table.csv", "--context", "128", "--precision", "fp32"});
  }
};

constexpr const char* kTwoGpus = "gpu,size,forward (ms)\nFirst,small,5\nSecond,small,6\n";

TEST_F(ImportTest, WritesARunForEachGpu) {
  EXPECT_EQ(import(kTwoGpus).exit_status, 0);
  const auto runs = list_runs(folder_ / "site/runs");
  ASSERT_EQ(runs.size(), 2U);
  for (const fs::path& run : runs) EXPECT_EQ(RunStore(run).load().source, "imported");
}

TEST_F(ImportTest, WritesAllRunsOrNone) {
  fs::create_directories(folder_ / "site/runs");
  write_atomically(folder_ / "site/runs/second", "in the way");
  const Ended ended = import(kTwoGpus);
  EXPECT_EQ(ended.exit_status, 2) << ended.messages;
  EXPECT_EQ(ended.output, "");
  EXPECT_TRUE(list_runs(folder_ / "site/runs").empty());
}

TEST_F(ImportTest, NamesTheLineThatIsNoUtf8) {
  const Ended ended = import("size,forward (ms)\nsmall,5\nlarge\xFF,6\n");
  EXPECT_EQ(ended.exit_status, 2);
  EXPECT_THAT(ended.messages, HasSubstr("table.csv: line 3: it is no UTF-8"));
}

TEST_F(ImportTest, RefusesAFileOverTheLimitUnread) {
  write_atomically(folder_ / "huge.csv", "size,forward (ms)\n");
  fs::resize_file(folder_ / "huge.csv", std::uintmax_t{1} << 36);
  const Ended ended = call({"import", "huge.csv"});
  EXPECT_EQ(ended.exit_status, 2);
  EXPECT_THAT(ended.messages, HasSubstr("huge.csv"));
}

TEST_F(ImportTest, RefusesAFolderAndAnEmptyFile) {
  EXPECT_EQ(import("").exit_status, 2);
  EXPECT_EQ(call({"import", "."}).exit_status, 2);
}

}  // namespace
}  // namespace labreport
