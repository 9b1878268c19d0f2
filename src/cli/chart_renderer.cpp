#include "cli/chart_renderer.h"

#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/stamp.h"
#include "base/text.h"
#include "cli/scratch_folder.h"
#include "embedded/report.h"
#include "orchestrate/subprocess.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;
constexpr double kLimitSeconds = 120;
constexpr const char* kRemedy = "run setup/install render";

fs::path user_cache() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME")) return fs::path(cache) / "labreport";
  if (const char* home = std::getenv("HOME")) return fs::path(home) / ".cache" / "labreport";
  return fs::temp_directory_path() / "labreport-cache";
}

fs::path bundles_folder(const fs::path& project) {
  const bool writable = ::access((project / ".deps").c_str(), W_OK) == 0;
  return writable ? project / ".deps" / "charts" : user_cache();
}

/// The distributions whose versions its results depend on, as pip names their folders.
bool decides(const std::string& name) {
  return name.starts_with("vl_convert_python-") || name.starts_with("typst-");
}

/// Where a program's name leads; empty where it leads nowhere.
fs::path on_path(const fs::path& program) {
  if (program.has_parent_path()) return program;
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path == nullptr ? "" : path, ':')) {
    if (::access((fs::path(folder) / program).c_str(), X_OK) == 0) return folder / program;
  }
  return {};
}

}  // namespace

ChartProcess::ChartProcess(fs::path python, fs::path bundles)
    : python_(std::move(python)), bundles_(std::move(bundles)) {}

std::vector<std::string> ChartProcess::draw(const std::vector<std::string>& specs) {
  const ScratchFolder scratch;
  const fs::path request = scratch.path() / "request.json";
  const fs::path result = scratch.path() / "result.json";
  write_atomically(request, nlohmann::json{{"specs", specs}}.dump());
  run_python("site/draw_charts.py", {request, result, bundles_}, kLimitSeconds);
  const nlohmann::json answer = nlohmann::json::parse(read_file(result));
  bundle_ = answer.at("bundle").get<std::string>();
  return answer.at("svgs").get<std::vector<std::string>>();
}

std::vector<Typeset> ChartProcess::typeset(const std::vector<TypesetJob>& jobs) {
  const ScratchFolder scratch;
  std::vector<std::string> folders;
  for (const TypesetJob& job : jobs) {
    const fs::path folder = scratch.path() / std::to_string(folders.size());
    make_writable_folder(folder);
    write_atomically(folder / "report.typ", job.source);
    for (const auto& [path, bytes] : job.pictures) {
      make_writable_folder((folder / path).parent_path());
      write_atomically(folder / path, bytes);
    }
    folders.push_back(folder);
  }
  // Each report has a limit of its own there; this one is for the program itself.
  run_python("site/typeset.py", folders, kLimitSeconds * static_cast<double>(1 + folders.size()));
  std::vector<Typeset> typeset;
  for (const fs::path folder : folders) {
    const bool done = fs::exists(folder / "report.pdf");
    typeset.push_back(done ? Typeset{read_file(folder / "report.pdf"), ""}
                           : Typeset{"", read_file(folder / "problem.txt")});
  }
  return typeset;
}

void ChartProcess::run_python(const std::string& program, const std::vector<std::string>& arguments,
                              double limit_seconds) const {
  std::vector<std::string> argv = {python_, "-c", std::string(embedded::report().at(program))};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const Ended ended = run_to_end({.argv = argv,
                                  .environment = {},
                                  .folder = {},
                                  .cores = {},
                                  .keep_output = false,
                                  .limit_seconds = limit_seconds});
  if (ended.ok()) return;
  const std::string why = last_lines(ended.messages, 1);
  throw Error(why.empty() ? program + " gave up" : why, kRemedy);
}

std::vector<Print> ChartProcess::print(const std::vector<std::string>& svgs) {
  const ScratchFolder scratch;
  const fs::path request = scratch.path() / "request.json";
  write_atomically(request, nlohmann::json{{"svgs", svgs}}.dump(), Sync::kNothing);
  run_python("site/print_charts.py", {request, scratch.path()}, kLimitSeconds);
  std::vector<Print> prints;
  for (std::size_t i = 0; i < svgs.size(); ++i) {
    const std::string name = (scratch.path() / std::to_string(i)).string();
    prints.push_back({read_file(name + ".pdf"), read_file(name + ".png")});
  }
  return prints;
}

std::string ChartProcess::bundle() {
  if (bundle_.empty()) draw({});
  return read_file(bundle_);
}

std::string ChartProcess::identity() const {
  std::set<std::string> versions;
  std::error_code absent;
  const fs::path prefix = on_path(python_).parent_path().parent_path();
  for (const auto& lib : fs::directory_iterator(prefix / "lib", absent)) {
    if (!lib.path().filename().string().starts_with("python3")) continue;
    for (const char* packages : {"site-packages", "dist-packages"}) {
      for (const auto& entry : fs::directory_iterator(lib.path() / packages, absent)) {
        const std::string name = entry.path().filename().string();
        if (decides(name)) versions.insert(name);
      }
    }
  }
  if (versions.size() != 2) return "";  // one is missing, or there are two of one
  std::string identity;
  for (const std::string& version : versions) identity += version + " ";
  for (const char* program : {"site/draw_charts.py", "site/print_charts.py", "site/typeset.py"}) {
    identity += content_hash(embedded::report().at(program)) + " ";
  }
  return identity;
}

fs::path kept_results(const fs::path& project) {
  if (const char* named = std::getenv("LABREPORT_CACHE")) return named;
  return bundles_folder(project) / "kept";
}

ChartProcess project_chart_tool(const fs::path& project) {
  const fs::path python = project / ".venv" / "bin" / "python";
  return ChartProcess(fs::exists(python) ? python : fs::path("python3"), bundles_folder(project));
}

}  // namespace labreport
