#include "engine/rank_group.h"

#include <ATen/ops/empty_like.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <torch/csrc/distributed/c10d/FileStore.hpp>

#include <chrono>

#include "engine/collectives_backend.h"
#include "engine/device.h"
#include "engine/out_of_memory.h"
#include "engine/pending_collectives.h"
#include "engine/rank_group_state.h"

namespace labreport {
namespace {

template <typename Call>
auto guarded(const char* what, const Call& call) try {
  return call();
} catch (const NotOffered&) {
  throw;
} catch (const std::exception& error) {
  if (as_out_of_memory(error)) throw;
  const std::string message = error.what();
  const bool timed_out =
      message.find("imeout") != std::string::npos || message.find("imed out") != std::string::npos;
  throw GroupError(fmt::format("{}: {}", what, message.substr(0, message.find('\n'))), timed_out);
}

const Rendezvous& checked_rendezvous(const LaunchRequest& request) {
  if (!request.rendezvous || !request.spec.ranks) {
    throw InputError("a cell with ranks needs a rendezvous",
                     "start it by the labreport beside this worker");
  }
  return *request.rendezvous;
}

}  // namespace

/// Keeps the tensors alive as long as the collective's work, since the library may not do so.
struct Collective::Work {
  c10::intrusive_ptr<c10d::Work> work;
  std::vector<at::Tensor> tensors;
  std::int64_t summed = 1;  ///< Number of ranks to divide the sum by; 1 for no division.
};

namespace {

Collective started(c10::intrusive_ptr<c10d::Work> work, std::vector<at::Tensor> tensors,
                   std::int64_t summed = 1) {
  return Collective(std::make_shared<Collective::Work>(
      Collective::Work{std::move(work), std::move(tensors), summed}));
}

}  // namespace

void Collective::finish() {
  guarded("a collective failed", [&] { return work_->work->wait(); });
  if (work_->summed > 1) work_->tensors.front().div_(work_->summed);
  work_->summed = 1;
}

RankGroup& RankGroup::join(const LaunchRequest& request) {
  static RankGroup* group = nullptr;
  if (group == nullptr) group = new RankGroup(request);
  return *group;
}

RankGroup::RankGroup(const LaunchRequest& request)
    : rank_(checked_rendezvous(request).rank),
      size_(request.spec.ranks->count),
      device_(torch_device(request.spec.device)),
      state_(std::make_shared<State>()) {
  const Rendezvous& where = *request.rendezvous;
  state_->timeout =
      std::chrono::milliseconds(static_cast<std::int64_t>(where.timeout_seconds * 1e3));
  state_->nccl = request.spec.ranks->collectives == Collectives::kNccl;
  guarded("the ranks did not find each other", [&] {
    const auto size = static_cast<int>(size_);
    state_->store = c10::make_intrusive<c10d::FileStore>(where.store, size);
    state_->store->setTimeout(state_->timeout);
    const BackendPlace place{state_->store, static_cast<int>(rank_), size, state_->timeout};
    state_->backend = state_->nccl ? make_nccl(place) : make_gloo(place);
  });
  barrier();
}

std::string RankGroup::library() const {
  return state_->nccl ? "NCCL " + nccl_version() : std::string("Gloo");
}

Collective RankGroup::sum(at::Tensor tensor) {
  return guarded("an all-reduce failed", [&] {
    std::vector<at::Tensor> tensors{std::move(tensor)};
    return started(state_->backend->allreduce(tensors), tensors);
  });
}

Collective RankGroup::broadcast(at::Tensor tensor, std::int64_t root) {
  return guarded("a broadcast failed", [&] {
    std::vector<at::Tensor> tensors{std::move(tensor)};
    c10d::BroadcastOptions options;
    options.rootRank = root;
    return started(state_->backend->broadcast(tensors, options), tensors);
  });
}

Collective RankGroup::gather_into(at::Tensor whole, at::Tensor shard) {
  return guarded("an all-gather failed", [&] {
    return started(state_->backend->_allgather_base(whole, shard), {whole, shard});
  });
}

Collective RankGroup::sum_scattered(at::Tensor shard, at::Tensor whole) {
  return guarded("a reduce-scatter failed", [&] {
    return started(state_->backend->_reduce_scatter_base(shard, whole), {shard, whole});
  });
}

// Gloo cannot average, so finish() divides the sum.
Collective RankGroup::mean(at::Tensor tensor) {
  return guarded("an all-reduce failed", [&] {
    std::vector<at::Tensor> tensors{std::move(tensor)};
    c10d::AllreduceOptions options;
    options.reduceOp = state_->nccl ? c10d::ReduceOp::AVG : c10d::ReduceOp::SUM;
    const auto collective = state_->nccl ? nullptr : state_->pending->begin();
    auto work = state_->backend->allreduce(tensors, options);
    if (collective) state_->pending->watch(collective, *work->getFuture());
    return started(std::move(work), std::move(tensors), state_->nccl ? 1 : size_);
  });
}

std::vector<TimedCollective> RankGroup::take_collectives() { return state_->pending->take(); }

// A sum is used instead of NCCL's own barrier, which guesses a device.
void RankGroup::barrier() {
  sum(at::zeros({1}, at::TensorOptions().device(device_))).finish();
  guarded("a barrier failed", [&] { synchronize(device_); });
}

std::int64_t RankGroup::largest(std::int64_t value) {
  std::int64_t found = value;
  for (const auto& numbers : gather({value})) found = std::max(found, numbers.front());
  return found;
}

std::vector<std::vector<std::int64_t>> RankGroup::gather(const std::vector<std::int64_t>& numbers) {
  return guarded("gathering failed", [&] {
    std::vector<at::Tensor> mine{
        at::tensor(numbers, at::TensorOptions().dtype(at::kLong)).to(device_)};
    std::vector<std::vector<at::Tensor>> all(1);
    for (std::int64_t i = 0; i < size_; ++i) all[0].push_back(at::empty_like(mine[0]));
    state_->backend->allgather(all, mine)->wait();
    std::vector<std::vector<std::int64_t>> gathered;
    for (const at::Tensor& tensor : all[0]) {
      const at::Tensor host = tensor.cpu();
      const auto* data = host.const_data_ptr<std::int64_t>();
      gathered.emplace_back(data, data + host.numel());
    }
    return gathered;
  });
}

void RankGroup::leave() {
  guarded("leaving failed", [&] {
    std::vector<std::string> all;
    for (std::int64_t i = 0; i < size_; ++i) all.push_back(fmt::format("left/{}", i));
    state_->store->set(all.at(static_cast<std::size_t>(rank_)), std::vector<std::uint8_t>{1});
    state_->store->wait(all, state_->timeout);
  });
}

std::string RankGroup::why_no_sum_into() const {
  return state_->nccl ? why_no_nccl_sum() : "c10d sums in place alone, over Gloo";
}

void RankGroup::sum_into(const at::Tensor& input, at::Tensor& output) {
  guarded("an all-reduce failed", [&] { nccl_sum(*state_->backend, input, output); });
}

}  // namespace labreport
