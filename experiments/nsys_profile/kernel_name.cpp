#include "experiments/nsys_profile/kernel_name.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace labreport::nsys_profile {
namespace {

constexpr std::size_t kLongest = 140;  // Bytes; cuBLAS names have about 120.

/// The name up to the first bracket that opens arguments; brackets of "(anonymous namespace)" do
/// not count.
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

/// The shortest start that a functor's suffix follows, "exp" of "exp_kernel_cuda"; empty if none.
std::string_view before_functor(std::string_view word) {
  std::size_t shortest = word.find("_scalar_tensor_kernel", 1);
  for (const std::string_view ending :
       {"_kernel_cuda", "_kernel_impl", "Functor", "_functor", "Op", "Ops"}) {
    if (word.size() <= ending.size() || !word.ends_with(ending)) continue;
    shortest = std::min(shortest, word.size() - ending.size());
  }
  return shortest == word.npos ? std::string_view() : word.substr(0, shortest);
}

/// Returns "exp" for "exp_kernel_cuda" and "Mul" for "MulFunctor"; empty if no functor is named.
/// Reads each word once, so that a hostile name cannot make the search slow.
std::string_view computed(std::string_view arguments) {
  constexpr std::array<std::string_view, 6> kVague{"Binary", "Unary",  "AUnary",
                                                   "BUnary", "Reduce", "func_wrapper"};
  const auto is_word = [](char letter) { return letter == '_' || is_alnum(letter); };
  while (!arguments.empty()) {
    const auto end = std::ranges::find_if_not(arguments, is_word) - arguments.begin();
    const std::string_view word = arguments.substr(0, static_cast<std::size_t>(end));
    const std::string_view functor = word.empty() ? word : before_functor(word);
    if (!functor.empty() && std::ranges::find(kVague, functor) == kVague.end()) return functor;
    arguments.remove_prefix(std::max<std::size_t>(word.size(), 1));
  }
  return {};
}

/// Cuts the text to `most` bytes, between two UTF-8 characters.
std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = most - 3;
  while (end > 0 && continues_letter(text[end])) --end;
  return std::string(text.substr(0, end)) + "…";
}

/// Replaces a wrapper, "device_kernel<…>", by its first template argument, which is the kernel.
std::string_view unwrapped(std::string_view name) {
  for (;;) {
    const std::string_view qualified = head(name), function = last_name(qualified);
    const bool wrapper =
        function == "Kernel" || function == "Kernel2" || function == "device_kernel";
    if (!wrapper || name.size() <= qualified.size() + 1) return name;
    name.remove_prefix(qualified.size() + 1);
    if (name.starts_with("void ")) name.remove_prefix(5);
  }
}

}  // namespace

std::string short_kernel_name(std::string_view name) {
  // Copies and memsets are named in words: "Memcpy DtoD".
  if (name.starts_with("Mem")) return shortened(name, kLongest);
  if (name.starts_with("void ")) name.remove_prefix(5);
  name = unwrapped(name);
  if (name.starts_with("Mem")) return shortened(name, kLongest);
  const std::string_view qualified = head(name);
  const std::string_view functor = computed(name.substr(qualified.size()));
  const std::string function = shortened(last_name(qualified), kLongest);
  const auto end = function.find_last_not_of(" >");
  const std::string trimmed = function.substr(0, end == std::string::npos ? end : end + 1);
  return functor.empty() ? trimmed : trimmed + " (" + shortened(functor, kLongest) + ")";
}

std::string kernel_code(std::string short_name) {
  std::erase_if(short_name, [](char letter) { return letter == '`' || letter == '\n'; });
  return "`" + short_name + "`";
}

}  // namespace labreport::nsys_profile
