#include "orchestrate/shard.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/error.h"
#include "base/text.h"

namespace labreport {
namespace {

constexpr std::int64_t kMostShards = 10000;

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<Shard> read_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == text.npos) return std::nullopt;
  const auto number = number_in(text.substr(0, slash));
  const auto of = number_in(text.substr(slash + 1));
  if (!number || !of || *number < 1 || *of < *number || *of > kMostShards) return std::nullopt;
  return Shard{*number, *of};
}

}  // namespace

Shard parse_shard(const std::string& text) {
  if (const auto shard = read_shard(text)) return *shard;
  throw InputError("--shard is '" + text + "'",
                   "give K/N, the number of this task, from 1, and how many there are, as 2/4");
}

std::string words(const Shard& shard) { return fmt::format("shard {}/{}", shard.number, shard.of); }

std::optional<Shard> shard_of(const Session& session) {
  return session.request.shard ? read_shard(*session.request.shard) : std::nullopt;
}

std::string missing_shards(const Run& run, const std::vector<std::string>& unreleased) {
  std::set<std::int64_t> begun;
  std::int64_t of = 0;
  for (const Session& session : run.sessions) {
    const auto shard = shard_of(session);
    if (!shard) continue;
    begun.insert(shard->number);
    of = shard->of;
  }
  std::vector<std::string> missing;
  for (std::int64_t number = 1; number <= of; ++number) {
    if (!begun.contains(number)) missing.push_back(words(Shard{number, of}) + " never began");
  }
  const std::set<std::string> cut(unreleased.begin(), unreleased.end());
  for (const std::string& owner : cut) missing.push_back(owner + " did not finish");
  return join_words(missing);
}

}  // namespace labreport
