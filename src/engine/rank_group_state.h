// The private state of a group of ranks, for code that calls c10d directly.
#pragma once

#include <chrono>
#include <memory>

#include "engine/collectives_backend.h"
#include "engine/pending_collectives.h"
#include "engine/rank_group.h"

namespace labreport {

struct RankGroup::State {
  c10::intrusive_ptr<c10d::Store> store;
  CollectivesBackend backend;
  std::chrono::milliseconds timeout;
  bool uses_nccl = false;
  std::unique_ptr<PendingCollectives> pending = std::make_unique<PendingCollectives>();
};

}  // namespace labreport
