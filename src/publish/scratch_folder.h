// A scratch folder that is removed with its owner.
#pragma once

#include <filesystem>

namespace labreport {

class ScratchFolder {
 public:
  /// A process's first scratch folder also removes those of dead processes. Throws `Error` if no
  /// temporary folder can be made.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;
};

/// Removes this user's scratch folders below `above` whose owners are dead and that are a minute
/// old: an owner that was killed removes nothing.
void remove_abandoned_scratch(const std::filesystem::path& above);

}  // namespace labreport
