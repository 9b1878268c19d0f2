#include "results/run_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/stamp.h"
#include "base/text.h"
#include "results/bounds.h"
#include "results/launch_file.h"
#include "results/run_json.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRevisionDigits = 8;
constexpr const char* kImportedMarker = "imported";
constexpr std::uintmax_t kMaxRunBytes = 64u << 20;  // Reading that many bytes takes 1 GB of memory.

fs::path numbered_file(const fs::path& folder, const std::string& id, std::int64_t launch,
                       std::string_view ending) {
  return folder / fmt::format("{}.{}.{}", id, launch, ending);
}

std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  // Shorter names come first, so "x.2.json" is merged before "x.10.json".
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    return std::pair(a.string().size(), a) < std::pair(b.string().size(), b);
  });
  return files;
}

bool is_present(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// Throws `InputError` if the folder is a link. See RunStore::refuse_links().
void refuse_link(const fs::path& folder) {
  if (!fs::is_symlink(fs::symlink_status(folder))) return;
  throw InputError(folder.string() + " is a link, and a run keeps its files in its own folder",
                   "put the folder itself there");
}

/// Reads the files of one run, which have at most kMaxRunBytes together.
class RunFileReader {
 public:
  std::string read(const fs::path& file) {
    std::string text = read_plain_file(file, kMaxRunBytes);
    if (text.size() > remaining_bytes_) {
      throw InputError(file.string() + ": the run's files together exceed 64 MiB");
    }
    remaining_bytes_ -= text.size();
    return text;
  }

 private:
  std::uintmax_t remaining_bytes_ = kMaxRunBytes;
};

/// Converts "2026-05-01T12:34:56Z" to "20260501-123456".
std::string compact_time(const std::string& iso) {
  std::string digits;
  for (const char c : iso) {
    if (c == 'T') digits += '-';
    if (is_digit(c)) digits += c;
  }
  return digits;
}

fs::path edition_folder(const fs::path& root, const Run& run) {
  constexpr std::size_t kMaxNameBytes = 100;  // run.json may hold a longer name.
  const std::string gpu =
      run.devices.empty() ? "no-device" : slug(run.devices.front().name).substr(0, kMaxNameBytes);
  return root / (gpu.empty() ? "device" : gpu) / run.edition;
}

/// Returns "rank0." for a launch of several processes, else nothing.
std::string of_rank(const LaunchRequest& request) {
  return request.rendezvous ? fmt::format("rank{}.", request.rendezvous->rank) : "";
}

}  // namespace

RunStore::RunStore(fs::path folder) : folder_(std::move(folder)) {}

fs::path RunStore::run_file() const { return folder_ / "run.json"; }
fs::path RunStore::cells_folder() const { return folder_ / "cells"; }
fs::path RunStore::scratch_folder() const { return folder_ / "scratch"; }
fs::path RunStore::artifacts_folder() const { return folder_ / "artifacts"; }
fs::path RunStore::notes_folder() const { return folder_ / "notes"; }

fs::path RunStore::artifact_prefix(const std::string& cell_id, std::int64_t launch) const {
  return artifacts_folder() / (cell_id + "." + std::to_string(launch));
}

fs::path RunStore::launch_file(const std::string& cell_id, std::int64_t launch) const {
  return numbered_file(cells_folder(), cell_id, launch, "json");
}

fs::path RunStore::request_file(const LaunchRequest& request) const {
  return numbered_file(scratch_folder(), cell_id(request.spec), request.launch,
                       of_rank(request) + "request.json");
}

fs::path RunStore::result_file(const LaunchRequest& request) const {
  return numbered_file(scratch_folder(), cell_id(request.spec), request.launch,
                       of_rank(request) + "result.json");
}

fs::path RunStore::rendezvous_file(const std::string& cell_id, std::int64_t launch) const {
  return numbered_file(scratch_folder(), cell_id, launch, "rendezvous");
}

bool RunStore::exists() const {
  std::error_code ignored;  // An unreadable run.json counts as existing; load() says what is wrong.
  return fs::symlink_status(run_file(), ignored).type() != fs::file_type::not_found;
}

bool RunStore::is_reference() const { return is_present(folder_ / "reference"); }

bool RunStore::is_imported() const { return is_present(folder_ / kImportedMarker); }

std::string RunStore::stamp() const { return folder_stamp(folder_); }

void RunStore::create(const Run& run) const {
  if (exists()) {
    throw InputError(folder_.string() + " already holds a run",
                     "choose another folder with --out, or resume it with --resume");
  }
  save(run);
}

void RunStore::save(const Run& run) const {
  make_writable_folder(folder_);
  make_writable_folder(cells_folder());
  make_writable_folder(scratch_folder());
  write_atomically(run_file(), to_json(run));
}

void RunStore::refuse_links() const {
  for (const fs::path& folder : {cells_folder(), scratch_folder(), artifacts_folder()}) {
    refuse_link(folder);
  }
}

void RunStore::save_launch(const Run& run, const Cell& cell, std::int64_t launch) const {
  // Syncing the folder as well would double the pause between launches. The file system writes the
  // folder's entry later by itself.
  write_atomically(launch_file(cell.id, launch), launch_file_to_json(run, cell, launch),
                   Sync::kFile);
}

Run RunStore::load() const {
  const std::string origin = run_file().string();
  if (!exists()) {
    throw InputError("no run in " + folder_.string() + ": run.json is missing",
                     "`labreport list runs` shows the runs there are");
  }
  refuse_link(cells_folder());
  // The launches' files are listed first: a concurrent save_merged() moves launches into run.json
  // and then removes their files, so otherwise launches could be missed. Those found twice count
  // once.
  const std::vector<fs::path> launch_files = json_files(cells_folder());
  RunFileReader files;
  Run run = run_from_json(files.read(run_file()), origin);
  std::size_t value_count = 0;
  for (const fs::path& file : launch_files) {
    const std::string text = files.read(file);
    if (!ends_with_brace(text)) {
      throw InputError(file.string() + " was cut short when it was written",
                       "delete it: --resume measures its launch again");
    }
    value_count += merge_launch_file(run, text, file.string());
    if (value_count > kMaxJsonValues) {
      throw InputError(fmt::format("{}: more than {} values in all its files",
                                   cells_folder().string(), kMaxJsonValues));
    }
  }
  return run;
}

void RunStore::save_imported(const Run& run) const {
  make_writable_folder(folder_);
  write_atomically(folder_ / kImportedMarker, "");
  write_atomically(run_file(), to_json(run));
}

void RunStore::save_merged(const Run& run) const {
  save(run);
  for (const fs::path& file : json_files(cells_folder())) remove_tree(file);
}

void RunStore::finish(const Run& run) const {
  write_atomically(run_file(), to_json(run));
  remove_tree(scratch_folder());
  for (const fs::path& file : json_files(cells_folder())) remove_tree(file);
  const bool is_complete =
      std::ranges::none_of(run.cells, [](const Cell& cell) { return cell.launches.empty(); });
  if (is_complete) remove_tree(cells_folder());  // A run with cells/ can be resumed.
}

fs::path new_run_path(const fs::path& root, const Run& run) {
  const Session& session = run.sessions.front();
  const std::string revision =
      session.revision.empty() ? "unknown" : session.revision.substr(0, kRevisionDigits);
  return edition_folder(root, run) / (compact_time(session.started_at) + "-" + revision);
}

fs::path make_run_folder(const fs::path& root, const Run& run) {
  return make_new_folder(new_run_path(root, run));
}

fs::path make_import_folder(const fs::path& root, const Run& run) {
  const std::string name = compact_time(run.sessions.front().started_at) + "-imported";
  return make_new_folder(edition_folder(root, run) / name);
}

std::vector<fs::path> list_measured_runs(const fs::path& root) {
  std::vector<fs::path> folders = list_runs(root);
  std::erase_if(folders, [](const fs::path& folder) { return RunStore(folder).is_imported(); });
  return folders;
}

std::vector<fs::path> list_imported_runs(const fs::path& root) {
  std::vector<fs::path> folders = list_runs(root);
  std::erase_if(folders, [](const fs::path& folder) { return !RunStore(folder).is_imported(); });
  return folders;
}

std::vector<fs::path> list_runs(const fs::path& root) {
  std::vector<fs::path> folders;
  for (const fs::directory_entry& entry : entries_below(root)) {
    if (entry.path().filename() == "run.json") folders.push_back(entry.path().parent_path());
  }
  std::sort(folders.begin(), folders.end(), [](const fs::path& a, const fs::path& b) {
    return std::pair(a.filename(), a) < std::pair(b.filename(), b);
  });
  return folders;
}

}  // namespace labreport
