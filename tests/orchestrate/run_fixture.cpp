#include "orchestrate/run_fixture.h"

#include <unistd.h>

#include <utility>

namespace labreport {
namespace {

namespace fs = std::filesystem;

fs::path fresh_folder() {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  const fs::path folder = fs::temp_directory_path() /
                          ("labreport-" + std::string(test->name()) + std::to_string(getpid()));
  fs::remove_all(folder);
  return folder;
}

}  // namespace

CellSpec fake_cell(const std::string& behavior, std::int64_t context) {
  CellSpec spec;
  spec.device = DeviceKind::kCpu;
  spec.size = behavior;
  // The name is no part of a cell's identity, so each behavior gets a width of its own.
  const auto hash = static_cast<std::int64_t>(std::hash<std::string>()(behavior) % 100000);
  spec.model = ModelShape{64, 256 + hash, 2, 2, 100};
  spec.context = context;
  spec.batch = 1;
  spec.precision = Precision::kFp32;
  spec.mode = Mode::kForward;
  spec.warmup = 1;
  spec.steps = 3;
  return spec;
}

void RecordingDisplay::launch_finished(const CellSpec& spec, const Launch& launch,
                                       const RunProgress& progress) {
  lines.push_back({spec.size, std::string(status_name(launch.outcome)), progress});
  on_finish();
}

RunFixture::RunFixture() : folder_(fresh_folder()), store_(folder_) {
  run_.edition = "2025";
  run_.preset = "demo";
  run_.sessions.emplace_back();
  run_.sessions.back().started_at = "2026-05-01T12:34:56Z";
  setup_.worker = {LABREPORT_FAKES_DIR "/worker", worker_environment(false), 30};
  setup_.slots = {{"", {}, 1LL << 40}};
  setup_.estimate_seconds = [](const CellSpec&) { return 1.0; };
}

RunFixture::~RunFixture() { fs::remove_all(folder_); }

PoolStatus RunFixture::measure(std::vector<PlannedCell> cells) {
  return measure([cells = std::move(cells)](const labreport::Run&) { return cells; });
}

PoolStatus RunFixture::measure(PlanCells plan) {
  if (!store_.exists()) store_.create(run_);
  store_.save(run_);
  return Pool(run_, store_, std::move(plan), setup_, display_).run();
}

const Launch& RunFixture::launch(const std::string& behavior) const {
  const Cell* cell = run_.find(cell_id(fake_cell(behavior)));
  if (cell == nullptr || cell->launches.size() != 1) throw std::runtime_error(behavior);
  return cell->launches.front();
}

}  // namespace labreport
