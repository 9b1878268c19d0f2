// Describes the machine around the GPU, and environment variables that change results.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace labreport {

std::string cpu_model();  ///< "AMD EPYC 9654 96-Core Processor", or "unknown CPU".

/// Returns the logical cores that this process may use, in ascending order.
std::vector<int> usable_cores();

/// Returns the bytes of the machine's memory, or the container's limit if that is lower.
std::int64_t memory_bytes();

/// Returns the bytes that can be allocated now without swapping.
std::int64_t available_memory_bytes();

std::int64_t free_disk_bytes(const std::filesystem::path& folder);

/// True if the folder is in this machine's memory (tmpfs or ramfs), where other machines cannot see
/// it.
bool is_in_memory(const std::filesystem::path& folder);

std::string host_name();

/// Returns the number of processes that Linux has killed for lack of memory, in this container or
/// else on the machine; absent if not reported.
std::optional<std::int64_t> out_of_memory_kills();

/// True for environment variables that change what is measured, e.g. "NVIDIA_TF32_OVERRIDE".
bool changes_results(const std::string& variable);

/// True for NCCL's variables. They stay set for workers, because on some machines NCCL does not run
/// without them.
bool is_needed_by_machine(const std::string& variable);

/// Returns this process's variables for which `changes_results` holds, with their values.
std::map<std::string, std::string> result_changing_environment();

}  // namespace labreport
