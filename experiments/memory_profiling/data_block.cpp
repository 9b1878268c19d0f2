// Presents part (f), in 2026 only: the bytes that one block saves for backward and its gradients.
#include <cmath>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/common/bytes.h"
#include "experiments/common/change.h"
#include "experiments/memory_profiling/presenters.h"
#include "experiments/memory_profiling/timeline.h"
#include "plan/arithmetic.h"
#include "plan/memory.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::memory_profiling {
namespace {

constexpr std::int64_t kNamedTensors = 5;
constexpr double kFormulaTolerance = 0.01;

/// Equally large tensors that one operator saves.
struct Contributor {
  std::string name;
  std::int64_t count = 1;
  double bytes = 0;  ///< The size of one tensor.
  double share = 0;  ///< `bytes` / all bytes that the block saves

  double total_bytes() const { return static_cast<double>(count) * bytes; }
  std::string words() const {  ///< "two SwiGLU products", "w1 output"
    if (count == 1) return name;
    return count_in_words(count) + " " + name;
  }
};

/// One block of a network; all its numbers are bytes.
struct Block {
  const MemoryProfile* profile;
  const MemoryStep* step;
  std::vector<Contributor> contributors = {};

  double bytes_of(std::string_view name) const { return *step->bytes(metric::kBlock, name); }
  double saved() const { return bytes_of(metric::kKept); }
  double change_over_backward() const {
    return bytes_of(metric::kAfterBackward) - bytes_of(metric::kBeforeBackward);
  }
  /// Returns the change plus the saved bytes, which backward frees while it allocates gradients.
  double gradients() const { return change_over_backward() + saved(); }
  /// True for labreport's network, the only one with formulas.
  bool has_formulas() const { return known_parameter_count(step->spec()).has_value(); }
  std::optional<double> saved_formula() const {
    return has_formulas() ? std::optional(static_cast<double>(saved_block_bytes(step->spec())))
                          : std::nullopt;
  }
  /// Returns the formula's quadratic part, exponentials and probabilities, / the saved bytes.
  std::optional<double> quadratic_share() const {
    if (!has_formulas() || under_autocast(step->spec()) || saved() <= 0) return std::nullopt;
    return 2 * static_cast<double>(score_bytes(step->spec())) / saved();
  }
  std::optional<double> gradients_formula() const {
    return has_formulas()
               ? std::optional(static_cast<double>(block_gradient_bytes(*step->spec().model)))
               : std::nullopt;
  }
  bool matches_formulas() const {
    const auto agree = [](double measured, const std::optional<double>& formula) {
      return formula && std::abs(measured / *formula - 1) <= kFormulaTolerance;
    };
    return agree(saved(), saved_formula()) && agree(gradients(), gradients_formula());
  }
};

std::vector<Contributor> contributors_of(const Block& block) {
  std::vector<Contributor> contributors;
  const double saved = block.saved();
  for (const MeasuredRow& row : measured_rows(*block.step->launch, metric::kBlock)) {
    if (row.text(column::kKind) != metric::kKept) continue;
    const double count = std::max(1.0, row.number(column::kCount).value_or(1));
    const double bytes = row.number(column::kBytes).value_or(0) / count;
    contributors.push_back(
        {tensor_name(row.text(column::kOperation), short_path(row.text(column::kModule)),
                     row.text(column::kOperator), block.has_formulas()),
         static_cast<std::int64_t>(count), bytes, saved > 0 ? bytes / saved : 0});
  }
  std::ranges::stable_sort(contributors, std::greater(), &Contributor::bytes);
  return contributors;
}

/// Takes one block at the shortest and one at the longest context whose backward was measured.
std::vector<Block> blocks_of(const ProfileList& profiles) {
  std::vector<Block> blocks;
  for (const MemoryProfile* profile : profiles) {
    const MemoryStep* step = profile->step_with_backward();
    const auto measured = [step](std::string_view name) {
      return step != nullptr && step->bytes(metric::kBlock, name);
    };
    if (!measured(metric::kKept) || !measured(metric::kBeforeBackward) ||
        !measured(metric::kAfterBackward))
      continue;
    const Block block{profile, step};
    if (block.gradients() < 0) continue;  // Its numbers contradict one another.
    blocks.push_back(block);
    blocks.back().contributors = contributors_of(blocks.back());
  }
  if (blocks.size() > 2) blocks.erase(blocks.begin() + 1, blocks.end() - 1);
  return blocks;
}

/// Keeps the five largest tensors and those as large as the fifth.
std::vector<Contributor> largest_tensors(const std::vector<Contributor>& contributors) {
  std::vector<Contributor> largest;
  std::int64_t tensor_count = 0;
  for (const Contributor& contributor : contributors) {
    if (tensor_count >= kNamedTensors && contributor.bytes < largest.back().bytes) break;
    largest.push_back(contributor);
    tensor_count += contributor.count;
  }
  return largest;
}

/// Names the largest tensors, equal ones together: "w1 output and w3 output (7.2 % each)". If equal
/// ones are just what `told` holds, the names of the block before, they become "then
/// those" and `told_at`, its context. Replaces `told` by the names in this block.
std::string contributor_words(const std::vector<Contributor>& contributors,
                              std::vector<std::string>& told, const std::string& told_at) {
  std::vector<std::string> words, all_names;
  for (const double bytes : distinct(each(contributors, &Contributor::bytes))) {
    const auto equals = only(
        contributors, [=](const Contributor& contributor) { return contributor.bytes == bytes; });
    const std::string names = join_words(each(equals, &Contributor::words));
    std::int64_t count = 0;
    for (const Contributor& equal : equals) count += equal.count;
    const bool is_told = !words.empty() && told == std::vector{names};
    all_names.push_back(names);
    words.push_back((is_told ? "then those " + told_at : names) + " (" +
                    format_percent(equals.front().share) + (count == 1 ? " %)" : " % each)"));
  }
  told = std::move(all_names);
  return join(words, ", ");
}

/// Tells what the formulas add, if they give what was measured: the context beyond which the
/// quadratic part is larger than the rest, and the share that fused operators would not save.
std::optional<Facts> formula_facts(const std::vector<Block>& blocks) {
  const bool hold = !blocks.empty() && std::ranges::all_of(blocks, [](const Block& block) {
    return !under_autocast(block.step->spec()) && block.matches_formulas();
  });
  if (!hold) return std::nullopt;
  const Block& longest = blocks.back();
  const ModelShape& shape = *longest.step->spec().model;
  std::int64_t spared = 0;
  for (const SavedTensor& tensor : tensors_saved_by_block(longest.step->spec())) {
    const bool is_written_out = tensor.contents == "exponentials" || tensor.contents == "sigmoid" ||
                                tensor.contents == "silu(W1 x)";
    if (is_written_out) spared += tensor.bytes;
  }
  return Facts()
      .set("tokens", format_count((40 * shape.d_model + 20 * shape.d_ff) / (8 * shape.heads)))
      .set("spared", format_percent(static_cast<double>(spared) / longest.saved()))
      .set("longest", format_count(longest.profile->context()));
}

/// The gradients are one number, as they do not depend on the context.
void set_block_facts(Facts& facts, const std::vector<Block>& blocks) {
  std::vector<std::string> saved, changes, tensors, told;
  std::string told_at;
  for (const Block& block : blocks) {
    const std::string context = "at " + format_count(block.profile->context());
    const double change = block.change_over_backward();
    saved.push_back("**" + format_bytes_briefly(block.saved()) + "** " + context);
    changes.push_back("**" + std::string(change < 0 ? "−" : "+") +
                      format_bytes_briefly(std::abs(change)) + "**");
    tensors.push_back(context + " " +
                      contributor_words(largest_tensors(block.contributors), told, told_at));
    told_at = context;
  }
  facts.flag("nothing", blocks.empty()).when("formulas", formula_facts(blocks));
  facts.set_markdown("saved", join_words(saved)).set_markdown("changes", join_words(changes));
  const bool are_known =
      std::ranges::none_of(blocks, [](const Block& block) { return block.contributors.empty(); });
  facts.set("tensors", are_known ? "The largest are " + join(tensors, ", ") + "." : "");
  facts.set("gradients", blocks.empty() ? "" : format_bytes_briefly(blocks.front().gradients()));
}

Dataset blocks_data(const std::vector<Block>& blocks) {
  double largest_bytes = 0;
  for (const Block& block : blocks)
    largest_bytes = std::max({largest_bytes, block.saved(), block.gradients()});
  const ByteUnit unit = mebibyte_unit(largest_bytes);
  const std::vector<Column<Block>> columns{
      {"context", "Context", [](const Block& block) { return block.profile->setting; }, "",
       kRowNumber},
      bytes_column<Block>("saved", "Saved", &Block::saved, unit),
      bytes_column<Block>("saved_formula", "By formula", &Block::saved_formula, unit),
      {"quadratic", "Quadratic part", &Block::quadratic_share, "%", {Notation::kPercent}},
      bytes_column<Block>("change", "Change over backward", &Block::change_over_backward, unit),
      bytes_column<Block>("gradients", "Gradients, by difference", &Block::gradients, unit),
      bytes_column<Block>("gradients_formula", "4 (4 d² + 3 d d_ff + 2 d)",
                          &Block::gradients_formula, unit)};
  return make_dataset("blocks", columns, blocks);
}

Dataset as_block_variant(const Block& block, Dataset dataset) {
  dataset.family = "One block";
  dataset.variant = block.profile->words;
  return dataset;
}

/// The requested bytes after one allocator event of a pass.
struct BlockInstant {
  std::string pass, module;
  double event, bytes;
  double change = 0;  ///< Bytes since the pass began.
};

/// Returns the memory over a pass. Backward's curve includes the bytes before and after the pass.
std::vector<BlockInstant> curve_of(const Block& block, const std::string& pass) {
  std::vector<BlockInstant> points;
  for (const MeasuredRow& row : measured_rows(*block.step->launch, metric::kBlockTimeline)) {
    if (row.text(column::kPhase) != pass) continue;
    points.push_back({pass, short_path(row.text(column::kModule)),
                      row.number(column::kEvent).value_or(0),
                      row.number(metric::kRequested).value_or(0)});
  }
  std::ranges::stable_sort(points, {}, &BlockInstant::event);
  if (pass == metric::kBackward && !points.empty()) {
    const double first_event = points.front().event, last_event = points.back().event;
    points.insert(points.begin(),
                  {pass, "", first_event - 1, block.bytes_of(metric::kBeforeBackward)});
    points.push_back({pass, "", last_event + 1, block.bytes_of(metric::kAfterBackward)});
  }
  for (BlockInstant& point : points) point.change = point.bytes - points.front().bytes;
  return points;
}

/// Consecutive events in one of the block's modules, such as "attn" for "attn/computing softmax".
struct ModuleSpan {
  std::string pass, module;
  double first_event = 0, last_event = 0;
};

void add_spans(std::vector<ModuleSpan>& spans, const std::vector<BlockInstant>& points) {
  std::string current_module;
  for (const BlockInstant& point : points) {
    const std::string module = point.module.substr(0, point.module.find('/'));
    if (!current_module.empty()) spans.back().last_event = point.event;
    if (module != current_module && !module.empty())
      spans.push_back({point.pass, module, point.event, point.event});
    current_module = module;
  }
  std::erase_if(spans, [](const ModuleSpan& span) { return span.last_event <= span.first_event; });
}

/// Returns the data of a figure: the curve of memory, and a band for each span in a module.
std::vector<Dataset> block_timeline_datasets(const Block& block) {
  std::vector<BlockInstant> curve;
  std::vector<ModuleSpan> spans;
  for (const auto pass : {metric::kForward, metric::kBackward}) {
    const std::vector<BlockInstant> points = curve_of(block, std::string(pass));
    add_spans(spans, points);
    curve.insert(curve.end(), points.begin(), points.end());
  }
  const std::vector<Column<BlockInstant>> columns{
      {"pass", "Pass", &BlockInstant::pass},
      {"event", "Event", &BlockInstant::event, "", {Notation::kCount}},
      bytes_column<BlockInstant>("change", "Change", &BlockInstant::change,
                                 mebibyte_unit(block.saved()))};
  const std::vector<Column<ModuleSpan>> span_columns{{"pass", "Pass", &ModuleSpan::pass},
                                                     {"module", "Module", &ModuleSpan::module},
                                                     {"from", "From", &ModuleSpan::first_event},
                                                     {"to", "To", &ModuleSpan::last_event}};
  return {as_block_variant(block, make_dataset("block-timeline", columns, curve)),
          as_block_variant(block, make_dataset("block-modules", span_columns, spans))};
}

}  // namespace

PartContent present_block(const RunView&, const std::vector<MemoryProfile>& profiles) {
  PartContent part;
  set_common_facts(part.facts, profiles);
  const std::vector<Block> blocks = blocks_of(described_profiles(profiles));
  part.datasets = {blocks_data(blocks)};
  for (const Block& block : blocks) {
    const std::vector<Column<Contributor>> columns{
        {"tensor", "Tensor", &Contributor::name},
        {"count", "Tensors", &Contributor::count, "", {Notation::kCount}},
        bytes_column<Contributor>("each", "Each", &Contributor::bytes,
                                  mebibyte_unit(block.saved())),
        {"share", "Share of each", &Contributor::share, "%", {Notation::kPercent}},
        bytes_column<Contributor>("saved", "Saved", &Contributor::total_bytes,
                                  mebibyte_unit(block.saved()))};
    part.datasets.push_back(
        as_block_variant(block, make_dataset("contributors", columns, block.contributors)));
    std::ranges::move(block_timeline_datasets(block), std::back_inserter(part.datasets));
  }
  set_block_facts(part.facts, blocks);
  return part;
}

}  // namespace labreport::memory_profiling
