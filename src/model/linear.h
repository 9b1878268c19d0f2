// A linear map without bias, and the lookup of a token's vector.
#pragma once

#include <string>

#include "model/parameter.h"

namespace labreport {

class Linear {
 public:
  Linear(std::int64_t d_in, std::int64_t d_out, c10::Device device);
  at::Tensor forward(const at::Tensor& x) const;
  void list(const std::string& path, Parameters& into) const;

 private:
  at::Tensor weight_;  ///< [out, in]
};

class Embedding {
 public:
  Embedding(std::int64_t vocab, std::int64_t d_model, c10::Device device);
  at::Tensor forward(const at::Tensor& ids) const;
  void list(const std::string& path, Parameters& into) const;

 private:
  at::Tensor weight_;  ///< [vocab, d_model]
};

}  // namespace labreport
