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

std::string first_line(const std::string& message) { return message.substr(0, message.find('\n')); }

template <typename Call>
auto as_group_error(const char* what, const Call& call) try {
  return call();
} catch (const NotOffered&) {
  throw;
} catch (const std::exception& error) {
  if (as_out_of_memory(error)) throw;
  throw group_error(fmt::format("{}: {}", what, first_line(error.what())));
}

const Rendezvous& checked_rendezvous(const LaunchRequest& request) {
  if (!request.rendezvous || !request.spec.ranks) {
    throw InputError("a cell with ranks needs a rendezvous",
                     "start it by the labreport beside this worker");
  }
  return *request.rendezvous;
}

}  // namespace

GroupError group_error(const std::string& message) {
  const bool timed_out =
      message.find("imeout") != message.npos || message.find("imed out") != message.npos;
  return GroupError(message, timed_out);
}

/// Keeps the tensors alive as long as the collective's work, since the library may not do so.
struct Collective::Work {
  c10::intrusive_ptr<c10d::Work> work;
  std::vector<at::Tensor> tensors;
  std::int64_t divisor = 1;  ///< finish() divides the sum by it.
};

namespace {

Collective make_collective(c10::intrusive_ptr<c10d::Work> work, std::vector<at::Tensor> tensors,
                           std::int64_t divisor = 1) {
  return Collective(std::make_shared<Collective::Work>(
      Collective::Work{std::move(work), std::move(tensors), divisor}));
}

}  // namespace

void Collective::finish() {
  as_group_error("a collective failed", [&] { return work_->work->wait(); });
  if (work_->divisor > 1) work_->tensors.front().div_(work_->divisor);
  work_->divisor = 1;
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
  const Rendezvous& rendezvous = *request.rendezvous;
  state_->timeout =
      std::chrono::milliseconds(static_cast<std::int64_t>(rendezvous.timeout_seconds * 1e3));
  state_->uses_nccl = request.spec.ranks->collectives == Collectives::kNccl;
  as_group_error("the ranks did not find each other", [&] {
    const auto size = static_cast<int>(size_);
    state_->store = c10::make_intrusive<c10d::FileStore>(rendezvous.store, size);
    state_->store->setTimeout(state_->timeout);
    const BackendSettings settings{state_->store, static_cast<int>(rank_), size, state_->timeout};
    state_->backend = state_->uses_nccl ? make_nccl(settings) : make_gloo(settings);
  });
  barrier();
}

std::string RankGroup::library() const {
  return state_->uses_nccl ? "NCCL " + nccl_version() : std::string("Gloo");
}

Collective RankGroup::all_reduce_sum(at::Tensor tensor) {
  return as_group_error("an all-reduce failed", [&] {
    std::vector<at::Tensor> tensors{std::move(tensor)};
    return make_collective(state_->backend->allreduce(tensors), tensors);
  });
}

Collective RankGroup::broadcast(at::Tensor tensor, std::int64_t root) {
  return as_group_error("a broadcast failed", [&] {
    std::vector<at::Tensor> tensors{std::move(tensor)};
    c10d::BroadcastOptions options;
    options.rootRank = root;
    return make_collective(state_->backend->broadcast(tensors, options), tensors);
  });
}

Collective RankGroup::all_gather_into(at::Tensor whole, at::Tensor shard) {
  return as_group_error("an all-gather failed", [&] {
    return make_collective(state_->backend->_allgather_base(whole, shard), {whole, shard});
  });
}

Collective RankGroup::reduce_scatter(at::Tensor shard, at::Tensor whole) {
  return as_group_error("a reduce-scatter failed", [&] {
    return make_collective(state_->backend->_reduce_scatter_base(shard, whole), {shard, whole});
  });
}

// Gloo cannot average, so finish() divides the sum.
Collective RankGroup::all_reduce_mean(at::Tensor tensor) {
  return as_group_error("an all-reduce failed", [&] {
    std::vector<at::Tensor> tensors{std::move(tensor)};
    c10d::AllreduceOptions options;
    options.reduceOp = state_->uses_nccl ? c10d::ReduceOp::AVG : c10d::ReduceOp::SUM;
    const auto timed = state_->uses_nccl ? nullptr : state_->pending->record_start();
    auto work = state_->backend->allreduce(tensors, options);
    if (timed) state_->pending->watch(timed, *work->getFuture());
    return make_collective(std::move(work), std::move(tensors), state_->uses_nccl ? 1 : size_);
  });
}

std::vector<TimedCollective> RankGroup::take_collectives() { return state_->pending->take(); }

// A sum is used instead of NCCL's own barrier, which guesses a device.
void RankGroup::barrier() {
  all_reduce_sum(at::zeros({1}, at::TensorOptions().device(device_))).finish();
  as_group_error("a barrier failed", [&] { synchronize(device_); });
}

std::int64_t RankGroup::max_over_ranks(std::int64_t value) {
  std::int64_t largest = value;
  for (const auto& numbers : all_gather({value})) largest = std::max(largest, numbers.front());
  return largest;
}

std::vector<std::vector<std::int64_t>> RankGroup::all_gather(
    const std::vector<std::int64_t>& numbers) {
  return as_group_error("gathering failed", [&] {
    std::vector<at::Tensor> own{
        at::tensor(numbers, at::TensorOptions().dtype(at::kLong)).to(device_)};
    std::vector<std::vector<at::Tensor>> all(1);
    for (std::int64_t i = 0; i < size_; ++i) all[0].push_back(at::empty_like(own[0]));
    state_->backend->allgather(all, own)->wait();
    std::vector<std::vector<std::int64_t>> gathered;
    for (const at::Tensor& tensor : all[0]) {
      const at::Tensor host = tensor.cpu();
      const auto* data = host.const_data_ptr<std::int64_t>();
      gathered.emplace_back(data, data + host.numel());
    }
    return gathered;
  });
}

std::vector<std::string> RankGroup::all_gather_text(const std::string& text) {
  const std::vector<std::int64_t> letters(text.begin(), text.end());
  const std::int64_t length = max_over_ranks(std::ssize(letters));
  std::vector<std::int64_t> padded = letters;
  padded.resize(static_cast<std::size_t>(length));
  std::vector<std::string> texts;
  for (const auto& gathered : all_gather(padded)) {
    std::string& other = texts.emplace_back(gathered.begin(), gathered.end());
    other.erase(std::min(other.find('\0'), other.size()));
  }
  return texts;
}

void RankGroup::wait_until_all_leave() {
  as_group_error("leaving failed", [&] {
    std::vector<std::string> keys;
    for (std::int64_t i = 0; i < size_; ++i) keys.push_back(fmt::format("left/{}", i));
    state_->store->set(keys.at(static_cast<std::size_t>(rank_)), std::vector<std::uint8_t>{1});
    state_->store->wait(keys, state_->timeout);
  });
}

std::string RankGroup::why_no_all_reduce_into() const {
  return state_->uses_nccl ? why_no_nccl_all_reduce() : "c10d sums in place alone, over Gloo";
}

void RankGroup::all_reduce_into(const at::Tensor& input, at::Tensor& output) {
  as_group_error("an all-reduce failed", [&] { nccl_all_reduce(*state_->backend, input, output); });
}

}  // namespace labreport
