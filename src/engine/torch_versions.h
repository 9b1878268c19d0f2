// Handles all differences between LibTorch's minor versions; no other file asks for the version.
// setup/torch-versions holds the supported range, docs/torch.md the differences seen.
#pragma once

#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/Device.h>
#include <torch/version.h>

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/not_offered.h"

#if TORCH_VERSION_MINOR < 9 && defined(LABREPORT_HAS_CUDA)
#include <c10/cuda/CUDACachingAllocator.h>
#endif
#if TORCH_VERSION_MINOR >= 9
/// cuBLASLt keeps workspaces of its own from torch 2.9 on.
#define LABREPORT_HAS_LT_WORKSPACES
#endif

namespace labreport {

/// Returns LibTorch's caching allocator for the device; torch 2.8 has one for CUDA only.
#if TORCH_VERSION_MINOR >= 9
inline auto* device_allocator(c10::Device device) { return c10::getDeviceAllocator(device.type()); }
#elif defined(LABREPORT_HAS_CUDA)
inline auto* device_allocator(c10::Device) { return c10::cuda::CUDACachingAllocator::get(); }
#else
/// Satisfies the compiler only: a build without CUDA has no device but the CPU.
struct NoAllocator {
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex) { return {}; }
  void resetPeakStats(c10::DeviceIndex) {}
  void emptyCache() {}
};
inline NoAllocator* device_allocator(c10::Device) {
  static NoAllocator none;
  return &none;
}
#endif

/// Returns the address of a workspace, a pointer or, since torch 2.13, a pair of pointer and size.
template <typename Workspace>
std::uint64_t workspace_address(const Workspace& workspace) {
  if constexpr (requires { workspace.get(); }) {
    return reinterpret_cast<std::uint64_t>(workspace.get());
  } else {
    return reinterpret_cast<std::uint64_t>(workspace.first.get());
  }
}

/// Appends the addresses of cuBLAS's workspaces. `workspaces` is a map, or since torch 2.10 a
/// struct of the map and its mutex.
template <typename Workspaces>
void append_workspace_addresses(Workspaces& workspaces, std::vector<std::uint64_t>& addresses) {
  if constexpr (requires { workspaces.map; }) {
    append_workspace_addresses(workspaces.map, addresses);
  } else {
    for (const auto& [user, memory] : workspaces) addresses.push_back(workspace_address(memory));
  }
}

/// True if NCCL's process group reveals the communicator, as newer versions do. Otherwise
/// communicator_of() returns 0.
template <typename Group>
constexpr bool kRevealsCommunicator = requires(Group& group) { group.getCommPtr(); };
template <typename Group>
std::int64_t communicator_of(Group& group) {
  if constexpr (kRevealsCommunicator<Group>) {
    return group.getCommPtr();
  } else {
    return 0;
  }
}

/// Creates PyTorch's gradient reducer; newer versions also take a list of bucket limits.
template <typename Reducer, typename... Arguments>
std::unique_ptr<Reducer> make_reducer(Arguments&&... arguments) {
  if constexpr (std::is_constructible_v<Reducer, Arguments..., std::vector<std::int64_t>>) {
    return std::make_unique<Reducer>(std::forward<Arguments>(arguments)...,
                                     std::vector<std::int64_t>());
  } else if constexpr (std::is_constructible_v<Reducer, Arguments...>) {
    return std::make_unique<Reducer>(std::forward<Arguments>(arguments)...);
  } else {
    throw NotOffered("this torch makes its reducer of gradients in another way");
  }
}

}  // namespace labreport
