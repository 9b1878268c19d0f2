#include "results/shipped_variant.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "results/leaderboard_rung.h"

namespace labreport {
namespace {

constexpr std::string_view kShippedPrefix = "pytorch";
constexpr std::string_view kEager = "eager", kCompiled = "compiled", kCompiledLoss = "loss",
                           kGraphs = "graphs", kSdpa = "sdpa", kFused = "fused";
constexpr std::array kShippedWords{kEager, kCompiled, kCompiledLoss, kGraphs, kSdpa, kFused};

}  // namespace

std::string implementation_of(const ShippedVariant& variant) {
  std::string name(kShippedPrefix);
  for (const auto& [is_set, word] :
       {std::pair(!variant.compiled, kEager), std::pair(variant.compiled, kCompiled),
        std::pair(variant.loss, kCompiledLoss), std::pair(variant.cuda_graphs, kGraphs),
        std::pair(variant.sdpa, kSdpa), std::pair(variant.fused_adamw, kFused)}) {
    if (is_set) name += "-" + std::string(word);
  }
  return name;
}

bool is_shipped(const CellSpec& spec) {
  if (leaderboard_rung(spec)) return true;
  const std::vector<std::string> words = split(spec.implementation, '-');
  return words.size() > 1 && words.front() == kShippedPrefix &&
         std::all_of(words.begin() + 1, words.end(), [](const std::string& word) {
           return std::ranges::find(kShippedWords, word) != kShippedWords.end();
         });
}

bool is_compiled(const CellSpec& spec) {
  const std::vector<std::string> words = split(spec.implementation, '-');
  return std::ranges::find(words, kCompiled) != words.end();
}

}  // namespace labreport
