#include "engine/gradient_reducer.h"

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/comm.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include <algorithm>
#include <string>
#include <unordered_map>

#include "engine/rank_group_state.h"
#include "engine/torch_versions.h"

namespace labreport {
namespace {

using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

/// Does the same as c10d's AllReduceCommHook, which c10d does not export, and records the times of
/// each all-reduce.
class TimedAllReduce : public c10d::CppCommHookInterface<Group> {
 public:
  TimedAllReduce(const Group& group, PendingCollectives& pending)
      : CppCommHookInterface(group), collectives_(pending) {}

  c10::intrusive_ptr<c10::ivalue::Future> runHook(c10d::GradBucket& bucket) override {
    std::vector<at::Tensor> tensors{bucket.getBufferRef()};
    tensors.front().div_(state_->getSize());
    const auto collective = collectives_.begin();
    auto future = state_->allreduce(tensors)->getFuture();
    collectives_.watch(collective, *future);
    return future;
  }

 private:
  PendingCollectives& collectives_;
};

}  // namespace

struct GradientReducer::Inside {
  Group group;
  std::unique_ptr<c10d::Reducer> reducer;
};

GradientReducer::GradientReducer(RankGroup& group, const std::vector<at::Tensor>& parameters,
                                 std::int64_t bucket_bytes)
    : inside_(std::make_unique<Inside>()) {
  const RankGroup::State& state = *group.state_;
  using Process = c10d::ProcessGroup;
  const auto type = state.nccl ? Process::BackendType::NCCL : Process::BackendType::GLOO;
  inside_->group =
      c10::make_intrusive<Process>(static_cast<int>(group.rank()), static_cast<int>(group.size()));
  inside_->group->setBackend(group.device().type(), type, state.backend);
  inside_->group->setDefaultBackend(type);
  auto [buckets, limits] = c10d::compute_bucket_assignment_by_size(
      parameters, {c10d::kDefaultFirstBucketBytes, static_cast<std::size_t>(bucket_bytes)});
  std::ranges::reverse(buckets);  // last parameter first, like DistributedDataParallel
  inside_->reducer = make_reducer<c10d::Reducer>(
      parameters, buckets, inside_->group, std::vector<bool>(parameters.size(), false),
      bucket_bytes, /*find_unused_parameters=*/false,
      /*gradient_as_bucket_view=*/true, std::unordered_map<std::size_t, std::string>(),
      static_cast<std::int64_t>(c10d::kDefaultFirstBucketBytes),
      /*skip_all_reduce_unused_params=*/false, /*use_python_reducer=*/false);
  // Only Gloo needs this: traces show NCCL's times, and the default reads the gradients once less.
  if (state.nccl) return;
  inside_->reducer->register_comm_hook(
      std::make_unique<TimedAllReduce>(inside_->group, *state.pending));
}

GradientReducer::~GradientReducer() = default;

void GradientReducer::before_forward() { inside_->reducer->rebuild_buckets(); }

void GradientReducer::before_backward(const at::Tensor& loss) {
  inside_->reducer->prepare_for_backward({loss});
}

}  // namespace labreport
