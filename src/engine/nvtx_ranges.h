// The program's ranges for a profiler outside, such as Nsight Systems.
#pragma once

#include <string>
#include <vector>

#include "engine/range.h"

namespace labreport {

/// Hands every range on to NVTX's default domain under a registered name, which is what
/// `nsys --nvtx-capture` waits for. A module is named by its path, "layers.3.attn.q_proj", phases
/// and the parts of attention as they are. Throws `InputError` in a worker without CUDA.
class NvtxRanges : public RangeObserver {
 public:
  NvtxRanges();
  void opened(std::string_view name) override;
  void closed() override;

 private:
  std::vector<std::string> open_;  ///< The names as they were told.
};

/// The name under which a range is told, `around` being that of the range it opens in.
std::string nvtx_name(std::string_view around, std::string_view name);

}  // namespace labreport
