// What LibTorch's minor versions do differently, all of it: no other file asks which one it is. The
// range itself stands in setup/torch-versions; what each version was seen to do, in docs/torch.md.
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
/// cuBLASLt has workspaces that are kept.
#define LABREPORT_HAS_LT_WORKSPACES
#endif

namespace labreport {

/// The allocator of a device's memory; 2.8 has CUDA's alone.
#if TORCH_VERSION_MINOR >= 9
inline auto* device_allocator(c10::Device device) { return c10::getDeviceAllocator(device.type()); }
#elif defined(LABREPORT_HAS_CUDA)
inline auto* device_allocator(c10::Device) { return c10::cuda::CUDACachingAllocator::get(); }
#else
/// Never asked: a build without CUDA has no device but the CPU.
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

/// Where a workspace begins: the memory alone, or since 2.13 beside its size.
template <typename Workspace>
std::uint64_t workspace_address(const Workspace& workspace) {
  if constexpr (requires { workspace.get(); }) {
    return reinterpret_cast<std::uint64_t>(workspace.get());
  } else {
    return reinterpret_cast<std::uint64_t>(workspace.first.get());
  }
}

/// cuBLAS's workspaces: in a map, since 2.10 held beside its mutex.
template <typename Workspaces>
void append_workspaces(Workspaces& workspaces, std::vector<std::uint64_t>& addresses) {
  if constexpr (requires { workspaces.map; }) {
    append_workspaces(workspaces.map, addresses);
  } else {
    for (const auto& [user, memory] : workspaces) addresses.push_back(workspace_address(memory));
  }
}

/// A process group over NCCL tells its communicator in newer versions alone; zero: it does not.
template <typename Group>
constexpr bool kTellsCommunicator = requires(Group& group) { group.getCommPtr(); };
template <typename Group>
std::int64_t communicator_of(Group& group) {
  if constexpr (kTellsCommunicator<Group>) {
    return group.getCommPtr();
  } else {
    return 0;
  }
}

/// PyTorch's reducer of gradients: newer versions take a list of caps, too.
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
