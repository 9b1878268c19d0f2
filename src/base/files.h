// Reading whole files, writing files atomically, and folders.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace labreport {

/// Throws `InputError` with the path if the file cannot be read or has more than `max_bytes` bytes.
std::string read_file(const std::filesystem::path& path, std::uintmax_t max_bytes = 256u << 20);

/// Reads a file of a folder that came from elsewhere. Links, pipes and devices are refused without
/// reading: a link could lead to any file of the user's, a pipe may never end.
std::string read_plain_file(const std::filesystem::path& path,
                            std::uintmax_t max_bytes = 256u << 20);

/// The durability of a finished write. A write survives the death of any process in every case.
enum class Sync {
  kNothing,  ///< After a power failure the content is undefined: for files that are then worthless.
  kFile,     ///< After a power failure the old file may be back, but never a part of the new one.
  kFolder,   ///< After a power failure the new file is there.
};

/// Returns the path of the temporary file of a write. If a process left one there, it is worthless.
std::filesystem::path unfinished(const std::filesystem::path& path);

/// Writes to unfinished(path), syncs it, renames it and syncs the folder, so readers see either the
/// old file or the new one. A link at `path` is replaced, and its target is untouched. Throws
/// `InputError` with the path and the system's reason (disk full, read-only, …), also if `path` is
/// a device, a pipe or a folder, or if another program writes it at the same time.
void write_atomically(const std::filesystem::path& path, std::string_view bytes,
                      Sync sync = Sync::kFolder);

/// Creates `path` and its parents durably. Throws `InputError` if the folder cannot be written to.
void make_writable_folder(const std::filesystem::path& path);

/// Creates `folder`, or the first free of "<folder>-2", "<folder>-3", …, and returns it. Several
/// programs that call this at once get different folders. Throws like `make_writable_folder`.
std::filesystem::path make_new_folder(const std::filesystem::path& folder);

/// Returns all files and folders below `root`, in no order, without following links. An unreadable
/// folder is left out and reported (`skip`); an absent one has no entries.
std::vector<std::filesystem::directory_entry> entries_below(const std::filesystem::path& root);

/// Removes a file, or a folder with its content; an absent path is no error. Throws `InputError`
/// with the path and the system's reason.
void remove_tree(const std::filesystem::path& path);

}  // namespace labreport
