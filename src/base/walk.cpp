#include "base/walk.h"

#include "base/skipped.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

void tell_unreadable(const fs::path& folder, const std::error_code& error) {
  if (!error || error == std::errc::no_such_file_or_directory) return;
  skip("left out: cannot read " + folder.string() + ": " + error.message());
}

void add_entries(const fs::path& folder, std::vector<fs::directory_entry>& found) {
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  while (!error && entry != fs::directory_iterator()) {
    found.push_back(*entry);
    std::error_code unknown;
    const bool goes_on = entry->is_directory(unknown) && !entry->is_symlink(unknown);
    if (goes_on) add_entries(fs::path(entry->path()), found);
    entry.increment(error);
  }
  tell_unreadable(folder, error);
}

}  // namespace

std::vector<fs::directory_entry> entries_below(const fs::path& root) {
  std::vector<fs::directory_entry> found;
  add_entries(root, found);
  return found;
}

}  // namespace labreport
