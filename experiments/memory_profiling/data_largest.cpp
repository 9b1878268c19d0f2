// Part (e): the largest allocations of the forward pass, what they are and what becomes of them.
#include <cmath>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/memory_profiling/bytes.h"
#include "experiments/memory_profiling/presenters.h"
#include "experiments/memory_profiling/timeline.h"
#include "plan/memory.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::memory_profiling {
namespace {

constexpr const char* kScores = "attention scores";

/// Allocations of `bytes` each that one operation makes; `count` is over all layers.
struct Group {
  double bytes = 0, count = 0;
  std::string formula, module, operation, op, category, freed;

  std::string fate() const {
    if (category == metric::kActivations) return "saved for backward";
    return freed == "in the same module" || freed == metric::kForward ? "freed in forward"
                                                                      : "kept to the end";
  }
  /// The operation, "exp", or for a linear layer the layer's name, "w1".
  std::string maker() const {
    return is_linear(operation) ? last_of(module, "/") : last_of(op, "::");
  }
};

/// Names the tensors whose size a formula gives; empty if unknown.
std::string meaning_of(const std::string& formula) {
  for (const auto& [elements, words] :
       {std::pair("B · h · S²", kScores), std::pair("B · S · d_ff", "FFN activations"),
        std::pair("B · S · V", "logits"),
        std::pair("B · S · d ·", "tensors of the residual stream")}) {
    if (formula.starts_with(elements)) return words;
  }
  return "";
}

/// One forward pass and its groups, the largest first; never empty.
struct Forward {
  const Profile* profile;
  const Step* step;
  std::vector<Group> groups;

  double bytes() const { return groups.front().bytes; }
  double count() const {
    double sum = 0;
    for (const Group& group : groups) sum += group.bytes == bytes() ? group.count : 0;
    return sum;
  }
  std::string context() const { return format_count(profile->context()); }
  double scores() const { return static_cast<double>(score_bytes(step->spec())); }
  std::string formula() const { return groups.front().formula; }
  std::string meaning() const { return meaning_of(formula()); }
  std::string pass() const {
    if (step->mode() == Mode::kInference) return "forward pass without grad";
    return step->mode() == Mode::kForward ? "forward pass with grad"
                                          : "training step's forward pass";
  }
};

std::vector<Group> groups_of(const Step& step) {
  std::vector<Group> groups;
  for (const MeasuredRow& row : measured_rows(*step.launch, metric::kLargest)) {
    const double bytes = row.number(column::kBytes).value_or(0);
    const std::string operation = row.text(column::kOperation);
    groups.push_back({.bytes = bytes,
                      .count = row.number(column::kCount).value_or(0),
                      .formula = size_formula(step.spec(), static_cast<std::int64_t>(bytes)),
                      .module = short_path(row.text(column::kModule)),
                      .operation = operation,
                      .op = allocated_by(operation, row.text(column::kOperator)),
                      .category = row.text(column::kCategory),
                      .freed = row.text(column::kFreed)});
  }
  std::ranges::stable_sort(groups, std::greater(), &Group::bytes);
  return groups;
}

/// Takes each profile's forward with grad, else that of its longest step, else one without grad.
std::vector<Forward> forwards_of(const Profiles& profiles) {
  std::vector<Forward> forwards;
  for (const Profile* profile : profiles) {
    for (const Mode mode :
         {Mode::kForward, Mode::kTrainStep, Mode::kForwardBackward, Mode::kInference}) {
      const Step* step = profile->ran(mode);
      const auto groups = step == nullptr ? std::vector<Group>() : groups_of(*step);
      if (groups.empty()) continue;
      forwards.push_back({profile, step, groups});
      break;
    }
  }
  return forwards;
}

/// Modules of labreport's network that readers know by other names.
constexpr std::pair<const char*, const char*> kPlaces[]{
    {"attn/computing softmax", "the softmax"},
    {"attn/computing attention scores", "QKᵀ, scale and mask"},
    {"attn", "attention"},
    {"ffn", "the FFN"}};

/// "each of 32 layers makes 3 in the softmax and 3 in QKᵀ, scale and mask"; "the pass makes 144 in
/// attention" if a count is no multiple of the number of layers.
std::string source_words(const Forward& forward) {
  std::vector<std::pair<std::string, double>> sources;
  for (const Group& group : forward.groups) {
    if (group.bytes != forward.bytes()) continue;
    std::string place = group.module.empty() ? group.op : last_of(group.module, "layers/");
    for (const auto& [path, words] : kPlaces) {
      if (place != path) continue;
      place = words;
      break;
    }
    auto source = std::ranges::find(sources, place, &std::pair<std::string, double>::first);
    if (source == sources.end()) source = sources.insert(source, {place, 0});
    source->second += group.count;
  }
  const auto& model = forward.step->spec().model;
  const double layers = model ? static_cast<double>(model->layers) : 0;
  const bool even = layers > 1 && std::ranges::all_of(sources, [layers](const auto& source) {
                      return std::fmod(source.second, layers) == 0;
                    });
  const std::string all = join_words(each(sources, [&](const auto& source) {
    return format_value(even ? source.second / layers : source.second, {Notation::kCount}) +
           " in " + source.first;
  }));
  return (even ? "each of " + format_fixed(layers, 0) + " layers" : "the pass") + " makes " + all;
}

/// The contexts whose largest tensors exceed the attention scores; nothing if they differ in kind.
std::optional<Facts> outgrown(const std::vector<Forward>& forwards) {
  const auto larger = only(forwards, [](const Forward& forward) {
    return forward.meaning() != kScores && forward.bytes() > forward.scores();
  });
  if (larger.empty() || distinct(each(larger, &Forward::meaning)).size() > 1 ||
      larger.front().meaning().empty())
    return std::nullopt;
  return Facts()
      .set("meaning", larger.front().meaning())
      .set("contexts", join_words(each(larger, &Forward::context)));
}

/// Leaves out the smallest size unless it is also the largest: a worker keeps only the largest
/// groups and may have dropped some of that size.
std::vector<Group> drawn_groups(const Forward& forward) {
  std::vector<Group> groups = only(forward.groups, [&](const Group& group) {
    return group.bytes > forward.groups.back().bytes || group.bytes == forward.bytes();
  });
  std::ranges::stable_sort(groups, [](const Group& a, const Group& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.fate() > b.fate();
  });
  return groups;
}

Dataset largest_data(const Forward& forward) {
  const std::vector<Group> rows = drawn_groups(forward);
  double most = 0;
  for (const Group& row : rows) most = std::max(most, row.bytes * row.count);
  const ByteUnit unit = byte_unit(most);
  const std::vector<Column<Group>> columns{
      {"size", "Size", [](const Group& row) { return format_bytes(row.bytes); }},
      {"maker", "Maker", &Group::maker},
      {"where", "Made by",
       [](const Group& row) { return made_by(row.operation, row.module, row.op); }},
      {"kind", "Kind", [](const Group& row) { return meaning_of(row.formula); }},
      {"fate", "Fate", &Group::fate},
      {"count", "Count", &Group::count, "", {Notation::kCount}},
      bytes_column<Group>(
          "total", "Size × count", [](const Group& row) { return row.bytes * row.count; }, unit),
      {"unit", "Unit", [unit](const Group&) { return unit.name; }}};
  return make_dataset("largest", columns, rows);
}

Dataset by_context(const std::vector<Forward>& forwards) {
  const std::vector<Column<Forward>> columns{
      {"context", "Context", [](const Forward& forward) { return forward.profile->place; }, "",
       kNamed},
      {"pass", "Pass", &Forward::pass},
      {"formula", "Largest allocations", &Forward::formula},
      bytes_column<Forward>("size", "Size", &Forward::bytes, {"MiB", kBytesPerMebibyte, 1}),
      {"count", "Count", &Forward::count, "", {Notation::kCount}},
      bytes_column<Forward>("scores", "Attention scores", &Forward::scores,
                            {"MiB", kBytesPerMebibyte, 1})};
  return make_dataset("by-context", columns, forwards);
}

}  // namespace

PartContent present_largest(const RunView& view, const std::vector<Profile>& profiles) {
  PartContent part;
  const std::vector<Forward> forwards = forwards_of(described_profiles(profiles));
  part.facts.flag("nothing", forwards.empty()).set("pass", "");
  for (const char* name : {"known", "unknown", "outgrown"}) part.facts.when(name, std::nullopt);
  if (forwards.empty()) return part;
  const auto context = [](const Forward& one) { return one.profile->context(); };
  const auto reference = std::ranges::find(forwards, view.edition().reference_context, context);
  const Forward& forward = reference == forwards.end() ? forwards.back() : *reference;
  part.facts.when(forward.meaning().empty() ? "unknown" : "known",
                  Facts()
                      .set("context", forward.context())
                      .set("meaning", forward.meaning())
                      .set("formula", forward.formula())
                      .set("bytes", format_bytes_briefly(forward.bytes()))
                      .flag("several", forward.count() > 1)
                      .set("sources", source_words(forward)));
  if (forward.meaning() == kScores) part.facts.when("outgrown", outgrown(forwards));
  part.facts.set("pass", forward.pass() + " of " + forward.profile->words);
  part.datasets = {largest_data(forward), by_context(forwards)};
  return part;
}

}  // namespace labreport::memory_profiling
