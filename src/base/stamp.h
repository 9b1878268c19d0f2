// Detects that a file has changed, by content hash or by size, times and inode.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace labreport {

/// Returns 32 hex digits of a SHA-1, for cache names; it does not protect against forgery.
std::string content_hash(std::string_view bytes);

/// Returns size, times and inode of a plain file, a text that changes with every change of the
/// file, because programs cannot set the change time back. Empty if there is no plain file.
std::string file_stamp(const std::filesystem::path& path);

/// Returns the stamps of all plain files below `folder`, sorted by name. A file that changed so
/// recently that its next change could keep the stamp gets a stamp that never repeats.
std::string folder_stamp(const std::filesystem::path& folder);

}  // namespace labreport
