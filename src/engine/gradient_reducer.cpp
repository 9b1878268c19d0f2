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

using ProcessGroupPtr = c10::intrusive_ptr<c10d::ProcessGroup>;

/// Replaces c10d's AllReduceCommHook, which c10d does not export, and records the times of each
/// all-reduce.
class TimedAllReduce : public c10d::CppCommHookInterface<ProcessGroupPtr> {
 public:
  TimedAllReduce(const ProcessGroupPtr& group, PendingCollectives& pending)
      : CppCommHookInterface(group), pending_(pending) {}

  c10::intrusive_ptr<c10::ivalue::Future> runHook(c10d::GradBucket& bucket) override {
    std::vector<at::Tensor> tensors{bucket.getBufferRef()};
    tensors.front().div_(state_->getSize());
    const auto collective = pending_.record_start();
    auto future = state_->allreduce(tensors)->getFuture();
    pending_.watch(collective, *future);
    return future;
  }

 private:
  PendingCollectives& pending_;
};

}  // namespace

struct GradientReducer::Impl {
  ProcessGroupPtr process_group;
  std::unique_ptr<c10d::Reducer> reducer;
};

GradientReducer::GradientReducer(RankGroup& group, const std::vector<at::Tensor>& parameters,
                                 std::int64_t bucket_bytes)
    : impl_(std::make_unique<Impl>()) {
  const RankGroup::State& state = *group.state_;
  using c10d::ProcessGroup;
  using Type = ProcessGroup::BackendType;
  const auto type = state.uses_nccl ? Type::NCCL : Type::GLOO;
  impl_->process_group = c10::make_intrusive<ProcessGroup>(static_cast<int>(group.rank()),
                                                           static_cast<int>(group.size()));
  impl_->process_group->setBackend(group.device().type(), type, state.backend);
  impl_->process_group->setDefaultBackend(type);
  auto [buckets, limits] = c10d::compute_bucket_assignment_by_size(
      parameters, {c10d::kDefaultFirstBucketBytes, static_cast<std::size_t>(bucket_bytes)});
  std::ranges::reverse(buckets);  // last parameter first, like DistributedDataParallel
  impl_->reducer = make_reducer<c10d::Reducer>(
      parameters, buckets, impl_->process_group, std::vector<bool>(parameters.size(), false),
      bucket_bytes,
      /*find_unused_parameters=*/false,
      /*gradient_as_bucket_view=*/true, std::unordered_map<std::size_t, std::string>(),
      static_cast<std::int64_t>(c10d::kDefaultFirstBucketBytes),
      /*skip_all_reduce_unused_params=*/false, /*use_python_reducer=*/false);
  // A profile shows NCCL's times, so the hook is left out: it reads the gradients once more.
  if (state.uses_nccl) return;
  impl_->reducer->register_comm_hook(
      std::make_unique<TimedAllReduce>(impl_->process_group, *state.pending));
}

GradientReducer::~GradientReducer() = default;

void GradientReducer::before_forward() { impl_->reducer->rebuild_buckets(); }

void GradientReducer::before_backward(const at::Tensor& loss) {
  impl_->reducer->prepare_for_backward({loss});
}

}  // namespace labreport
