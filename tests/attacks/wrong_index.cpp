// A preloaded mistake of a model: its embedding of one width looks up rows that do not exist.
#include <ATen/Tensor.h>
#include <ATen/core/List.h>
#include <ATen/ops/add.h>
#include <ATen/ops/index_ops.h>
#include <dlfcn.h>

#include <cstdlib>

namespace {

using Indices = c10::List<std::optional<at::Tensor>>;
using Call = at::Tensor (*)(const at::Tensor&, const Indices&);

/// WRONG_INDEX is the width.
bool is_wrong_for(const at::Tensor& weight) {
  const char* width = std::getenv("WRONG_INDEX");
  return width != nullptr && weight.dim() == 2 && weight.size(1) == std::atol(width);
}

}  // namespace

namespace at::_ops {

Tensor index_Tensor::call(const Tensor& self, const Indices& indices) {
  static const auto real = reinterpret_cast<Call>(dlsym(
      RTLD_NEXT, "_ZN2at4_ops12index_Tensor4callERKNS_6TensorERKN3c104ListISt8optionalIS2_EEE"));
  if (!is_wrong_for(self)) return real(self, indices);
  Indices beyond = indices.copy();
  beyond.set(0, at::add(indices.get(0).value(), self.size(0)));
  return real(self, beyond);
}

}  // namespace at::_ops
