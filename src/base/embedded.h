// Files that the build embeds in the program (cmake/Embed.cmake).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"

namespace labreport {

struct EmbeddedFile {
  std::string_view name;  ///< Path relative to the project's root: "templates/page.html".
  const char* begin;
  const char* end;

  std::string_view bytes() const { return {begin, static_cast<std::size_t>(end - begin)}; }
};

/// The embedded files of one folder of src, sorted by name; they live as long as the program.
class EmbeddedFiles {
 public:
  EmbeddedFiles(const EmbeddedFile* files, std::size_t count) : files_(files), count_(count) {}

  const EmbeddedFile* begin() const { return files_; }
  const EmbeddedFile* end() const { return files_ + count_; }

  /// Returns the file's bytes. Throws `Error` if the build did not embed the name.
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
