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
  void on_open(std::string_view name) override;
  void on_close() override;

 private:
  std::vector<std::string> open_names_;  ///< NVTX names of the open ranges.
};

/// Returns the NVTX name of a range. `enclosing` is the NVTX name of the range around it, or empty.
std::string nvtx_name(std::string_view enclosing, std::string_view name);

}  // namespace labreport
