// Stores the results of slow work on disk by the inputs of that work.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace labreport {

/// Several processes may use one folder at a time. A file that is cut short or changed counts as
/// absent; nothing is stored in a folder that cannot be written to.
class ContentCache {
 public:
  static constexpr std::uintmax_t kLimit = 256u << 20;  ///< Bytes of all files.

  /// An empty `folder` stores nothing. `limit`: bytes that `trim` allows.
  explicit ContentCache(std::filesystem::path folder, std::uintmax_t limit = kLimit);

  /// `key`: a text of everything that the result depends on.
  std::optional<std::string> find(const std::string& key) const;
  void store(const std::string& key, const std::string& bytes) const;

  /// If the files have more bytes than the limit, removes the least recently used ones until the
  /// rest has at most half of it.
  void trim() const;

 private:
  std::filesystem::path file_of(const std::string& key) const;

  std::filesystem::path folder_;
  std::uintmax_t limit_;
};

}  // namespace labreport
