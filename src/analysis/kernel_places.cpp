#include "analysis/kernel_places.h"

#include <algorithm>
#include <span>
#include <vector>

#include "base/text.h"

namespace labreport {
namespace {

// A shorter word must equal a whole part of the name between "_", because "up" is also in "group".
constexpr std::size_t kLeastLettersInside = 4;

struct RoleWords {
  const char* role;
  std::vector<std::string_view> words;
};

/// A module gets the first role of which its name contains a word.
const std::vector<RoleWords>& role_words() {
  static const std::vector<RoleWords> all{
      {role::kAttention, {"attn", "attention", "mha"}},
      {role::kNorms, {"norm", "ln"}},
      {role::kHead, {"head", "unembed"}},
      {role::kEmbeddings, {"embed", "token", "emb", "tok", "wte", "wpe"}},
      {role::kFeedForward, {"ffn", "mlp", "ff", "feed", "swiglu", "fc", "up", "down", "gate"}}};
  return all;
}

/// Names of a list of equal blocks, which tell no role.
constexpr std::string_view kBlockLists[]{"layers", "blocks", "layer", "block", "h"};

/// Converts "LN_1" to "ln_".
std::string lower_without_digits(std::string_view name) {
  std::string letters = lower(name);
  std::erase_if(letters, is_digit);
  return letters;
}

bool contains(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

/// Returns the role that a module's name tells; empty if it tells none.
std::string_view role_of(const std::string& name) {
  const std::vector<std::string> parts = split(name, '_');
  const auto has_word = [&](std::string_view word) {
    if (word.size() >= kLeastLettersInside) return contains(name, word);
    return std::ranges::find(parts, word) != parts.end();
  };
  const auto role = std::ranges::find_if(role_words(), [&](const RoleWords& each) {
    return std::ranges::any_of(each.words, has_word);
  });
  return role == role_words().end() ? std::string_view() : role->role;
}

bool is_gemm(std::string_view op) {
  return op.ends_with("::mm") || op.ends_with("::addmm") || op.ends_with("bmm");
}

/// Returns the stage of a kernel in attention; empty if nothing tells it. `inner_path` is the path
/// below the attention module.
const char* stage_of(const std::string& inner_path, std::string_view outermost_op,
                     std::string_view innermost_op) {
  const auto path_has = [&](std::string_view word) { return contains(inner_path, word); };
  const std::string_view op = innermost_op;
  if (path_has("softmax") || contains(outermost_op, "softmax") || contains(op, "softmax")) {
    return stage::kSoftmax;
  }
  if (path_has("rope") || path_has("rotary")) return stage::kRope;
  if (contains(op, "attention")) return stage::kFused;
  if (path_has("attention scores")) return is_gemm(op) ? stage::kScores : stage::kScaleMask;
  if (!is_gemm(op)) return "";
  if (path_has("final matmul")) return stage::kValues;
  const bool in_linear = !inner_path.empty() && role_of(inner_path) != role::kAttention;
  return in_linear || !op.ends_with("bmm") ? stage::kProjections : stage::kScoresOrValues;
}

}  // namespace

KernelPlace place_of(std::string_view module_path, std::string_view outermost_op,
                     std::string_view innermost_op) {
  if (module_path.empty()) return {"outside of modules", ""};
  const std::vector<std::string> path = split(module_path, '/');
  for (auto module = path.begin(); module != path.end(); ++module) {
    const std::string_view role = role_of(lower_without_digits(*module));
    if (role.empty()) continue;
    if (role != role::kAttention) return {std::string(role), ""};
    const std::string inner_path = join(std::span(module + 1, path.end()), "/");
    return {role::kAttention,
            stage_of(lower_without_digits(inner_path), outermost_op, innermost_op)};
  }
  if (outermost_op.ends_with("_norm")) return {role::kNorms, ""};
  const bool is_block = std::ranges::find(kBlockLists, path.back()) != std::end(kBlockLists);
  return {is_block ? role::kBlocks : std::string(module_path), ""};
}

}  // namespace labreport
