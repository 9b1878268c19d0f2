// labreport import: a published table → runs with declared hardware.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/build_info.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
#include "base/messages.h"
#include "cli/import_flags.h"
#include "cli/import_tables.h"
#include "cli/verbs.h"
#include "experiments/overview/overview.h"
#include "imports/imported_run.h"
#include "imports/words.h"
#include "results/redaction.h"
#include "results/run_store.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

void tell_columns(const UnderstoodTable& chosen) {
  const TextTable& table = chosen.table;
  say("table at line {}: {}, {}\n", table.line, table.form,
      format_plural(static_cast<std::int64_t>(table.rows.size()), "row"));
  for (const ImportColumn& column : chosen.columns) {
    say("  {:<28} {}\n", in_quotes(column.name), describe(column));
  }
}

void tell(const Readings& readings) {
  for (const std::string& assumption : readings.assumed) {
    say("assumed: {}\n", assumption);
  }
  for (const auto& [reason, lines] : readings.left_out) {
    say("left out: {}, first in line {}: {}\n",
        format_plural(static_cast<std::int64_t>(lines.size()), "value"), lines.front(), reason);
  }
}

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

/// All of them or, where one cannot be written, none.
std::vector<fs::path> keep(const std::vector<Run>& runs, const fs::path& root) {
  std::vector<fs::path> folders;
  try {
    for (const Run& run : runs) {
      folders.push_back(make_import_folder(root, run));
      RunStore(folders.back()).keep_imported(run);
    }
  } catch (...) {
    std::error_code unremovable;
    for (const fs::path& folder : folders) fs::remove_all(folder, unremovable);
    throw;
  }
  return folders;
}

ExitStatus import(const ImportFlags& flags, const std::vector<std::string>& argv) {
  const Declared declared = flags.declared();
  const auto chosen = choose_tables(flags, declared.file);
  for (const UnderstoodTable& one : chosen) tell_columns(one);
  const Readings readings = read_tables(chosen, declared);
  tell(readings);
  if (readings.readings.empty()) {
    throw InputError(declared.file + " has no number to import", "see what was left out, and why");
  }
  const Session session = import_session(argv);
  std::vector<Run> runs = imported_runs(readings, declared);
  for (Run& run : runs) run.sessions = {session};
  const std::vector<fs::path> folders = keep(runs, flags.out);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    fmt::print("{}  imported  {}\n", folders[i].string(), overview::outcome_line(runs[i]));
    say("to take it back, delete the folder {}\n", folders[i].string());
  }
  return ExitStatus::kDone;
}

}  // namespace

void add_import(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<ImportFlags>();
  CLI::App* verb = app.add_subcommand("import", "a published table → a run to compare with");
  add_import_flags(*verb, *flags);
  verb->callback([flags, &invocation] {
    invocation.call = [flags, &invocation] { return import(*flags, invocation.argv); };
  });
}

}  // namespace labreport
