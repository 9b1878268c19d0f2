#include "publish/render_candidates.h"

#include <utility>

#include "base/error.h"
#include "base/messages.h"
#include "orchestrate/subprocess_interrupts.h"
#include "publish/render_key.h"
#include "results/run_json.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

Candidate candidate(const RunStore& store, const std::string& key, const RenderRecord& record,
                    RunNotes& notes) {
  Candidate run{.store = store, .key = key, .kept = record.find(store.folder(), key)};
  if (!run.kept) load(run, notes);
  run.wanted = run.kept ? run.kept->wanted : run.loaded.folder;
  run.place = run.wanted;
  run.folders = {store.folder()};
  return run;
}

bool same_run(const Candidate& a, const Candidate& b) {
  return to_json(load_measured(a.store)) == to_json(load_measured(b.store));
}

/// One's own copy of a run stands for both.
void stand_for(Candidate& known, Candidate copy) {
  std::vector<fs::path> folders = known.folders;
  folders.push_back(copy.store.folder());
  copy.place = known.place;
  if (known.store.is_reference() && !copy.store.is_reference()) known = std::move(copy);
  known.folders = std::move(folders);
}

/// Two folders may hold the same run: one's own copy stands for both. Different runs whose pages
/// would have one name get numbers.
void add_run(std::vector<Candidate>& runs, Candidate run) {
  int number = 1;
  for (Candidate& other : runs) {
    if (other.wanted != run.wanted) continue;
    if (same_run(other, run)) {
      stand_for(other, std::move(run));
      return;
    }
    ++number;
  }
  if (number > 1) run.place += "-" + std::to_string(number);
  runs.push_back(std::move(run));
}

/// Its page was made where another run's page stands now, or the other way round.
void take_place(Candidate& run, RunNotes& notes) {
  if (run.kept && run.kept->entry.folder == run.place) return;
  if (run.kept) {
    run.kept.reset();
    load(run, notes);
  }
  run.loaded.folder = run.place;
}

}  // namespace

void load(Candidate& run, RunNotes& notes) {
  const std::size_t told = notes.problems().size();
  run.loaded = site_run(run.store);
  notes.place(run.store, run.loaded.document);
  run.complained = run.complained || notes.problems().size() > told;
}

std::vector<Candidate> choose_runs(const std::vector<fs::path>& folders,
                                   const RenderOptions& options, const std::string& chart_tool,
                                   const RenderRecord& record, RunNotes& notes,
                                   std::vector<std::string>& problems) {
  std::vector<Candidate> runs;
  for (const fs::path& folder : folders) {
    HeldInterrupts::check();
    const RunStore store(folder);
    if (options.own && store.is_reference()) continue;
    try {
      const std::string key = render_key(store, notes.belongs_to(store), options, chart_tool);
      add_run(runs, candidate(store, key, record, notes));
    } catch (const InputError& error) {
      say("left out: {}\n", error.what());
      problems.emplace_back(error.what());
    }
  }
  if (runs.empty()) throw InputError("no run to render", "`make report` makes one");
  for (Candidate& run : runs) take_place(run, notes);
  return runs;
}

}  // namespace labreport
