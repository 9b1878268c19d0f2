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

/// A collective failed or hung. Usually another rank caused it, and its outcome explains more.
class GroupError : public Error {
 public:
  GroupError(const std::string& problem, bool timed_out) : Error(problem), timed_out_(timed_out) {}
  bool timed_out() const { return timed_out_; }

 private:
  bool timed_out_;
};

/// Start and end of a collective, by the host's clock.
struct Flight {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

/// A collective that has been started. On a GPU it is enqueued on the library's own stream.
class Collective {
 public:
  struct Work;
  explicit Collective(std::shared_ptr<Work> work) : work_(std::move(work)) {}

  /// On a CPU this waits until it is done. On a GPU later kernels of this stream wait for it, and
  /// the host does not.
  void finish();

 private:
  std::shared_ptr<Work> work_;
};

/// All ranks must make the same calls in the same order. Every call may throw `GroupError`.
class RankGroup {
 public:
  /// Waits for the other ranks; once in each process. The group lives as long as the process,
  /// because its destruction may hang after a failure. Throws `NotOffered` if this worker lacks the
  /// library, `InputError` for a request without a rendezvous.
  static RankGroup& join(const LaunchRequest& request);

  std::int64_t rank() const { return rank_; }
  std::int64_t size() const { return size_; }
  c10::Device device() const { return device_; }  ///< The device of the tensors that it takes.
  std::string library() const;                    ///< "NCCL 2.28.9", "Gloo"

  /// Sums over the ranks, in place.
  Collective sum(at::Tensor tensor);
  /// Averages over the ranks, in place. Over Gloo finish() divides the sum.
  Collective mean(at::Tensor tensor);

  /// Returns the times of the means started since the previous call, in order. All must have
  /// finished. Only Gloo records them, since its work runs on threads of the host.
  std::vector<Flight> take_flights();

  /// Copies `root`'s tensor to all ranks, in place.
  Collective broadcast(at::Tensor tensor, std::int64_t root);
  /// Concatenates the ranks' shards; `whole` has as many elements as all of them.
  Collective gather_into(at::Tensor whole, at::Tensor shard);
  /// Sums `whole` over the ranks and gives each rank its part; `shard` has the part's size.
  Collective sum_scattered(at::Tensor shard, at::Tensor whole);

  /// Waits until all ranks are here and their devices have finished.
  void barrier();
  /// Returns the largest of the ranks' values.
  std::int64_t largest(std::int64_t value);
  /// Returns each rank's numbers, in order of rank; all ranks must give equally many.
  std::vector<std::vector<std::int64_t>> gather(const std::vector<std::int64_t>& numbers);

  /// Waits until all ranks are here. A rank that ended earlier would disconnect the others.
  void leave();

  /// Returns the reason why `sum_into` cannot be called; empty if it can.
  std::string why_no_sum_into() const;
  /// Runs an out-of-place all-reduce on the current stream, which c10d does not offer. The group
  /// must have summed before.
  void sum_into(const at::Tensor& input, at::Tensor& output);

 private:
  friend class GradientReducer;
  struct Joined;
  explicit RankGroup(const LaunchRequest& request);

  std::int64_t rank_;
  std::int64_t size_;
  c10::Device device_;
  std::shared_ptr<Joined> joined_;
};

}  // namespace labreport
