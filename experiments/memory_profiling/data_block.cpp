// Part (f), 2026 only: the bytes that one block saves for backward and the gradients that it adds.
#include <cmath>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/memory_profiling/bytes.h"
#include "experiments/memory_profiling/presenters.h"
#include "experiments/memory_profiling/timeline.h"
#include "plan/arithmetic.h"
#include "plan/memory.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::memory_profiling {
namespace {

constexpr std::size_t kContributors = 5;
constexpr double kAgrees = 0.01;

/// A name for the tensor that an operator saves in one of the block's modules.
struct SavedTensor {
  const char *module, *op, *name;
};

constexpr SavedTensor kSavedTensors[]{
    {"", "aten::add", "residual stream"},
    {"ln1", "aten::mul", "ln1 activations"},
    {"ln1", "aten::rsqrt", "ln1 inverse RMS"},
    {"attn/rotary", "aten::cat", "RoPE outputs"},
    {"attn", "aten::ge", "causal mask"},
    {"attn/computing softmax", "aten::max", "softmax argmax"},
    {"attn/computing softmax", "aten::exp", "softmax exponentials"},
    {"attn/computing softmax", "aten::sum", "softmax sums"},
    {"attn/computing softmax", "aten::div", "attention probabilities"},
    {"attn/final matmul", "aten::empty", "contiguous V"},
    {"attn", "aten::empty", "merged heads"},
    {"ln2", "aten::mul", "ln2 activations"},
    {"ln2", "aten::rsqrt", "ln2 inverse RMS"},
    {"ffn", "aten::sigmoid", "SiLU sigmoid"},
    {"ffn", "aten::mul", "SwiGLU products"}};

/// Names a tensor of labreport's network (`built_in`) by its role, any other by its operator.
std::string tensor_name(const MeasuredRow& row, bool built_in) {
  const std::string module = short_path(row.text(column::kModule));
  const std::string operation = row.text(column::kOperation), op = row.text(column::kOperator);
  if (built_in && is_linear(operation) && op == "aten::mm") return last_of(module, "/") + " output";
  const auto known = std::ranges::find_if(kSavedTensors, [&](const SavedTensor& tensor) {
    return (built_in || module.empty()) && tensor.module == module && tensor.op == op;
  });
  return known != std::end(kSavedTensors) ? known->name : made_by(operation, module, op);
}

/// Bytes that one operator of the block saves, and their share of all that the block saves.
struct Contributor {
  std::string name;
  double bytes = 0, share = 0;
};

bool agree(double measured, double formula) {
  return formula > 0 && std::abs(measured / formula - 1) <= kAgrees;
}

struct Block {
  const Profile* profile;
  const Step* step;
  std::vector<Contributor> contributors = {};

  double of(std::string_view name) const { return *step->bytes(metric::kBlock, name); }
  double saved() const { return of(metric::kKept); }
  double change() const { return of(metric::kAfterBackward) - of(metric::kBeforeBackward); }
  /// During a block's backward its gradients are allocated and its saved activations freed, so the
  /// gradients are the change plus what was saved.
  double gradients() const { return change() + saved(); }
  /// True for labreport's network, the only one with formulas.
  bool built_in() const { return known_parameter_count(step->spec()).has_value(); }
  double saved_formula() const { return static_cast<double>(saved_block_bytes(step->spec())); }
  double gradients_formula() const {
    return static_cast<double>(block_gradient_bytes(step->spec().model.value_or(ModelShape{})));
  }
  bool saved_matches_formula() const { return agree(saved(), saved_formula()); }
  bool gradients_match_formula() const { return agree(gradients(), gradients_formula()); }
};

std::vector<Contributor> contributors_of(const Block& block) {
  std::vector<Contributor> contributors;
  const double saved = block.saved();
  for (const MeasuredRow& row : measured_rows(*block.step->launch, metric::kBlock)) {
    if (row.text(column::kKind) != metric::kKept) continue;
    const double bytes = row.number(column::kBytes).value_or(0);
    contributors.push_back(
        {tensor_name(row, block.built_in()), bytes, saved > 0 ? bytes / saved : 0});
  }
  std::ranges::stable_sort(contributors, std::greater(), &Contributor::bytes);
  return contributors;
}

/// One block at the shortest and one at the longest context whose backward ran.
std::vector<Block> blocks_of(const Profiles& profiles) {
  std::vector<Block> blocks;
  for (const Profile* profile : profiles) {
    const Step* step = profile->with_backward();
    const auto measured = [step](std::string_view name) {
      return step != nullptr && step->bytes(metric::kBlock, name);
    };
    if (!measured(metric::kKept) || !measured(metric::kBeforeBackward) ||
        !measured(metric::kAfterBackward))
      continue;
    blocks.push_back({profile, step});
    blocks.back().contributors = contributors_of(blocks.back());
  }
  if (blocks.size() > 2) blocks.erase(blocks.begin() + 1, blocks.end() - 1);
  return blocks;
}

/// Names the five largest, those of equal size together: "w1 output and w3 output (7.2 % each)".
std::string contributor_words(std::vector<Contributor> all) {
  all.resize(std::min(all.size(), kContributors));
  std::vector<std::string> words;
  for (const double bytes : distinct(each(all, &Contributor::bytes))) {
    const auto alike = only(all, [=](const Contributor& one) { return one.bytes == bytes; });
    words.push_back(join_words(each(alike, &Contributor::name)) + " (" +
                    format_percent(alike.front().share) + (alike.size() > 1 ? " % each)" : " %)"));
  }
  return join(words, ", ");
}

/// All contexts share one fact for the gradients, because these do not depend on the context.
void set_facts(Facts& facts, const std::vector<Block>& blocks) {
  std::vector<Facts> sentences;
  for (const Block& block : blocks) {
    const double change = block.change();
    sentences.push_back(
        Facts()
            .set("context", format_count(block.profile->context()))
            .set("kept", format_bytes_briefly(block.saved()))
            .set("change", (change < 0 ? "−" : "+") + format_bytes_briefly(std::abs(change)))
            .flag("later", !sentences.empty()));
  }
  facts.flag("nothing", blocks.empty()).list("blocks", std::move(sentences));
  const bool built_in = std::ranges::all_of(blocks, &Block::built_in);
  const bool saved = built_in && std::ranges::all_of(blocks, &Block::saved_matches_formula);
  const bool gradients = built_in && std::ranges::all_of(blocks, &Block::gradients_match_formula);
  facts.flag("own", built_in);
  facts.flag("kept_agrees", saved).flag("kept_differs", built_in && !saved);
  facts.flag("gradients_agree", gradients).flag("gradients_differ", built_in && !gradients);
  facts.set("gradients", join_words(distinct(each(blocks, [](const Block& block) {
              return format_bytes_briefly(block.gradients());
            }))));
  const bool named = !blocks.empty() && blocks.back().contributors.size() >= kContributors;
  facts.when("contributors", named,
             named ? Facts()
                         .set("context", format_count(blocks.back().profile->context()))
                         .set("list", contributor_words(blocks.back().contributors))
                   : Facts());
}

Dataset blocks_data(const std::vector<Block>& blocks) {
  double most = 0;
  for (const Block& block : blocks)
    most = std::max({most, block.saved(), block.gradients_formula()});
  const ByteUnit unit = mebibytes(most);
  const auto by_formula = [](double (Block::*formula)() const) {
    return [formula](const Block& block) {
      return block.built_in() ? std::optional((block.*formula)()) : std::nullopt;
    };
  };
  const std::vector<Column<Block>> columns{
      {"context", "Context", [](const Block& block) { return block.profile->place; }, "", kNamed},
      bytes_column<Block>("kept", "Saved", &Block::saved, unit),
      bytes_column<Block>("kept_formula", "By formula", by_formula(&Block::saved_formula), unit),
      bytes_column<Block>("change", "Change over backward", &Block::change, unit),
      bytes_column<Block>("gradients", "Gradients, by difference", &Block::gradients, unit),
      bytes_column<Block>("gradients_formula", "4 (4 d² + 3 d d_ff + 2 d)",
                          by_formula(&Block::gradients_formula), unit)};
  return make_dataset("blocks", columns, blocks);
}

Dataset variant_of(const Block& block, Dataset dataset) {
  dataset.family = "One block";
  dataset.variant = block.profile->words;
  return dataset;
}

/// Requested memory after one allocator event of a pass.
struct Point {
  std::string pass, module;
  double event, bytes;
  double change = 0;  ///< Bytes since the pass began.
};

/// The backward's curve begins at the bytes before the block's backward and ends at those after.
std::vector<Point> curve_of(const Block& block, const std::string& pass) {
  std::vector<Point> points;
  for (const MeasuredRow& row : measured_rows(*block.step->launch, metric::kBlockTimeline)) {
    if (row.text(column::kPhase) != pass) continue;
    points.push_back({pass, short_path(row.text(column::kModule)),
                      row.number(column::kEvent).value_or(0),
                      row.number(metric::kRequested).value_or(0)});
  }
  std::ranges::stable_sort(points, {}, &Point::event);
  if (pass == metric::kBackward && !points.empty()) {
    const double first = points.front().event, last = points.back().event;
    points.insert(points.begin(), {pass, "", first - 1, block.of(metric::kBeforeBackward)});
    points.push_back({pass, "", last + 1, block.of(metric::kAfterBackward)});
  }
  for (Point& point : points) point.change = point.bytes - points.front().bytes;
  return points;
}

/// Consecutive events in one of the block's modules: "attn" for "attn/computing softmax".
struct ModuleSpan {
  std::string pass, module;
  double from = 0, to = 0;
};

void add_spans(std::vector<ModuleSpan>& spans, const std::vector<Point>& points) {
  std::string current;
  for (const Point& point : points) {
    const std::string module = point.module.substr(0, point.module.find('/'));
    if (!current.empty()) spans.back().to = point.event;
    if (module != current && !module.empty())
      spans.push_back({point.pass, module, point.event, point.event});
    current = module;
  }
  std::erase_if(spans, [](const ModuleSpan& span) { return span.to <= span.from; });
}

/// The datasets of the figure's curve of memory and of its bands, one for each module.
std::vector<Dataset> block_timeline(const Block& block) {
  std::vector<Point> curve;
  std::vector<ModuleSpan> spans;
  for (const auto pass : {metric::kForward, metric::kBackward}) {
    const std::vector<Point> points = curve_of(block, std::string(pass));
    add_spans(spans, points);
    curve.insert(curve.end(), points.begin(), points.end());
  }
  const std::vector<Column<Point>> columns{
      {"pass", "Pass", &Point::pass},
      {"event", "Event", &Point::event, "", {Notation::kCount}},
      bytes_column<Point>("change", "Change", &Point::change, mebibytes(block.saved()))};
  const std::vector<Column<ModuleSpan>> span_columns{{"pass", "Pass", &ModuleSpan::pass},
                                                     {"module", "Module", &ModuleSpan::module},
                                                     {"from", "From", &ModuleSpan::from},
                                                     {"to", "To", &ModuleSpan::to}};
  return {variant_of(block, make_dataset("block-timeline", columns, curve)),
          variant_of(block, make_dataset("block-modules", span_columns, spans))};
}

}  // namespace

PartContent present_block(const RunView& view, const std::vector<Profile>& profiles) {
  PartContent part;
  set_common(part.facts, view, profiles);
  const std::vector<Block> blocks = blocks_of(described_profiles(profiles));
  part.datasets = {blocks_data(blocks)};
  for (const Block& block : blocks) {
    const std::vector<Column<Contributor>> columns{
        {"tensor", "Tensor", &Contributor::name},
        bytes_column<Contributor>("kept", "Saved", &Contributor::bytes, mebibytes(block.saved())),
        {"share", "Share", &Contributor::share, "%", {Notation::kPercent}}};
    part.datasets.push_back(
        variant_of(block, make_dataset("contributors", columns, block.contributors)));
    std::ranges::move(block_timeline(block), std::back_inserter(part.datasets));
  }
  set_facts(part.facts, blocks);
  part.facts.flag("model", measured_model(view.run()) != nullptr);
  return part;
}

}  // namespace labreport::memory_profiling
