// Captures device work once as a CUDA graph and replays it.
#pragma once

#include <functional>
#include <memory>

namespace labreport {

/// Runs all of its work on its own stream, since the default one cannot be captured.
class CudaGraph {
 public:
  /// Throws `InputError` in a worker without CUDA.
  CudaGraph();
  ~CudaGraph();
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  /// Runs the work without capturing it and waits, so one-time setup does not become part of the
  /// graph.
  void warm_up(const std::function<void()>& work);

  /// Captures the work without running it. Tensors that it creates and that stay alive hold the
  /// values of the latest replay.
  void capture(const std::function<void()>& work);

  /// Launches the captured graph; the caller waits for it.
  void replay();

 private:
  struct Captured;
  std::unique_ptr<Captured> captured_;
};

}  // namespace labreport
