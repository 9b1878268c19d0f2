// Files that the build put inside the program (cmake/Embed.cmake).
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"

namespace labreport {

struct EmbeddedFile {
  std::string_view name;  ///< Relative to the project's root: "templates/page.html"
  const char* begin;
  const char* end;

  std::string_view bytes() const { return {begin, static_cast<std::size_t>(end - begin)}; }
};

/// One room's files, sorted by name; alive for the whole program.
class EmbeddedFiles {
 public:
  EmbeddedFiles(const EmbeddedFile* files, std::size_t count) : files_(files), count_(count) {}

  const EmbeddedFile* begin() const { return files_; }
  const EmbeddedFile* end() const { return files_ + count_; }

  /// The file's bytes. Throws `Error` for a name that the build did not embed.
  std::string_view at(std::string_view name) const {
    for (const EmbeddedFile& file : *this) {
      if (file.name == name) return file.bytes();
    }
    throw Error("no file '" + std::string(name) + "' in this program", "build it again");
  }

 private:
  const EmbeddedFile* files_;
  std::size_t count_;
};

}  // namespace labreport
