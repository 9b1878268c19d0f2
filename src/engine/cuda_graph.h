// Captures device work once as a CUDA graph and replays it.
#pragma once

#include <functional>
#include <memory>

namespace labreport {

/// Runs the work on a stream of its own, since CUDA cannot capture the default stream.
class CudaGraph {
 public:
  /// Throws `InputError` in a worker without CUDA.
  CudaGraph();
  ~CudaGraph();
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  /// Runs the work once without capturing it and waits for it, so that one-time setup does not
  /// become part of the graph.
  void warm_up(const std::function<void()>& work);

  /// Captures the work without running it. Tensors that the work creates and that stay alive hold
  /// the values of the latest replay.
  void capture(const std::function<void()>& work);

  /// Enqueues the captured graph and returns without waiting for it.
  void replay();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace labreport
