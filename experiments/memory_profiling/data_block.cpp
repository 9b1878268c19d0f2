// Part (f): what one block saves for its backward, and what its backward leaves. 2026 only.
#include <cmath>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/memory_profiling/bytes.h"
#include "experiments/memory_profiling/parts.h"
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

/// Names a tensor of labreport's `own` network by its role, another by what made it.
std::string tensor_name(const MeasuredRow& row, bool own) {
  const std::string module = short_path(row.text(column::kModule));
  const std::string operation = row.text(column::kOperation), op = row.text(column::kOperator);
  if (own && is_linear(operation) && op == "aten::mm") return last_of(module, "/") + " output";
  const auto known = std::ranges::find_if(kSavedTensors, [&](const SavedTensor& tensor) {
    return (own || module.empty()) && tensor.module == module && tensor.op == op;
  });
  return known != std::end(kSavedTensors) ? known->name : made_by(operation, module, op);
}

/// The bytes that one operator of the block saves.
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
  double kept() const { return of(metric::kKept); }
  double change() const { return of(metric::kAfterBackward) - of(metric::kBeforeBackward); }
  /// During a block's backward its gradients are allocated and its saved activations freed, so the
  /// gradients are the change plus what was saved.
  double gradients() const { return change() + kept(); }
  /// True for labreport's own network, which alone has formulas.
  bool own() const { return counted_parameters(step->spec()).has_value(); }
  double kept_formula() const { return static_cast<double>(saved_block_bytes(step->spec())); }
  double gradients_formula() const {
    return static_cast<double>(block_gradient_bytes(step->spec().model.value_or(ModelShape{})));
  }
  bool kept_agrees() const { return agree(kept(), kept_formula()); }
  bool gradients_agree() const { return agree(gradients(), gradients_formula()); }
};

std::vector<Contributor> contributors_of(const Block& block) {
  std::vector<Contributor> found;
  for (const MeasuredRow& row : measured_rows(*block.step->launch, metric::kBlock)) {
    if (row.text(column::kKind) != metric::kKept) continue;
    const double bytes = row.number(column::kBytes).value_or(0);
    found.push_back(
        {tensor_name(row, block.own()), bytes, block.kept() > 0 ? bytes / block.kept() : 0});
  }
  std::ranges::stable_sort(found, std::greater(), &Contributor::bytes);
  return found;
}

/// One block at the shortest and one at the longest context whose backward ran.
std::vector<Block> blocks_of(const Profiles& spoken_of) {
  std::vector<Block> found;
  for (const Profile* profile : spoken_of) {
    const Step* step = profile->trained();
    const auto measured = [step](std::string_view name) {
      return step != nullptr && step->bytes(metric::kBlock, name);
    };
    if (!measured(metric::kKept) || !measured(metric::kBeforeBackward) ||
        !measured(metric::kAfterBackward))
      continue;
    found.push_back({profile, step});
    found.back().contributors = contributors_of(found.back());
  }
  if (found.size() > 2) found.erase(found.begin() + 1, found.end() - 1);
  return found;
}

/// Names the five largest; neighbors of one size are joined: "w1 output and w3 output (7.2 %
/// each)".
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

/// The gradients do not depend on the context, so contexts share them.
void set_facts(Facts& facts, const std::vector<Block>& blocks) {
  std::vector<Facts> said;
  for (const Block& block : blocks) {
    const double change = block.change();
    said.push_back(
        Facts()
            .set("context", format_count(block.profile->context()))
            .set("kept", format_bytes_briefly(block.kept()))
            .set("change", (change < 0 ? "−" : "+") + format_bytes_briefly(std::abs(change)))
            .flag("later", !said.empty()));
  }
  facts.flag("nothing", blocks.empty()).list("blocks", std::move(said));
  const bool own = std::ranges::all_of(blocks, &Block::own);
  const bool kept = own && std::ranges::all_of(blocks, &Block::kept_agrees);
  const bool gradients = own && std::ranges::all_of(blocks, &Block::gradients_agree);
  facts.flag("own", own).flag("kept_agrees", kept).flag("kept_differs", own && !kept);
  facts.flag("gradients_agree", gradients).flag("gradients_differ", own && !gradients);
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
    most = std::max({most, block.kept(), block.gradients_formula()});
  const ByteUnit unit = mebibytes(most);
  const auto by_formula = [](double (Block::*formula)() const) {
    return [formula](const Block& block) {
      return block.own() ? std::optional((block.*formula)()) : std::nullopt;
    };
  };
  const std::vector<Column<Block>> columns{
      {"context", "Context", [](const Block& block) { return block.profile->place; }, "", kNamed},
      bytes_column<Block>("kept", "Saved", &Block::kept, unit),
      bytes_column<Block>("kept_formula", "By formula", by_formula(&Block::kept_formula), unit),
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

Dataset contributors_data(const Block& block) {
  const std::vector<Column<Contributor>> columns{
      {"tensor", "Tensor", &Contributor::name},
      bytes_column<Contributor>("kept", "Saved", &Contributor::bytes, mebibytes(block.kept())),
      {"share", "Share", &Contributor::share, "%", {Notation::kPercent}}};
  return variant_of(block, make_dataset("contributors", columns, block.contributors));
}

/// Memory after one event of a pass.
struct Point {
  std::string pass, module;
  double event, bytes;
  double change = 0;  ///< Bytes since the pass began.
};

/// The backward begins before its first allocation and ends where the next block's begins.
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

/// A stretch of events in one of the block's modules: "attn" of "attn/computing softmax".
struct Stay {
  std::string pass, module;
  double from = 0, to = 0;
};

void add_stays(std::vector<Stay>& stays, const std::vector<Point>& points) {
  std::string current;
  for (const Point& point : points) {
    const std::string module = point.module.substr(0, point.module.find('/'));
    if (!current.empty()) stays.back().to = point.event;
    if (module != current && !module.empty())
      stays.push_back({point.pass, module, point.event, point.event});
    current = module;
  }
  std::erase_if(stays, [](const Stay& stay) { return stay.to <= stay.from; });
}

/// The figure's curve and bands.
std::vector<Dataset> block_timeline(const Block& block) {
  std::vector<Point> curve;
  std::vector<Stay> stays;
  for (const auto pass : {metric::kForward, metric::kBackward}) {
    const std::vector<Point> points = curve_of(block, std::string(pass));
    add_stays(stays, points);
    curve.insert(curve.end(), points.begin(), points.end());
  }
  const std::vector<Column<Point>> columns{
      {"pass", "Pass", &Point::pass},
      {"event", "Event", &Point::event, "", {Notation::kCount}},
      bytes_column<Point>("change", "Change", &Point::change, mebibytes(block.kept()))};
  const std::vector<Column<Stay>> stay_columns{{"pass", "Pass", &Stay::pass},
                                               {"module", "Module", &Stay::module},
                                               {"from", "From", &Stay::from},
                                               {"to", "To", &Stay::to}};
  return {variant_of(block, make_dataset("block-timeline", columns, curve)),
          variant_of(block, make_dataset("block-modules", stay_columns, stays))};
}

}  // namespace

PartContent present_block(const RunView& view, const std::vector<Profile>& profiles) {
  PartContent part;
  set_common(part.facts, view, profiles);
  const std::vector<Block> blocks = blocks_of(answered(profiles));
  part.datasets = {blocks_data(blocks)};
  for (const Block& block : blocks) {
    part.datasets.push_back(contributors_data(block));
    std::ranges::move(block_timeline(block), std::back_inserter(part.datasets));
  }
  set_facts(part.facts, blocks);
  part.facts.flag("model", measured_model(view.run()) != nullptr);
  return part;
}

}  // namespace labreport::memory_profiling
