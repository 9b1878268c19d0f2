// A temporary folder that is removed when its object dies.
#pragma once

#include <filesystem>

namespace labreport {

class ScratchFolder {
 public:
  /// Makes the folder. The first object of a process also calls `remove_abandoned_scratch`. Throws
  /// `Error` if no folder can be made.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lock_descriptor_ = -1;
};

/// Removes this user's scratch folders in `parent` that dead processes made over a minute ago.
void remove_abandoned_scratch(const std::filesystem::path& parent);

}  // namespace labreport
