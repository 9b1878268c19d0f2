// Tests formulas in the sections' words: every format typesets them, and none contains a measured
// value.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "document/formulas.h"
#include "embedded/experiments.h"
#include "experiments/catalog.h"
#include "publish/chart_renderer.h"
#include "writers/html/template.h"

namespace labreport::formulas_test {
namespace {

constexpr const char* kMethod = "experiments/overview/method.md";

std::vector<std::string> all_words() {
  std::vector<std::string> words{std::string(embedded::experiments().at(kMethod))};
  for (const Experiment& experiment : catalog()) words.emplace_back(experiment.words);
  return words;
}

TEST(Formulas, HaveTheFormsThatEveryWriterTypesets) {
  for (const std::string& words : all_words()) {
    for (const MathSpan& span : cut_math(words).spans) {
      EXPECT_TRUE(find_formula(span, {}))
          << span.tex << ": LABREPORT_UPDATE_GOLDEN=1 build/tests/experiments_tests writes it";
    }
  }
}

/// Converts the formulas of all sections with the pandoc that set-up installs.
TEST(Formulas, AreCommittedAsPandocConvertsThem) {
  std::set<std::string> sources;
  for (const std::string& words : all_words()) {
    for (const MathSpan& span : cut_math(words).spans) sources.insert(span.source());
  }
  ChartProcess tool(LABREPORT_SOURCE_DIR);
  std::string converted;
  try {
    converted = formulas_json(tool.convert_formulas(sources));
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  const std::string path = LABREPORT_SOURCE_DIR "/src/document/formulas.json";
  if (std::getenv("LABREPORT_UPDATE_GOLDEN") != nullptr) {
    write_atomically(path, converted, Sync::kNothing);
  }
  EXPECT_EQ(read_file(path), converted);
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
}  // namespace labreport::formulas_test
