// Units and contexts, as words and in captions.
#include <algorithm>
#include <array>
#include <charconv>

#include "base/format.h"
#include "base/table.h"
#include "imports/words.h"

namespace labreport {
namespace {

constexpr ConstantTable<std::string_view, Unit, 21> kUnits{{{"s", Unit::kSeconds},
                                                            {"sec", Unit::kSeconds},
                                                            {"secs", Unit::kSeconds},
                                                            {"second", Unit::kSeconds},
                                                            {"seconds", Unit::kSeconds},
                                                            {"ms", Unit::kMilliseconds},
                                                            {"msec", Unit::kMilliseconds},
                                                            {"msecs", Unit::kMilliseconds},
                                                            {"millis", Unit::kMilliseconds},
                                                            {"millisecond", Unit::kMilliseconds},
                                                            {"milliseconds", Unit::kMilliseconds},
                                                            {"us", Unit::kMicroseconds},
                                                            {"usec", Unit::kMicroseconds},
                                                            {"micros", Unit::kMicroseconds},
                                                            {"microsecond", Unit::kMicroseconds},
                                                            {"microseconds", Unit::kMicroseconds},
                                                            {"ns", Unit::kNanoseconds},
                                                            {"nanoseconds", Unit::kNanoseconds},
                                                            {"gib", Unit::kGibibytes},
                                                            {"mib", Unit::kMebibytes},
                                                            {"nsec", Unit::kNanoseconds}}};

constexpr Names<Unit, 6> kNames{{{Unit::kSeconds, "s"},
                                 {Unit::kMilliseconds, "ms"},
                                 {Unit::kMicroseconds, "us"},
                                 {Unit::kNanoseconds, "ns"},
                                 {Unit::kGibibytes, "GiB"},
                                 {Unit::kMebibytes, "MiB"}}};

constexpr ConstantTable<std::string_view, Precision, 7> kPrecisions{
    {{"fp32", Precision::kFp32},
     {"float32", Precision::kFp32},
     {"tf32", Precision::kTf32},
     {"bf16", Precision::kBf16},
     {"bfloat16", Precision::kBf16},
     {"fp16", Precision::kFp16},
     {"float16", Precision::kFp16}}};

constexpr std::array<std::string_view, 3> kBeforeUnit{"in", "unit", "units"};
constexpr std::array<std::string_view, 7> kContextWords{"context", "ctx",    "seq", "sequence",
                                                        "seqlen",  "length", "len"};
constexpr std::array<std::string_view, 3> kBatchWords{"batch", "batchsize", "bs"};
constexpr std::array<std::string_view, 4> kFillerWords{"of", "is", "the", "size"};

bool among(const auto& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// Units stand in brackets of their own; a lone "s" in prose is none.
bool bracketed(std::string_view caption, std::string_view unit) {
  return caption.find("(" + std::string(unit) + ")") != caption.npos ||
         caption.find("[" + std::string(unit) + "]") != caption.npos;
}

std::optional<std::int64_t> whole(std::string_view word) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool all = error == std::errc() && end == word.data() + word.size() && value > 0;
  return all ? std::optional(value) : std::nullopt;
}

/// Whole numbers that one of the words announces: "batch size of 8".
std::set<std::int64_t> numbers_after(const auto& announcing, std::string_view caption) {
  std::set<std::int64_t> found;
  bool named = false;
  for (const std::string& word : words_of(caption)) {
    if (const auto number = named ? whole(word) : std::nullopt) found.insert(*number);
    named = among(announcing, word) || (named && among(kFillerWords, word));
  }
  return found;
}

}  // namespace

std::optional<Unit> unit_named(std::string_view word) {
  const std::vector<std::string> words = words_of(word);
  if (words.size() != 1) return std::nullopt;
  const Unit* found = look_up(kUnits, words.front());
  return found == nullptr ? std::nullopt : std::optional(*found);
}

bool is_time(Unit unit) { return unit != Unit::kGibibytes && unit != Unit::kMebibytes; }

double nanoseconds_or_bytes(Unit unit) {
  switch (unit) {
    case Unit::kSeconds:
      return 1e9;
    case Unit::kMilliseconds:
      return kNanosecondsPerMillisecond;
    case Unit::kMicroseconds:
      return 1e3;
    case Unit::kNanoseconds:
      return 1;
    case Unit::kGibibytes:
      return kBytesPerGibibyte;
    case Unit::kMebibytes:
      return kBytesPerMebibyte;
  }
  return 1;
}

std::string_view name(Unit unit) { return name_in(kNames, unit); }

std::optional<Unit> unit_near(std::string_view caption) {
  const std::vector<std::string> words = words_of(caption);
  const std::string small = lower_case(caption);
  std::optional<Unit> found;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto unit = unit_named(words[i]);
    if (!unit || !is_time(*unit)) continue;
    const bool said = i > 0 && among(kBeforeUnit, words[i - 1]);
    if (!said && !bracketed(small, words[i])) continue;
    if (found && *found != *unit) return std::nullopt;
    found = unit;
  }
  return found;
}

std::set<std::int64_t> contexts_in(std::string_view caption) {
  return numbers_after(kContextWords, caption);
}

std::set<Precision> precisions_in(std::string_view caption) {
  std::set<Precision> found;
  for (const std::string& word : words_of(caption)) {
    if (const Precision* precision = look_up(kPrecisions, word)) found.insert(*precision);
  }
  return found;
}

std::set<std::int64_t> batches_in(std::string_view caption) {
  return numbers_after(kBatchWords, caption);
}

}  // namespace labreport
