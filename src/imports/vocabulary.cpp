#include "imports/vocabulary.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <set>

#include "base/format.h"
#include "base/table.h"
#include "imports/words.h"
#include "results/published_names.h"

namespace labreport {
namespace {

/// How a parameter is called, by its own name first, and what "yes" means in its cells.
struct Parameter {
  Role role;
  std::string_view names;
  std::optional<Precision> yes = {};
};

constexpr auto kParameters = std::to_array<Parameter>({
    {Role::kSize,
     "size model modelsize model_size model_name model_config config configuration name"},
    {Role::kGpu, "gpu device hardware"},
    {Role::kEdition, "edition"},
    {Role::kExperiment, "experiment problem"},
    {Role::kSource, "source repo repository url"},
    {Role::kMode, "mode metric pass pass_type phase stage"},
    {Role::kMode, "forward_only fwd_only"},
    {Role::kUnit, "unit units"},
    {Role::kPrecision, "precision dtype data_type"},
    {Role::kPrecision, "mixed_precision mixed amp use_amp autocast use_autocast", Precision::kBf16},
    {Role::kPrecision, "use_bf16 mixed_precision_bf16 bf16_mixed_precision autocast_bf16 amp_bf16",
     Precision::kBf16},
    {Role::kPrecision, "use_fp16 mixed_precision_fp16 fp16_mixed_precision autocast_fp16 amp_fp16",
     Precision::kFp16},
    {Role::kContext,
     "context context_length context_len ctx ctx_len seq seq_len seqlen seq_length "
     "sequence_length"},
    {Role::kBatch, "batch batch_size bs"},
    {Role::kWarmup, "warmup warm_up warmups warmup_steps warm_up_steps num_warmup"},
    {Role::kSteps,
     "steps num_steps n_steps benchmark_steps measure_steps measurement_steps timed_steps"},
    {Role::kModelWidth, "d_model"},
    {Role::kInnerWidth, "d_ff"},
    {Role::kLayers, "layers num_layers n_layers"},
    {Role::kHeads, "heads num_heads n_heads"},
    {Role::kIgnored, "ignored index"},
});

/// What is measured, and how it is called, by its own name first; words may stand in any order.
struct Quantity {
  Subject subject;
  std::string_view names;
};

using enum CellKind;

constexpr auto kQuantities = std::to_array<Quantity>({
    {{kTiming, Mode::kInference, metric::kTotal}, "inference"},
    {{kTiming, Mode::kForward, metric::kTotal}, "forward"},
    {{kTiming, Mode::kForwardBackward, metric::kBackward}, "backward"},
    {{kTiming, Mode::kForwardBackward, metric::kTotal}, "forward_backward"},
    {{kTiming, Mode::kTrainStep, metric::kOptimizer}, "optimizer optimizer_step"},
    {{kTiming, Mode::kTrainStep, metric::kTotal},
     "train_step train step forward_backward_optimizer forward_backward_optimizer_step"},
    {{kMemory, Mode::kInference, metric::kPeak}, "peak_memory_inference"},
    {{kMemory, Mode::kForward, metric::kPeak}, "peak_memory_forward"},
    {{kMemory, Mode::kForwardBackward, metric::kPeak}, "peak_memory_forward_backward"},
    {{kMemory, Mode::kTrainStep, metric::kPeak},
     "peak_memory_train_step peak_memory_train peak_memory_step"},
});

/// Words of quantities: what stands for them, and what says nothing of its own.
constexpr auto kWords = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"forward", "forward fwd fw"},
    {"backward", "backward bwd bw backwards backprop"},
    {"optimizer", "optimizer optimiser optim opt adamw"},
    {"train", "train training full"},
    {"step", "step iteration"},
    {"memory", "memory mem allocated"},
    {"mean", "mean avg average"},
    {"std", "std stdev stddev sd deviation dev"},
    {"",
     "value time times pass only latency duration runtime elapsed standard and plus per the in"},
});

constexpr auto kUnits = std::to_array<Unit>({
    {"s", 1e9, true, "s sec secs second seconds"},
    {"ms", 1e6, true, "ms msec msecs millis millisecond milliseconds"},
    {"us", 1e3, true, "us usec micros microsecond microseconds"},
    {"ns", 1, true, "ns nsec nanoseconds"},
    {"GiB", kBytesPerGibibyte, false, "gib"},
    {"MiB", kBytesPerMebibyte, false, "mib"},
});

constexpr auto kPrecisions = std::to_array<std::pair<Precision, std::string_view>>({
    {Precision::kFp32, "fp32 float32 f32 full single"},
    {Precision::kTf32, "tf32"},
    {Precision::kBf16, "bf16 bfloat16"},
    {Precision::kFp16, "fp16 float16 f16 half"},
});

std::string_view first_word(std::string_view list) { return list.substr(0, list.find(' ')); }

bool has_word(std::string_view list, std::string_view word) {
  return std::ranges::any_of(std::views::split(list, ' '), [&](const auto& one) {
    return std::string_view(one.begin(), one.end()) == word;
  });
}

template <typename Value, std::size_t N>
std::optional<Value> found_in(const ConstantTable<Value, std::string_view, N>& table,
                              std::string_view word) {
  for (const auto& [value, words] : table) {
    if (has_word(words, word)) return value;
  }
  return std::nullopt;
}

bool is_called(const Quantity& quantity, const std::set<std::string>& words) {
  const std::vector<std::string> names = split(quantity.names, ' ');
  return std::ranges::any_of(names, [&](const std::string& name) {
    const std::vector<std::string> parts = split(name, '_');
    return std::set(parts.begin(), parts.end()) == words;
  });
}

/// The words that are left without statistic, unit and precision; nothing where two are named.
std::optional<std::set<std::string>> words_left(const std::vector<std::string>& words,
                                                Meaning& meaning) {
  std::set<std::string> left;
  for (const std::string& written : words) {
    const auto word = found_in(kWords, written);
    const Unit* unit = unit_named(written);
    const auto precision = word ? std::nullopt : found_in(kPrecisions, written);
    const bool second = (unit && meaning.unit) || (precision && meaning.precision);
    if (second) return std::nullopt;
    if (unit != nullptr) meaning.unit = unit;
    if (precision) meaning.precision = precision;
    if (unit == nullptr && !precision) left.emplace(word.value_or(written));
  }
  left.erase("");
  meaning.deviation = left.erase("std") > 0;
  if (left.erase("mean") > 0) meaning.deviation = false;  // "mean ± std": the cell holds both.
  return left;
}

}  // namespace

const Unit* unit_named(std::string_view word) {
  const std::vector<std::string> words = words_of(word);
  if (words.size() != 1) return nullptr;
  const auto found = std::ranges::find_if(
      kUnits, [&](const Unit& unit) { return has_word(unit.spellings, words.front()); });
  return found == kUnits.end() ? nullptr : &*found;
}

std::optional<bool> parse_yes_no(std::string_view text) {
  const std::string word = lower_case(text);
  if (has_word("true yes y 1", word)) return true;
  return has_word("false no n 0", word) ? std::optional(false) : std::nullopt;
}

std::optional<Precision> precision_named(std::string_view text) {
  std::optional<Precision> named;
  for (const std::string& word : words_of(text)) {
    if (has_word("torch mixed precision autocast amp dtype", word)) continue;
    const auto found = found_in(kPrecisions, word);
    if (!found || (named && named != found)) return std::nullopt;
    named = found;
  }
  return named;
}

std::optional<Meaning> quantity_of(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  Meaning meaning{.role = Role::kValue, .name = "value"};
  const auto left = words_left(words, meaning);
  const bool bare = words.empty() || (words.size() == 1 && meaning.precision);
  if (!left || bare) return std::nullopt;
  if (left->empty()) return meaning;
  const auto found = std::ranges::find_if(
      kQuantities, [&](const Quantity& quantity) { return is_called(quantity, *left); });
  // A run has no place for a peak's deviation.
  if (found == kQuantities.end()) return std::nullopt;
  if (meaning.deviation && found->subject.kind == kMemory) return std::nullopt;
  meaning.name = first_word(found->names);
  meaning.subject = found->subject;
  return meaning;
}

std::optional<Meaning> meaning_of(std::string_view name) {
  const std::string joined = join(words_of(name), "_");
  for (const auto& [role, names, yes] : kParameters) {
    if (!has_word(names, joined)) continue;
    return Meaning{.role = role, .name = first_word(names), .precision = yes};
  }
  return quantity_of(name);
}

std::string describe(const Meaning& meaning) {
  std::string text(meaning.name);
  if (meaning.deviation) text += "_std";
  if (meaning.precision && meaning.role == Role::kValue)
    text += ", " + std::string(name(*meaning.precision));
  if (meaning.unit != nullptr) text += ", " + std::string(meaning.unit->name);
  return text;
}

std::vector<std::string> vocabulary() {
  std::vector<std::string> names{"value"};
  for (const Quantity& quantity : kQuantities) names.emplace_back(first_word(quantity.names));
  for (const Parameter& parameter : kParameters) names.emplace_back(first_word(parameter.names));
  return names;
}

}  // namespace labreport
