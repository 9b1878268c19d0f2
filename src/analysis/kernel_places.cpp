#include "analysis/kernel_places.h"

#include <algorithm>
#include <span>
#include <vector>

#include "base/text.h"

namespace labreport {
namespace {

constexpr std::size_t kShortest = 4;  // letters; shorter words must equal a part between "_"

struct Role {
  const char* name;
  std::vector<std::string_view> words;
};

/// A name gets the first role whose words it contains.
const std::vector<Role>& roles() {
  static const std::vector<Role> all{
      {role::kAttention, {"attn", "attention", "mha"}},
      {role::kNorms, {"norm", "ln"}},
      {role::kHead, {"head", "unembed"}},
      {role::kEmbeddings, {"embed", "token", "emb", "tok", "wte", "wpe"}},
      {role::kFeedForward, {"ffn", "mlp", "ff", "feed", "swiglu", "fc", "up", "down", "gate"}}};
  return all;
}

/// Names of lists of equal modules; they do not tell a module's role.
constexpr std::string_view kBlocks[]{"layers", "blocks", "layer", "block", "h"};

/// Converts "LN_1" to "ln_".
std::string without_digits(std::string_view name) {
  std::string letters = lower(name);
  std::erase_if(letters, is_digit);
  return letters;
}

bool contains(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

std::string_view role_of(const std::string& name) {
  const std::vector<std::string> parts = split(name, '_');
  const auto has_word = [&](std::string_view word) {
    if (word.size() >= kShortest) return contains(name, word);
    return std::ranges::find(parts, word) != parts.end();
  };
  const auto role = std::ranges::find_if(
      roles(), [&](const Role& each) { return std::ranges::any_of(each.words, has_word); });
  return role == roles().end() ? std::string_view() : role->name;
}

bool is_product(std::string_view op) {
  return op.ends_with("::mm") || op.ends_with("::addmm") || op.ends_with("bmm");
}

/// `within` is the path below the attention module.
const char* stage_of(const std::string& within, std::string_view operation, std::string_view op) {
  const auto names = [&](std::string_view word) { return contains(within, word); };
  if (names("softmax") || contains(operation, "softmax") || contains(op, "softmax")) {
    return stage::kSoftmax;
  }
  if (names("rope") || names("rotary")) return stage::kRope;
  if (contains(op, "attention")) return stage::kFused;
  if (names("attention scores")) return is_product(op) ? stage::kScores : stage::kScaleMask;
  if (!is_product(op)) return "";
  if (names("final matmul")) return stage::kValues;
  const bool in_linear = !within.empty() && role_of(within) != role::kAttention;
  return in_linear || !op.ends_with("bmm") ? stage::kProjections : stage::kProducts;
}

}  // namespace

KernelPlace place_of(std::string_view module, std::string_view operation, std::string_view op) {
  if (module.empty()) return {"outside of modules", ""};
  const std::vector<std::string> path = split(module, '/');
  for (auto step = path.begin(); step != path.end(); ++step) {
    const std::string_view role = role_of(without_digits(*step));
    if (role.empty()) continue;
    if (role != role::kAttention) return {std::string(role), ""};
    const std::string within = join(std::span(step + 1, path.end()), "/");
    return {role::kAttention, stage_of(without_digits(within), operation, op)};
  }
  const bool is_block = std::ranges::find(kBlocks, path.back()) != std::end(kBlocks);
  return {is_block ? role::kBlocks : std::string(module), ""};
}

}  // namespace labreport
