#include "measure/kernels/kernel_class.h"

#include <algorithm>
#include <array>
#include <utility>

namespace labreport {
namespace {

using Class = std::pair<std::string_view, std::string_view>;

constexpr std::array kMatrixProducts{"aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm"};

constexpr std::array kClassOfOperator{
    Class{"aten::exp", "exponential"},
    Class{"aten::log", "exponential"},
    Class{"aten::where", "where"},
    Class{"aten::masked_fill_", "where"},
    Class{"aten::masked_fill", "where"},
    Class{"aten::ge", "where"},
    Class{"aten::sum", "reduction"},
    Class{"aten::mean", "reduction"},
    Class{"aten::max", "reduction"},
    Class{"aten::copy_", "copy"},
    Class{"aten::cat", "copy"},
    Class{"aten::clone", "copy"},
    Class{"aten::index", "gather"},
    Class{"aten::gather", "gather"},
    Class{"aten::scatter_", "gather"},
    Class{"aten::scatter_add_", "gather"},
    Class{"aten::_index_put_impl_", "gather"},
    Class{"aten::index_put_", "gather"},
    Class{"aten::add", "elementwise"},
    Class{"aten::add_", "elementwise"},
    Class{"aten::sub", "elementwise"},
    Class{"aten::sub_", "elementwise"},
    Class{"aten::rsub", "elementwise"},
    Class{"aten::mul", "elementwise"},
    Class{"aten::mul_", "elementwise"},
    Class{"aten::div", "elementwise"},
    Class{"aten::div_", "elementwise"},
    Class{"aten::neg", "elementwise"},
    Class{"aten::pow", "elementwise"},
    Class{"aten::sqrt", "elementwise"},
    Class{"aten::rsqrt", "elementwise"},
    Class{"aten::sigmoid", "elementwise"},
    Class{"aten::sigmoid_backward", "elementwise"},
    Class{"aten::addcmul_", "elementwise"},
    Class{"aten::zero_", "elementwise"},
    Class{"aten::fill_", "elementwise"},
    Class{"aten::arange", "elementwise"},
    Class{"aten::remainder", "elementwise"},
};

/// Inductor names a kernel after its operators: triton_poi_fused_add_mul_0,
/// graph_0_cpp_fused_add_mul_0. A GEMM from one of Inductor's templates, triton_tem_fused_mm, does
/// not count.
bool is_fused(std::string_view name) {
  if (name.starts_with("triton_")) return !name.starts_with("triton_tem_");
  return name.find("cpp_fused_") != name.npos;
}

}  // namespace

bool is_matrix_product(std::string_view op) {
  return std::ranges::find(kMatrixProducts, op) != kMatrixProducts.end();
}

std::string_view kernel_class(const Attributed& kernel, bool longest_of_its_call) {
  if (kernel.activity->kind == TraceKind::kSet) return "memset";
  if (is_fused(kernel.activity->name)) return "fused";
  if (is_matrix_product(kernel.op)) return longest_of_its_call ? "gemm" : "gemm helper";
  if (kernel.activity->kind == TraceKind::kCopy) return "copy";
  const auto found = std::ranges::find(kClassOfOperator, kernel.op, &Class::first);
  return found == kClassOfOperator.end() ? "other" : found->second;
}

}  // namespace labreport
