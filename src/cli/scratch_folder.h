// A folder of one's own that goes when its owner does.
#pragma once

#include <filesystem>

namespace labreport {

class ScratchFolder {
 public:
  ScratchFolder();  ///< Throws `Error` where no temporary folder can be made.
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace labreport
