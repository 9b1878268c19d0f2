#include "imports/subject.h"

#include <set>

#include "base/table.h"
#include "results/published_names.h"

namespace labreport {
namespace {

enum class Word {
  kForward,
  kBackward,
  kOptimizer,
  kTrain,
  kStep,
  kInference,
  kMean,
  kStddev,
  kPeak,
  kMemory,
  kFiller,
  kOther,     ///< A statistic that is no mean.
  kProfiler,  ///< Times under a profiler are other times.
};

constexpr ConstantTable<std::string_view, Word, 56> kWords{{
    {"forward", Word::kForward},     {"fwd", Word::kForward},       {"fw", Word::kForward},
    {"backward", Word::kBackward},   {"bwd", Word::kBackward},      {"bw", Word::kBackward},
    {"backwards", Word::kBackward},  {"backprop", Word::kBackward}, {"optimizer", Word::kOptimizer},
    {"optimiser", Word::kOptimizer}, {"optim", Word::kOptimizer},   {"opt", Word::kOptimizer},
    {"adamw", Word::kOptimizer},     {"train", Word::kTrain},       {"training", Word::kTrain},
    {"full", Word::kTrain},          {"step", Word::kStep},         {"iteration", Word::kStep},
    {"inference", Word::kInference}, {"mean", Word::kMean},         {"avg", Word::kMean},
    {"average", Word::kMean},        {"std", Word::kStddev},        {"stdev", Word::kStddev},
    {"stddev", Word::kStddev},       {"sd", Word::kStddev},         {"deviation", Word::kStddev},
    {"dev", Word::kStddev},          {"peak", Word::kPeak},         {"memory", Word::kMemory},
    {"mem", Word::kMemory},          {"allocated", Word::kMemory},  {"time", Word::kFiller},
    {"times", Word::kFiller},        {"pass", Word::kFiller},       {"only", Word::kFiller},
    {"latency", Word::kFiller},      {"duration", Word::kFiller},   {"runtime", Word::kFiller},
    {"elapsed", Word::kFiller},      {"value", Word::kFiller},      {"standard", Word::kFiller},
    {"and", Word::kFiller},          {"plus", Word::kFiller},       {"per", Word::kFiller},
    {"the", Word::kFiller},          {"in", Word::kFiller},         {"median", Word::kOther},
    {"min", Word::kOther},           {"max", Word::kOther},         {"p50", Word::kOther},
    {"p95", Word::kOther},           {"p99", Word::kOther},         {"nsys", Word::kProfiler},
    {"profiler", Word::kProfiler},   {"kernel", Word::kProfiler},
}};

std::optional<Word> known(std::string_view text) {
  const Word* found = look_up(kWords, text);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

std::optional<Mode> mode_of(const std::set<Word>& words) {
  const auto has = [&](Word word) { return words.contains(word); };
  if (has(Word::kInference)) return Mode::kInference;
  if (has(Word::kTrain)) return Mode::kTrainStep;
  if (has(Word::kBackward) && has(Word::kOptimizer)) return Mode::kTrainStep;
  if (has(Word::kOptimizer)) return Mode::kTrainStep;
  if (has(Word::kBackward)) return Mode::kForwardBackward;
  if (has(Word::kForward)) return Mode::kForward;
  return std::nullopt;
}

std::string_view part_of_step(const std::set<Word>& words) {
  if (words.contains(Word::kForward) || words.contains(Word::kTrain)) return metric::kTotal;
  if (words.contains(Word::kOptimizer) && !words.contains(Word::kBackward)) {
    return metric::kOptimizer;
  }
  return words.contains(Word::kBackward) ? metric::kBackward : metric::kTotal;
}

std::optional<Subject> subject_of(const std::set<Word>& words) {
  const auto mode = mode_of(words);
  if (!mode) return std::nullopt;
  if (words.contains(Word::kMemory)) return Subject{CellKind::kMemory, *mode, metric::kPeak};
  return Subject{CellKind::kTiming, *mode, part_of_step(words)};
}

std::string refusal_of(const std::set<Word>& words) {
  const auto has = [&](Word word) { return words.contains(word); };
  if (has(Word::kProfiler)) return "timed under a profiler, which is another time";
  if (has(Word::kOther)) return "neither a mean nor a standard deviation";
  if (has(Word::kMemory) != has(Word::kPeak)) return "memory, but not clearly a peak";
  const bool backward_and_optimizer =
      has(Word::kBackward) && has(Word::kOptimizer) && !has(Word::kForward) && !has(Word::kTrain);
  if (backward_and_optimizer) return "backward and optimizer together are no part of a step here";
  const bool part = has(Word::kForward) || has(Word::kBackward) || has(Word::kOptimizer);
  if (has(Word::kTrain) && part) return "a step or a part of it? The name says both";
  if (has(Word::kInference) && (part || has(Word::kTrain))) {
    return "inference or training? The name says both";
  }
  if (has(Word::kMemory) && has(Word::kStddev)) return "a peak's deviation has no place in a run";
  return "";
}

}  // namespace

std::string describe(const Subject& subject) {
  std::string mode(describe(subject.mode));
  if (subject.name == metric::kPeak) return "peak memory of " + mode;
  if (subject.name == metric::kTotal) return mode;
  return std::string(subject.name) + " of " + mode;
}

Meaning meaning_of(const std::vector<std::string>& words) {
  Meaning meaning;
  std::set<Word> found;
  for (const std::string& text : words) {
    if (const auto word = known(text)) {
      found.insert(*word);
    } else if (const auto unit = unit_named(text)) {
      if (meaning.unit) meaning.refusal = "two units";
      meaning.unit = unit;
    } else if (const auto precision = precision_named(text)) {
      meaning.precision = precision;
    } else {
      meaning.refusal = in_quotes(text) + " is no word for a pass, a step or a peak";
      return meaning;
    }
  }
  if (found.contains(Word::kStep) && !found.contains(Word::kOptimizer)) found.insert(Word::kTrain);
  if (found.empty()) meaning.refusal = "it names no pass, no step and no peak";
  if (meaning.refusal.empty()) meaning.refusal = refusal_of(found);
  meaning.subject = subject_of(found);
  if (found.contains(Word::kStddev)) meaning.statistic = Statistic::kStddev;
  if (found.contains(Word::kMean)) meaning.statistic = Statistic::kMean;
  return meaning;
}

}  // namespace labreport
