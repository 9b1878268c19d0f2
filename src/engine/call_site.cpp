#include "engine/call_site.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <ranges>

namespace labreport {
namespace {

constexpr std::string_view kAten = "aten::";
constexpr std::string_view kCast = "aten::_to_copy";
constexpr std::string_view kEngine = "autograd::";

struct Call {
  std::string name;
  std::int64_t sequence = -1;
  bool backward = false;  ///< True for an autograd node and for the engine's call of one.
  bool casts_weight = false;
};

thread_local std::vector<Call> calls;          // innermost call last
thread_local std::vector<std::string> ranges;  // phase first

// This is global, because LibTorch's callbacks take no context pointer.
CallSites* current = nullptr;

std::string module_here() {
  std::string path;
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    if (i > 1) path += '/';
    path += ranges[i];
  }
  return path;
}

std::string operation_here() {
  const auto own = [](const Call& call) { return !call.name.starts_with(kEngine); };
  const auto outermost = std::ranges::find_if(calls, own);
  return outermost == calls.end() ? "" : outermost->name;
}

const Call* node_here() {
  for (const Call& call : calls | std::views::reverse) {
    if (call.backward) return &call;
  }
  return nullptr;
}

}  // namespace

CallSites::CallSites() : observed_(*this) {
  current = this;
  handle_ = at::addGlobalCallback(
      at::RecordFunctionCallback(entered, left)
          .needsInputs(true)
          .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
}

CallSites::~CallSites() {
  at::removeCallback(handle_);
  current = nullptr;
}

void CallSites::opened(std::string_view name) {
  ranges.emplace_back(name);
  if (ranges.size() > 1) return;
  const std::scoped_lock lock(mutex_);
  phase_ = name;
}

void CallSites::closed() { ranges.pop_back(); }

std::unique_ptr<at::ObserverContext> CallSites::entered(const at::RecordFunction& function) {
  const std::string_view name = function.name();
  Call call{std::string(name), function.seqNr()};
  call.backward =
      name.starts_with(kEngine) || function.scope() == at::RecordScope::BACKWARD_FUNCTION;
  if (name == kCast) {
    const at::IValue& source = function.inputs().front();
    call.casts_weight =
        source.isTensor() && source.toTensor().requires_grad() && source.toTensor().is_leaf();
  }
  // The engine's own call has no sequence number; here it gets the number of the node that it
  // evaluates.
  if (call.backward && !calls.empty() && calls.back().backward) {
    calls.back().sequence = call.sequence;
  }
  calls.push_back(std::move(call));
  if (current && function.seqNr() >= 0 && !node_here()) current->note_forward(function.seqNr());
  return nullptr;
}

void CallSites::left(const at::RecordFunction&, at::ObserverContext*) {
  if (!calls.empty()) calls.pop_back();
}

bool CallSites::casting_weight() { return std::ranges::any_of(calls, &Call::casts_weight); }

/// An operator that makes no autograd node reports the sequence number of the next node. The last
/// operator with a number is thus the one that made the node, so it replaces earlier ones.
void CallSites::note_forward(std::int64_t sequence) {
  Forward forward{module_here(), operation_here()};
  const std::scoped_lock lock(mutex_);
  forwards_.insert_or_assign(sequence, std::move(forward));
}

MemoryOrigin CallSites::here() const {
  const std::scoped_lock lock(mutex_);
  MemoryOrigin origin{phase_, module_here(), operation_here(), ""};
  const auto innermost = std::ranges::find_if(
      calls.rbegin(), calls.rend(), [](const Call& call) { return call.name.starts_with(kAten); });
  if (innermost != calls.rend()) origin.op = innermost->name;
  if (const Call* node = node_here()) {
    const auto forward = forwards_.find(node->sequence);
    const bool known = forward != forwards_.end();
    origin.module = known ? forward->second.module : "";
    if (known) origin.operation = forward->second.operation;
  }
  return origin;
}

}  // namespace labreport
