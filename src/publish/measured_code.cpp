#include "publish/measured_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "base/files.h"
#include "base/text.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxSourceBytes = 8u << 20;  // labreport_source.py keeps no more.
constexpr std::uintmax_t kMostHandedInBytes = 10u << 20;
constexpr const char* kOrigins = ".origins";  // A line is a path in the folder, a tab, a path.

/// True for caches, environments and repositories, and for hidden files, which may hold secrets.
bool belongs_to_tools(const std::string& name) {
  constexpr std::string_view kFolders[] = {"__pycache__", "venv", "node_modules"};
  return (name.starts_with('.') && name != ".python-version") || name.ends_with(".egg-info") ||
         std::ranges::find(kFolders, name) != std::end(kFolders);
}

bool is_folder(const fs::path& path) {
  return fs::symlink_status(path).type() == fs::file_type::directory;
}

bool differ(const fs::path& file, const fs::path& other) {
  return fs::file_size(file) != fs::file_size(other) ||
         read_file(file, kMaxSourceBytes) != read_file(other, kMaxSourceBytes);
}

/// Adds the files of one implementation. Adds to `changed` those whose originals, if this machine
/// has them, have changed.
void add_files(const fs::path& folder, ZipFiles& files, std::vector<std::string>& changed) {
  std::map<std::string, std::string> origins;
  for (const std::string& line : split(read_plain_file(folder / kOrigins, kMaxSourceBytes), '\n')) {
    const std::size_t tab = std::min(line.find('\t'), line.size());
    origins[line.substr(0, tab)] = line.substr(std::min(tab + 1, line.size()));
  }
  for (const fs::directory_entry& entry : entries_below(folder)) {
    std::string name = entry.path().lexically_relative(folder).string();
    if (entry.symlink_status().type() != fs::file_type::regular || name == kOrigins) continue;
    const auto taken = files.find(name);
    if (taken != files.end() && differ(taken->second, entry.path()))
      name = folder.filename().string() + "/" + name;
    if (!files.emplace(name, entry.path()).second) continue;
    const fs::path origin = origins[entry.path().lexically_relative(folder).string()];
    std::error_code ignored;
    if (fs::is_regular_file(origin, ignored) && differ(origin, entry.path()))
      changed.push_back(name);
  }
}

}  // namespace

MeasuredCode measured_code(const std::vector<RunStore>& runs) {
  MeasuredCode code;
  std::set<std::string> found, missing;
  for (const RunStore& store : runs) {
    for (const Session& session : store.load().sessions) {
      for (const ModelSource* source : code_of(session)) {
        if (found.contains(source->implementation)) continue;
        const fs::path sources = store.artifacts_folder() / "sources";
        const fs::path folder = sources / source->implementation;
        const bool is_kept =
            is_folder(store.artifacts_folder()) && is_folder(sources) && is_folder(folder);
        (is_kept ? found : missing).insert(source->implementation);
        if (is_kept) add_files(folder, code.files, code.changed);
      }
    }
  }
  std::erase_if(missing, [&](const std::string& name) { return found.contains(name); });
  if (found.empty() && missing.empty()) {
    code.lines.emplace_back(
        "missing: code.zip: no code of yours was measured; --model and --attention measure it");
  }
  if (!missing.empty()) {
    code.lines.push_back(fmt::format(
        "missing: sources of {} in code.zip: the run did not keep them (it keeps at most 8 MiB)",
        join_words(std::vector(missing.begin(), missing.end()))));
  }
  std::ranges::sort(code.changed);
  return code;
}

MeasuredCode checkout_code(const fs::path& checkout) {
  MeasuredCode code;
  std::vector<std::string> large;
  fs::recursive_directory_iterator entry(checkout), end;
  for (; entry != end; ++entry) {
    const std::string name = entry->path().lexically_relative(checkout).string();
    if (belongs_to_tools(entry->path().filename().string())) {
      entry.disable_recursion_pending();
    } else if (entry->symlink_status().type() != fs::file_type::regular) {
      continue;
    } else if (entry->file_size() > kMostHandedInBytes) {
      large.push_back(name);
    } else {
      code.files.emplace(name, entry->path());
    }
  }
  std::ranges::sort(large);
  if (!large.empty())
    code.lines.push_back(fmt::format("left out of code.zip, because above {} MiB: {}",
                                     kMostHandedInBytes >> 20, join_words(large)));
  return code;
}

}  // namespace labreport
