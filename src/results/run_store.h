// The only owner of a run's file names: where a run lies and how its pieces come together.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "results/run.h"

namespace labreport {

namespace artifact {
inline constexpr const char* kTrace = ".trace.json";  ///< For Perfetto and chrome://tracing.
inline constexpr const char* kSnapshot = ".pickle";   ///< For PyTorch's memory_viz.
inline constexpr const char* kAllocations = ".allocations.csv";
}  // namespace artifact

/// Names inside one run's folder.
class RunStore {
 public:
  explicit RunStore(std::filesystem::path folder);

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path run_file() const;          ///< run.json
  std::filesystem::path cells_folder() const;      ///< cells/: finished launches not yet merged
  std::filesystem::path scratch_folder() const;    ///< scratch/: requests and raw results in flight
  std::filesystem::path artifacts_folder() const;  ///< artifacts/: large by-products
  std::filesystem::path notes_folder() const;      ///< notes/: the author's words for this run
  /// What the names of a launch's by-products begin with; `artifact::` says how they end.
  std::filesystem::path artifacts(const std::string& cell_id, std::int64_t launch) const;
  std::filesystem::path launch_file(const std::string& cell_id, std::int64_t launch) const;
  std::filesystem::path request_file(const std::string& cell_id, std::int64_t launch) const;
  std::filesystem::path result_file(const std::string& cell_id, std::int64_t launch) const;
  /// The same of one of a launch's several processes, and where these find each other.
  std::filesystem::path request_file(const std::string& cell_id, std::int64_t launch,
                                     std::int64_t rank) const;
  std::filesystem::path result_file(const std::string& cell_id, std::int64_t launch,
                                    std::int64_t rank) const;
  std::filesystem::path rendezvous_file(const std::string& cell_id, std::int64_t launch) const;

  bool exists() const;

  /// Whether the run ships with the project: a file `reference` lies beside run.json.
  bool is_reference() const;

  /// Whether the run's numbers were published by somebody: a file `imported` lies beside run.json.
  bool is_imported() const;

  /// Changes with every file of the run's folder, `reference`, cells and artifacts included; reads
  /// none of them.
  std::string stamp() const;

  /// Begins a run: makes the folder, which must not hold one, and writes the empty run.json.
  void create(const Run& run) const;

  /// Writes run.json as it stands, e.g. with the session that a resumed run adds.
  void save(const Run& run) const;

  /// Throws `InputError` where a folder that a measurement writes into is a link: a run from
  /// elsewhere, gone on with, leads nowhere else.
  void refuse_links() const;

  /// Keeps one finished launch (`cells/<id>.<launch>.json`), whole or not at all: no process's
  /// death loses it, and a power cut only where the folder was not yet on the disk.
  void save_launch(const Run& run, const Cell& cell, std::int64_t launch) const;

  /// Reads run.json and whatever launches lie beside it: plain files of at most 64 MiB
  /// each. Throws `InputError`.
  Run load() const;

  /// Keeps an imported run, whole from the start, in a folder that holds none.
  void keep_imported(const Run& run) const;

  /// Takes into run.json what `load` found beside it. `run` holds it all, unchanged; a death in the
  /// middle leaves a run that loads as the same one. It can still be gone on with: cells/ stays.
  void absorb(const Run& run) const;

  /// Merges everything into run.json and removes scratch/ and, last, cells/; where a cell of the
  /// run has no launch, cells/ stays, and the run can be gone on with.
  void finish(const Run& run) const;

 private:
  std::filesystem::path folder_;
};

/// `<root>/<gpu>/<edition>/<time>-<revision>`, all slugs: where a new run goes under `root`.
std::filesystem::path new_run_folder(const std::filesystem::path& root, const Run& run);

/// Makes that folder, numbered where there is one of that name already: nobody else has it.
std::filesystem::path make_run_folder(const std::filesystem::path& root, const Run& run);

/// The same for an imported run.
std::filesystem::path make_import_folder(const std::filesystem::path& root, const Run& run);

/// `list_runs` without imported runs.
std::vector<std::filesystem::path> list_measured_runs(const std::filesystem::path& root);

/// `list_runs` without measured ones.
std::vector<std::filesystem::path> list_imported_runs(const std::filesystem::path& root);

/// Every folder below `root` that holds a run.json, sorted by its own name, which begins with the
/// time: oldest first. Opens no file.
std::vector<std::filesystem::path> list_runs(const std::filesystem::path& root);

}  // namespace labreport
