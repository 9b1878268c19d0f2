// What tells one state of a file from another: by its content, or without reading it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace labreport {

/// 32 hex digits of a SHA-1: for names in a cache, not against forgery.
std::string content_hash(std::string_view bytes);

/// Another text after every change of a plain file: size, times and inode, of which no program can
/// set the time of change back. Empty for what is absent or no plain file.
std::string file_stamp(const std::filesystem::path& path);

/// The stamps of all plain files below `folder`, by name: for what a result is made from. A file
/// that changed so lately that its next change could leave the stamp as it is gets one that never
/// comes again.
std::string folder_stamp(const std::filesystem::path& folder);

}  // namespace labreport
