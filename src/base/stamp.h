// Detects that a file has changed, by content hash or by size, times and inode.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace labreport {

/// Returns 32 hex digits of a SHA-1, for cache names; it does not protect against forgery.
std::string content_hash(std::string_view bytes);

/// Returns a text with a plain file's size, times and inode; empty if there is no plain file. The
/// text changes with every change of the file, because programs cannot set back its change time
/// (ctime).
std::string file_stamp(const std::filesystem::path& path);

/// Returns the stamps of all plain files below `folder`, sorted by name. If a file changed so
/// recently that its next change could keep the stamp, the returned stamp never repeats.
std::string folder_stamp(const std::filesystem::path& folder);

}  // namespace labreport
