// Part (f): what one block keeps for its backward, and what its backward leaves. 2026 only.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "experiments/common/measured_table.h"
#include "experiments/memory_profiling/block_figure.h"
#include "experiments/memory_profiling/byte_cells.h"
#include "experiments/memory_profiling/parts.h"
#include "experiments/memory_profiling/timeline.h"
#include "plan/memory.h"
#include "results/metric_names.h"

namespace labreport::memory_profiling {
namespace {

constexpr std::size_t kContributors = 5;
constexpr double kAgrees = 0.01;

/// What one operation of the block keeps.
struct Contributor {
  std::string module, operation;
  double bytes = 0;
  double count = 0;
};

struct Block {
  const Profile* profile;
  const Step* step;
  std::vector<Contributor> contributors;
  double kept = 0;

  double of(std::string_view name) const {
    return step->bytes(metric::kBlock, name).value_or(0);
  }
  double change() const { return of(metric::kAfterBackward) - of(metric::kBeforeBackward); }
  /// Over a block's backward the gradients come and what was kept goes.
  double gradients() const { return change() + kept; }
};

std::vector<Contributor> contributors_of(const Launch& launch) {
  std::vector<Contributor> found;
  const Table* table = find_table(launch, metric::kBlock);
  for (std::size_t i = 0; table != nullptr && i < table->rows.size(); ++i) {
    const MeasuredRow row(*table, i);
    if (row.text("kind") != metric::kKept) continue;
    found.push_back({row.text("module"), row.text("operation"), row.number("bytes").value_or(0),
                     row.number("count").value_or(1)});
  }
  std::ranges::stable_sort(found, std::greater(), &Contributor::bytes);
  return found;
}

/// At the shortest context and at the longest of which a backward ran.
std::vector<Block> blocks_of(const Profiles& spoken_of) {
  std::vector<Block> found;
  for (const Profile* profile : spoken_of) {
    const Step* step = profile->trained();
    const auto kept =
        step == nullptr ? std::nullopt : step->bytes(metric::kBlock, metric::kKept);
    if (!kept) continue;
    found.push_back({profile, step, contributors_of(*step->launch), *kept});
  }
  if (found.size() > 2) found.erase(found.begin() + 1, found.end() - 1);
  return found;
}

std::string share_words(double bytes, double whole) {
  return format_percent(whole > 0 ? bytes / whole : 0) + " %";
}

/// "the probabilities of Softmax in attn/softmax, 16.8 MiB (9.7 %), …"
std::string contributor_words(const Block& block) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(block.contributors.size(), kContributors); ++i) {
    const Contributor& one = block.contributors[i];
    words.push_back(where(one.operation, one.module, "") + " with " + format_bytes(one.bytes) +
                    " (" + share_words(one.bytes, block.kept) + ")");
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

TableView blocks_table(const std::vector<Block>& blocks) {
  TableView table{"block",
                  "One block's memory over its backward",
                  {{"Context", "", Align::kLeft},
                   {"Kept", "MiB", Align::kRight},
                   {"By formula", "MiB", Align::kRight},
                   {"Change over backward", "MiB", Align::kRight},
                   {"Gradients, by difference", "MiB", Align::kRight},
                   {"Gradients, counted", "MiB", Align::kRight},
                   {"4 (4 d² + 3 d d_ff + 2 d)", "MiB", Align::kRight}},
                  {}};
  const ByteUnit unit{"MiB", kBytesPerMebibyte, 1};
  for (const Block& block : blocks) {
    const CellSpec& spec = block.step->spec();
    RowView row{{text_cell(block.profile->place)}, {}, ""};
    row.cells.push_back(bytes_cell(block.kept, unit));
    row.cells.push_back(bytes_cell(static_cast<double>(kept_block_bytes(spec)), unit));
    row.cells.push_back(bytes_cell(block.change(), unit));
    row.cells.push_back(bytes_cell(block.gradients(), unit));
    row.cells.push_back(bytes_cell(block.step->bytes(metric::kBlock, metric::kGradients), unit));
    row.cells.push_back(bytes_cell(static_cast<double>(block_gradient_bytes(*spec.model)), unit));
    table.rows.push_back(std::move(row));
  }
  return table;
}

TableView contributors_table(const Block& block) {
  TableView table{slug("kept-" + block.profile->words),
                  "What one block keeps for its backward, " + block.profile->words,
                  {{"Operation", "", Align::kLeft},
                   {"Module", "", Align::kLeft},
                   {"Tensors", "", Align::kRight},
                   {"Kept", "MiB", Align::kRight},
                   {"Share", "%", Align::kRight}},
                  {}};
  const ByteUnit unit{"MiB", kBytesPerMebibyte, 1};
  for (const Contributor& one : block.contributors) {
    const double share = block.kept > 0 ? one.bytes / block.kept : 0;
    table.rows.push_back({{text_cell(one.operation), text_cell(one.module), exact_cell(one.count),
                           bytes_cell(one.bytes, unit), number_cell(format_percent(share), share)},
                          {},
                          ""});
  }
  return table;
}

TableView formula_table(const Block& block) {
  TableView table{slug("kept-formula-" + block.profile->words),
                  "The same by arithmetic, " + block.profile->words,
                  {{"Module", "", Align::kLeft},
                   {"Tensor", "", Align::kLeft},
                   {"Bytes", "", Align::kLeft},
                   {"Kept", "MiB", Align::kRight}},
                  {}};
  for (const KeptTensor& tensor : kept_by_block(block.step->spec())) {
    const ByteUnit unit{"MiB", kBytesPerMebibyte, 2};
    table.rows.push_back({{text_cell(tensor.module), text_cell(tensor.what),
                           text_cell(tensor.formula),
                           bytes_cell(static_cast<double>(tensor.bytes), unit)},
                          {},
                          ""});
  }
  return table;
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
