// Who of several tasks measures what, agreed by files in a folder that they share.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace labreport {

/// A name is claimed by making `<name>.<generation>`, which must not be there; the latest
/// generation counts. Its owner counts up in it as long as it lives. Whoever sees the same count
/// for a while, on a steady clock of its own, takes the name over by making the next generation.
/// Nothing is ever removed or judged by a file's time: two tasks that both think a third dead
/// cannot both win, and clocks that differ change nothing.
class Claims {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  /// `owner` is one line for readers.
  Claims(std::filesystem::path folder, std::string owner, std::chrono::milliseconds stale_after,
         Clock clock = std::chrono::steady_clock::now);
  ~Claims();  ///< Releases.
  Claims(const Claims&) = delete;
  Claims& operator=(const Claims&) = delete;

  /// Whether the name is this task's from now on: nobody had it, or who had it gave no sign of life
  /// since this task first looked. One at a time.
  bool take(const std::string& name);

  /// A sign of life, as often as needed however often it is called. Throws `TakenOver` where this
  /// task was thought dead.
  void beat();
  std::chrono::milliseconds beat_every() const;

  void release();

  /// The names that others hold, as far as this task has not seen them silent for too long.
  std::set<std::string> held_by_others();

  /// The owners of names that nobody released, dead or alive.
  std::vector<std::string> unreleased() const;

 private:
  struct Seen {
    std::string text;
    std::chrono::steady_clock::time_point since;
  };
  struct Held {
    std::string name;
    std::uint64_t generation;
  };

  std::filesystem::path file(const std::string& name, std::uint64_t generation) const;
  std::map<std::string, std::uint64_t> generations() const;
  std::string text() const;
  bool is_free(const std::filesystem::path& file);
  bool is_lost() const;

  std::filesystem::path folder_;
  std::string owner_;
  std::chrono::milliseconds stale_after_;
  Clock clock_;
  std::map<std::string, Seen> seen_;
  std::optional<Held> held_;
  std::uint64_t count_ = 0;
  std::chrono::steady_clock::time_point last_beat_{};
};

}  // namespace labreport
