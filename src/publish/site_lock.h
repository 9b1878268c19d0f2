// Allows one render at a time into a site.
#pragma once

#include <filesystem>
#include <vector>

namespace labreport {

class SiteLock {
 public:
  /// Makes the folder `out` if it is absent and waits until nobody else renders into it. Throws
  /// `InputError` if it cannot be a folder, `Interrupted` if an interrupt comes first.
  explicit SiteLock(const std::filesystem::path& out);
  /// Removes the folders that it made and that are still empty.
  ~SiteLock();
  SiteLock(const SiteLock&) = delete;
  SiteLock& operator=(const SiteLock&) = delete;

 private:
  void open_folder();
  bool take();
  bool is_still_there() const;

  std::filesystem::path out_;
  std::vector<std::filesystem::path> made_;  ///< The innermost first.
  int descriptor_ = -1;
};

}  // namespace labreport
