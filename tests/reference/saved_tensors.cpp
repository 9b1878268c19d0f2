#include "reference/saved_tensors.h"

#include <c10/core/ScalarType.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/csrc/autograd/engine.h>

#include <algorithm>
#include <set>

namespace labreport {
namespace {

/// The address of a tensor and its description.
using SavedSet = std::set<std::pair<const void*, std::string>>;
SavedSet* saved = nullptr;

std::string dtype_name(c10::ScalarType type) {
  switch (type) {
    case c10::ScalarType::Float:
      return "float32";
    case c10::ScalarType::BFloat16:
      return "bfloat16";
    case c10::ScalarType::Long:
      return "int64";
    case c10::ScalarType::Bool:
      return "bool";
    default:
      return c10::toString(type);
  }
}

class RecordingHooks : public torch::autograd::SavedVariableHooks {
 public:
  void call_pack_hook(const at::Tensor& tensor) override {
    tensor_ = tensor;
    if (saved && tensor.dim() > 0) {
      saved->emplace(tensor.storage().data(),
                     fmt::format("{} [{}]", dtype_name(tensor.scalar_type()),
                                 fmt::join(tensor.sizes(), ", ")));
    }
  }
  at::Tensor call_unpack_hook() override { return tensor_; }

 private:
  at::Tensor tensor_;
};

/// Autograd asks its engine for the hooks of each tensor that it saves. This engine returns hooks
/// that record the tensor.
class RecordingEngine : public torch::autograd::Engine {
 public:
  std::unique_ptr<torch::autograd::SavedVariableHooks> get_default_saved_variable_hooks() override {
    if (!saved) return nullptr;
    return std::make_unique<RecordingHooks>();
  }
};

torch::autograd::Engine& recording_engine() {
  static RecordingEngine engine;
  return engine;
}

}  // namespace

std::vector<std::string> saved_for_backward(const std::function<void()>& work) {
  SavedSet found;
  torch::autograd::set_default_engine_stub(recording_engine);
  saved = &found;
  work();
  saved = nullptr;
  std::vector<std::string> names;
  for (const auto& [address, name] : found) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace labreport
