// labreport report: measure, then render.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/measure.h"
#include "cli/rendering.h"
#include "cli/run_notes.h"
#include "cli/verbs.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

/// How the pages are to be, beside what is measured.
struct PageFlags {
  std::string answers = "full";
  std::string notes;
};

ExitStatus report(const RunFlags& flags, const PageFlags& page,
                  const std::vector<std::string>& argv) {
  const fs::path out = flags.out;
  const RenderOptions options{out / "public", parse_answers(page.answers), false,
                              author_folder(page.notes)};
  const Measured measured = measure(flags, out / "runs", argv);
  if (measured.status == ExitStatus::kInterrupted || measured.folder.empty()) {
    return measured.status;
  }
  const Rendered rendered = render_runs(recorded_runs(out / "runs"), options);
  fmt::print("report: {}\n", rendered.page_of(measured.folder).string());
  return measured.status;
}

}  // namespace

void add_report(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<RunFlags>();
  auto page = std::make_shared<PageFlags>();
  flags->out = "site";
  CLI::App* verb = app.add_subcommand("report", "measure, then render: what `make report` calls");
  add_run_flags(*verb, *flags, "folder (site): runs go to its runs/, pages to its public/");
  verb->add_option("--answers", page->answers, "none, facts or full (default)");
  verb->add_option("--notes", page->notes, "folder of your own words (notes)");
  verb->callback([flags, page, &invocation] {
    invocation.call = [flags, page, &invocation] { return report(*flags, *page, invocation.argv); };
  });
}

}  // namespace labreport
