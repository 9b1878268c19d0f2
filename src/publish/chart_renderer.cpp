#include "publish/chart_renderer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/stamp.h"
#include "base/text.h"
#include "embedded/writers.h"
#include "publish/helper_python.h"
#include "results/json_writer.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;
constexpr HelperLimits kChartLimits{.seconds = 120, .bytes = 4LL << 30};
// These limits hold for pandoc's script, which also limits each formula and each text.
constexpr HelperLimits kFormulaLimits{.seconds = 120, .bytes = 2LL << 30};
constexpr HelperLimits kLatexLimits{.seconds = 600, .bytes = 2LL << 30};
constexpr const char* kLatexTemplate = "templates/report.latex";
constexpr const char* kLatexFilter = "site/paper.lua";
constexpr double kStartSeconds = 60;  // Python may need this long to start on a busy machine.
constexpr const char* kRemedy = "run setup/install render";

}  // namespace

ChartProcess::ChartProcess(const fs::path& project)
    : python_(project), bundle_folder_(chart_bundle_folder(project)) {}

fs::path ChartProcess::bundle_folder() {
  if (!bundle_folder_.empty()) return bundle_folder_;
  if (!scratch_bundle_folder_) scratch_bundle_folder_.emplace();
  return scratch_bundle_folder_->path();
}

std::vector<std::string> ChartProcess::draw(const std::vector<std::string>& specs) {
  const ScratchFolder scratch;
  const fs::path request_file = scratch.path() / "request.json";
  const fs::path result_file = scratch.path() / "result.json";
  write_atomically(request_file, compact_json(nlohmann::json{{"specs", specs}}));
  run_python("site/draw_charts.py", {request_file, result_file, bundle_folder()}, scratch.path(),
             kChartLimits);
  try {
    const nlohmann::json answer = nlohmann::json::parse(read_file(result_file));
    bundle_file_ = answer.at("bundle").get<std::string>();
    return answer.at("svgs").get<std::vector<std::string>>();
  } catch (const nlohmann::json::exception&) {
    throw Error("the chart tool's answer cannot be read", kRemedy);
  }
}

std::vector<TypesetResult> ChartProcess::typeset(const std::vector<TypesetJob>& jobs) {
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
  // The script limits the time of each report; the process gets the sum of these limits.
  const double report_seconds = typeset_limit_seconds() + kStartSeconds;
  run_python("site/typeset.py", folders, scratch.path(),
             {.seconds = kStartSeconds + report_seconds * static_cast<double>(folders.size())});
  std::vector<TypesetResult> results;
  for (const fs::path folder : folders) {
    TypesetResult& result = results.emplace_back();
    if (fs::exists(folder / "report.pdf")) {
      result.pdf = read_file(folder / "report.pdf");
    } else {
      result.problem = read_file(folder / "problem.txt");
    }
    if (fs::exists(folder / "missing.json"))
      nlohmann::json::parse(read_file(folder / "missing.json")).get_to(result.missing_letters);
  }
  return results;
}

void ChartProcess::run_python(const std::string& script, const std::vector<std::string>& arguments,
                              const fs::path& folder, const HelperLimits& limits) const {
  if (!python_.problem().empty()) throw Error(python_.problem());
  const std::string code(embedded::writers().at(script));
  const CompletedProcess process = python_.run(code, arguments, folder, limits);
  if (process.ok()) return;
  const std::string reason = last_lines(process.messages, 1);
  if (reason.find(std::strerror(ENOSPC)) != reason.npos)
    throw Error(folder.parent_path().string() + " is full", "free some space, or set TMPDIR");
  throw Error(reason.empty() ? script + " gave up" : reason, kRemedy);
}

std::vector<PrintedChart> ChartProcess::print(const std::vector<std::string>& svgs) {
  const ScratchFolder scratch;
  const fs::path request_file = scratch.path() / "request.json";
  write_atomically(request_file, compact_json(nlohmann::json{{"svgs", svgs}}), Sync::kNothing);
  run_python("site/print_charts.py", {request_file, scratch.path()}, scratch.path(), kChartLimits);
  std::vector<PrintedChart> prints;
  for (std::size_t i = 0; i < svgs.size(); ++i) {
    const std::string name = (scratch.path() / std::to_string(i)).string();
    prints.push_back({read_file(name + ".pdf"), read_file(name + ".png")});
  }
  return prints;
}

template <typename Request>
std::string ChartProcess::run_pandoc(const char* mode, const Request& request,
                                     const HelperLimits& limits,
                                     const std::vector<const char*>& files) const {
  const ScratchFolder scratch;
  const fs::path request_file = scratch.path() / "request.json";
  const fs::path result_file = scratch.path() / "result.json";
  write_atomically(request_file, compact_json(nlohmann::json(request)), Sync::kNothing);
  std::vector<std::string> arguments{mode, request_file, result_file};
  for (const fs::path file : files) {
    arguments.push_back(scratch.path() / file.filename());
    write_atomically(arguments.back(), std::string(embedded::writers().at(file.string())),
                     Sync::kNothing);
  }
  run_python("site/run_pandoc.py", arguments, scratch.path(), limits);
  return read_file(result_file);
}

Formulas ChartProcess::convert_formulas(const std::set<std::string>& sources) {
  return parse_formulas(run_pandoc("formulas", sources, kFormulaLimits, {}));
}

std::vector<std::string> ChartProcess::render_latex(const std::vector<std::string>& reports) {
  const std::string texts =
      run_pandoc("latex", reports, kLatexLimits, {kLatexTemplate, kLatexFilter});
  return nlohmann::json::parse(texts).get<std::vector<std::string>>();
}

std::string ChartProcess::bundle() {
  if (bundle_file_.empty()) draw({});
  return read_file(bundle_file_);
}

std::string ChartProcess::identity() const {
  if (!python_.problem().empty()) return "";
  std::set<std::string> versions;
  std::error_code ignored_error;
  const fs::path prefix = python_.program().parent_path().parent_path();
  for (const auto& python : fs::directory_iterator(prefix / "lib", ignored_error)) {
    if (!python.path().filename().string().starts_with("python3")) continue;
    for (const char* packages : {"site-packages", "dist-packages"}) {
      for (const auto& entry : fs::directory_iterator(python.path() / packages, ignored_error)) {
        // Results depend on the versions of these packages, which pip writes into folders' names.
        const std::string name = entry.path().filename().string();
        if (name.starts_with("vl_convert_python-") || name.starts_with("typst-") ||
            name.starts_with("pypandoc_binary-")) {
          versions.insert(name);
        }
      }
    }
  }
  const auto count = [&](const char* name) {
    return std::ranges::count_if(
        versions, [name](const std::string& version) { return version.starts_with(name); });
  };
  // Without vl-convert the identity is unknown; Typst and pandoc may be missing.
  if (count("vl_convert") != 1 || count("typst") > 1 || count("pypandoc") > 1) return "";
  std::string identity;
  for (const std::string& version : versions) identity += version + " ";
  for (const char* script : {"site/draw_charts.py", "site/print_charts.py", "site/typeset.py",
                             "site/run_pandoc.py", kLatexTemplate, kLatexFilter}) {
    identity += content_hash(embedded::writers().at(script)) + " ";
  }
  return identity;
}

}  // namespace labreport
