// labreport import: a published table → runs with declared hardware.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/build_info.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/files.h"
#include "base/format.h"
#include "base/messages.h"
#include "base/text.h"
#include "cli/import_flags.h"
#include "cli/verbs.h"
#include "experiments/overview/overview.h"
#include "results/redaction.h"
#include "results/run_store.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestFile = 16u << 20;
constexpr std::size_t kMostListed = 12;

void check_utf8(const std::string& text, const std::string& file) {
  if (is_utf8(text)) return;
  const std::vector<std::string> lines = split(text, '\n');
  const auto wrong = std::ranges::find_if_not(lines, is_utf8);
  refuse_line(file, static_cast<std::size_t>(wrong - lines.begin()) + 1, "it is no UTF-8",
              "save the file as UTF-8");
}

std::string places_of(const std::vector<UnderstoodTable>& tables) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(tables.size(), kMostListed); ++i) {
    words.push_back(fmt::format("{} at line {}", i + 1, tables[i].table.line));
  }
  return join(words, ", ") + (tables.size() > kMostListed ? ", …" : "");
}

/// The file's only table of measurements, or those that --table names.
std::vector<UnderstoodTable> choose_tables(const ImportFlags& flags, const std::string& file) {
  const std::string text = read_file(flags.file, kLargestFile);
  check_utf8(text, file);
  const std::vector<UnderstoodTable> all = understood_tables(text, file, flags.mapped());
  const std::vector<std::size_t> numbers = flags.table_numbers();
  if (numbers.empty() && all.size() > 1 && !flags.all_tables()) {
    throw InputError(
        fmt::format("{} holds {} of measurements: {}", file,
                    format_plural(static_cast<std::int64_t>(all.size()), "table"), places_of(all)),
        "choose with --table 1, --table 1,2 or --table all");
  }
  std::vector<UnderstoodTable> chosen = numbers.empty() ? all : std::vector<UnderstoodTable>();
  for (const std::size_t number : numbers) {
    if (number <= all.size()) {
      chosen.push_back(all[number - 1]);
    } else {
      throw InputError(fmt::format("{} has no table {} of measurements", file, number),
                       "there are " + places_of(all));
    }
  }
  for (const UnderstoodTable& one : chosen) check_shape(one.table, file);
  return chosen;
}

void tell_columns(const UnderstoodTable& chosen) {
  const TextTable& table = chosen.table;
  say("table at line {}: {}, {}\n", table.line, table.form,
      format_plural(static_cast<std::int64_t>(table.rows.size()), "row"));
  for (const ImportColumn& column : chosen.columns) {
    say("  {:<28} {}\n", in_quotes(column.name), describe(column));
  }
}

void tell(const Imported& imported) {
  for (const std::string& assumption : imported.assumed) {
    say("assumed: {}\n", assumption);
  }
  for (const auto& [reason, lines] : imported.left_out) {
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
  Imported imported = import_tables(chosen, declared);
  tell(imported);
  std::vector<Run>& runs = imported.runs;
  if (runs.empty()) {
    throw InputError(declared.file + " has no number to import", "see what was left out, and why");
  }
  const Session session = import_session(argv);
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
  const auto [verb, flags] = add_verb<ImportFlags>(
      app, invocation, "import", "a published table → a run to compare with",
      [&invocation](const ImportFlags& said) { return import(said, invocation.argv); });
  add_import_flags(*verb, *flags);
}

}  // namespace labreport
