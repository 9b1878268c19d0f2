// The phase, module and operation in which each thread currently is.
#pragma once

#include <ATen/record_function.h>

#include <mutex>
#include <string>
#include <unordered_map>

#include "engine/memory_history.h"
#include "engine/range.h"

namespace labreport {

/// Follows ranges and LibTorch's operators from construction to destruction, also on autograd's
/// threads. At most one object may exist at a time.
class OriginTracker : public RangeObserver {
 public:
  OriginTracker();
  ~OriginTracker() override;
  OriginTracker(const OriginTracker&) = delete;
  OriginTracker& operator=(const OriginTracker&) = delete;

  /// Returns the phase, module and operators of the calling thread. Backward gets the module and
  /// outer operator of the forward call that made its node, found by autograd's sequence number. An
  /// addition of gradients belongs to the node that delivers the last gradient.
  MemoryOrigin current_origin() const;

  /// Returns true while the calling thread copies a parameter to another dtype, as autocast does.
  static bool is_casting_weight();

  void on_open(std::string_view name) override;
  void on_close() override;

 private:
  struct ForwardCall {
    std::string module;
    std::string outer_op;
  };
  static std::unique_ptr<at::ObserverContext> on_call_begin(const at::RecordFunction& function);
  static void on_call_end(const at::RecordFunction& function, at::ObserverContext* context);
  void record_forward_call(std::int64_t sequence_number);

  mutable std::mutex mutex_;
  std::string phase_;  ///< The phase that began last; work after its end counts to it.
  std::unordered_map<std::int64_t, ForwardCall> forward_calls_;
  RangeObserverScope observer_scope_;
  at::CallbackHandle handle_;
};

}  // namespace labreport
