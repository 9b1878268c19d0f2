// Presents part (e): the largest allocations of the forward pass, their makers and their fate.
#include <cmath>

#include "analysis/kernel_places.h"
#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/common/bytes.h"
#include "experiments/memory_profiling/presenters.h"
#include "experiments/memory_profiling/timeline.h"
#include "plan/arithmetic.h"
#include "plan/memory.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::memory_profiling {
namespace {

constexpr const char *kScores = "attention scores", *kFfnActivations = "FFN activations",
                     *kLogits = "logits";

/// Allocations of one size that one operation makes in a forward pass, counted over all layers. If
/// it makes several a layer, their category and when they are freed are those of most.
struct SizeGroup {
  double bytes_each = 0, count = 0;
  std::string formula, module, outer_op, inner_op, category, freed_in;
  bool in_users_step = false;  ///< A step with a backward pass of the user's network.
  bool in_layers = false;
  bool several_a_layer = false;

  /// If half of the tensors are saved and half are freed at once, each word comes from either half.
  /// The figure stacks fates in descending order of their words, which must be the theme's order.
  std::string fate() const {
    const bool freed_in_forward = freed_in == "in the same module" || freed_in == metric::kForward;
    if (category != metric::kActivations)
      return freed_in_forward ? "freed in forward" : "kept to the end";
    if (freed_in_forward || (in_users_step && several_a_layer)) return "part or all saved";
    const bool may_outlive_backward = in_users_step && freed_in != metric::kBackward;
    return may_outlive_backward ? "kept after forward" : "saved for backward";
  }
  /// Returns the operator, "exp"; for a linear layer the layer's name, "w1".
  std::string maker() const {
    return is_linear(outer_op) ? last_component(module, "/") : last_component(inner_op, "::");
  }
};

/// Names the tensors whose size a formula of labreport's network gives; empty if unknown.
std::string meaning_of_size(const std::string& formula) {
  for (const auto& [elements, words] :
       {std::pair("B · h · S²", kScores), std::pair("B · S · d_ff", kFfnActivations),
        std::pair("B · S · V", kLogits),
        std::pair("B · S · d ·", "tensors of the residual stream")}) {
    if (formula.starts_with(elements)) return words;
  }
  return "";
}

/// Names the tensors of a group; empty if unknown. In a user's network the module's role must
/// agree, because other tensors may have that size.
std::string meaning_of(const SizeGroup& group, const CellSpec& spec) {
  const std::string meaning = meaning_of_size(group.formula);
  if (known_parameter_count(spec)) return meaning;
  const std::string role = place_of(group.module, group.outer_op, group.inner_op).part;
  const bool agrees = (meaning == kScores && role == role::kAttention) ||
                      (meaning == kFfnActivations && role == role::kFeedForward) ||
                      (meaning == kLogits && role == role::kHead);
  return agrees ? meaning : "";
}

/// The forward passes of a step and their groups, the largest first. There is at least one group.
struct ForwardPass {
  const MemoryProfile* profile;
  const MemoryStep* step;
  bool is_own_step;  ///< A step of the user's, which may split its batch.
  std::vector<SizeGroup> groups = {};

  double largest_bytes() const { return groups.front().bytes_each; }
  double largest_count() const {
    double sum = 0;
    for (const SizeGroup& group : groups)
      sum += group.bytes_each == largest_bytes() ? group.count : 0;
    return sum;
  }
  std::string context() const { return format_count(profile->context()); }
  double score_tensor_bytes() const { return static_cast<double>(score_bytes(step->spec())); }
  std::string largest_formula() const { return groups.front().formula; }
  /// Returns the number of forward passes; nothing if a step of the user's does not tell it.
  std::optional<std::int64_t> count() const {
    if (!is_own_step) return 1;
    const auto counted = step->launch->number(metric::kOccurrences, metric::kForward);
    return counted ? std::optional(static_cast<std::int64_t>(*counted)) : std::nullopt;
  }
  bool has_grad() const { return step->mode() != Mode::kInference; }
  std::string name() const {
    if (count().value_or(1) > 1)
      return "training step's " + format_count(*count()) + " forward passes";
    if (!has_grad()) return "forward pass without grad";
    return step->mode() == Mode::kForward ? "forward pass with grad"
                                          : "training step's forward pass";
  }
};

/// Formulas hold for the whole batch in one pass. `pass_count` is empty if it is unknown.
std::vector<SizeGroup> groups_of(const MemoryStep& step, std::optional<std::int64_t> pass_count) {
  const bool has_formulas = pass_count == 1 && step.spec().size != kOwnSize;
  const std::int64_t layers = step.spec().model.value_or(ModelShape{}).layers;
  const auto once_a_layer = static_cast<double>(layers * pass_count.value_or(1));
  std::vector<SizeGroup> groups;
  const bool has_backward = step.mode() >= Mode::kForwardBackward;
  const bool in_users_step = has_backward && !known_parameter_count(step.spec());
  for (const MeasuredRow& row : measured_rows(*step.launch, metric::kLargest)) {
    const double bytes = row.number(column::kBytes).value_or(0);
    const double count = row.number(column::kCount).value_or(0);
    const std::string outer_op = row.text(column::kOperation);
    const bool in_layers = !row.text(column::kLayers).empty();
    groups.push_back(
        {.bytes_each = bytes,
         .count = count,
         .formula = has_formulas ? size_formula(step.spec(), static_cast<std::int64_t>(bytes)) : "",
         .module = short_path(row.text(column::kModule)),
         .outer_op = outer_op,
         .inner_op = allocating_op(outer_op, row.text(column::kOperator)),
         .category = row.text(column::kCategory),
         .freed_in = row.text(column::kFreed),
         .in_users_step = in_users_step,
         .in_layers = in_layers,
         .several_a_layer = in_layers && count > once_a_layer});
  }
  std::ranges::stable_sort(groups, std::greater(), &SizeGroup::bytes_each);
  return groups;
}

/// Takes each profile's forward with grad, else that of its training step, else that of
/// forward+backward, else its forward without grad.
std::vector<ForwardPass> forward_passes_of(const ProfileList& profiles, bool are_own_steps) {
  std::vector<ForwardPass> passes;
  for (const MemoryProfile* profile : profiles) {
    for (const Mode mode :
         {Mode::kForward, Mode::kTrainStep, Mode::kForwardBackward, Mode::kInference}) {
      const MemoryStep* step = profile->measured_step(mode);
      if (step == nullptr) continue;
      ForwardPass pass{profile, step, are_own_steps};
      pass.groups = groups_of(*step, pass.count());
      if (pass.groups.empty()) continue;
      passes.push_back(std::move(pass));
      break;
    }
  }
  return passes;
}

/// Names by which readers know modules of labreport's network.
constexpr std::pair<const char*, const char*> kModuleWords[]{
    {"attn/computing softmax", "the softmax"},
    {"attn/computing attention scores", "QKᵀ, scale and mask"},
    {"attn", "attention"},
    {"ffn", "the FFN"},
    {"ffn/w1", "the FFN"},
    {"ffn/w3", "the FFN"}};

/// A module, or a range in one, that makes allocations of one size.
struct Maker {
  std::string words;
  double count = 0;
  std::vector<std::string> operations = {};
};

/// Says who makes the allocations of one size: "each of 32 layers makes 3 in the softmax and 3 in
/// QKᵀ, scale and mask", or "the pass makes 144 in attention" if a count is no multiple of the
/// number of layers. In a user's network, which opens no ranges, operations follow each module.
/// Several passes of a step of the user's are counted together.
std::string makers_clause(const ForwardPass& forward, double bytes_each) {
  const bool is_users = !known_parameter_count(forward.step->spec());
  std::vector<Maker> makers;
  bool all_in_layers = true;
  for (const SizeGroup& group : forward.groups) {
    if (group.bytes_each != bytes_each) continue;
    all_in_layers = all_in_layers && group.in_layers;
    std::string module_words =
        group.module.empty() ? group.inner_op : last_component(group.module, "layers/");
    for (const auto& [path, words] : kModuleWords) {
      if (module_words == path) module_words = words;
    }
    auto maker = std::ranges::find(makers, module_words, &Maker::words);
    if (maker == makers.end()) maker = makers.insert(maker, Maker{module_words});
    maker->count += group.count;
    if (is_users && group.maker() != module_words) maker->operations.push_back(group.maker());
  }
  const auto& model = forward.step->spec().model;
  const double layers = model ? static_cast<double>(model->layers) : 0;
  const auto is_multiple = [layers](const Maker& maker) {
    return std::fmod(maker.count, layers) == 0;
  };
  const bool per_layer = layers > 1 && forward.count() == 1 && all_in_layers &&
                         std::ranges::all_of(makers, is_multiple);
  const std::string list = join_words(each(makers, [&](const Maker& maker) {
    const std::string operations = join_words(distinct(maker.operations));
    return format_value(per_layer ? maker.count / layers : maker.count, kAsCount) + " in " +
           maker.words + (operations.empty() ? "" : " (" + operations + ")");
  }));
  if (per_layer) return "each of " + format_fixed(layers, 0) + " layers makes " + list;
  if (forward.count() == 1) return "the pass makes " + list;
  return (forward.count() ? format_count(*forward.count()) + " forward passes" : "all passes") +
         " make " + list;
}

/// Names the operations of a user's network whose allocations of this size backward needs: "; of
/// these backward keeps _softmax's". Empty if it keeps none, if the records do not tell the fate of
/// some, for a single one, and for labreport's network, of which the answer says more.
std::string kept_clause(const ForwardPass& forward, double bytes) {
  if (known_parameter_count(forward.step->spec())) return "";
  std::vector<std::string> kept;
  double count = 0;
  for (const SizeGroup& group : forward.groups) {
    if (group.bytes_each != bytes) continue;
    count += group.count;
    if (group.fate() == "part or all saved") return "";
    if (group.fate() == "saved for backward") kept.push_back(group.maker() + "’s");
  }
  return kept.empty() || count == 1 ? ""
                                    : "; of these backward keeps " + join_words(distinct(kept));
}

Facts size_facts(const ForwardPass& forward, const SizeGroup& group, const std::string& subject) {
  const std::string meaning = meaning_of(group, forward.step->spec());
  return Facts()
      .set("subject", subject)
      .set("kind", meaning.empty() ? "tensors" : meaning)
      .set("bytes", format_bytes_briefly(group.bytes_each))
      .set("sources", makers_clause(forward, group.bytes_each))
      .set("kept", kept_clause(forward, group.bytes_each));
}

/// Returns the group of the next size if a single tensor has the largest; else null, or if the
/// worker may have dropped some of the next size.
const SizeGroup* next_if_largest_is_single(const ForwardPass& forward) {
  const auto next = std::ranges::find_if(forward.groups, [&](const SizeGroup& group) {
    return group.bytes_each < forward.largest_bytes();
  });
  const bool is_whole =
      next != forward.groups.end() && next->bytes_each > forward.groups.back().bytes_each;
  return forward.largest_count() == 1 && is_whole ? &*next : nullptr;
}

/// Explains the largest allocations if they are attention scores or the FFN's activations of
/// labreport's network in FP32, of which some stay for backward.
std::optional<Facts> reason_facts(const ForwardPass& forward) {
  const std::string kind = meaning_of_size(forward.largest_formula());
  if ((kind != kScores && kind != kFfnActivations) || !forward.largest_formula().ends_with("· 4") ||
      !known_parameter_count(forward.step->spec()))
    return std::nullopt;
  std::vector<std::string> kept;
  for (const SizeGroup& group : forward.groups) {
    if (group.bytes_each == forward.largest_bytes() && group.category == metric::kActivations)
      kept.push_back(tensor_name(group.outer_op, last_component(group.module, "layers/"),
                                 group.inner_op, true));
  }
  if (kept.empty()) return std::nullopt;
  const ModelShape& model = *forward.step->spec().model;
  // Scores and the FFN's activations are equally large where h S = d_ff.
  return Facts()
      .set("kind", kind)
      .set("context", forward.context())
      .set("tokens", format_count(model.d_ff / model.heads))
      .set("kept", join_words(distinct(kept)));
}

/// Leaves out groups of the smallest size unless it is also the largest, because the worker keeps
/// only the largest groups and may have dropped some of the smallest size.
std::vector<SizeGroup> drawn_groups(const ForwardPass& forward) {
  std::vector<SizeGroup> groups = only(forward.groups, [&](const SizeGroup& group) {
    return group.bytes_each > forward.groups.back().bytes_each ||
           group.bytes_each == forward.largest_bytes();
  });
  std::ranges::stable_sort(groups, [](const SizeGroup& a, const SizeGroup& b) {
    return a.bytes_each != b.bytes_each ? a.bytes_each > b.bytes_each : a.fate() > b.fate();
  });
  return groups;
}

Dataset largest_data(const ForwardPass& forward) {
  const std::vector<SizeGroup> rows = drawn_groups(forward);
  double largest_total = 0;
  for (const SizeGroup& row : rows)
    largest_total = std::max(largest_total, row.bytes_each * row.count);
  const ByteUnit unit = byte_unit(largest_total);
  const std::vector<Column<SizeGroup>> columns{
      {"size", "Size", [](const SizeGroup& row) { return format_bytes(row.bytes_each); }},
      {"maker", "Maker", &SizeGroup::maker},
      {"where", "Made by",
       [](const SizeGroup& row) { return maker_words(row.outer_op, row.module, row.inner_op); }},
      {"kind", "Kind",
       [&forward](const SizeGroup& row) { return meaning_of(row, forward.step->spec()); }},
      {"fate", "Fate", &SizeGroup::fate},
      {"count", "Count", &SizeGroup::count, "", {Notation::kCount}},
      bytes_column<SizeGroup>(
          "total", "Size × count", [](const SizeGroup& row) { return row.bytes_each * row.count; },
          unit),
      {"unit", "Unit", [unit](const SizeGroup&) { return unit.name; }}};
  return make_dataset("largest", columns, rows);
}

/// Leaves out the formula of attention scores for a step that may split its batch.
Dataset by_context_data(const std::vector<ForwardPass>& passes, bool may_split_batch) {
  std::vector<Column<ForwardPass>> columns{
      {"context", "Context", [](const ForwardPass& forward) { return forward.profile->setting; },
       "", kRowNumber},
      {"pass", "Pass", &ForwardPass::name},
      {"formula", "Largest allocations",
       [](const ForwardPass& forward) {
         const std::string formula = forward.largest_formula();
         return formula.empty() ? Value() : Value(formula);
       }},
      bytes_column<ForwardPass>("size", "Size", &ForwardPass::largest_bytes,
                                {"MiB", kBytesPerMebibyte, 1}),
      {"count", "Count", &ForwardPass::largest_count, "", {Notation::kCount}},
      bytes_column<ForwardPass>("scores", "Attention scores", &ForwardPass::score_tensor_bytes,
                                {"MiB", kBytesPerMebibyte, 1})};
  if (may_split_batch) columns.pop_back();
  return make_dataset("by-context", columns, passes);
}

/// Returns the longest context of which both an inference and a training step were planned, which
/// the edition asks for.
const ForwardPass& described_pass(const std::vector<ForwardPass>& passes) {
  const ProfileList asked = planned_in_full(each(passes, &ForwardPass::profile));
  return *std::ranges::find(passes, asked.back(), &ForwardPass::profile);
}

}  // namespace

PartContent present_largest(const RunView& view, const std::vector<MemoryProfile>& profiles) {
  PartContent part;
  const bool are_own_steps = measures_own_step(view.run());
  const std::vector<ForwardPass> passes =
      forward_passes_of(described_profiles(profiles), are_own_steps);
  part.facts.flag("nothing", passes.empty()).set("pass", "");
  if (passes.empty()) {
    part.facts.list("largest", {}).when("reason", std::nullopt);
    return part;
  }
  const ForwardPass& forward = described_pass(passes);
  // A pass without grad does not tell which tensors backward needs; a shorter one with grad does.
  const auto with_grad = only(passes, &ForwardPass::has_grad);
  const ForwardPass& drawn = forward.has_grad() || with_grad.empty() ? forward : with_grad.back();
  const bool are_alike =
      meaning_of_size(drawn.largest_formula()) == meaning_of_size(forward.largest_formula());
  std::vector<Facts> sizes{size_facts(forward, forward.groups.front(),
                                      "The largest allocations at context " + forward.context() +
                                          (forward.has_grad() ? " are" : ", without grad, are"))};
  if (const SizeGroup* next = next_if_largest_is_single(forward))
    sizes.push_back(size_facts(forward, *next, "Next are"));
  part.facts.list("largest", std::move(sizes))
      .when("reason", are_alike ? reason_facts(drawn) : std::nullopt);
  part.facts.set("pass", drawn.name() + " of " + drawn.profile->words);
  part.datasets = {largest_data(drawn), by_context_data(passes, are_own_steps)};
  return part;
}

}  // namespace labreport::memory_profiling
