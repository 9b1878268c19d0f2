#include "engine/nvtx_ranges.h"

#include "base/error.h"

#ifdef LABREPORT_HAS_CUDA

#include <nvtx3/nvToolsExt.h>
#include <map>

namespace labreport {
namespace {

nvtxStringHandle_t register_name(const std::string& name) {
  static std::map<std::string, nvtxStringHandle_t> handles;
  const auto [handle, is_new] = handles.emplace(name, nullptr);
  if (is_new) handle->second = nvtxDomainRegisterStringA(nullptr, name.c_str());
  return handle->second;
}

}  // namespace

NvtxRanges::NvtxRanges() = default;

void NvtxRanges::on_open(std::string_view name) {
  open_names_.push_back(nvtx_name(open_names_.empty() ? "" : open_names_.back(), name));
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  event.message.registered = register_name(open_names_.back());
  nvtxRangePushEx(&event);
}

void NvtxRanges::on_close() {
  nvtxRangePop();
  open_names_.pop_back();
}

}  // namespace labreport

#else

namespace labreport {

NvtxRanges::NvtxRanges() {
  throw InputError("--nvtx: this worker was built beside a torch without CUDA",
                   "build it beside one with CUDA");
}

void NvtxRanges::on_open(std::string_view) {}
void NvtxRanges::on_close() {}

}  // namespace labreport

#endif

namespace labreport {
std::string nvtx_name(std::string_view enclosing, std::string_view name) {
  // A path starts at a layer, whose name has a dot, and not at the phase around it. A name with a
  // space is an operation inside attention and no module.
  const bool in_layer = enclosing.find('.') != enclosing.npos;
  const bool is_module = name.find(' ') == name.npos;
  if (!in_layer || !is_module) return std::string(name);
  return std::string(enclosing) + "." + std::string(name);
}

}  // namespace labreport
