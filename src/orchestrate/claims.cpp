#include "orchestrate/claims.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "results/session_store.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr const char* kReleased = "released\n";
constexpr int kBeatsBeforeStale = 6;
constexpr std::uintmax_t kLargestClaim = 1 << 16;

/// "timing.c512.3" → 3; nothing for what is no claim, such as one that is being written.
std::optional<std::uint64_t> generation_of(const std::string& file) {
  const std::size_t dot = file.rfind('.');
  if (dot == file.npos) return std::nullopt;
  std::uint64_t generation = 0;
  const char* end = file.data() + file.size();
  const auto parsed = std::from_chars(file.data() + dot + 1, end, generation);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return generation;
}

}  // namespace

Claims::Claims(fs::path folder, std::string owner, std::chrono::milliseconds stale_after,
               Clock clock)
    : folder_(std::move(folder)),
      owner_(std::move(owner)),
      stale_after_(stale_after),
      clock_(std::move(clock)) {}

Claims::~Claims() {
  try {
    release();
  } catch (const std::exception&) {
    return;  // it goes stale instead
  }
}

bool Claims::take(const std::string& name) {
  const auto all = generations();
  const auto latest = all.find(name);
  const std::uint64_t generation = latest == all.end() ? 0 : latest->second;
  if (generation > 0 && !is_free(file(name, generation))) return false;
  try {
    if (!create_atomically(file(name, generation + 1), text())) return false;
  } catch (const InputError&) {
    if (fs::exists(folder_)) throw;
    return false;  // the run is merged by now
  }
  held_ = Held{name, generation + 1};
  last_beat_ = clock_();
  return true;
}

void Claims::beat() {
  const auto now = clock_();
  if (!held_ || now - last_beat_ < beat_every()) return;
  if (is_lost()) {
    held_.reset();
    throw TakenOver();
  }
  ++count_;
  last_beat_ = now;
  write_atomically(file(held_->name, held_->generation), text(), Sync::kNothing);
}

std::chrono::milliseconds Claims::beat_every() const { return stale_after_ / kBeatsBeforeStale; }

void Claims::release() {
  if (!held_) return;
  const Held held = *std::exchange(held_, std::nullopt);
  if (!fs::exists(folder_)) return;
  write_atomically(file(held.name, held.generation), kReleased, Sync::kNothing);
}

std::set<std::string> Claims::held_by_others() {
  std::set<std::string> names;
  for (const auto& [name, generation] : generations()) {
    const bool own = held_ && held_->name == name && held_->generation == generation;
    if (!own && !is_free(file(name, generation))) names.insert(name);
  }
  return names;
}

std::vector<std::string> Claims::unreleased() const {
  std::vector<std::string> owners;
  for (const auto& [name, generation] : generations()) {
    const std::string text = read_plain_file(file(name, generation), kLargestClaim);
    if (text != kReleased) owners.push_back(text.substr(0, text.find('\n')));
  }
  return owners;
}

fs::path Claims::file(const std::string& name, std::uint64_t generation) const {
  return folder_ / (name + "." + std::to_string(generation));
}

std::map<std::string, std::uint64_t> Claims::generations() const {
  std::map<std::string, std::uint64_t> latest;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(folder_, absent)) {
    const std::string name = entry.path().filename().string();
    const auto generation = generation_of(name);
    if (!generation) continue;
    std::uint64_t& known = latest[name.substr(0, name.rfind('.'))];
    known = std::max(known, *generation);
  }
  return latest;
}

std::string Claims::text() const { return owner_ + "\n" + std::to_string(count_) + "\n"; }

bool Claims::is_free(const fs::path& file) {
  std::string text;
  try {
    text = read_plain_file(file, kLargestClaim);
  } catch (const InputError&) {
    return false;  // gone in this moment: the next look tells
  }
  if (text == kReleased) return true;
  const auto now = clock_();
  const auto [seen, first] = seen_.try_emplace(file.string(), Seen{text, now});
  if (seen->second.text != text) seen->second = {text, now};
  return now - seen->second.since >= stale_after_;
}

// Generations come one after the other.
bool Claims::is_lost() const {
  return !fs::exists(folder_) || fs::exists(file(held_->name, held_->generation + 1));
}

}  // namespace labreport
