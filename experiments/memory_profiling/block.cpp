// Part (f): what one block keeps for its backward, and what its backward leaves. 2026 only.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/text.h"
#include "experiments/memory_profiling/block_figure.h"
#include "experiments/memory_profiling/block_tables.h"
#include "experiments/memory_profiling/parts.h"
#include "experiments/memory_profiling/timeline.h"
#include "plan/memory.h"

namespace labreport::memory_profiling {
namespace {

constexpr std::size_t kContributors = 5;
constexpr double kAgrees = 0.01;

std::string share_words(double bytes, double whole) {
  return format_percent(whole > 0 ? bytes / whole : 0) + " %";
}

/// "Softmax (exp) in attn/softmax"
std::string made_by(const Contributor& one) {
  const auto colons = one.op.rfind("::");
  const std::string op = colons == one.op.npos ? one.op : one.op.substr(colons + 2);
  const bool both = !one.operation.empty() && !op.empty() && one.operation != one.op;
  return where(both ? one.operation + " (" + op + ")" : one.operation, one.module, op);
}

/// "Softmax (exp) in attn/softmax with 16.8 MiB (9.7 %), …"
std::string contributor_words(const Block& block) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(block.contributors.size(), kContributors); ++i) {
    const Contributor& one = block.contributors[i];
    words.push_back(made_by(one) + " with " + format_bytes(one.bytes) + " (" +
                    share_words(one.bytes, block.kept) + ")");
  }
  return join_words(words);
}

bool near(double a, double b) { return b > 0 && std::abs(a / b - 1) <= kAgrees; }

Facts facts_of(const Block& block) {
  const CellSpec& spec = block.step->spec();
  const auto formula = static_cast<double>(kept_block_bytes(spec));
  const auto gradients = static_cast<double>(block_gradient_bytes(*spec.model));
  Facts facts;
  facts.set("words", block.profile->words);
  facts.set("kept", format_bytes(block.kept));
  facts.set("formula", format_bytes(formula));
  facts.flag("kept_agrees", near(block.kept, formula));
  facts.flag("contributors", !block.contributors.empty());
  facts.set("contributor_words", contributor_words(block));
  facts.set("before", format_bytes(block.of(metric::kBeforeBackward)));
  facts.set("after", format_bytes(block.of(metric::kAfterBackward)));
  facts.flag("rises", block.change() > 0);
  facts.set("change", format_bytes(std::abs(block.change())));
  facts.set("gradients", format_bytes(block.gradients()));
  facts.set("gradients_formula", format_bytes(gradients));
  facts.flag("gradients_agree", near(block.gradients(), gradients));
  return facts;
}

}  // namespace

PartContent present_block(const RunView& view, const std::vector<Profile>& profiles) {
  PartContent part;
  set_common(part.facts, view, profiles);
  const std::vector<Block> blocks = blocks_of(answered(profiles));
  std::vector<Facts> paragraphs;
  for (const Block& block : blocks) {
    paragraphs.push_back(facts_of(block));
    if (auto figure = block_figure(*block.profile, *block.step)) {
      part.figures.push_back(std::move(*figure));
    }
    part.tables.push_back(contributors_table(block));
    part.drawer.tables.push_back(formula_table(block));
  }
  part.facts.flag("nothing", blocks.empty());
  part.facts.list("blocks", std::move(paragraphs));
  part.tables.insert(part.tables.begin(), blocks_table(blocks));
  return part;
}

}  // namespace labreport::memory_profiling
