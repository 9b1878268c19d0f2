// Device work that is captured once as a CUDA graph, and then replayed.
#pragma once

#include <functional>
#include <memory>

namespace labreport {

/// Capturing needs a stream other than the default one: all of its work runs there.
class CudaGraph {
 public:
  /// Throws `InputError` in a worker without CUDA.
  CudaGraph();
  ~CudaGraph();
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  /// Runs the work as it is, and waits for it: what it sets up once is then no part of the graph.
  void warm_up(const std::function<void()>& work);

  /// Records the work without running it. Tensors that it makes and that outlive it hold, after
  /// each replay, that replay's values.
  void capture(const std::function<void()>& work);

  /// Launches what was captured; the caller waits for it.
  void replay();

 private:
  struct Captured;
  std::unique_ptr<Captured> captured_;
};

}  // namespace labreport
