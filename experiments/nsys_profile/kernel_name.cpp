#include "experiments/nsys_profile/kernel_name.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace labreport::nsys_profile {
namespace {

constexpr std::size_t kMostBytes = 140;  // The names of cuBLAS kernels have about 120 bytes.

/// Returns the name before its template arguments or parameters; keeps "(anonymous namespace)".
std::string_view qualified_name(std::string_view name) {
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool anonymous = name.substr(i).starts_with("(anonymous");
    if (anonymous) i = std::min(name.find(')', i), name.size() - 1);
    if (!anonymous && (name[i] == '<' || name[i] == '(')) return name.substr(0, i);
  }
  return name;
}

/// Removes namespaces and the return type.
std::string_view last_name(std::string_view qualified) {
  const auto scope = qualified.rfind("::");
  if (scope != std::string_view::npos) qualified.remove_prefix(scope + 2);
  const auto space = qualified.rfind(' ');
  if (space != std::string_view::npos) qualified.remove_prefix(space + 1);
  return qualified;
}

/// Returns the shortest part of a word before a functor's suffix: "exp" for "exp_kernel_cuda".
std::string_view functor_stem(std::string_view word) {
  std::size_t stem_size = word.find("_scalar_tensor_kernel", 1);
  for (const std::string_view suffix :
       {"_kernel_cuda", "_kernel_impl", "Functor", "_functor", "Op", "Ops"}) {
    if (word.size() <= suffix.size() || !word.ends_with(suffix)) continue;
    stem_size = std::min(stem_size, word.size() - suffix.size());
  }
  return stem_size == word.npos ? std::string_view() : word.substr(0, stem_size);
}

/// Returns the first functor without its suffix: "exp" for "exp_kernel_cuda". Empty if there is
/// none. Reads each word once, so that a hostile name cannot make the search slow.
std::string_view functor_name(std::string_view arguments) {
  // These functors only wrap another functor, which follows in the arguments.
  constexpr std::array<std::string_view, 6> kWrappers{"Binary", "Unary",  "AUnary",
                                                      "BUnary", "Reduce", "func_wrapper"};
  const auto is_word = [](char letter) { return letter == '_' || is_alnum(letter); };
  while (!arguments.empty()) {
    const auto end = std::ranges::find_if_not(arguments, is_word) - arguments.begin();
    const std::string_view word = arguments.substr(0, static_cast<std::size_t>(end));
    const std::string_view functor = word.empty() ? word : functor_stem(word);
    if (!functor.empty() && std::ranges::find(kWrappers, functor) == kWrappers.end())
      return functor;
    arguments.remove_prefix(std::max<std::size_t>(word.size(), 1));
  }
  return {};
}

/// Cuts the text to `kMostBytes` bytes, between two UTF-8 characters.
std::string shortened(std::string_view text) {
  if (text.size() <= kMostBytes) return std::string(text);
  std::size_t end = kMostBytes - 3;  // The ellipsis has three bytes.
  while (end > 0 && is_utf8_continuation(text[end])) --end;
  return std::string(text.substr(0, end)) + "…";
}

/// Replaces a wrapper, such as "device_kernel<…>", by its first template argument, the kernel.
std::string_view unwrapped(std::string_view name) {
  for (;;) {
    const std::string_view qualified = qualified_name(name), function = last_name(qualified);
    const bool is_wrapper =
        function == "Kernel" || function == "Kernel2" || function == "device_kernel";
    if (!is_wrapper || name.size() <= qualified.size() + 1) return name;
    name.remove_prefix(qualified.size() + 1);
    if (name.starts_with("void ")) name.remove_prefix(5);
  }
}

}  // namespace

std::string short_kernel_name(std::string_view name) {
  // Copies and memsets are named in words: "Memcpy DtoD".
  if (name.starts_with("Mem")) return shortened(name);
  if (name.starts_with("void ")) name.remove_prefix(5);
  name = unwrapped(name);
  if (name.starts_with("Mem")) return shortened(name);
  const std::string_view qualified = qualified_name(name);
  const std::string_view functor = functor_name(name.substr(qualified.size()));
  const std::string function = shortened(last_name(qualified));
  // The arguments of a wrapper that was removed end in ">".
  const auto end = function.find_last_not_of(" >");
  const std::string trimmed = function.substr(0, end == std::string::npos ? end : end + 1);
  return functor.empty() ? trimmed : trimmed + " (" + shortened(functor) + ")";
}

std::string kernel_code(std::string short_name) {
  std::erase_if(short_name, [](char letter) { return letter == '`' || letter == '\n'; });
  return "`" + short_name + "`";
}

}  // namespace labreport::nsys_profile
