// Allows one render at a time into a site.
#pragma once

#include <filesystem>
#include <vector>

namespace labreport {

class SiteLock {
 public:
  /// Makes the folder `out` if it is absent and waits without limit until nobody else renders into
  /// it. Throws `InputError` if the folder cannot be made or opened, and `Interrupted` if an
  /// interrupt ends the wait.
  explicit SiteLock(const std::filesystem::path& out);
  /// Unlocks the site and removes the folders that the constructor made if they are still empty.
  ~SiteLock();
  SiteLock(const SiteLock&) = delete;
  SiteLock& operator=(const SiteLock&) = delete;

 private:
  void open_folder();
  bool try_lock();
  bool locked_folder_is_at_path() const;

  std::filesystem::path out_;
  std::vector<std::filesystem::path> initially_absent_;  ///< The innermost folder comes first.
  int descriptor_ = -1;
};

}  // namespace labreport
