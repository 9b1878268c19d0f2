#include "engine/cuda_graph.h"

#include "base/error.h"
#include "engine/allocator.h"

#ifdef LABREPORT_HAS_CUDA

#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>

namespace labreport {

struct CudaGraph::Impl {
  c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool();
  at::cuda::CUDAGraph graph;
};

CudaGraph::CudaGraph() : impl_(std::make_unique<Impl>()) {}

void CudaGraph::warm_up(const std::function<void()>& work) {
  const c10::cuda::CUDAStreamGuard guard(impl_->stream);
  work();
  impl_->stream.synchronize();
}

void CudaGraph::capture(const std::function<void()>& work) {
  const c10::cuda::CUDAStreamGuard guard(impl_->stream);
  // A graph allocates from its own pool, and free blocks cannot be released during the capture.
  release_free_blocks(impl_->stream.device());
  impl_->graph.capture_begin();
  work();
  impl_->graph.capture_end();
}

void CudaGraph::replay() {
  const c10::cuda::CUDAStreamGuard guard(impl_->stream);
  impl_->graph.replay();
}

}  // namespace labreport

#else

namespace labreport {

struct CudaGraph::Impl {};

CudaGraph::CudaGraph() {
  throw InputError("this worker was built beside a torch without CUDA: it captures no CUDA graph",
                   "build it beside one with CUDA");
}

void CudaGraph::warm_up(const std::function<void()>&) {}
void CudaGraph::capture(const std::function<void()>&) {}
void CudaGraph::replay() {}

}  // namespace labreport

#endif

namespace labreport {

CudaGraph::~CudaGraph() = default;

}  // namespace labreport
