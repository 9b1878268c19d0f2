#include "cli/chart_renderer.h"

#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/stamp.h"
#include "base/text.h"
#include "embedded/report.h"
#include "orchestrate/subprocess.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr double kLimitSeconds = 120;
constexpr const char* kRemedy = "run setup/install render";

/// A folder of one's own that goes when its owner does.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "labreport-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw Error("cannot make a temporary folder " + name, "set TMPDIR to a writable one");
    }
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

fs::path user_cache() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME")) return fs::path(cache) / "labreport";
  if (const char* home = std::getenv("HOME")) return fs::path(home) / ".cache" / "labreport";
  return fs::temp_directory_path() / "labreport-cache";
}

fs::path bundles_folder(const fs::path& project) {
  const bool writable = ::access((project / ".deps").c_str(), W_OK) == 0;
  return writable ? project / ".deps" / "charts" : user_cache();
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
  write_atomically(request, Json{{"specs", specs}}.dump());
  const std::string program(embedded::report().at("site/draw_charts.py"));
  const Ended ended = run_to_end({.argv = {python_, "-c", program, request, result, bundles_},
                                  .environment = {},
                                  .folder = {},
                                  .cores = {},
                                  .keep_output = false,
                                  .limit_seconds = kLimitSeconds});
  if (!ended.ok()) {
    const std::string why = last_lines(ended.messages, 1);
    throw Error(why.empty() ? "the chart tool gave up" : why, kRemedy);
  }
  const Json answer = Json::parse(read_file(result));
  bundle_ = answer.at("bundle").get<std::string>();
  return answer.at("svgs").get<std::vector<std::string>>();
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
        if (name.starts_with("vl_convert_python-")) versions.insert(name);
      }
    }
  }
  if (versions.size() != 1) return "";
  return *versions.begin() + " " + content_hash(embedded::report().at("site/draw_charts.py"));
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
