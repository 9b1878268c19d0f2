// labreport render turns recorded runs into a site.
#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "base/format.h"
#include "cli/hints.h"
#include "cli/output_flags.h"
#include "cli/run_choice.h"
#include "cli/verbs.h"
#include "publish/rendering.h"
#include "results/run_store.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

struct RenderFlags {
  std::vector<std::string> runs;
  std::string out = "site/public";
  OutputFlags output;
  std::string edition;
  bool own = false;
  bool write_up = false;
  bool single_file = false;
};

ExitStatus render(const RenderFlags& flags) {
  RenderOptions options = flags.output.options(flags.out);
  options.own_runs_only = flags.own;
  options.single_file = flags.single_file;
  Rendered rendered;
  if (flags.write_up) {
    options.user_named_runs = true;
    const WriteUp write_up = write_up_of(flags.runs, flags.edition, "site/runs");
    rendered = keep_if_interrupted(options.out, [&] { return render_write_up(write_up, options); });
  } else {
    std::vector<fs::path> folders;
    for (const std::string& word : flags.runs) folders.push_back(choose_folder(word, "site/runs"));
    options.user_named_runs = !folders.empty();
    if (folders.empty()) {
      folders = recorded_runs("site/runs");
      options.imports = list_imported_runs("site/runs");
    }
    rendered = keep_if_interrupted(options.out, [&] { return render_runs(folders, options); });
  }
  const bool renders_all = flags.runs.empty() && !flags.write_up;
  std::set<fs::path> pages;  // The runs of a write-up have one page.
  for (const auto& [folder, page] : rendered.pages) pages.insert(page);
  std::size_t unchanged = 0;
  for (const fs::path& page : pages) {
    const bool is_shown = !renders_all || rendered.changed_pages.contains(page);
    if (is_shown) fmt::print("{}\n", page.string());
    unchanged += is_shown ? 0 : 1;
  }
  if (unchanged > 0) {
    fmt::print("unchanged: {}\n", format_plural(static_cast<std::int64_t>(unchanged), "page"));
  }
  if (!rendered.index.empty()) fmt::print("site: {}\n", rendered.index.string());
  if (renders_all && !rendered.index.empty()) {
    const auto runs = static_cast<std::int64_t>(rendered.pages.size());
    fmt::print("{}\n", in_callers_form(fmt::format(
                           "it shows {} below site/runs, failed runs and CPU demonstrations "
                           "included; `labreport drop RUN` leaves one out",
                           format_plural(runs, "run"))));
  }
  rendered.print_messages();
  return rendered.status();
}

}  // namespace

void add_render(CLI::App& app, Invocation& invocation) {
  const auto [verb, flags] = add_verb<RenderFlags>(app, invocation, "render",
                                                   "render runs into the pages of a site", render);
  verb->add_option("runs", flags->runs,
                   "RUN…: folders, GPUs, latest or previous (default: all under site/runs)");
  verb->add_option("--out", flags->out, "folder for the pages (site/public)");
  add_output_flags(*verb, flags->output);
  verb->add_flag("--own", flags->own, "leave out the runs that ship with the project");
  verb->add_flag("--write-up", flags->write_up, "one report of your runs, as submit writes it");
  verb->add_option("--edition", flags->edition, "the write-up's edition (your newest run's)")
      ->needs("--write-up");
  verb->add_flag("--single-file", flags->single_file,
                 "also write each run's page as one file, to email");
}

}  // namespace labreport
