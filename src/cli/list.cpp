// labreport list shows what there is to choose from.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/files.h"
#include "base/format.h"
#include "base/lists.h"
#include "base/messages.h"
#include "base/printable.h"
#include "base/text.h"
#include "cli/measure_flags.h"
#include "cli/plan_table.h"
#include "cli/verbs.h"
#include "experiments/catalog.h"
#include "experiments/chosen_problems.h"
#include "experiments/overview/overview.h"
#include "publish/rendering.h"
#include "results/run_labels.h"
#include "results/run_store.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxProblemsLength = 50;

constexpr const char* kSizeLine = "{:<8} {:<8} {:>7} {:>7} {:>6} {:>5} {:>15}\n";

void list_problems() {
  for (const Experiment& experiment : catalog()) {
    std::string line = fmt::format("{:<38}", experiment.name);
    if (!experiment.parts.empty()) line += " parts " + join(experiment.parts, ", ");
    if (!experiment.only_edition.empty()) {
      line += fmt::format(" ({} edition)", experiment.only_edition);
    }
    fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
    for (const Alias& alias : experiment.aliases) {
      fmt::print("  {} is part {}\n", alias.name, alias.letter);
    }
  }
}

void print_sizes(const std::string& edition, const std::vector<Size>& sizes) {
  for (const Size& size : sizes) {
    const ModelShape& shape = size.shape;
    fmt::print(fmt::runtime(kSizeLine), edition, size.name, shape.d_model, shape.d_ff, shape.layers,
               shape.heads, format_count(parameter_count(shape)));
  }
}

void list_sizes() {
  fmt::print(fmt::runtime(kSizeLine), "edition", "size", "d_model", "d_ff", "layers", "heads",
             "parameters");
  for (const Edition& edition : editions()) print_sizes(edition.name, edition.sizes);
  print_sizes("demo", known_sizes(editions().front(), Preset::kDemo));
}

void list_cells(const Request& request) {
  const DeviceChoice choice = choose_device(device_request(request), /*only_planning=*/true);
  if (!choice.notice.empty()) say("{}\n", choice.notice);
  const auto cells = checked_plan(plan_input(request, choice), Run());
  fmt::print("{}", plan_table(cells, choice));
}

/// Joins problems up to about kMaxProblemsLength: "data_parallel, fsdp_accounting, 2 more".
std::string problem_words(const std::vector<std::string>& problems) {
  std::string words = problems.front();
  for (std::size_t i = 1; i < problems.size(); ++i) {
    if (words.size() + problems[i].size() > kMaxProblemsLength) {
      return words + fmt::format(", {} more", problems.size() - i);
    }
    words += ", " + problems[i];
  }
  return words;
}

using RunColumns = std::array<std::string, 4>;  ///< Folder, preset, problems and outcome.

RunColumns run_columns(const fs::path& folder) try {
  const Run run = RunStore(folder).load();
  const std::string counts = overview::outcome_counts(run);
  const std::string outcome = counts.empty() ? "nothing measured" : counts;
  if (run.source == kSourceImported) return {folder.string(), "imported", kNoNumber, outcome};
  std::vector<std::string> requested;
  for (const Session& session : run.sessions)
    std::ranges::move(requested_problems(session.request), std::back_inserter(requested));
  std::string problems = problem_words(distinct(requested));
  std::string code = course_name(run);
  if (code.empty() && !run.sessions.empty()) code = implementations(run.sessions.back());
  if (!code.empty()) problems += " of " + code;
  return {folder.string(), run.preset, problems, outcome};
} catch (const InputError& error) {
  skip(error.what());
  return {folder.string(), kNoNumber, kNoNumber, "unreadable"};
}

/// Names the folders in the place of runs that have no run.json, as a killed merge leaves them.
void name_unfinished_folders(const fs::path& root) {
  constexpr std::ptrdiff_t kDepth = 3;  // GPU, edition, run
  for (const fs::directory_entry& entry : entries_below(root)) {
    const fs::path below = entry.path().lexically_relative(root);
    if (std::ranges::distance(below) != kDepth || !entry.is_directory()) continue;
    if (RunStore(entry.path()).exists()) continue;
    const std::vector<std::string> removal{"rm", "-r", entry.path().string()};
    say("{} holds no run: what made it was interrupted; `{}` removes it\n",
        printable(entry.path().string()), printable(command_line(removal)));
  }
}

void list_runs_below(const std::string& root) {
  name_unfinished_folders(root);
  const std::vector<fs::path> folders = list_runs(root);
  if (folders.empty()) recorded_runs(root);  // It throws and says what to do.
  std::vector<RunColumns> lines;
  std::array<std::size_t, 3> widths{};  // The last column needs no padding.
  for (const fs::path& folder : folders) {
    RunColumns& line = lines.emplace_back(run_columns(folder));
    std::ranges::transform(line, line.begin(), [](const auto& text) { return printable(text); });
    for (std::size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], letter_count(line[i]));
    }
  }
  for (RunColumns& line : lines) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      line[i] = padded(line[i], widths[i], Pad::kRight);
    }
    fmt::print("{}\n", join(line, "  "));
  }
}

struct ListFlags : Request {
  std::string what;
  std::string out = "site/runs";
};

ExitStatus list(const ListFlags& flags) {
  const std::vector<std::string> subjects{"problems", "sizes", "cells", "runs"};
  if (flags.what.empty())
    throw InputError("list needs a word", "use one of: " + join(subjects, ", "));
  if (flags.what == "problems") {
    list_problems();
  } else if (flags.what == "sizes") {
    list_sizes();
  } else if (flags.what == "cells") {
    list_cells(flags);
  } else if (flags.what == "runs") {
    list_runs_below(flags.out);
  } else {
    refuse_unknown("list", flags.what, subjects);
  }
  return ExitStatus::kDone;
}

}  // namespace

void add_list(CLI::App& app, Invocation& invocation) {
  const auto [verb, flags] =
      add_verb<ListFlags>(app, invocation, "list", "list problems, sizes, cells or runs", list);
  verb->add_option("what", flags->what, "WHAT: problems, sizes, cells (the plan of a run) or runs");
  add_measure_flags(*verb, *flags);
  verb->add_option("--out", flags->out, "folder of runs (site/runs)");
}

}  // namespace labreport
