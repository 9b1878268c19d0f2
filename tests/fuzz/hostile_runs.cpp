// Tries runs that are well-formed but that nobody measured: each is refused in one line, or becomes
// a report in every format. A seed drives it, so that each run can be repeated:
//
//   hostile_runs FOLDER FIRST COUNT       the seeds FIRST … over the reference runs below FOLDER,
//                                         or over the run in FOLDER itself
//   hostile_runs FOLDER FIRST COUNT OUT   writes those that have a report to OUT/<seed>/run.json
//
// Only runs that are marked by a file `reference` count, because a seed chooses among all of them:
// a run of the user's would change what each seed tries. Exit status 77 means that there is none.
//
// Each batch of seeds has its own process. If it dies or takes too long, that is a finding: its
// seed is reported, and a new batch begins with the next seed.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/files.h"
#include "fuzz/every_writer.h"
#include "fuzz/shuffled_run.h"
#include "fuzz/target.h"
#include "results/run_json.h"
#include "results/shipped_runs.h"

namespace fs = std::filesystem;

namespace labreport::fuzz {
namespace {

constexpr unsigned kSecondsEach = 60;
constexpr std::uint64_t kEveryFormatOneIn = 4;
constexpr std::uint64_t kCompareOneIn = 8;
constexpr std::uint64_t kReadBackOneIn = 16;
constexpr int kSkipped = 77;

/// The state that the batch's process shares with its parent, which reads it after the process has
/// died.
struct BatchProgress {
  std::uint64_t seed;
  std::uint64_t refused;
};

std::vector<nlohmann::json> recorded_runs(const fs::path& folder) {
  std::vector<fs::path> folders{folder};
  if (!fs::exists(RunStore(folder).run_file())) folders = testing_shipped::reference_runs(folder);
  std::ranges::sort(folders);
  std::vector<nlohmann::json> runs;
  for (const fs::path& run : folders) {
    runs.push_back(nlohmann::json::parse(read_file(RunStore(run).run_file())));
  }
  return runs;
}

/// Returns false if the run is refused.
bool try_run(const nlohmann::json& recorded, std::uint64_t seed) {
  const std::string text = shuffled_run(recorded, seed);
  Run run;
  if (!accepted([&] { run = run_from_json(text, "run.json"); })) return false;
  write_report(
      run, seed % kEveryFormatOneIn == 0 ? WrittenFormats::kEveryFormat : WrittenFormats::kData);
  if (seed % kReadBackOneIn == 0) {
    const std::string written = to_json(run);
    promise(to_json(run_from_json(written, "run.json")) == written, "a run is read back the same");
  }
  if (seed % kCompareOneIn == 0) {
    static Run other = run;
    compare_everything(run, other);
    compare_everything(other, run);
    other = run;
  }
  return true;
}

[[noreturn]] void try_batch(const std::vector<nlohmann::json>& runs, std::uint64_t end,
                            BatchProgress& progress) {
  for (; progress.seed < end; ++progress.seed) {
    ::alarm(kSecondsEach);
    if (!try_run(runs[progress.seed % runs.size()], progress.seed)) ++progress.refused;
  }
  ::_exit(0);
}

bool ended_well(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int try_all(const std::vector<nlohmann::json>& runs, std::uint64_t first, std::uint64_t count) {
  void* shared = ::mmap(nullptr, sizeof(BatchProgress), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  BatchProgress& progress = *static_cast<BatchProgress*>(shared);
  progress = {first, 0};
  int findings = 0;
  while (progress.seed < first + count) {
    const pid_t child = ::fork();
    if (child == 0) try_batch(runs, first + count, progress);
    if (ended_well(child)) continue;
    fmt::print(stderr, "a finding: seed {}\n", progress.seed);
    ++findings;
    ++progress.seed;
  }
  fmt::print("{} runs tried, {} of them refused, {} findings\n", count, progress.refused, findings);
  return findings == 0 ? 0 : 1;
}

/// Writes runs for programs that do what this process cannot, such as drawing.
int write_all(const std::vector<nlohmann::json>& runs, std::uint64_t first, std::uint64_t count,
              const fs::path& out) {
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const std::string text = shuffled_run(runs.at(seed % runs.size()), seed);
    bool reported = false;
    if (!accepted([&] { reported = has_report(run_from_json(text, "run.json")); })) continue;
    if (!reported) continue;
    fs::create_directories(out / std::to_string(seed));
    write_atomically(out / std::to_string(seed) / "run.json", text);
  }
  return 0;
}

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace
}  // namespace labreport::fuzz

int main(int count, char** arguments) {
  if (count != 4 && count != 5) {
    fmt::print(stderr, "usage: hostile_runs FOLDER FIRST COUNT [OUT]\n");
    return 2;
  }
  const auto runs = labreport::fuzz::recorded_runs(arguments[1]);
  if (runs.empty()) {
    fmt::print(stderr, "skipped: {}\n", labreport::testing_shipped::kNotHere);
    return labreport::fuzz::kSkipped;
  }
  const std::uint64_t first = labreport::fuzz::number(arguments[2]);
  const std::uint64_t run_count = labreport::fuzz::number(arguments[3]);
  if (count == 5) return labreport::fuzz::write_all(runs, first, run_count, arguments[4]);
  return labreport::fuzz::try_all(runs, first, run_count);
}
