#include "analysis/kernel_places.h"

#include <algorithm>
#include <cctype>
#include <span>
#include <vector>

#include "base/text.h"

namespace labreport {
namespace {

constexpr std::size_t kShortest = 4;  // shorter words must match a whole part between underscores

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
  std::string kept;
  for (const char c : name) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) {
      kept.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    }
  }
  return kept;
}

bool contains(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

bool has_word(const std::string& name, std::string_view word) {
  if (word.size() >= kShortest) return contains(name, word);
  const std::vector<std::string> parts = split(name, '_');
  return std::ranges::find(parts, word) != parts.end();
}

std::string_view role_of(const std::string& name) {
  const auto fits = [&name](std::string_view word) { return has_word(name, word); };
  const auto found = std::ranges::find_if(
      roles(), [&](const Role& role) { return std::ranges::any_of(role.words, fits); });
  return found == roles().end() ? std::string_view() : found->name;
}

bool is_product(std::string_view op) {
  return op.ends_with("::mm") || op.ends_with("::addmm") || op.ends_with("bmm");
}

/// `within` is the path below the attention module.
const char* stage_of(const std::string& within, std::string_view operation, std::string_view op) {
  const auto says = [&](std::string_view word) { return contains(within, word); };
  if (says("softmax") || contains(operation, "softmax") || contains(op, "softmax")) {
    return stage::kSoftmax;
  }
  if (says("rope") || says("rotary")) return stage::kRope;
  if (contains(op, "attention")) return stage::kFused;
  if (says("attention scores")) return is_product(op) ? stage::kScores : stage::kScaleMask;
  if (!is_product(op)) return "";
  if (says("final matmul")) return stage::kValues;
  const bool of_layer = !within.empty() && role_of(within) != role::kAttention;
  return of_layer || !op.ends_with("bmm") ? stage::kProjections : stage::kProducts;
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
  const bool of_block = std::ranges::find(kBlocks, path.back()) != std::end(kBlocks);
  return {of_block ? role::kBlocks : std::string(module), ""};
}

}  // namespace labreport
