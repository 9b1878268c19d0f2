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
/// too. At most one object may exist at a time.
class CallSites : public RangeObserver {
 public:
  CallSites();
  ~CallSites() override;
  CallSites(const CallSites&) = delete;
  CallSites& operator=(const CallSites&) = delete;

  /// Returns the phase, module and operation of the calling thread. A node of backward gets the
  /// module and operation of the forward call that made it, found by autograd's sequence number. An
  /// addition of gradients gets those of the node that delivers the last gradient.
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
  std::string phase_;  ///< The phase that began last; work after its end is attributed to it, too.
  std::unordered_map<std::int64_t, Forward> forwards_;
  ObservedRanges observed_;
  at::CallbackHandle handle_;
};

}  // namespace labreport
