#include "imports/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <ranges>
#include <set>

#include "base/format.h"
#include "base/table.h"
#include "base/text.h"
#include "imports/text_table.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

constexpr std::size_t kLongestName = 1000;

constexpr Meaning timed(Mode mode, std::string_view metric, std::string_view names) {
  return {Role::kValue, names, Subject{CellKind::kTiming, mode, metric}};
}

constexpr Meaning peak(Mode mode, std::string_view names) {
  return {Role::kValue, names, Subject{CellKind::kMemory, mode, metric::kPeak}};
}

/// A parameter whose cells are answers.
constexpr Meaning answer(Role role, std::string_view names, std::string_view yes,
                         std::string_view no) {
  return {.role = role, .names = names, .yes = yes, .no = no};
}

constexpr auto kTerms = std::to_array<Meaning>({
    timed(Mode::kInference, metric::kTotal, "inference"),
    timed(Mode::kForward, metric::kTotal, "forward"),
    timed(Mode::kForwardBackward, metric::kBackward, "backward"),
    timed(Mode::kForwardBackward, metric::kTotal, "forward_backward"),
    timed(Mode::kTrainStep, metric::kOptimizer, "optimizer optimizer_step"),
    timed(Mode::kTrainStep, metric::kTotal,
          "train_step training_step train step forward_backward_optimizer "
          "forward_backward_optimizer_step"),
    peak(Mode::kInference, "peak_memory_inference"),
    peak(Mode::kForward, "peak_memory_forward"),
    peak(Mode::kForwardBackward, "peak_memory_forward_backward"),
    peak(Mode::kTrainStep, "peak_memory_train_step peak_memory_train peak_memory_step"),
    {Role::kSize,
     "size model modelsize model_size model_name model_config config configuration name"},
    {Role::kGpu, "gpu device hardware"},
    {Role::kEdition, "edition"},
    {Role::kExperiment, "experiment problem"},
    {Role::kSource, "source repo repository url"},
    {Role::kMode, "mode metric pass pass_type phase stage"},
    answer(Role::kMode, "forward_only fwd_only", "forward", "forward_backward"),
    {Role::kUnit, "unit units"},
    {Role::kPrecision, "precision dtype data_type"},
    answer(Role::kPrecision, "mixed_precision mixed amp use_amp autocast use_autocast", "bf16",
           "fp32"),
    answer(Role::kPrecision, "use_bf16 mixed_precision_bf16 autocast_bf16 amp_bf16", "bf16",
           "fp32"),
    answer(Role::kPrecision, "use_fp16 mixed_precision_fp16 autocast_fp16 amp_fp16", "fp16",
           "fp32"),
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
    {},
});

/// What is meant, and the words that say it, in lower case.
template <typename Value, std::size_t N>
using Spellings = ConstantTable<Value, std::string_view, N>;

/// Words of quantities: what stands for them, and what says nothing of its own.
constexpr Spellings<std::string_view, 9> kWords{{
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
}};

constexpr Spellings<Unit, 6> kUnits{{
    {{"s", 1e9, true}, "s sec secs second seconds"},
    {{"ms", 1e6, true}, "ms msec msecs millis millisecond milliseconds"},
    {{"us", 1e3, true}, "us usec micros microsecond microseconds"},
    {{"ns", 1, true}, "ns nsec nanoseconds"},
    {{"GiB", kBytesPerGibibyte, false}, "gib"},
    {{"MiB", kBytesPerMebibyte, false}, "mib"},
}};

constexpr Spellings<Precision, 4> kPrecisions{{
    {Precision::kFp32, "fp32 float32 f32 full single"},
    {Precision::kTf32, "tf32"},
    {Precision::kBf16, "bf16 bfloat16"},
    {Precision::kFp16, "fp16 float16 f16 half"},
}};

constexpr std::string_view kYes = "true yes y 1";
constexpr std::string_view kNo = "false no n 0";

/// Letters outside ASCII that stand for words.
constexpr ConstantTable<std::string_view, std::string_view, 4> kSigns{
    {{"\u00B5", "u"}, {"\u03BC", "u"}, {"\u03C3", " std "}, {"\u00B1", " "}}};

bool has_word(std::string_view list, std::string_view word) {
  return std::ranges::any_of(std::views::split(list, ' '), [&](const auto& one) {
    return std::string_view(one.begin(), one.end()) == word;
  });
}

/// Null where no spelling is `word`.
template <typename Value, std::size_t N>
const Value* spelled(const Spellings<Value, N>& table, std::string_view word) {
  const auto found =
      std::ranges::find_if(table, [&](const auto& row) { return has_word(row.second, word); });
  return found == table.end() ? nullptr : &found->first;
}

bool is(int (*kind)(int), char letter) { return kind(static_cast<unsigned char>(letter)) != 0; }

/// Lower-case words: "avgForward (ms)" → avg, forward, ms; "µs" is "us", "σ" is "std".
std::vector<std::string> words_of(std::string_view text) {
  std::string plain(text.substr(0, text.size() > kLongestName ? 0 : text.npos));
  for (const auto& [sign, word] : kSigns) plain = replaced(plain, sign, word);
  std::vector<std::string> words;
  bool inside = false;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const bool counts = is(std::isalnum, plain[i]) || (plain[i] & 0x80) != 0;
    // "forwardMs" has a hump, "GiB" has none.
    const bool hump = i > 0 && is(std::islower, plain[i - 1]) && is(std::isupper, plain[i]) &&
                      i + 1 < plain.size() && is(std::islower, plain[i + 1]);
    if (counts && (!inside || hump)) words.emplace_back();
    if (counts) words.back() += lower(plain.substr(i, 1));
    inside = counts;
  }
  return words;
}

using Words = std::set<std::string, std::less<>>;

/// "context_length" of the words length and context.
bool is_made_of(std::string_view name, const Words& words) {
  std::size_t parts = 0;
  for (const auto part : std::views::split(name, '_')) {
    if (!words.contains(std::string_view(part.begin(), part.end()))) return false;
    ++parts;
  }
  return parts == words.size();
}

/// Null where no term is called so; quantities are, or all others.
const Meaning* term_called(const Words& words, bool quantities) {
  const auto found = std::ranges::find_if(kTerms, [&](const Meaning& term) {
    return (term.role == Role::kValue) == quantities &&
           std::ranges::any_of(std::views::split(term.names, ' '), [&](const auto& name) {
             return is_made_of({name.begin(), name.end()}, words);
           });
  });
  return found == kTerms.end() ? nullptr : &*found;
}

/// The words that are left without statistic, unit and precision; nothing where two are named.
std::optional<Words> words_left(const std::vector<std::string>& words, Meaning& meaning) {
  Words left;
  for (const std::string& written : words) {
    const std::string_view* word = spelled(kWords, written);
    const Unit* unit = spelled(kUnits, written);
    const Precision* precision = word == nullptr ? spelled(kPrecisions, written) : nullptr;
    if ((unit && meaning.unit) || (precision && meaning.precision)) return std::nullopt;
    if (unit != nullptr) {
      meaning.unit = unit;
    } else if (precision != nullptr) {
      meaning.precision = *precision;
    } else {
      left.emplace(word == nullptr ? written : *word);
    }
  }
  left.erase("");
  meaning.deviation = left.erase("std") > 0;
  if (left.erase("mean") > 0) meaning.deviation = false;  // "mean ± std": the cell holds both.
  return left;
}

constexpr std::array<std::string_view, 8> kMissing{"", "-", "–", "—", "n/a", "na", "nan", "none"};
constexpr std::array<std::string_view, 4> kPlusMinus{"±", "+/-", "\\pm", "+-"};

/// "12.3 ms" → 12.3 and the unit; nothing where it is no plain number.
std::optional<TableNumber> parse_part(std::string_view text) {
  text = trimmed(text);
  if (text.substr(0, text.find_first_not_of("+-0123456789.,")).find(',') != text.npos) {
    throw InputError("is the comma for thousands or for decimals? write the number without one");
  }
  TableNumber found;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, found.value);
  const std::string_view rest = trimmed({at, end});
  found.unit = unit_named(rest);
  if (error == std::errc::result_out_of_range) throw InputError("it is out of range");
  if (error != std::errc() || (!rest.empty() && found.unit == nullptr)) return std::nullopt;
  if (std::isnan(found.value)) return std::nullopt;
  if (std::isinf(found.value)) throw InputError("it is infinite");
  if (found.value < 0) throw InputError("it is negative");
  return found;
}

/// A number and what stands behind "±", where that is more than nothing.
std::optional<TableNumber> parse_parts(std::string_view text) {
  for (const std::string_view sign : kPlusMinus) {
    const std::size_t at = text.find(sign);
    if (at == text.npos || at == 0) continue;
    auto found = parse_part(text.substr(0, at));
    const auto deviation = parse_part(text.substr(at + sign.size()));
    if (!found || !deviation) return std::nullopt;
    if (found->unit != nullptr && deviation->unit != nullptr && found->unit != deviation->unit) {
      throw InputError("its two numbers have different units");
    }
    found->deviation = deviation->value;
    if (found->unit == nullptr) found->unit = deviation->unit;
    return found;
  }
  return parse_part(text);
}

}  // namespace

const Unit* unit_named(std::string_view word) {
  const std::vector<std::string> words = words_of(word);
  return words.size() == 1 ? spelled(kUnits, words.front()) : nullptr;
}

std::string_view cell_below(const Meaning& meaning, std::string_view cell) {
  if (meaning.yes.empty()) return cell;
  const std::string word = lower(cell);
  return has_word(kYes, word) ? meaning.yes : has_word(kNo, word) ? meaning.no : cell;
}

std::optional<Precision> precision_named(std::string_view text) {
  std::optional<Precision> named;
  for (const std::string& word : words_of(text)) {
    if (has_word("torch mixed precision autocast amp dtype", word)) continue;
    const Precision* found = spelled(kPrecisions, word);
    if (found == nullptr || named.value_or(*found) != *found) return std::nullopt;
    named = *found;
  }
  return named;
}

std::optional<Meaning> quantity_of(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  Meaning meaning{.role = Role::kValue, .names = "value"};
  const auto left = words_left(words, meaning);
  const bool bare = words.empty() || (words.size() == 1 && meaning.precision);
  if (!left || bare) return std::nullopt;
  if (left->empty()) return meaning;
  const Meaning* term = term_called(*left, true);
  // A run has no place for a peak's deviation.
  if (term == nullptr || (meaning.deviation && term->subject->kind == CellKind::kMemory))
    return std::nullopt;
  meaning.names = term->names;
  meaning.subject = term->subject;
  return meaning;
}

std::optional<Meaning> meaning_of(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  const Meaning* term = term_called({words.begin(), words.end()}, false);
  return term == nullptr ? quantity_of(name) : *term;
}

std::string describe(const Meaning& meaning) {
  std::string text(meaning.name());
  if (meaning.deviation) text += "_std";
  if (meaning.precision) text += ", " + std::string(name(*meaning.precision));
  if (meaning.unit != nullptr) text += ", " + std::string(meaning.unit->name);
  return text;
}

std::vector<std::string> vocabulary() {
  std::vector<std::string> names{"value"};
  for (const Meaning& term : kTerms) names.emplace_back(term.name());
  return names;
}

TableNumber parse_table_number(std::string_view cell, const Unit* column) {
  const std::string text = lower(cell);
  if (std::ranges::find(kMissing, text) != kMissing.end()) throw LeftOut("no value is given");
  if (text.starts_with("oom") || text == "cuda oom" || text.find("out of memory") != text.npos) {
    return {.out_of_memory = true};
  }
  auto found = parse_parts(text);
  if (!found) throw LeftOut(in_quotes(cell) + " is no plain number");
  if (column != nullptr && found->unit != nullptr && found->unit != column) {
    throw InputError(
        fmt::format("it is in {}, the column's name says {}", found->unit->name, column->name));
  }
  if (column != nullptr) found->unit = column;
  return *found;
}

}  // namespace labreport
