// The inner state of a group of ranks, for code that calls c10d itself.
#pragma once

#include <chrono>
#include <memory>

#include "engine/collectives_backend.h"
#include "engine/flights.h"
#include "engine/rank_group.h"

namespace labreport {

struct RankGroup::Joined {
  c10::intrusive_ptr<c10d::Store> store;
  CollectivesBackend backend;
  std::chrono::milliseconds timeout;
  bool nccl = false;
  std::unique_ptr<Flights> flights = std::make_unique<Flights>();
};

}  // namespace labreport
