// labreport report: measure, then render.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/measure.h"
#include "cli/rendering.h"
#include "cli/verbs.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

ExitStatus report(const RunFlags& flags, const std::string& answers,
                  const std::vector<std::string>& argv) {
  const fs::path out = flags.out;
  RenderOptions options{out / "public", parse_answers(answers), false};
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
  auto answers = std::make_shared<std::string>("full");
  flags->out = "site";
  CLI::App* verb = app.add_subcommand("report", "measure, then render: what `make report` calls");
  add_run_flags(*verb, *flags, "folder (site): runs go to its runs/, pages to its public/");
  verb->add_option("--answers", *answers, "none, facts or full (default)");
  verb->callback([flags, answers, &invocation] {
    invocation.call = [flags, answers, &invocation] {
      return report(*flags, *answers, invocation.argv);
    };
  });
}

}  // namespace labreport
