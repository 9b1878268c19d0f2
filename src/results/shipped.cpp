#include "results/shipped.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"

namespace labreport {
namespace {

constexpr std::string_view kShippedPrefix = "pytorch";
constexpr std::string_view kEagerWord = "eager", kCompiledWord = "compiled";
constexpr std::array<std::string_view, 6> kVariantWords{kEagerWord, kCompiledWord, "loss",
                                                        "graphs",   "sdpa",        "fused"};

}  // namespace

std::string implementation_of(const ShippedVariant& variant) {
  std::string words(kShippedPrefix);
  for (const auto& [is_set, word] :
       {std::pair(!variant.compiled, kEagerWord), std::pair(variant.compiled, kCompiledWord),
        std::pair(variant.loss, kVariantWords[2]), std::pair(variant.cuda_graphs, kVariantWords[3]),
        std::pair(variant.sdpa, kVariantWords[4]),
        std::pair(variant.fused_adamw, kVariantWords[5])}) {
    if (is_set) words += "-" + std::string(word);
  }
  return words;
}

bool is_shipped(const CellSpec& spec) {
  const std::vector<std::string> words = split(spec.implementation, '-');
  return words.size() > 1 && words.front() == kShippedPrefix &&
         std::all_of(words.begin() + 1, words.end(), [](const std::string& word) {
           return std::ranges::find(kVariantWords, word) != kVariantWords.end();
         });
}

bool is_compiled(const CellSpec& spec) {
  const std::vector<std::string> words = split(spec.implementation, '-');
  return std::ranges::find(words, kCompiledWord) != words.end();
}

}  // namespace labreport
