// Files: read whole, written whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace labreport {

/// Throws `InputError` naming the path when it cannot be read or exceeds `max_bytes`.
std::string read_file(const std::filesystem::path& path, std::uintmax_t max_bytes = 256u << 20);

/// Write to a sibling, fsync, rename, fsync the folder: readers see the old file or the new one.
/// Throws `Error` naming the path and the system's reason (disk full, read-only, …).
void write_atomically(const std::filesystem::path& path, std::string_view bytes);

/// Creates `path` with its parents. Throws `InputError` when it cannot be written to.
void make_writable_folder(const std::filesystem::path& path);

}  // namespace labreport
