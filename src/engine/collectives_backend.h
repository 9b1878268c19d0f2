// Creates the backend of a group of ranks; no other file includes headers of Gloo or NCCL.
#pragma once

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <chrono>
#include <string>

#include "engine/not_offered.h"

namespace labreport {

using CollectivesBackend = c10::intrusive_ptr<c10d::Backend>;

/// The store by which the ranks find each other, and this process's rank.
struct BackendPlace {
  c10::intrusive_ptr<c10d::Store> store;
  int rank = 0;
  int size = 0;
  std::chrono::milliseconds timeout;
};

/// Creates a Gloo backend over the loopback network, since all ranks are processes of one machine.
/// Throws `NotOffered` if the build found no headers of Gloo that fit this torch.
CollectivesBackend make_gloo(const BackendPlace& place);

/// Throws `NotOffered` if torch has no CUDA or the build found no headers of NCCL.
CollectivesBackend make_nccl(const BackendPlace& place);

std::string nccl_version();  ///< "2.28.9"; empty without NCCL.

/// Returns the reason why `nccl_sum` cannot be called; empty if it can.
std::string why_no_nccl_sum();

/// Enqueues NCCL's all-reduce of the FP32 tensor `input` into `output` on the current stream. The
/// backend must have summed a tensor on this device before, which creates the communicator.
void nccl_sum(c10d::Backend& backend, const at::Tensor& input, at::Tensor& output);

}  // namespace labreport
