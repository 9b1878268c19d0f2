#include "reference/operations.h"

#include <ATen/record_function.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace labreport {
namespace {

constexpr std::string_view kNonComputing[] = {
    "alias",   "as_strided",   "chunk",          "contiguous",   "detach",
    "empty",   "empty_like",   "empty_strided",  "expand",       "expand_as",
    "flatten", "linear",       "matmul",         "narrow",       "new_empty",
    "reshape", "resize_",      "select",         "slice",        "split",
    "t",       "to",           "transpose",      "unsqueeze",    "unflatten",
    "view",    "_unsafe_view", "_reshape_alias", "resolve_conj", "result_type",
    "item",    "is_nonzero"};

std::vector<OperatorCall> calls;
std::int64_t depth = 0;

std::string element_counts(const at::RecordFunction& function) {
  std::string counts;
  for (const c10::IValue& input : function.inputs()) {
    if (!input.isTensor() || !input.toTensor().defined() || input.toTensor().dim() == 0) continue;
    counts += fmt::format(" {}", input.toTensor().numel());
  }
  return counts;
}

std::unique_ptr<at::ObserverContext> on_begin(const at::RecordFunction& function) {
  calls.push_back({depth++, function.name(), element_counts(function)});
  return nullptr;
}

void on_end(const at::RecordFunction&, at::ObserverContext*) { --depth; }

bool computes(const OperatorCall& call) {
  return call.name.starts_with("aten::") &&
         std::ranges::find(kNonComputing, call.name.substr(6)) == std::end(kNonComputing);
}

bool calls_computing_operator(const std::vector<OperatorCall>& all, std::size_t index) {
  for (std::size_t i = index + 1; i < all.size() && all[i].depth > all[index].depth; ++i) {
    if (computes(all[i])) return true;
  }
  return false;
}

}  // namespace

std::vector<OperatorCall> operators_of(const std::function<void()>& work) {
  calls.clear();
  depth = 0;
  const auto handle =
      at::addThreadLocalCallback(at::RecordFunctionCallback(on_begin, on_end).needsInputs(true));
  work();
  at::removeCallback(handle);
  return std::move(calls);
}

std::vector<std::string> describe_computing_calls(const std::vector<OperatorCall>& calls) {
  std::vector<std::string> descriptions;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (!computes(calls[i]) || calls_computing_operator(calls, i)) continue;
    descriptions.push_back(calls[i].name.substr(6) + calls[i].input_sizes);
  }
  return descriptions;
}

}  // namespace labreport
