// A file that a person names for writing may be anything: a plain file, a pipe, a device, a link.
#pragma once

#include <filesystem>
#include <string_view>

namespace labreport {

struct NamedFile {
  std::filesystem::path path;  ///< Where the bytes go.
  bool is_stream = false;      ///< A pipe or a character device: written into, never replaced.
};

/// What `named` leads to. Throws `InputError` for a folder, a block device, a socket, and for a
/// link that leads to a file in another folder, or nowhere.
NamedFile named_file(const std::filesystem::path& named);

/// Writes into the stream, which waits for its reader, or the file, whole or not at all. Throws
/// `InputError`.
void write_named(const NamedFile& file, std::string_view bytes);

}  // namespace labreport
