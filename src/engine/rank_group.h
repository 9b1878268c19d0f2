// The processes of one launch: their collectives and barriers.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "results/run.h"

namespace labreport {

/// Thrown if a collective failed or timed out. Usually another rank is the cause, and the outcome
/// of that rank explains more.
class GroupError : public Error {
 public:
  GroupError(const std::string& problem, bool timed_out) : Error(problem), timed_out_(timed_out) {}
  bool timed_out() const { return timed_out_; }

 private:
  bool timed_out_;
};

/// Returns the error of a collective, by the library's message.
GroupError group_error(const std::string& message);

/// Start and end of a collective, by the host's clock.
struct TimedCollective {
  std::int64_t start_ns = 0, end_ns = 0;
};

/// A collective that has been started. On a GPU it runs on a stream that belongs to NCCL.
class Collective {
 public:
  struct Work;
  explicit Collective(std::shared_ptr<Work> work) : work_(std::move(work)) {}

  /// On a CPU this waits until the collective is done. On a GPU the host does not wait, but later
  /// kernels of the current stream do.
  void finish();

 private:
  std::shared_ptr<Work> work_;
};

/// All ranks must make the same calls in the same order. Every call may throw `GroupError`.
class RankGroup {
 public:
  /// Returns the process's group. The first call creates it and waits for the other ranks. The
  /// group is never freed, because its destruction may hang after a failure. Throws `NotOffered` if
  /// this worker lacks the library, `InputError` for a request without a rendezvous.
  static RankGroup& join(const LaunchRequest& request);

  std::int64_t rank() const { return rank_; }
  std::int64_t size() const { return size_; }
  c10::Device device() const { return device_; }  ///< The device of all tensors.
  std::string library() const;                    ///< "NCCL 2.28.9", "Gloo"

  /// Sums the tensor over the ranks, in place.
  Collective all_reduce_sum(at::Tensor tensor);
  /// Averages the tensor over the ranks, in place. Over Gloo finish() divides the sum.
  Collective all_reduce_mean(at::Tensor tensor);

  /// Returns the times, in order of start, of finished all-reduces by all_reduce_mean() or a
  /// `GradientReducer` since the previous call. Empty over NCCL, which does not run on the host.
  std::vector<TimedCollective> take_collectives();

  /// Copies `root`'s tensor to all ranks, in place.
  Collective broadcast(at::Tensor tensor, std::int64_t root);
  /// Concatenates the ranks' shards, which have equal sizes, into `whole` in order of rank.
  Collective all_gather_into(at::Tensor whole, at::Tensor shard);
  /// Cuts the sum of `whole` over the ranks into equal pieces; `shard` gets this rank's piece.
  Collective reduce_scatter(at::Tensor shard, at::Tensor whole);

  /// Waits until all ranks have called barrier() and their devices have finished earlier work.
  void barrier();
  std::int64_t max_over_ranks(std::int64_t value);
  /// Returns each rank's numbers, in order of rank. All ranks must pass the same count of numbers.
  std::vector<std::vector<std::int64_t>> all_gather(const std::vector<std::int64_t>& numbers);
  /// Returns each rank's text, in order of rank, whatever their lengths.
  std::vector<std::string> all_gather_text(const std::string& text);

  /// Waits until all ranks have called it. A rank that exits earlier would disconnect the others.
  void wait_until_all_leave();

  /// Returns the reason why `all_reduce_into` cannot be called; empty if it can.
  std::string why_no_all_reduce_into() const;
  /// Enqueues an all-reduce of the FP32 tensor `input` into `output` on the current stream. c10d
  /// offers neither another output nor the current stream.
  void all_reduce_into(const at::Tensor& input, at::Tensor& output);

 private:
  friend class GradientReducer;
  struct State;
  explicit RankGroup(const LaunchRequest& request);

  std::int64_t rank_;
  std::int64_t size_;
  c10::Device device_;
  std::shared_ptr<State> state_;
};

}  // namespace labreport
