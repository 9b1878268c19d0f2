// Formulas in the sections' words: readers of every format get them typeset, none holds a value.
#include <gtest/gtest.h>

#include "document/math_spans.h"
#include "embedded/experiments.h"
#include "experiments/catalog.h"
#include "writers/html/template.h"
#include "writers/math/math.h"

namespace labreport {
namespace {

constexpr const char* kMethod = "experiments/overview/method.md";

std::vector<std::string> all_words() {
  std::vector<std::string> words{std::string(embedded::experiments().at(kMethod))};
  for (const Experiment& experiment : catalog()) words.emplace_back(experiment.words);
  return words;
}

TEST(Formulas, AreWithinTheSubsetThatEveryWriterTypesets) {
  for (const std::string& words : all_words()) {
    for (const MathSpan& span : cut_math(words).spans) {
      EXPECT_TRUE(parse_math(span.tex)) << span.tex;
    }
  }
}

TEST(Formulas, HoldNoTagSoNoValueOfARun) {
  for (const std::string& words : all_words()) {
    for (const MathSpan& span : cut_math(words).spans) {
      EXPECT_EQ(span.tex.find("{{"), std::string::npos) << span.tex;
    }
  }
}

TEST(Formulas, AreMathInThePage) {
  std::size_t formulas = 0;
  for (const std::string& words : all_words()) {
    const std::string html = markdown_to_html(words);
    for (std::size_t at = 0; (at = html.find("<math", at)) != std::string::npos; ++at) ++formulas;
    EXPECT_EQ(html.find('$'), std::string::npos);
  }
  EXPECT_GE(formulas, 30U);
}

}  // namespace
}  // namespace labreport
