// labreport report measures, then renders.
#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "base/file_errors.h"
#include "base/format.h"
#include "base/messages.h"
#include "cli/course.h"
#include "cli/measure.h"
#include "cli/output_flags.h"
#include "cli/verbs.h"
#include "publish/rendering.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

struct ReportFlags : RunFlags {
  OutputFlags output;
};

/// Renders all runs below `out`. A failure does not lose the measurements, and its message says so.
Rendered render_after(const MeasureResult& measured, const fs::path& out,
                      RenderOptions options) try {
  options.imports = list_imported_runs(out / "runs");
  const std::vector<fs::path> runs = recorded_runs(out / "runs");
  // The first render of many runs takes more than a minute.
  say("rendering {}\n", format_plural(static_cast<std::int64_t>(runs.size()), "run"));
  return keep_if_interrupted(options.out, [&] { return render_runs(runs, options); });
} catch (const Interrupted&) {
  throw;
} catch (const std::exception& error) {
  throw InputError(error_line(error), "the measurements are kept in " + measured.folder.string());
}

ExitStatus report(const ReportFlags& flags, const std::vector<std::string>& argv) {
  const fs::path out = flags.out;
  const RenderOptions options = flags.output.options(out / "public");
  const MeasureResult measured =
      flags.course ? measure_course(flags, out, argv) : measure(flags, out / "runs", argv);
  if (measured.status == ExitStatus::kInterrupted || measured.folder.empty()) {
    return measured.status;
  }
  const Rendered rendered = render_after(measured, out, options);
  const fs::path& page = rendered.page_of(measured.folder);
  if (!page.empty()) fmt::print("report: {}\n", page.string());
  rendered.print_messages();
  measured.say_last_words();
  return measured.status == ExitStatus::kDone ? rendered.status() : measured.status;
}

}  // namespace

void add_report(CLI::App& app, Invocation& invocation) {
  const auto [verb, flags] = add_verb<ReportFlags>(
      app, invocation, "report", "measure a run and render its report; `make report` calls it",
      [&invocation](const ReportFlags& given) { return report(given, invocation.argv); });
  flags->out = "site";
  add_run_flags(*verb, *flags, "folder (site): runs go into its runs/, pages into its public/");
  verb->add_option("--course", flags->course,
                   "FOLDER of a course checkout: measure the student's implementations in it");
  add_output_flags(*verb, flags->output);
}

}  // namespace labreport
