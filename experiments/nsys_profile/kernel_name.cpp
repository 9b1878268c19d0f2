#include "experiments/nsys_profile/kernel_name.h"

#include <array>
#include <regex>

namespace labreport::nsys_profile {
namespace {

constexpr std::size_t kLongest = 140;  // cuBLAS names run to some 120 letters.

/// Up to the first bracket that opens arguments; brackets of "(anonymous namespace)" open none.
std::string_view head(std::string_view name) {
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool anonymous = name.substr(i).starts_with("(anonymous");
    if (anonymous) i = std::min(name.find(')', i), name.size() - 1);
    if (!anonymous && (name[i] == '<' || name[i] == '(')) return name.substr(0, i);
  }
  return name;
}

std::string_view last_name(std::string_view qualified) {
  const auto scope = qualified.rfind("::");
  if (scope != std::string_view::npos) qualified.remove_prefix(scope + 2);
  const auto space = qualified.rfind(' ');
  if (space != std::string_view::npos) qualified.remove_prefix(space + 1);
  return qualified;
}

/// A wrapper says nothing; its first template argument is the kernel.
bool is_wrapper(std::string_view name) {
  return name == "Kernel" || name == "Kernel2" || name == "device_kernel";
}

/// "exp" of "exp_kernel_cuda", "Mul" of "MulFunctor"; empty where no functor is named.
std::string computed(const std::string& arguments) {
  static const std::regex known(
      R"((\w+?)(_kernel_cuda|_kernel_impl|_scalar_tensor_kernel\w*|Functor(?!_)|_functor|Ops?)\b)");
  static const std::regex vague(R"(Binary|Unary|AUnary|BUnary|Reduce|func_wrapper)");
  for (std::sregex_iterator found(arguments.begin(), arguments.end(), known), end; found != end;
       ++found) {
    if (!std::regex_match((*found)[1].str(), vague)) return (*found)[1].str();
  }
  return "";
}

std::string shortened(std::string text) {
  if (text.size() > kLongest) text = text.substr(0, kLongest - 3) + "…";
  return text;
}

}  // namespace

std::string short_kernel_name(std::string_view name) {
  // Copies and memsets are words, not functions.
  if (name.starts_with("Mem")) return std::string(name);
  if (name.starts_with("void ")) name.remove_prefix(5);
  const std::string_view qualified = head(name);
  const std::string_view own = last_name(qualified);
  const std::string_view arguments = name.substr(qualified.size());
  if (is_wrapper(own) && arguments.size() > 1) return short_kernel_name(arguments.substr(1));
  const std::string what = computed(std::string(arguments));
  const std::string function = shortened(std::string(own));
  const auto end = function.find_last_not_of(" >");
  const std::string trimmed = function.substr(0, end == std::string::npos ? end : end + 1);
  return what.empty() ? trimmed : trimmed + " (" + what + ")";
}

std::string kernel_code(std::string_view name) {
  std::string text = short_kernel_name(name);
  std::erase_if(text, [](char letter) { return letter == '`' || letter == '\n'; });
  return "`" + text + "`";
}

bool named_like_gemm(std::string_view name) {
  static const std::regex pattern(R"(gemm|cutlass|sm\d+_xmma|nvjet|cublas)", std::regex::icase);
  return std::regex_search(name.begin(), name.end(), pattern);
}

}  // namespace labreport::nsys_profile
