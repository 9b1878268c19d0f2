// labreport render: recorded runs → a site.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/rendering.h"
#include "cli/verbs.h"
#include "results/run_store.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

struct RenderFlags {
  std::vector<std::string> runs;
  std::string out = "site/public";
  std::string answers = "full";
  bool own = false;
  bool single_file = false;
};

/// RUN is a run's folder or its run.json.
fs::path run_folder(const fs::path& named) {
  return fs::is_regular_file(named) ? named.parent_path() : named;
}

ExitStatus render(const RenderFlags& flags) {
  const RenderOptions options{flags.out, parse_answers(flags.answers), flags.own,
                              flags.single_file};
  std::vector<fs::path> folders;
  for (const std::string& named : flags.runs) {
    folders.push_back(run_folder(named));
    RunStore(folders.back()).load();  // a run that was named must be readable
  }
  if (folders.empty()) folders = recorded_runs("site/runs");
  const Rendered rendered = render_runs(folders, options);
  for (const auto& [folder, page] : rendered.pages) fmt::print("{}\n", page.string());
  fmt::print("site: {}\n", rendered.index.string());
  return rendered.problems.empty() ? ExitStatus::kDone : ExitStatus::kIncomplete;
}

}  // namespace

void add_render(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<RenderFlags>();
  CLI::App* verb = app.add_subcommand("render", "recorded runs → site");
  verb->add_option("runs", flags->runs, "RUN…: folders of runs (default: all under site/runs)");
  verb->add_option("--out", flags->out, "folder for the pages (site/public)");
  verb->add_option("--answers", flags->answers, "none, facts or full (default)");
  verb->add_flag("--own", flags->own, "leave out the runs that ship with the project");
  verb->add_flag("--single-file", flags->single_file,
                 "also each run's page as one file that can be mailed");
  verb->callback([flags, &invocation] { invocation.call = [flags] { return render(*flags); }; });
}

}  // namespace labreport
