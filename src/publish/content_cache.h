// Stores slow results on disk by their inputs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace labreport {

/// Several programs may use one folder at a time. A file that is cut short or changed counts as
/// absent; a folder that cannot be written to stores nothing.
class ContentCache {
 public:
  static constexpr std::uintmax_t kLimit = 256u << 20;

  /// An empty `folder` stores nothing.
  explicit ContentCache(std::filesystem::path folder, std::uintmax_t limit = kLimit);

  /// `key` is everything that the result depends on.
  std::optional<std::string> find(const std::string& key) const;
  void store(const std::string& key, const std::string& bytes) const;

  /// Removes the least recently used files until the folder is well below its limit.
  void trim() const;

 private:
  std::filesystem::path file_of(const std::string& key) const;

  std::filesystem::path folder_;
  std::uintmax_t limit_;
};

}  // namespace labreport
