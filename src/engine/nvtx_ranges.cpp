#include "engine/nvtx_ranges.h"

#include "base/error.h"

#ifdef LABREPORT_HAS_CUDA

#include <nvtx3/nvToolsExt.h>
#include <map>

namespace labreport {
namespace {

nvtxStringHandle_t registered(const std::string& name) {
  static std::map<std::string, nvtxStringHandle_t> known;
  const auto [place, fresh] = known.emplace(name, nullptr);
  if (fresh) place->second = nvtxDomainRegisterStringA(nullptr, name.c_str());
  return place->second;
}

}  // namespace

NvtxRanges::NvtxRanges() = default;

void NvtxRanges::opened(std::string_view name) {
  open_.push_back(nvtx_name(open_.empty() ? "" : open_.back(), name));
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  event.message.registered = registered(open_.back());
  nvtxRangePushEx(&event);
}

void NvtxRanges::closed() {
  nvtxRangePop();
  open_.pop_back();
}

}  // namespace labreport

#else

namespace labreport {

NvtxRanges::NvtxRanges() {
  throw InputError("--nvtx: this worker was built beside a torch without CUDA",
                   "build it beside one with CUDA");
}

void NvtxRanges::opened(std::string_view) {}
void NvtxRanges::closed() {}

}  // namespace labreport

#endif

namespace labreport {
std::string nvtx_name(std::string_view around, std::string_view name) {
  // A path starts at a layer, whose name has a dot, and not at the phase around it. A name with a
  // space is an operation inside attention and no module.
  const bool in_layer = around.find('.') != around.npos;
  const bool module = name.find(' ') == name.npos;
  if (!in_layer || !module) return std::string(name);
  return std::string(around) + "." + std::string(name);
}

}  // namespace labreport
