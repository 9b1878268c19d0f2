#include "engine/call_site.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <ranges>

namespace labreport {
namespace {

constexpr std::string_view kAtenPrefix = "aten::";
constexpr std::string_view kCastOperator = "aten::_to_copy";
constexpr std::string_view kAutogradPrefix = "autograd::";

struct Call {
  std::string name;
  std::int64_t sequence_number = -1;
  bool is_backward = false;  ///< The call is an autograd node, or the engine's call of a node.
  bool casts_weight = false;
};

thread_local std::vector<Call> open_calls;          // the innermost call is last
thread_local std::vector<std::string> open_ranges;  // the phase is first

// This is global, because LibTorch's callbacks take no context pointer.
OriginTracker* active_tracker = nullptr;

std::string current_module() {
  std::string path;
  for (std::size_t i = 1; i < open_ranges.size(); ++i) {
    if (i > 1) path += '/';
    path += open_ranges[i];
  }
  return path;
}

std::string outermost_operator() {
  const auto is_engine_call = [](const Call& call) {
    return call.name.starts_with(kAutogradPrefix);
  };
  const auto outermost = std::ranges::find_if_not(open_calls, is_engine_call);
  return outermost == open_calls.end() ? "" : outermost->name;
}

const Call* innermost_backward_call() {
  for (const Call& call : open_calls | std::views::reverse) {
    if (call.is_backward) return &call;
  }
  return nullptr;
}

}  // namespace

OriginTracker::OriginTracker() : observer_scope_(*this) {
  active_tracker = this;
  handle_ = at::addGlobalCallback(
      at::RecordFunctionCallback(on_call_begin, on_call_end)
          .needsInputs(true)
          .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
}

OriginTracker::~OriginTracker() {
  at::removeCallback(handle_);
  active_tracker = nullptr;
}

void OriginTracker::on_open(std::string_view name) {
  open_ranges.emplace_back(name);
  if (open_ranges.size() > 1) return;
  const std::scoped_lock lock(mutex_);
  phase_ = name;
}

void OriginTracker::on_close() { open_ranges.pop_back(); }

std::unique_ptr<at::ObserverContext> OriginTracker::on_call_begin(
    const at::RecordFunction& function) {
  const std::string_view name = function.name();
  Call call{std::string(name), function.seqNr()};
  call.is_backward =
      name.starts_with(kAutogradPrefix) || function.scope() == at::RecordScope::BACKWARD_FUNCTION;
  if (name == kCastOperator) {
    const auto inputs = function.inputs();
    const at::IValue& source = inputs.front();
    call.casts_weight =
        source.isTensor() && source.toTensor().requires_grad() && source.toTensor().is_leaf();
  }
  // The engine's call opens before its node's and has no sequence number, so it gets the node's.
  if (call.is_backward && !open_calls.empty() && open_calls.back().is_backward) {
    open_calls.back().sequence_number = call.sequence_number;
  }
  open_calls.push_back(std::move(call));
  if (active_tracker && function.seqNr() >= 0 && !innermost_backward_call())
    active_tracker->record_forward_call(function.seqNr());
  return nullptr;
}

void OriginTracker::on_call_end(const at::RecordFunction&, at::ObserverContext*) {
  if (!open_calls.empty()) open_calls.pop_back();
}

bool OriginTracker::is_casting_weight() {
  return std::ranges::any_of(open_calls, &Call::casts_weight);
}

/// Several operators may report one number, because an operator that makes no autograd node reports
/// the number of the next node. The last of them made the node, so it replaces the others.
void OriginTracker::record_forward_call(std::int64_t sequence_number) {
  ForwardCall forward{current_module(), outermost_operator()};
  const std::scoped_lock lock(mutex_);
  forward_calls_.insert_or_assign(sequence_number, std::move(forward));
}

MemoryOrigin OriginTracker::current_origin() const {
  const std::scoped_lock lock(mutex_);
  MemoryOrigin origin{phase_, current_module(), outermost_operator(), ""};
  const auto innermost =
      std::ranges::find_if(open_calls.rbegin(), open_calls.rend(),
                           [](const Call& call) { return call.name.starts_with(kAtenPrefix); });
  if (innermost != open_calls.rend()) origin.inner_op = innermost->name;
  if (const Call* node = innermost_backward_call()) {
    const auto forward = forward_calls_.find(node->sequence_number);
    const bool found = forward != forward_calls_.end();
    origin.module = found ? forward->second.module : "";
    if (found) origin.outer_op = forward->second.outer_op;
  }
  return origin;
}

}  // namespace labreport
