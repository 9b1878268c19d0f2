// Counts the words and numbers of an answer, which a reader should grasp within ten seconds.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <regex>
#include <sstream>
#include <string>

#include "document/document.h"

namespace labreport::testing_answers {

/// The length that the handout asks for, in sentences or as a paragraph.
enum class AnswerLength { kOneOrTwo, kTwoOrThree, kParagraph };

inline std::size_t most_words(AnswerLength length) {
  return length == AnswerLength::kOneOrTwo ? 45 : length == AnswerLength::kTwoOrThree ? 60 : 90;
}

inline std::size_t most_numbers(AnswerLength length) {
  return length == AnswerLength::kParagraph ? 10 : 6;
}

/// The lengths that the handout asks for, by part.
inline const std::map<std::string, AnswerLength>& answer_lengths() {
  using enum AnswerLength;
  static const std::map<std::string, AnswerLength> lengths{
      {"nsys_profile.a", kOneOrTwo},
      {"nsys_profile.b", kOneOrTwo},
      {"nsys_profile.c", kOneOrTwo},
      {"nsys_profile.d", kOneOrTwo},
      {"nsys_profile.e", kOneOrTwo},
      {"benchmarking_script.a", kTwoOrThree},
      {"benchmarking_script.b", kOneOrTwo},
      {"benchmarking_script.c", kTwoOrThree},
      {"benchmarking_mixed_precision.a", kOneOrTwo},
      {"benchmarking_mixed_precision.b", kTwoOrThree},
      {"benchmarking_mixed_precision.c", kTwoOrThree},
      {"mixed_precision_accumulation", kTwoOrThree},
      {"memory_profiling.a", kTwoOrThree},
      {"memory_profiling.b", kOneOrTwo},
      {"memory_profiling.c", kTwoOrThree},
      {"memory_profiling.d", kOneOrTwo},
      {"memory_profiling.e", kOneOrTwo},
      {"memory_profiling.f", kParagraph},
      {"gradient_checkpointing.a", kParagraph},
      {"gradient_checkpointing.b", kParagraph},
      {"ladder", kTwoOrThree},
      {"pytorch_attention", kParagraph},
      {"flash_benchmarking", kTwoOrThree},
      {"torch_compile.a", kTwoOrThree},
      {"torch_compile.b", kParagraph},
      {"data_parallel.a", kTwoOrThree},
      {"data_parallel.b", kOneOrTwo},
      {"data_parallel.c", kTwoOrThree},
      {"data_parallel.d", kParagraph},
      {"distributed_communication_single_node", kTwoOrThree},
      {"optimizer_state_sharding_accounting.a", kTwoOrThree},
      {"optimizer_state_sharding_accounting.b", kTwoOrThree},
      {"optimizer_state_sharding_accounting.c", kTwoOrThree},
      {"fsdp_accounting.a", kTwoOrThree},
      {"fsdp_accounting.b", kTwoOrThree}};
  return lengths;
}

/// Returns an answer without lists, tables, code, formulas and the addresses of links.
inline std::string running_text(const std::string& answer) {
  std::istringstream lines(answer);
  std::string text, line;
  while (std::getline(lines, line)) {
    if (!line.starts_with("- ") && !line.starts_with("  ") && !line.starts_with("|"))
      text += line + " ";
  }
  text = std::regex_replace(
      text, std::regex(R"( (·|×|=)(?= )|`[^`]*`|\$[^$]*\$|\]\([^)]*\)|\*\*|\\)"), "");
  return std::regex_replace(text, std::regex("\u00a0"), " ");
}

inline std::size_t word_count(const std::string& text) {
  std::istringstream stream(text);
  std::size_t count = 0;
  for (std::string word; stream >> word;) {
    count += std::ranges::any_of(
        word, [](unsigned char letter) { return std::isalnum(letter) != 0 || letter >= 0x80; });
  }
  return count;
}

/// Counts the numbers that a run adds. Names, contexts, shapes, layers, ranks, steps, bucket caps,
/// sizes of all-reduces and the addend 0.01 do not count, because the handout itself gives them,
/// nor do AdamW's bytes a parameter, a ring's bytes and a link's rate, which are the same in every
/// run.
inline std::size_t number_count(std::string text) {
  for (const char* given_by_handout :
       {R"(\b[0-9.]+B\b)", R"([0-9]+×[0-9]+)", R"(\bc10d\b)", R"(\b[dh] [0-9]+( to [0-9]+)?)",
        R"(\b[0-9]+ layers)", R"(\b[A-Za-z]+-?[0-9]+\b)",
        R"(\b(contexts?|lengths?|dimensions?) [0-9,]+((, | and | to )[0-9,]+)*)",
        R"(\b[Aa]t (128|256|512|1,024|2,048|4,096|8,192|16,384|32,768|65,536)\b)",
        R"(\b[Uu]p to (128|256|512|1,024)\b)",
        R"([0-9,]+((, | and | to )[0-9,]+)* (tokens|steps|GPUs|ranks)\b(?!/))",
        R"(\b[0-9]+ (warm-up|timed|forward|forward\+backward|training) steps?)",
        R"(\b([Cc]aps|buckets) of [0-9.,]+((, | and )[0-9.,]+)* MB\b)",
        R"(\b(1|10|100|1000)((, | and )(10|100|1000))* (KiB|MiB|MB|GB)\b)", R"(\b0\.01\b)",
        R"(\b132 B a parameter\b)", R"(\b28 suffice\b)", R"(’s [0-9]+ one way\b)",
        R"(\ba ring sends [0-9.]+ times)"})
    text = std::regex_replace(text, std::regex(given_by_handout), "");
  static const std::regex number(R"([0-9][0-9,.]*( × 10)?)");
  return static_cast<std::size_t>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), number), {}));
}

inline void expect_within_budget(const Part& part) {
  const auto length = answer_lengths().find(part.name());
  if (length == answer_lengths().end()) return;
  const std::string text = running_text(part.answer);
  EXPECT_LE(word_count(text), most_words(length->second)) << part.name() << ": " << text;
  EXPECT_LE(number_count(text), most_numbers(length->second)) << part.name() << ": " << text;
}

}  // namespace labreport::testing_answers
