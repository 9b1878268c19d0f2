// labreport query answers a question in SQL from runs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <iterator>
#include <map>

#include "base/messages.h"
#include "base/printable.h"
#include "base/text.h"
#include "cli/fit_rows.h"
#include "cli/run_choice.h"
#include "cli/verbs.h"
#include "orchestrate/subprocess_child.h"
#include "plan/editions.h"
#include "results/run_json.h"
#include "writers/query/query_text.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

// SQLite has lower limits of its own. These end a query even if SQLite fails to stop.
constexpr ChildLimits kLimits{.seconds = 70, .bytes = std::int64_t{2} << 30};

struct QueryFlags {
  std::vector<std::string> words;
  std::string edition;
  std::string format = "table";
  bool tables = false;
  std::string save;
};

constexpr std::array<std::pair<std::string_view, std::string (*)(const QueryResult&)>, 4> kFormats{
    {{"table", as_table}, {"csv", as_csv}, {"json", as_json}, {"md", as_markdown}}};

auto find_writer(const std::string& format) {
  std::vector<std::string> formats;
  for (const auto& [name, write] : kFormats) {
    if (name == format) return write;
    formats.emplace_back(name);
  }
  refuse_unknown("format", format, formats);
}

/// Removes the last word from the list if it is a query, and returns the query; empty if there is
/// none. The word "-" means standard input. Any other query has a space in it and names no file.
std::string take_query(std::vector<std::string>& words) {
  if (words.empty()) return "";
  const std::string last = words.back();
  if (last != "-" && (last.find_first_of(" \n\t") == last.npos || fs::exists(last))) return "";
  words.pop_back();
  return last == "-" ? std::string(std::istreambuf_iterator<char>(std::cin), {}) : last;
}

/// Says if the runs are of several editions, in which one name may stand for two networks.
void say_if_editions_differ(const std::vector<ChosenRun>& runs) {
  const auto of_other_edition = std::ranges::find_if(
      runs, [&](const ChosenRun& run) { return run.run.edition != runs.front().run.edition; });
  if (of_other_edition == runs.end()) return;
  say("editions differ: {} is of {}, {} of {}; a size of one name may be two networks, so join by "
      "d_model, d_ff, layers and heads\n",
      printable(runs.front().name), runs.front().run.edition, printable(of_other_edition->name),
      of_other_edition->run.edition);
}

/// Says if two words name one run or copies of it, whose rows are then there twice.
void say_if_runs_are_the_same(const std::vector<std::string>& words,
                              const std::vector<ChosenRun>& runs) {
  if (words.size() < 2) return;
  std::map<std::string, std::string> words_of_runs;  // by the run's content
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto [first, is_new] = words_of_runs.try_emplace(to_json(runs[i].run), words[i]);
    if (!is_new)
      say("{} and {} are the same run, whose rows are there twice\n", first->second, words[i]);
  }
}

/// Adds the rows of the table `fits`, which take longest, only if they are read.
Database build_database(const std::vector<std::string>& words, const std::string& edition,
                        bool reads_fits) {
  for (const std::string& word : words) {
    if (std::ranges::count(words, word) > 1)
      throw InputError(word + " is named twice", "name each run once");
  }
  const std::vector<ChosenRun> runs =
      choose_runs(words, edition, "site/runs", kPreferLabreportsNetwork);
  say_if_editions_differ(runs);
  say_if_runs_are_the_same(words, runs);
  Database database;
  FitEvidence evidence;
  for (std::size_t i = 0; i < words.size(); ++i) {
    database.add(runs[i].run, words[i]);
    evidence.add(runs[i].run, words[i]);
  }
  if (reads_fits) database.add(evidence.rows(evidence.common_steps()));
  return database;
}

ExitStatus query(const QueryFlags& flags) {
  if (flags.tables) {
    fmt::print("{}", query_schema());
    return ExitStatus::kDone;
  }
  const auto write = find_writer(flags.format);
  if (!flags.edition.empty()) find_edition(flags.edition);
  std::vector<std::string> runs = flags.words;
  const std::string text = take_query(runs);
  if (runs.empty() || (text.empty() && flags.save.empty())) {
    throw InputError("query needs a run and a query",
                     "try `labreport query latest \"select size, status from measured\"`");
  }
  const bool reads_fits = text.empty() || lower(text).find("fits") != text.npos;
  Database database = build_database(runs, flags.edition, reads_fits);
  if (!flags.save.empty()) database.save(flags.save);
  if (text.empty()) return ExitStatus::kDone;
  fmt::print("{}", text_from_child([&] { return write(database.select(text)); }, kLimits));
  return ExitStatus::kDone;
}

}  // namespace

void add_query(CLI::App& app, Invocation& invocation) {
  const auto [verb, flags] =
      add_verb<QueryFlags>(app, invocation, "query", "answer a question in SQL from runs", query);
  verb->add_option("runs", flags->words,
                   "RUN… QUERY: each run a folder, a file, a GPU, latest or previous; QUERY a "
                   "select, or - for stdin");
  verb->add_option("--format", flags->format, "table, csv, json or md (table)");
  verb->add_flag("--tables", flags->tables, "show the tables and their columns");
  verb->add_option("--save", flags->save, "write the tables to this new SQLite file");
  verb->add_option("--edition", flags->edition,
                   "the edition of runs named by GPU, latest or previous");
}

}  // namespace labreport
