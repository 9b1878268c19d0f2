// The program's ranges for an external profiler, such as Nsight Systems.
#pragma once

#include <string>
#include <vector>

#include "engine/range.h"

namespace labreport {

/// Passes every range to NVTX's default domain under a registered name, which `nsys --nvtx-capture`
/// requires. A module's name is its path, "layers.3.attn.q_proj"; phases and the parts of attention
/// keep their names. Throws `InputError` in a worker without CUDA.
class NvtxRanges : public RangeObserver {
 public:
  NvtxRanges();
  void opened(std::string_view name) override;
  void closed() override;

 private:
  std::vector<std::string> open_;  ///< NVTX names of the open ranges.
};

/// Returns the NVTX name of a range. `around` is the NVTX name of the enclosing range, or empty.
std::string nvtx_name(std::string_view around, std::string_view name);

}  // namespace labreport
