#include "engine/collectives_backend.h"
#include "engine/torch_versions.h"

#ifdef USE_C10D_NCCL
#include <c10/cuda/CUDAStream.h>
#include <dlfcn.h>
#include <nccl.h>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

namespace labreport {
namespace {

using NcclAllReduce = decltype(&ncclAllReduce);

/// Finds the function in the NCCL that torch has loaded; null if torch hides its NCCL.
NcclAllReduce find_nccl_all_reduce() {
  static const auto found = reinterpret_cast<NcclAllReduce>(dlsym(RTLD_DEFAULT, "ncclAllReduce"));
  return found;
}

}  // namespace

CollectivesBackend make_nccl(const BackendSettings& settings) {
  using Nccl = c10d::ProcessGroupNCCL;
  auto options = Nccl::Options::create();
  options->timeout = settings.timeout;
  return c10::make_intrusive<Nccl>(settings.store, settings.rank, settings.size, options);
}

std::string nccl_version() { return c10d::getNcclVersion(); }

std::string why_no_nccl_all_reduce() {
  if (find_nccl_all_reduce() == nullptr) return "this torch hides its NCCL";
  if (!kRevealsCommunicator<c10d::ProcessGroupNCCL>)
    return "this torch does not tell its communicator";
  return "";
}

void nccl_all_reduce(c10d::Backend& backend, const at::Tensor& input, at::Tensor& output) {
  auto& group = dynamic_cast<c10d::ProcessGroupNCCL&>(backend);
  const auto communicator = reinterpret_cast<ncclComm_t>(communicator_of(group));
  if (communicator == nullptr) throw std::runtime_error("NCCL has no communicator yet");
  const ncclResult_t result = find_nccl_all_reduce()(
      input.const_data_ptr(), output.mutable_data_ptr(), static_cast<std::size_t>(input.numel()),
      ncclFloat32, ncclSum, communicator, c10::cuda::getCurrentCUDAStream().stream());
  if (result != ncclSuccess) throw std::runtime_error("ncclAllReduce failed");
}

}  // namespace labreport
#else

namespace labreport {

CollectivesBackend make_nccl(const BackendSettings&) { throw NotOffered(LABREPORT_NO_NCCL); }
std::string nccl_version() { return ""; }
std::string why_no_nccl_all_reduce() { return LABREPORT_NO_NCCL; }
void nccl_all_reduce(c10d::Backend&, const at::Tensor&, at::Tensor&) {}

}  // namespace labreport
#endif
