// A temporary folder that is removed when its object dies.
#pragma once

#include <filesystem>

namespace labreport {

class ScratchFolder {
 public:
  /// Makes the folder. The first one in a process also removes those of dead processes. Throws
  /// `Error` if no folder can be made.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;
};

/// Removes this user's scratch folders in `above` that dead processes left over a minute ago.
void remove_abandoned_scratch(const std::filesystem::path& above);

}  // namespace labreport
