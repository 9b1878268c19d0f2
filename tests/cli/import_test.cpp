// Tests what importing leaves on disk, and what it refuses before it reads.
#include <gmock/gmock.h>

#include <tuple>

#include "base/files.h"
#include "cli/program_fixture.h"
#include "results/metric_names.h"
#include "results/run_json.h"
#include "results/shipped_runs.h"

namespace labreport::import_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ImportTest : public ProgramTest {};

TEST_F(ImportTest, TheCommittedTableGivesTheCommittedRun) {
  const auto shipped = testing_shipped::shipped_runs("nvidia-a100-40gb/2025");
  if (shipped.empty()) GTEST_SKIP() << testing_shipped::kNotHere;
  const CompletedProcess process = call({"import", LABREPORT_SOURCE_DIR "/docs/a100.csv"});
  EXPECT_EQ(process.exit_status, 0) << process.messages;
  auto run = RunStore(only_run()).load();
  EXPECT_TRUE(RunStore(only_run()).is_imported());
  const auto committed = RunStore(shipped.front()).load();
  run.sessions = committed.sessions;
  EXPECT_EQ(to_json(run), to_json(committed));
}

TEST_F(ImportTest, RefusesAFileOverTheLimitUnread) {
  write_atomically(folder_ / "huge.csv", "size,mean_ms\n");
  fs::resize_file(folder_ / "huge.csv", std::uintmax_t{1} << 36);
  const CompletedProcess process = call({"import", "huge.csv"});
  EXPECT_EQ(process.exit_status, 2);
  EXPECT_THAT(process.messages, HasSubstr("huge.csv"));
}

TEST_F(ImportTest, PrintsEachFaultOfATableOnALine) {
  write_atomically(folder_ / "t.csv",
                   "gpu: A\nedition: 2025\nprecision: fp32\ncontext: 128\n"
                   "size,mode,mean_ms\nsmal,forward,5\nsmall,forward,x\n");
  const CompletedProcess process = call({"import", "t.csv"});
  EXPECT_EQ(process.exit_status, 2);
  EXPECT_THAT(process.messages,
              testing::MatchesRegex("labreport: t.csv: line 6: unknown size .*\n"
                                    "labreport: t.csv: line 7: mean_ms is 'x'.*\n"));
}

TEST_F(ImportTest, NamesNumbersThatTheGpuCannotReach) {
  write_atomically(folder_ / "t.csv",
                   "gpu: NVIDIA A100 40GB\nedition: 2025\nprecision: fp32\ncontext: 512\n"
                   "size,mode,mean_ms\n2.7B,forward,200\n");
  const CompletedProcess process = call({"import", "t.csv"});
  EXPECT_EQ(process.exit_status, 0);
  EXPECT_THAT(process.messages, HasSubstr("TF32 was probably on"));
  EXPECT_THAT(call({"check", only_run().string()}).output, HasSubstr("TF32 was probably on"));
}

TEST_F(ImportTest, StoresTheForwardPassOfAStepThatRanOutOfMemory) {
  write_atomically(folder_ / "t.csv",
                   "gpu: A\nedition: 2025\nprecision: fp32\ncontext: 512\nmode: train_step\n"
                   "size,forward_ms,backward_ms\n2.7B,200,OOM\n");
  EXPECT_EQ(call({"import", "t.csv"}).exit_status, 0);
  const Cell cell = RunStore(only_run()).load().cells.at(0);
  EXPECT_EQ(describe(cell.launches.at(0).outcome), "out of memory in backward");
  EXPECT_NE(cell.launches.at(0).find(metric::kPublished, metric::kForward), nullptr);
}

TEST_F(ImportTest, NamesWhatOtherProfilersWrote) {
  const std::string trace = R"({"schemaVersion": 1, "traceEvents": [)" + std::string(2u << 20, ' ');
  for (const auto& [name, bytes, kind] :
       {std::tuple("snapshot.pickle", std::string("\x80\x04\x95"), "a pickle of Python"),
        {"trace.json", trace, "a trace of torch.profiler"},
        {"report.sqlite", std::string("SQLite format 3\0", 16), "a database of SQLite"},
        {"report.nsys-rep", std::string("rep\0\1", 5), "a binary file"}}) {
    write_atomically(folder_ / name, bytes);
    for (const char* verb : {"import", "check"}) {
      const CompletedProcess process = call({verb, name});
      EXPECT_EQ(process.exit_status, 2);
      EXPECT_THAT(process.messages, HasSubstr(std::string(name) + " is " + kind));
      EXPECT_THAT(process.messages, HasSubstr(", which labreport cannot read; "));
    }
  }
}

TEST_F(ImportTest, RefusesAFolder) { EXPECT_EQ(call({"import", "."}).exit_status, 2); }

}  // namespace
}  // namespace labreport::import_test
