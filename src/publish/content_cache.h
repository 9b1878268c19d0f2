// Stores the results of slow work on disk by the inputs of that work.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace labreport {

/// Several processes may use one folder at a time. A file that was cut short, changed or
/// copied from another entry counts as absent. If the folder cannot be written to, nothing is
/// stored.
class ContentCache {
 public:
  static constexpr std::uintmax_t kLimitBytes = 256u << 20;

  /// An empty `folder` stores nothing. `trim` allows `limit_bytes` for all files together.
  explicit ContentCache(std::filesystem::path folder, std::uintmax_t limit_bytes = kLimitBytes);

  /// `key` is a text of everything that the result depends on.
  std::optional<std::string> find(const std::string& key) const;
  void store(const std::string& key, const std::string& bytes) const;

  /// If the files exceed the limit, removes the least recently used ones until the others have at
  /// most half the limit.
  void trim() const;

 private:
  std::filesystem::path path_of(const std::string& key) const;

  std::filesystem::path folder_;
  std::uintmax_t limit_bytes_;
};

}  // namespace labreport
