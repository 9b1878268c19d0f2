// Splits a traced step of several GPUs into parts, and scales each by its own limit to another GPU.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "results/run.h"

namespace labreport {

/// The parts of a step's time, in the order of figures.
enum class PartKind { kGemms, kAttention, kCompiled, kOthers, kExposed, kIdle };

/// Returns the word that tables and figures have for the part.
std::string_view describe(PartKind kind);

struct TracedPart {
  PartKind kind;
  double ms;

  bool operator==(const TracedPart&) const = default;
};

/// Returns the parts of rank 0's traced step in the order of figures; empty without a trace of
/// kernels. Exposed is communication beside which nothing computes, and idle is the rest.
std::vector<TracedPart> traced_parts(const Launch& launch);

double total_ms(const std::vector<TracedPart>& parts);

/// The rates of a GPU that limit the parts of a step.
struct GpuLimits {
  double flops_per_second;       ///< Dense BF16.
  double bytes_per_second;       ///< The memory's bandwidth.
  double link_bytes_per_second;  ///< In one direction.
};

/// NVIDIA, DGX B200 Datasheet (2024), of one GPU.
inline constexpr GpuLimits kB200Limits{2250e12, 8e12, 900e9};

/// Returns the limits by the device's data sheet; nothing if it does not tell them all.
std::optional<GpuLimits> datasheet_limits(std::string_view device);

/// Returns "BF16 rate", "memory bandwidth", "link" or "nothing".
std::string_view limit_of(PartKind kind);

/// Returns the parts on a GPU with other limits: GEMMs and attention scale with the BF16 rate,
/// exposed communication with the link, other kernels with the memory's bandwidth. Idle time stays.
std::vector<TracedPart> scaled_to(std::vector<TracedPart> parts, const GpuLimits& from,
                                  const GpuLimits& to);

}  // namespace labreport
