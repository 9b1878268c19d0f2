// labreport list: what there is to choose from.
#include <fmt/format.h>

#include "base/format.h"
#include "base/messages.h"
#include "base/printable.h"
#include "base/text.h"
#include "cli/measure_flags.h"
#include "cli/plan_table.h"
#include "cli/verbs.h"
#include "experiments/catalog.h"
#include "experiments/overview/overview.h"
#include "results/run_store.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSizeLine = "{:<8} {:<8} {:>7} {:>7} {:>6} {:>5} {:>15}\n";

void list_experiments() {
  for (const Experiment& experiment : catalog()) {
    std::string line = fmt::format("{:<38}", experiment.name);
    if (!experiment.parts.empty()) line += " parts " + join(experiment.parts, ", ");
    if (!experiment.only_edition.empty())
      line += fmt::format(" ({} edition)", experiment.only_edition);
    fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
    for (const HandoutName& also : experiment.also) {
      fmt::print("  {} is part {}\n", also.name, also.letter);
    }
  }
}

void print_sizes(const std::string& label, const std::vector<Size>& sizes) {
  for (const Size& size : sizes) {
    const ModelShape& shape = size.shape;
    fmt::print(fmt::runtime(kSizeLine), label, size.name, shape.d_model, shape.d_ff, shape.layers,
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
  const DeviceChoice choice = choose_device(device_wish(request), true);
  if (!choice.notice.empty()) say("{}\n", choice.notice);
  const auto cells = checked_plan(plan_input(request, choice), Run());
  fmt::print("{}", plan_table(cells, choice));
}

std::string words_about(const fs::path& folder) try {
  const Run run = RunStore(folder).load();
  return fmt::format("{}  {}", run.source == "imported" ? "imported" : run.preset + " preset",
                     overview::outcome_line(run));
} catch (const InputError& error) {
  return fmt::format("unreadable: {}", error.what());
}

void list_runs_below(const std::string& root) {
  for (const auto& folder : list_runs(root)) {
    fmt::print("{}\n", printable(folder.string() + "  " + words_about(folder)));
  }
}

struct ListFlags : Request {
  std::string what;
  std::string out = "site/runs";
};

ExitStatus list(const ListFlags& flags) {
  const std::vector<std::string> kinds{"experiments", "sizes", "cells", "runs"};
  if (flags.what.empty()) throw InputError("list needs one of: " + join(kinds, ", "));
  if (flags.what == "experiments") {
    list_experiments();
  } else if (flags.what == "sizes") {
    list_sizes();
  } else if (flags.what == "cells") {
    list_cells(flags);
  } else if (flags.what == "runs") {
    list_runs_below(flags.out);
  } else {
    refuse_unknown("list", flags.what, kinds);
  }
  return ExitStatus::kDone;
}

}  // namespace

void add_list(CLI::App& app, Invocation& invocation) {
  const auto [verb, flags] =
      add_verb<ListFlags>(app, invocation, "list", "experiments, sizes, cells or runs", list);
  verb->add_option("what", flags->what, "experiments, sizes, cells or runs");
  add_measure_flags(*verb, *flags);
  verb->add_option("--out", flags->out, "folder of runs (site/runs)");
}

}  // namespace labreport
