// What LibTorch's minor versions do differently, all of it: no other file asks which one it is. The
// range itself stands in setup/torch-versions; what each version was seen to do, in docs/torch.md.
#pragma once

#include <torch/version.h>

#include <cstdint>
#include <vector>

namespace labreport {

/// Where a workspace begins: the memory alone (2.8 to 2.14), or beside its size (2.15).
template <typename Workspace>
std::uint64_t workspace_address(const Workspace& workspace) {
  if constexpr (requires { workspace.get(); }) {
    return reinterpret_cast<std::uint64_t>(workspace.get());
  } else {
    return reinterpret_cast<std::uint64_t>(workspace.first.get());
  }
}

/// The matrix library's workspaces: in a map, which newer versions hold beside its mutex.
template <typename Workspaces>
void append_workspaces(Workspaces& workspaces, std::vector<std::uint64_t>& addresses) {
  if constexpr (requires { workspaces.map; }) {
    append_workspaces(workspaces.map, addresses);
  } else {
    for (const auto& [user, memory] : workspaces) addresses.push_back(workspace_address(memory));
  }
}

/// The share of a device that its allocator may take; 1 from versions that do not tell it.
template <typename Allocator>
double memory_fraction(Allocator& allocator) {
  if constexpr (requires { allocator.getMemoryFraction(0); }) {
    return allocator.getMemoryFraction(0);
  } else {
    return 1;
  }
}

}  // namespace labreport
