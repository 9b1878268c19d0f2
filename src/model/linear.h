// A linear map without bias, and the lookup of a token's vector.
#pragma once

#include <string>

#include "engine/range.h"
#include "model/parameter.h"
#include "results/cell.h"

namespace labreport {

class Linear {
 public:
  Linear(std::int64_t d_in, std::int64_t d_out, c10::Device device,
         Variant variant = Variant::kMatmul);
  at::Tensor forward(const at::Tensor& x) const;
  void list(const std::string& path, Parameters& into) const;

 private:
  bool einsum_;
  at::Tensor weight_;  ///< [out, in]
};

/// `module.forward(x)` inside a range of that name.
template <typename Module>
at::Tensor in_range(std::string_view name, const Module& module, const at::Tensor& x) {
  Range range(name);
  return module.forward(x);
}

class Embedding {
 public:
  Embedding(std::int64_t vocab, std::int64_t d_model, c10::Device device);
  at::Tensor forward(const at::Tensor& ids) const;
  void list(const std::string& path, Parameters& into) const;

 private:
  at::Tensor weight_;  ///< [vocab, d_model]
};

}  // namespace labreport
