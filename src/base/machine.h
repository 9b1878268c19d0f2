// The machine around the GPU: CPU, memory, name, and the variables that change results.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace labreport {

std::string cpu_model();  ///< "AMD EPYC 9654 96-Core Processor"; "unknown CPU" if untold.

/// Logical cores that this process may use, in order.
std::vector<int> usable_cores();

/// Bytes of memory, of the container where it is limited.
std::int64_t memory_bytes();

/// Bytes that can be had now without swapping.
std::int64_t available_memory_bytes();

std::int64_t free_disk_bytes(const std::filesystem::path& folder);

/// Whether it lies in this machine's memory, where no other machine sees it.
bool is_in_memory(const std::filesystem::path& folder);

std::string host_name();

/// How often the kernel has killed a process for want of memory here; absent when it won't tell.
std::optional<std::int64_t> out_of_memory_kills();

/// Names of the environment variables that change what is measured, e.g. "NVIDIA_TF32_OVERRIDE".
bool changes_results(const std::string& variable);

/// Of those: without them NCCL does not run at all on some machines, so they stay.
bool is_needed_by_machine(const std::string& variable);

/// Those of them that are set, with their values.
std::map<std::string, std::string> result_changing_environment();

}  // namespace labreport
