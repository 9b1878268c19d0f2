// Files and folders: read whole, written whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace labreport {

/// Throws `InputError` naming the path when it cannot be read or exceeds `max_bytes`.
std::string read_file(const std::filesystem::path& path, std::uintmax_t max_bytes = 256u << 20);

/// The same for a file that came with a folder from elsewhere: a link, a pipe or a device there
/// could lead to any file of the reader's or never end, and is refused unread.
std::string read_plain_file(const std::filesystem::path& path,
                            std::uintmax_t max_bytes = 256u << 20);

/// What a finished write waits for. Whatever it is, the death of any process undoes nothing.
enum class Sync {
  kNothing,  ///< A power cut may leave anything: for what is worthless by then.
  kFile,     ///< A power cut may leave the old file, never a part of the new one.
  kFolder,   ///< A power cut leaves the new file.
};

/// The sibling that a write goes to first; what is left of it is worthless.
std::filesystem::path unfinished(const std::filesystem::path& path);

/// Write to a sibling, fsync, rename, fsync the folder: readers see the old file or the new one.
/// A link in its place is replaced; nothing is written where it leads.
/// Throws `InputError` naming the path and the system's reason (disk full, read-only, …), also
/// where a device, a pipe or a folder has that name, or another program writes it at the same time.
void write_atomically(const std::filesystem::path& path, std::string_view bytes,
                      Sync sync = Sync::kFolder);

/// Creates `path` with its parents, which a power cut leaves there. Throws `InputError` when it
/// cannot be written to.
void make_writable_folder(const std::filesystem::path& path);

/// Makes `folder`, or the first of "<folder>-2", "<folder>-3", … that is not there, and returns it:
/// of several programs that do so at once each gets one of its own. Throws as
/// `make_writable_folder`.
std::filesystem::path make_new_folder(const std::filesystem::path& folder);

/// Every entry below `root`, links unfollowed, in no order. A folder that cannot be read is skipped
/// and told with its path (`skip`); one that is absent has nothing.
std::vector<std::filesystem::directory_entry> entries_below(const std::filesystem::path& root);

/// Removes a file, or a folder with all it holds; what is absent is no error. Throws `InputError`
/// naming the path and the system's reason.
void remove_tree(const std::filesystem::path& path);

}  // namespace labreport
