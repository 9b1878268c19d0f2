// Creates the backend of a group of ranks; no other file includes headers of Gloo or NCCL.
#pragma once

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <chrono>
#include <string>

#include "engine/not_offered.h"

namespace labreport {

using CollectivesBackend = c10::intrusive_ptr<c10d::Backend>;

struct BackendSettings {
  c10::intrusive_ptr<c10d::Store> store;  ///< The ranks find each other by it.
  int rank = 0;                           ///< This process's rank.
  int size = 0;                           ///< Number of ranks.
  std::chrono::milliseconds timeout;
};

/// Creates a Gloo backend over the loopback network, since all ranks are processes of one machine.
/// Throws `NotOffered` if the build found no headers of Gloo that fit this torch.
CollectivesBackend make_gloo(const BackendSettings& settings);

/// Throws `NotOffered` if torch has no CUDA or the build found no headers of NCCL.
CollectivesBackend make_nccl(const BackendSettings& settings);

std::string nccl_version();  ///< "2.28.9"; empty without NCCL.

/// Returns the reason why `nccl_all_reduce` cannot be called; empty if it can.
std::string why_no_nccl_all_reduce();

/// Enqueues NCCL's all-reduce of the FP32 tensor `input` into `output` on the current stream. The
/// backend must have summed a tensor on this device before, which creates the communicator.
void nccl_all_reduce(c10d::Backend& backend, const at::Tensor& input, at::Tensor& output);

}  // namespace labreport
