// Part (e): the largest allocations of the forward pass, what they are and what becomes of them.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "experiments/memory_profiling/bytes.h"
#include "experiments/memory_profiling/parts.h"
#include "experiments/memory_profiling/timeline.h"
#include "plan/memory.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::memory_profiling {
namespace {

constexpr std::size_t kRows = 10;
constexpr std::size_t kSources = 4;

/// Allocations of one size that one operation makes, in all layers.
struct Group {
  std::string place;
  double bytes = 0, count = 0;
  std::string formula, module, operation, op, category, freed, layers;

  std::string fate() const {
    if (category == metric::kActivations) return "saved for backward";
    return freed == "in the same module" || freed == metric::kForward ? "freed in forward"
                                                                      : "kept to the end";
  }
  /// "exp"; of a linear layer its name, "w1".
  std::string maker() const {
    return is_linear(operation) ? last_of(module, "/") : last_of(op, "::");
  }
};

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
  double scores() const { return static_cast<double>(score_bytes(step->spec())); }
  std::string formula() const { return groups.front().formula; }
  std::string pass() const {
    if (step->mode() == Mode::kInference) return "forward pass without grad";
    return step->mode() == Mode::kForward ? "forward pass with grad"
                                          : "training step's forward pass";
  }
};

std::vector<Group> groups_of(const Profile& profile, const Step& step) {
  std::vector<Group> groups;
  for (const MeasuredRow& row : measured_rows(*step.launch, metric::kLargest)) {
    const double bytes = row.number(column::kBytes).value_or(0);
    groups.push_back({profile.place, bytes, row.number(column::kCount).value_or(0),
                      size_formula(step.spec(), static_cast<std::int64_t>(bytes)),
                      short_path(row.text(column::kModule)), row.text(column::kOperation),
                      allocated_by(row.text(column::kOperation), row.text(column::kOperator)),
                      row.text(column::kCategory), row.text(column::kFreed),
                      row.text(column::kLayers)});
  }
  std::ranges::stable_sort(groups, std::greater(), &Group::bytes);
  return groups;
}

/// With `grad`, the forward where it ran, else the fullest step's, else one without grad.
std::optional<Forward> forward_of(const Profile& profile, bool grad) {
  std::vector<Mode> modes{Mode::kForward, Mode::kTrainStep, Mode::kForwardBackward,
                          Mode::kInference};
  if (!grad) modes = {Mode::kInference};
  for (const Mode mode : modes) {
    const Step* step = profile.ran(mode);
    if (step == nullptr) continue;
    Forward forward{&profile, step, groups_of(profile, *step)};
    if (!forward.groups.empty()) return forward;
  }
  return std::nullopt;
}

std::vector<Forward> forwards_of(const Profiles& profiles, bool grad) {
  std::vector<Forward> found;
  for (const Profile* profile : profiles) {
    if (auto forward = forward_of(*profile, grad)) found.push_back(std::move(*forward));
  }
  return found;
}

/// What has the elements of a formula; empty where none is known.
std::string meaning(const std::string& formula) {
  for (const auto& [elements, words] :
       {std::pair("B · h · S²", "attention scores"),
        std::pair("B · S · d_ff", "tensors of the FFN's inner width"),
        std::pair("B · S · V", "logits"),
        std::pair("B · S · d ·", "tensors of the residual stream's width")}) {
    if (formula.starts_with(elements)) return words;
  }
  return "";
}

/// "B · S · d_ff · 4" as TeX.
std::string as_math(const std::string& formula) {
  return "$" +
         replaced(replaced(replaced(formula, "·", "\\cdot"), "²", "^2"), "d_ff", "d_\\mathrm{ff}") +
         "$";
}

/// "96 by MaskedScores in layers/attn and 64 by Softmax in layers/attn": the largest, by maker.
std::string source_words(const Forward& forward) {
  std::vector<std::pair<std::string, double>> makers;
  for (const Group& group : forward.groups) {
    if (group.bytes != forward.bytes()) continue;
    const std::string maker = where(group.operation, group.module, group.op);
    const auto same = std::ranges::find(makers, maker, &std::pair<std::string, double>::first);
    same == makers.end() ? makers.emplace_back(maker, group.count),
        void()           : void(same->second += group.count);
  }
  std::vector<std::string> words;
  for (const auto& [maker, count] : makers) {
    words.push_back(format_value(count, {Notation::kCount}) + " by " + maker);
  }
  if (words.size() > kSources) {
    words.resize(kSources);
    words.emplace_back("others that the table lists");
  }
  return join_words(words);
}

Facts values_of(const Forward& forward) {
  Facts values;
  values.set("words", forward.profile->words);
  values.set("context", format_count(forward.profile->context()));
  values.set("pass", forward.pass());
  values.set("bytes", format_bytes(forward.bytes()));
  values.set("count", forward.count(), {Notation::kCount});
  values.set("sources", source_words(forward));
  values.set("formula", forward.formula().empty() ? "no formula known" : forward.formula());
  values.set("meaning", meaning(forward.formula()));
  values.set_markdown("formula_math", as_math(forward.formula()));
  values.set("scores", format_bytes(forward.scores()));
  return values;
}

/// Contexts whose largest allocations are of one formula, other than `shown`: each formula once.
void set_others(Facts& facts, const std::vector<Forward>& forwards, const Forward* shown) {
  std::vector<std::pair<std::string, std::vector<const Forward*>>> kinds;
  for (const Forward& forward : forwards) {
    if (forward.profile == shown->profile || forward.formula().empty()) continue;
    const auto same = std::ranges::find(
        kinds, forward.formula(), &std::pair<std::string, std::vector<const Forward*>>::first);
    (same == kinds.end() ? kinds.emplace_back(forward.formula(), std::vector<const Forward*>())
                         : *same)
        .second.push_back(&forward);
  }
  std::vector<Facts> alike, others;
  for (const auto& [formula, of_kind] : kinds) {
    std::vector<std::string> contexts, bytes, scores;
    for (const Forward* forward : of_kind) {
      contexts.push_back(format_count(forward->profile->context()));
      bytes.push_back(format_bytes(forward->bytes()));
      scores.push_back(format_bytes(forward->scores()));
    }
    Facts values = values_of(*of_kind.front());
    values.set("contexts", join_words(contexts));
    values.set("bytes", join_words(bytes));
    values.set("scores", join_words(scores));
    (formula == shown->formula() ? alike : others).push_back(std::move(values));
  }
  facts.list("alike", std::move(alike));
  facts.list("others", std::move(others));
}

Dataset groups_data(const std::string& name, const std::vector<Forward>& forwards) {
  std::vector<Group> rows;
  for (const Forward& forward : forwards) {
    const auto most = static_cast<std::ptrdiff_t>(std::min(forward.groups.size(), kRows));
    rows.insert(rows.end(), forward.groups.begin(), forward.groups.begin() + most);
  }
  const std::vector<Column<Group>> columns{
      {"context", "Context", &Group::place},
      bytes_column<Group>("size", "Size", &Group::bytes, {"MiB", kBytesPerMebibyte, 1}),
      {"count", "Count", &Group::count, "", {Notation::kCount}},
      {"formula", "Formula", &Group::formula},
      {"fate", "Fate", &Group::fate},
      {"operation", "Operation", &Group::operation},
      {"operator", "Operator", &Group::op},
      {"module", "Module", &Group::module},
      {"layers", "Layers", &Group::layers},
      {"freed", "Freed", &Group::freed}};
  return make_dataset(name, columns, rows);
}

/// A segment of the figure's bars; a bar's words stand with its first.
struct Segment {
  Group group;
  double end = 0;  ///< Where its bar ends.
  std::string label;
};

/// The kinds of the smallest size may not all be recorded: a worker keeps the largest only.
std::vector<Segment> segments_of(const Forward& forward) {
  std::vector<Group> groups = forward.groups;
  std::erase_if(groups, [&](const Group& group) {
    return group.bytes == forward.groups.back().bytes && group.bytes < forward.bytes();
  });
  std::ranges::stable_sort(groups, [](const Group& a, const Group& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.fate() > b.fate();
  });
  std::vector<Segment> segments;
  for (const Group& group : groups) {
    double count = 0;
    for (const Group& other : groups) count += other.bytes == group.bytes ? other.count : 0;
    const bool first = segments.empty() || segments.back().group.bytes != group.bytes;
    const std::string words =
        format_value(count, {Notation::kCount}) + " × " + meaning(group.formula);
    segments.push_back({group, count * group.bytes, first ? words : ""});
  }
  return segments;
}

Dataset largest_data(const Forward& forward) {
  const std::vector<Segment> rows = segments_of(forward);
  double most = 0;
  for (const Segment& row : rows) most = std::max(most, row.end);
  const ByteUnit unit = byte_unit(most);
  const std::vector<Column<Segment>> columns{
      {"size", "Size", [](const Segment& row) { return format_bytes(row.group.bytes); }},
      {"maker", "Maker", [](const Segment& row) { return row.group.maker(); }},
      {"where", "Made by",
       [](const Segment& row) {
         return where(row.group.operation, row.group.module, row.group.op);
       }},
      {"fate", "Fate", [](const Segment& row) { return row.group.fate(); }},
      {"count",
       "Count",
       [](const Segment& row) { return row.group.count; },
       "",
       {Notation::kCount}},
      bytes_column<Segment>(
          "total", "Size × count",
          [](const Segment& row) { return row.group.bytes * row.group.count; }, unit),
      bytes_column<Segment>("end", "End", &Segment::end, unit),
      {"label", "Label", &Segment::label},
      {"unit", "Unit", [unit](const Segment&) { return unit.name; }}};
  return make_dataset("largest", columns, rows);
}

Dataset by_context(const std::vector<Forward>& forwards) {
  const std::vector<Column<Forward>> columns{
      {"context", "Context", [](const Forward& forward) { return forward.profile->place; }},
      {"pass", "Pass", &Forward::pass},
      {"formula", "Largest allocations", &Forward::formula},
      bytes_column<Forward>("size", "Size", &Forward::bytes, {"MiB", kBytesPerMebibyte, 1}),
      {"count", "Count", &Forward::count, "", {Notation::kCount}},
      bytes_column<Forward>("scores", "Attention scores", &Forward::scores,
                            {"MiB", kBytesPerMebibyte, 1})};
  return make_dataset("by-context", columns, forwards);
}

const Forward& reference_of(const RunView& view, const std::vector<Forward>& forwards) {
  const auto context = [](const Forward& forward) { return forward.profile->context(); };
  const auto found = std::ranges::find(forwards, view.edition().reference_context, context);
  return found == forwards.end() ? forwards.back() : *found;
}

}  // namespace

PartContent present_largest(const RunView& view, const std::vector<Profile>& profiles) {
  PartContent part;
  set_common(part.facts, view, profiles);
  // The question is about a forward pass.
  part.facts.list("missing", missing_facts(answered(profiles), Mode::kForward));
  const std::vector<Forward> forwards = forwards_of(answered(profiles), true);
  const Forward* shown = forwards.empty() ? nullptr : &reference_of(view, forwards);
  const bool known = shown != nullptr && !meaning(shown->formula()).empty();
  const auto values = shown == nullptr ? std::nullopt : std::optional(values_of(*shown));
  std::vector<Facts> contexts;
  for (const Forward& forward : forwards) contexts.push_back(values_of(forward));
  part.facts.flag("nothing", forwards.empty());
  part.facts.when("known", known ? values : std::nullopt);
  part.facts.when("unknown", known ? std::nullopt : values);
  part.facts.list("contexts", std::move(contexts));
  part.facts.set("pass", shown == nullptr ? "" : shown->pass() + ", " + shown->profile->words);
  set_others(part.facts, forwards, shown);
  if (shown == nullptr) return part;
  part.datasets = {largest_data(*shown), by_context(forwards), groups_data("groups", forwards)};
  if (shown->step->mode() != Mode::kInference) {
    part.datasets.push_back(
        groups_data("inference-groups", forwards_of(answered(profiles), false)));
  }
  return part;
}

}  // namespace labreport::memory_profiling
