// Reads whole files, writes files atomically, and makes and removes folders.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace labreport {

/// Throws `InputError` with the path if the file cannot be read or has more than `max_bytes` bytes.
std::string read_file(const std::filesystem::path& path, std::uintmax_t max_bytes = 256u << 20);

/// Throws `InputError` with what the file is if its first bytes are those of a format that other
/// profilers write: a pickle, a trace, a database or an archive. `remedy` says what to give
/// instead.
void refuse_foreign_format(const std::filesystem::path& path, const std::string& remedy);

/// Reads a file of a folder that somebody else may have sent. Throws `InputError` also for a link,
/// a pipe or a device: a link could lead to any file of the user's, and a pipe may never end.
std::string read_plain_file(const std::filesystem::path& path,
                            std::uintmax_t max_bytes = 256u << 20);

/// The state of a written file after a power failure. No death of a process can damage it.
enum class Sync {
  kNothing,  ///< The content is undefined. No process reads such a file later.
  kFile,     ///< The file is either the old one or the new one.
  kFolder,   ///< The file is the new one.
};

/// Returns the file that `write_atomically(path)` writes first and renames. A process that died may
/// have left it behind, worthless.
std::filesystem::path temporary_path(const std::filesystem::path& path);

/// Writes to `temporary_path(path)`, syncs that file, renames it and syncs the folder. So readers
/// see either the old file or the new one. A link at `path` is replaced, and its target is
/// untouched. Throws `InputError` with the path and the system's reason, such as a full disk.
/// Throws also if `path` is a device, a pipe or a folder, or if another program writes it at the
/// same time.
void write_atomically(const std::filesystem::path& path, std::string_view bytes,
                      Sync sync = Sync::kFolder);

/// Creates `path` and its parents durably. Throws `InputError` if the folder cannot be written to;
/// `flag` is the one with which the user can choose another.
void make_writable_folder(const std::filesystem::path& path, const std::string& flag = "--out");

/// Creates and returns `folder`, or the first of "<folder>-2", "<folder>-3", … that does not exist
/// yet. Several programs that call this at once get different folders. Throws like
/// `make_writable_folder`.
std::filesystem::path make_new_folder(const std::filesystem::path& folder);

/// Returns all files and folders below `root`, in no particular order, without following links.
/// Warns of unreadable folders; a missing `root` has no entries.
std::vector<std::filesystem::directory_entry> entries_below(const std::filesystem::path& root);

/// Removes a file, or a folder with its content; an absent path is no error. Throws `InputError`
/// with the path and the system's reason.
void remove_tree(const std::filesystem::path& path);

}  // namespace labreport
