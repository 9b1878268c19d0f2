// The phase, module and operation in which each thread currently is.
#pragma once

#include <ATen/record_function.h>

#include <mutex>
#include <string>
#include <unordered_map>

#include "engine/memory_history.h"
#include "engine/range.h"

namespace labreport {

/// Follows ranges and LibTorch's operators from construction to destruction, on autograd's threads
/// too; at most one object at a time.
class CallSites : public RangeObserver {
 public:
  CallSites();
  ~CallSites() override;
  CallSites(const CallSites&) = delete;
  CallSites& operator=(const CallSites&) = delete;

  /// Describes the calling thread. A node of backward has the module and operation of its forward,
  /// found by autograd's sequence number. A sum of gradients has those of the node that delivers
  /// the last gradient.
  MemoryOrigin here() const;

  /// Returns true while the calling thread copies a parameter to another dtype, as autocast does.
  static bool casting_weight();

  void opened(std::string_view name) override;
  void closed() override;

 private:
  struct Forward {
    std::string module;
    std::string operation;
  };
  static std::unique_ptr<at::ObserverContext> entered(const at::RecordFunction& function);
  static void left(const at::RecordFunction& function, at::ObserverContext* context);
  void note_forward(std::int64_t sequence);

  mutable std::mutex mutex_;
  std::string phase_;  ///< The phase that began last; it also counts for work after its end.
  std::unordered_map<std::int64_t, Forward> forwards_;
  ObservedRanges observed_;
  at::CallbackHandle handle_;
};

}  // namespace labreport
