// The processes of one launch, joined: what they exchange and how they wait for each other.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "results/run.h"

namespace labreport {

/// A collective failed or hung. Mostly another rank is at fault, whose outcome tells more.
class GroupError : public Error {
 public:
  GroupError(const std::string& problem, bool timed_out) : Error(problem), timed_out_(timed_out) {}
  bool timed_out() const { return timed_out_; }

 private:
  bool timed_out_;
};

/// When a collective was begun and when it was over, by the host's clock.
struct Flight {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

/// What is on its way between ranks. On a GPU it is enqueued on a stream of the library's own.
class Collective {
 public:
  struct Work;
  explicit Collective(std::shared_ptr<Work> work) : work_(std::move(work)) {}

  /// On a CPU until it is done; on a GPU later kernels of this stream wait for it, and the host
  /// does not.
  void finish();

 private:
  std::shared_ptr<Work> work_;
};

/// Every call is made by all ranks, in the same order, and may throw `GroupError`.
class RankGroup {
 public:
  /// Waits for the others; once a process. The group lives as long as the process does: taking it
  /// apart after a failure may hang. Throws `NotOffered` where this worker has no such library,
  /// `InputError` for a request without a rendezvous.
  static RankGroup& join(const LaunchRequest& request);

  std::int64_t rank() const { return rank_; }
  std::int64_t size() const { return size_; }
  c10::Device device() const { return device_; }  ///< Of the tensors that it takes.
  std::string library() const;                    ///< "NCCL 2.28.9", "Gloo"

  /// The sum over the ranks, in place.
  Collective sum(at::Tensor tensor);
  /// The mean over the ranks, in place; on a CPU once it is finished.
  Collective mean(at::Tensor tensor);

  /// The means begun since the call before, in their order; over Gloo alone, where work is done by
  /// threads of the host. All of them are finished.
  std::vector<Flight> take_flights();

  /// `root`'s tensor becomes everybody's, in place.
  Collective broadcast(at::Tensor tensor, std::int64_t root);
  /// The ranks' shards one behind the other; `whole` has as many elements as all of them.
  Collective gather_into(at::Tensor whole, at::Tensor shard);
  /// Each rank's stretch of the sum of `whole` over the ranks, of which `shard` has the size.
  Collective sum_scattered(at::Tensor shard, at::Tensor whole);

  /// Until all are here, and their devices have done what they were given.
  void barrier();
  /// Of the values that the ranks give.
  std::int64_t largest(std::int64_t value);
  /// Each rank's numbers, by rank; all ranks give as many.
  std::vector<std::vector<std::int64_t>> gather(const std::vector<std::int64_t>& numbers);

  /// Waits until all have come here: who left earlier would cut the others off.
  void leave();

  /// Why `sum_into` cannot be called; empty where it can.
  std::string why_no_sum_into() const;
  /// An out-of-place all-reduce on the current stream, which c10d itself does not offer. The group
  /// has summed before.
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
