#include "orchestrate/pool.h"

#include <gmock/gmock.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "base/gpu.h"
#include "orchestrate/run_fixture.h"

namespace labreport::pool_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

using PoolTest = RunFixture;

std::vector<std::string> sizes(const Run& run) {
  std::vector<std::string> names;
  for (const Cell& cell : run.cells) names.push_back(cell.spec.size);
  return names;
}

TEST_F(PoolTest, KeepsEveryLaunchInRunJson) {
  EXPECT_EQ(measure({{fake_cell("a"), 1}, {fake_cell("b"), 2}}), PoolStatus::kComplete);
  const labreport::Run kept = store_.load();
  EXPECT_THAT(sizes(kept), ElementsAre("a", "b"));
  EXPECT_EQ(kept.cells[1].launches.size(), 2u);
  EXPECT_EQ(kept.devices.at(0).name, "Fake CPU");
  EXPECT_EQ(kept.sessions.at(0).software.libtorch, "2.11.0");
  EXPECT_GT(kept.cells[0].launches[0].wall_ns, 0);
  EXPECT_FALSE(std::filesystem::exists(store_.cells_folder())) << "merged";
}

TEST_F(PoolTest, AModelIsMeasuredByTheModelWorker) {
  CellSpec own = fake_cell("a");
  own.implementation = "Net-0a1b2c3d";
  setup_.worker.model = {"Net-0a1b2c3d", "net.py:Net", "", "loss:f", "optim:G"};
  setup_.worker.model_program = setup_.worker.program;
  measure({{own, 1}, {fake_cell("b"), 1}});
  const Metric* told = run_.cells[0].launches.front().find_condition("test", "model");
  ASSERT_TRUE(told);
  EXPECT_EQ(std::get<std::string>(std::get<Scalar>(told->data)), "net.py:Net");
  EXPECT_FALSE(launch("b").find_condition("test", "model"));
  EXPECT_EQ(run_.sessions.front().software.python, "3.11.7") << "though the other has none";
}

TEST_F(PoolTest, EveryCellIsLaunchedOnceBeforeAnyIsLaunchedAgain) {
  measure({{fake_cell("a"), 2}, {fake_cell("b"), 2}});
  std::vector<std::string> order;
  for (const auto& line : display_.lines) order.push_back(line.size);
  ASSERT_EQ(order.size(), 4u);
  EXPECT_THAT(std::vector(order.begin(), order.begin() + 2), ElementsAre("a", "b"));
  EXPECT_THAT(std::vector(order.begin() + 2, order.end()), UnorderedElementsAre("a", "b"));
  EXPECT_EQ(display_.lines[2].progress.done, 3u);
  EXPECT_EQ(display_.lines[2].progress.total, 4u);
}

TEST_F(PoolTest, EveryLaunchIsOnDiskBeforeTheNextBegins) {
  std::vector<std::size_t> on_disk;
  display_.on_start = [&] {
    std::size_t launches = 0;
    for (const Cell& cell : store_.load().cells) launches += cell.launches.size();
    on_disk.push_back(launches);
  };
  measure({{fake_cell("a"), 2}, {fake_cell("b"), 1}});
  EXPECT_THAT(on_disk, ElementsAre(0u, 1u, 2u));
}

TEST_F(PoolTest, AsksAgainUntilThePlannerWantsNothingNew) {
  // Doubles the context until a cell has run at 64.
  const auto plan = [](const labreport::Run& so_far) {
    std::vector<PlannedCell> cells{{fake_cell("a", 16), 1}};
    for (std::int64_t context = 16; context < 64; context *= 2) {
      if (so_far.find(cell_id(fake_cell("a", context))) == nullptr) break;
      cells.push_back({fake_cell("a", context * 2), 1});
    }
    return cells;
  };
  measure(plan);
  ASSERT_EQ(run_.cells.size(), 3u);
  EXPECT_EQ(run_.cells.back().spec.context, 64);
}

TEST_F(PoolTest, MeasuresOnlyWhatIsMissing) {
  measure({{fake_cell("a"), 1}});
  measure({{fake_cell("b"), 1}, {fake_cell("a"), 2}});
  EXPECT_EQ(display_.lines.size(), 3u);
  EXPECT_THAT(sizes(run_), ElementsAre("b", "a")) << "in the plan's order";
}

TEST_F(PoolTest, SkipsCellsThatCannotFitAndSaysWhy) {
  setup_.slots[0].memory_bytes = 1000;
  EXPECT_EQ(measure({{fake_cell("a"), 1}}), PoolStatus::kComplete);
  const Launch& skipped = launch("a");
  EXPECT_THAT(std::get<Skipped>(skipped.outcome).reason, HasSubstr("do not fit 1,000 B"));
  EXPECT_EQ(skipped.device, std::nullopt);
  EXPECT_EQ(skipped.wall_ns, 0);
}

TEST_F(PoolTest, OutOfMemoryBesideOthersIsFlaggedAndMeasuredOnceMore) {
  setup_.count_other_processes = [](const Slot&) { return 2; };
  EXPECT_EQ(measure({{fake_cell("oom_first"), 1}, {fake_cell("oom"), 1}, {fake_cell("good"), 1}}),
            PoolStatus::kComplete);
  const auto outcomes = [&](const std::string& cell) {
    std::vector<std::string_view> names;
    for (const Launch& launch : run_.find(cell_id(fake_cell(cell)))->launches) {
      names.push_back(status_name(launch.outcome));
    }
    return names;
  };
  EXPECT_THAT(outcomes("oom_first"), ElementsAre("oom", "ok")) << "both are kept";
  EXPECT_THAT(outcomes("oom"), ElementsAre("oom", "oom")) << "not for ever";
  EXPECT_THAT(outcomes("good"), ElementsAre("ok"));
  const labreport::Run kept = store_.load();
  const Launch& flagged = kept.find(cell_id(fake_cell("oom")))->launches.at(0);
  EXPECT_EQ(flagged.find_condition("gpu", "other_processes")->number(), 2);
  EXPECT_THAT(flagged.warnings,
              ElementsAre("memory ran out while 2 other processes were on the device"));
}

TEST_F(PoolTest, OutOfMemoryOnADeviceOfItsOwnIsFinal) {
  setup_.count_other_processes = [](const Slot&) { return 0; };
  measure({{fake_cell("oom_first"), 1}});
  EXPECT_TRUE(launch("oom_first").warnings.empty());
}

TEST_F(PoolTest, ChoosesTheGpuByUuidAndClearsWhatChangesResults) {
  setenv("NVIDIA_TF32_OVERRIDE", "1", 1);
  setup_.worker.environment = worker_environment(false);
  setup_.slots[0].gpu_uuids = "GPU-22222222-bbbb";
  measure({{fake_cell("cleared"), 1}});
  EXPECT_EQ(launch("cleared").find_condition("test", "gpu")->data,
            (std::variant<Scalar, Samples>(Scalar(uuid_hash("GPU-22222222-bbbb")))));
  setup_.worker.environment = worker_environment(true);
  measure({{fake_cell("cleared"), 1}, {fake_cell("kept"), 1}});
  const auto told = [&](const std::string& cell) {
    return std::get<std::string>(
        std::get<Scalar>(launch(cell).find_condition("test", "tf32_override")->data));
  };
  EXPECT_EQ(told("cleared"), "");
  EXPECT_EQ(told("kept"), "1");
  EXPECT_EQ(recorded_environment(true).at("NVIDIA_TF32_OVERRIDE"), "1");
  EXPECT_EQ(recorded_environment(false).at("NVIDIA_TF32_OVERRIDE"), "1 (cleared)");
  unsetenv("NVIDIA_TF32_OVERRIDE");
}

TEST_F(PoolTest, NeverClearsVariablesOfNccl) {
  setenv("NCCL_NVLS_ENABLE", "0", 1);
  EXPECT_EQ(worker_environment(false).at("NCCL_NVLS_ENABLE"), "0");
  EXPECT_EQ(recorded_environment(false).at("NCCL_NVLS_ENABLE"), "0");
  unsetenv("NCCL_NVLS_ENABLE");
}

TEST_F(PoolTest, SeveralSlotsWorkAtOnceButNeverOnOneCell) {
  const auto log = folder_.string() + ".log";
  setenv("FAKE_WORKER", "logs", 1);
  setenv("FAKE_WORKER_LOG", log.c_str(), 1);
  setup_.worker.environment = worker_environment(false);
  setup_.slots.push_back(setup_.slots[0]);
  measure({{fake_cell("a"), 2}, {fake_cell("b"), 2}});
  unsetenv("FAKE_WORKER");
  unsetenv("FAKE_WORKER_LOG");
  std::ifstream lines(log);
  std::set<std::string> running;
  std::size_t most = 0;
  for (std::string verb, id; lines >> verb >> id;) {
    const std::string cell = id.substr(0, id.rfind('.'));
    if (verb == "begin") {
      EXPECT_TRUE(running.insert(cell).second) << "two launches of one cell at once";
    } else {
      running.erase(cell);
    }
    most = std::max(most, running.size());
  }
  EXPECT_EQ(most, 2u);
  std::filesystem::remove(log);
}

TEST_F(PoolTest, AnInterruptKeepsOnlyFinishedLaunches) {
  display_.on_start = [&] {
    if (display_.lines.size() == 1) kill(getpid(), SIGINT);
  };
  EXPECT_EQ(measure({{fake_cell("a"), 1}, {fake_cell("hangs"), 1}, {fake_cell("c"), 1}}),
            PoolStatus::kInterrupted);
  const labreport::Run kept = store_.load();
  EXPECT_THAT(sizes(kept), ElementsAre("a", "hangs", "c")) << "what is missing can be seen";
  EXPECT_EQ(kept.cells[0].launches.size(), 1u);
  EXPECT_TRUE(kept.cells[1].launches.empty());
  EXPECT_TRUE(std::filesystem::exists(store_.cells_folder())) << "can be gone on with";
}

}  // namespace
}  // namespace labreport::pool_test
