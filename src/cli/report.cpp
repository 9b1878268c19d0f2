// labreport report: measure, then render.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/measure.h"
#include "cli/output_flags.h"
#include "cli/verbs.h"
#include "publish/rendering.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

ExitStatus report(const RunFlags& flags, const OutputFlags& output,
                  const std::vector<std::string>& argv) {
  const fs::path out = flags.out;
  RenderOptions options = output.options(out / "public");
  const Measured measured = measure(flags, out / "runs", argv);
  if (measured.status == ExitStatus::kInterrupted || measured.folder.empty()) {
    return measured.status;
  }
  options.imports = list_imported_runs(out / "runs");
  const Rendered rendered = render_runs(recorded_runs(out / "runs"), options);
  const fs::path& page = rendered.page_of(measured.folder);
  if (!page.empty()) fmt::print("report: {}\n", page.string());
  return measured.status == ExitStatus::kDone ? rendered.status() : measured.status;
}

}  // namespace

void add_report(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<RunFlags>();
  auto output = std::make_shared<OutputFlags>();
  flags->out = "site";
  CLI::App* verb = app.add_subcommand("report", "measure, then render: what `make report` calls");
  add_run_flags(*verb, *flags, "folder (site): runs go to its runs/, pages to its public/");
  add_output_flags(*verb, *output);
  verb->callback([flags, output, &invocation] {
    invocation.call = [flags, output, &invocation] {
      return report(*flags, *output, invocation.argv);
    };
  });
}

}  // namespace labreport
