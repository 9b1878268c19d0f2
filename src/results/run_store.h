// Names, reads and writes the files in the folder of a run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "results/run.h"

namespace labreport {

namespace artifact {
inline constexpr const char* kTrace = ".trace.json";  ///< Read by Perfetto and chrome://tracing.
inline constexpr const char* kSnapshot = ".pickle";   ///< Read by PyTorch's memory_viz.
inline constexpr const char* kAllocations = ".allocations.csv";
}  // namespace artifact

class RunStore {
 public:
  explicit RunStore(std::filesystem::path folder);

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path run_file() const;      ///< run.json
  std::filesystem::path cells_folder() const;  ///< cells/: finished launches not yet merged
  /// scratch/: requests and reports of running launches
  std::filesystem::path scratch_folder() const;
  std::filesystem::path artifacts_folder() const;  ///< artifacts/: traces and snapshots
  std::filesystem::path notes_folder() const;      ///< notes/: the author's text about this run
  /// Returns the path prefix of a launch's traces and snapshots; `artifact::` has the endings.
  std::filesystem::path artifact_prefix(const std::string& cell_id, std::int64_t launch) const;
  std::filesystem::path launch_file(const std::string& cell_id, std::int64_t launch) const;
  /// A launch has a request and a result; one of several processes has them for each rank.
  std::filesystem::path request_file(const LaunchRequest& request) const;
  std::filesystem::path result_file(const LaunchRequest& request) const;
  /// Returns the file by which the processes of a launch find each other.
  std::filesystem::path rendezvous_file(const std::string& cell_id, std::int64_t launch) const;

  bool exists() const;

  /// True if the run is part of the project's repository: a file `reference` is beside run.json.
  bool is_reference() const;

  /// True if the run holds published numbers: a file `imported` is beside run.json.
  bool is_imported() const;

  /// Returns a text that changes if any file in the run's folder changes. Reads file attributes
  /// only.
  std::string stamp() const;

  /// Starts a run: creates the folder and writes run.json. Throws `InputError` if the folder
  /// already holds a run.
  void create(const Run& run) const;

  /// Makes the folders and writes run.json, for example with the session that a resumed run adds.
  void save(const Run& run) const;

  /// Throws `InputError` if a folder that a measurement writes into is a link: a resumed run, which
  /// may be a copy from another machine, must not write outside its folder.
  void refuse_links() const;

  /// Writes one finished launch (`cells/<id>.<launch>.json`) atomically. The file survives the
  /// death of any process, but a power failure before the folder is synced can lose it.
  void save_launch(const Run& run, const Cell& cell, std::int64_t launch) const;

  /// Reads run.json and the launches in cells/, which must be plain files of at most 64 MiB
  /// together. Throws `InputError` if the files break this or any other rule.
  Run load() const;

  /// Writes an imported run, which is complete, into a folder without a run.
  void save_imported(const Run& run) const;

  /// Writes `run`, which load() returned, to run.json and removes the launches in cells/, which
  /// `run` contains. If the process dies in between, load() still returns the same run. cells/
  /// itself stays, so the run can be resumed.
  void save_merged(const Run& run) const;

  /// Writes `run` to run.json, removes scratch/ and the files in cells/, and removes cells/ itself
  /// unless a cell has no launch: a run with cells/ can be resumed.
  void finish(const Run& run) const;

 private:
  std::filesystem::path folder_;
};

/// Returns the folder for a new run: `<root>/<gpu>/<edition>/<time>-<revision>`. Each part is a
/// slug.
std::filesystem::path new_run_path(const std::filesystem::path& root, const Run& run);

/// Creates new_run_path(), with a number added if the name is taken. No other process gets the
/// same folder.
std::filesystem::path make_run_folder(const std::filesystem::path& root, const Run& run);

/// Creates a new folder for an imported run, with a number added if the name is taken.
std::filesystem::path make_import_folder(const std::filesystem::path& root, const Run& run);

/// Returns list_runs() without imported runs.
std::vector<std::filesystem::path> list_measured_runs(const std::filesystem::path& root);

/// Returns list_runs() without measured runs.
std::vector<std::filesystem::path> list_imported_runs(const std::filesystem::path& root);

/// Returns every folder below `root` that has a run.json, sorted by folder name. A name begins with
/// the time, so the oldest run comes first. Reads no file.
std::vector<std::filesystem::path> list_runs(const std::filesystem::path& root);

}  // namespace labreport
