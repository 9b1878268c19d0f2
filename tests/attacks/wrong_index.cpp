// Preloaded into a worker, this makes the embedding of one width look up rows that do not exist.
#include <ATen/Tensor.h>
#include <ATen/core/List.h>
#include <ATen/ops/add.h>
#include <ATen/ops/index_ops.h>
#include <dlfcn.h>

#include <cstdlib>

namespace {

using Indices = c10::List<std::optional<at::Tensor>>;
using IndexFunction = at::Tensor (*)(const at::Tensor&, const Indices&);

/// True for a weight as wide as the environment variable WRONG_INDEX says.
bool has_wrong_indices(const at::Tensor& weight) {
  const char* width = std::getenv("WRONG_INDEX");
  return width != nullptr && weight.dim() == 2 && weight.size(1) == std::atol(width);
}

}  // namespace

namespace at::_ops {

Tensor index_Tensor::call(const Tensor& self, const Indices& indices) {
  static const auto real_index = reinterpret_cast<IndexFunction>(dlsym(
      RTLD_NEXT, "_ZN2at4_ops12index_Tensor4callERKNS_6TensorERKN3c104ListISt8optionalIS2_EEE"));
  if (!has_wrong_indices(self)) return real_index(self, indices);
  Indices out_of_range = indices.copy();
  out_of_range.set(0, at::add(indices.get(0).value(), self.size(0)));
  return real_index(self, out_of_range);
}

}  // namespace at::_ops
