// Writes to a path that a user named: a plain file, a pipe, a character device or a link.
#pragma once

#include <filesystem>
#include <string_view>

namespace labreport {

struct NamedFile {
  std::filesystem::path path;  ///< The path that is written.
  bool is_stream = false;  ///< A pipe or a character device: it is written to and never replaced.
};

/// Resolves `named`. Throws `InputError` for a folder, a block device, a socket, and for a link to
/// a file in another folder or to nowhere.
NamedFile named_file(const std::filesystem::path& named);

/// Writes to the stream, which waits for a reader, or replaces the file atomically. Throws
/// `InputError`.
void write_named(const NamedFile& file, std::string_view bytes);

}  // namespace labreport
