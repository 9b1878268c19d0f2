// labreport import turns a published table into a run with declared hardware.
#include <fmt/format.h>

#include <filesystem>

#include "analysis/comparison.h"
#include "base/build_info.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/files.h"
#include "base/messages.h"
#include "base/text.h"
#include "cli/hints.h"
#include "cli/verbs.h"
#include "experiments/common/datasheet_check.h"
#include "experiments/overview/overview.h"
#include "imports/import.h"
#include "results/metric_names.h"
#include "results/redaction.h"
#include "results/run_store.h"

namespace labreport {
namespace {

constexpr std::uintmax_t kMaxFileBytes = 1u << 20;

struct ImportVerbFlags {
  std::string file;
  ImportFlags facts;
  std::string out = "site/runs";
};

Session import_session(const std::vector<std::string>& argv) {
  const BuildInfo& build = build_info();
  Session session;
  session.started_at = utc_now();
  session.argv = argv;
  session.argv[0] = "labreport";
  if (build.revision != "unknown") session.revision = build.revision;
  session.dirty = build.dirty;
  redact(session, private_names());
  return session;
}

ExitStatus import(const ImportVerbFlags& flags, const std::vector<std::string>& argv) {
  if (flags.file.empty())
    throw InputError("import needs a file", "name one with a table in CSV or Markdown");
  const std::filesystem::path file = flags.file;
  refuse_foreign_format(file, "import reads a table in CSV or Markdown");
  const std::string text = read_file(file, kMaxFileBytes);
  Run run;
  try {
    run = import_table(text, file.filename().string(), flags.facts);
  } catch (const InputError& error) {
    for (const std::string& complaint : split(error.what(), '\n')) {
      say("labreport: {}\n", in_callers_form(complaint));
    }
    return ExitStatus::kBadInput;
  }
  run.sessions = {import_session(argv)};
  const std::filesystem::path folder = make_import_folder(flags.out, run);
  RunStore(folder).save_imported(run);
  for (const std::string& assumption : provenance_texts(run, metric::kAssumed)) {
    say("assumed: {}\n", assumption);
  }
  for (const std::string& line : beyond_datasheet(run)) say("{}\n", line);
  fmt::print("{}  imported  {}\n", folder.string(), overview::outcome_line(run));
  return ExitStatus::kDone;
}

std::string columns_help() {
  std::string text = "\ncolumns, beside the parameters above:\n";
  for (const ImportField& field : import_fields()) {
    if (field.place != ImportField::Place::kColumn) continue;
    text += fmt::format("  {}: {}\n", join(field.column_names(), ", "), field.meaning);
  }
  return text + fmt::format("a header to copy: {}\n", kExampleHeader);
}

}  // namespace

void add_import(CLI::App& app, Invocation& invocation) {
  const auto [verb, flags] = add_verb<ImportVerbFlags>(
      app, invocation, "import", "turn a published table into a run to compare with",
      [&invocation](const ImportVerbFlags& flags_given) {
        return import(flags_given, invocation.argv);
      });
  verb->add_option("file", flags->file,
                   "FILE: a table in CSV or Markdown, below lines of 'name: value'");
  for (const ImportField& field : import_fields()) {
    if (field.place == ImportField::Place::kColumn) continue;
    const std::string name(field.name);
    verb->add_option_function<std::string>(
        "--" + name,
        [facts = &flags->facts, name](const std::string& text) { (*facts)[name] = text; },
        std::string(field.meaning));
  }
  verb->add_option("--out", flags->out, "folder of runs (site/runs)");
  verb->footer(columns_help());
}

}  // namespace labreport
