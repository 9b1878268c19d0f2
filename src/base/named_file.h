// Writes to a path that a user named: a plain file, a pipe, a character device or a link.
#pragma once

#include <filesystem>
#include <string_view>

namespace labreport {

struct NamedFile {
  std::filesystem::path path;  ///< A link is resolved.
  bool is_stream = false;      ///< True for a pipe or a character device, which is never replaced.
};

/// Resolves the path that the user named. Throws `InputError` for a folder, a block device, a
/// socket, and for a link to another folder or to nowhere.
NamedFile named_file(const std::filesystem::path& named);

/// Replaces a file atomically, or writes to a stream; a pipe blocks until it has a reader. Throws
/// `InputError`.
void write_named(const NamedFile& file, std::string_view bytes);

}  // namespace labreport
