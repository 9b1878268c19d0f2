// Which of several tasks this one is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/run.h"

namespace labreport {

/// "2/4": from 1. A name more than a share: who is free takes what is left.
struct Shard {
  std::int64_t number = 1;
  std::int64_t of = 1;

  bool operator==(const Shard&) const = default;
};

/// Throws `InputError`.
Shard parse_shard(const std::string& text);

std::string words(const Shard& shard);  ///< "shard 2/4"

/// Nothing for a session that no task wrote.
std::optional<Shard> shard_of(const Session& session);

/// "shard 3/4 never began and shard 2/4 did not finish": for a run that lacks something.
std::string missing_shards(const Run& run, const std::vector<std::string>& unreleased);

}  // namespace labreport
