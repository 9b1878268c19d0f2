// The libraries behind a group of ranks: made here, and nowhere else named.
#pragma once

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <chrono>
#include <string>

#include "engine/not_offered.h"

namespace labreport {

using CollectivesBackend = c10::intrusive_ptr<c10d::Backend>;

/// Where the ranks find each other, and which of them this process is.
struct BackendPlace {
  c10::intrusive_ptr<c10d::Store> store;
  int rank = 0;
  int size = 0;
  std::chrono::milliseconds timeout;
};

/// Over the loopback device: ranks are processes of one machine. Throws `NotOffered` where the
/// build found no headers of Gloo's that fit this torch.
CollectivesBackend make_gloo(const BackendPlace& place);

/// Throws `NotOffered` where the build found no headers of NCCL's, or torch has no CUDA.
CollectivesBackend make_nccl(const BackendPlace& place);

std::string nccl_version();  ///< "2.28.9"; empty where there is no NCCL.

/// Why `nccl_sum` cannot be called; empty where it can.
std::string why_no_nccl_sum();

/// NCCL's own all-reduce from one tensor into another, on the current stream. The backend has
/// summed a tensor of the same device before.
void nccl_sum(c10d::Backend& backend, const at::Tensor& input, at::Tensor& output);

}  // namespace labreport
