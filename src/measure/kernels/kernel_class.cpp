#include "measure/kernels/kernel_class.h"

#include <algorithm>
#include <array>
#include <utility>

namespace labreport {
namespace {

using OperatorClass = std::pair<std::string_view, std::string_view>;

constexpr std::array kMatrixProducts{"aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm"};

constexpr std::array kClassOfOperator{
    OperatorClass{"aten::exp", "exponential"},
    OperatorClass{"aten::log", "exponential"},
    OperatorClass{"aten::where", "where"},
    OperatorClass{"aten::masked_fill_", "where"},
    OperatorClass{"aten::masked_fill", "where"},
    OperatorClass{"aten::ge", "where"},
    OperatorClass{"aten::sum", "reduction"},
    OperatorClass{"aten::mean", "reduction"},
    OperatorClass{"aten::max", "reduction"},
    OperatorClass{"aten::copy_", "copy"},
    OperatorClass{"aten::cat", "copy"},
    OperatorClass{"aten::clone", "copy"},
    OperatorClass{"aten::index", "gather"},
    OperatorClass{"aten::gather", "gather"},
    OperatorClass{"aten::scatter_", "gather"},
    OperatorClass{"aten::scatter_add_", "gather"},
    OperatorClass{"aten::_index_put_impl_", "gather"},
    OperatorClass{"aten::index_put_", "gather"},
    OperatorClass{"aten::add", "elementwise"},
    OperatorClass{"aten::add_", "elementwise"},
    OperatorClass{"aten::sub", "elementwise"},
    OperatorClass{"aten::sub_", "elementwise"},
    OperatorClass{"aten::rsub", "elementwise"},
    OperatorClass{"aten::mul", "elementwise"},
    OperatorClass{"aten::mul_", "elementwise"},
    OperatorClass{"aten::div", "elementwise"},
    OperatorClass{"aten::div_", "elementwise"},
    OperatorClass{"aten::neg", "elementwise"},
    OperatorClass{"aten::pow", "elementwise"},
    OperatorClass{"aten::sqrt", "elementwise"},
    OperatorClass{"aten::rsqrt", "elementwise"},
    OperatorClass{"aten::sigmoid", "elementwise"},
    OperatorClass{"aten::sigmoid_backward", "elementwise"},
    OperatorClass{"aten::addcmul_", "elementwise"},
    OperatorClass{"aten::zero_", "elementwise"},
    OperatorClass{"aten::fill_", "elementwise"},
    OperatorClass{"aten::arange", "elementwise"},
    OperatorClass{"aten::remainder", "elementwise"},
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

std::string_view kernel_class(const Attribution& kernel, bool longest_of_its_call) {
  if (kernel.activity->kind == TraceKind::kMemset) return "memset";
  if (is_fused(kernel.activity->name)) return "fused";
  if (is_matrix_product(kernel.inner_op)) return longest_of_its_call ? "gemm" : "gemm helper";
  if (kernel.activity->kind == TraceKind::kMemcpy) return "copy";
  const auto found = std::ranges::find(kClassOfOperator, kernel.inner_op, &OperatorClass::first);
  return found == kClassOfOperator.end() ? "other" : found->second;
}

}  // namespace labreport
