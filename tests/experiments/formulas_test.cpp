// Tests the formulas in the sections: every format typesets them, and none has a measured value.
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

std::vector<std::string> all_texts() {
  std::vector<std::string> texts{std::string(embedded::experiments().at(kMethod))};
  for (const Experiment& experiment : catalog()) texts.emplace_back(experiment.section_text);
  return texts;
}

TEST(Formulas, HaveTheFormsThatEveryWriterTypesets) {
  for (const std::string& text : all_texts()) {
    for (const MathSpan& span : cut_math(text).spans) {
      EXPECT_TRUE(find_formula(span, {}))
          << span.tex << ": LABREPORT_UPDATE_GOLDEN=1 build/tests/experiments_tests writes it";
    }
  }
}

/// Converts the formulas of all sections by the pandoc that set-up installs.
TEST(Formulas, AreCommittedAsPandocConvertsThem) {
  std::set<std::string> sources;
  for (const std::string& text : all_texts()) {
    for (const MathSpan& span : cut_math(text).spans) sources.insert(span.source());
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

TEST(Formulas, HaveNoTagsOfTemplates) {
  for (const std::string& text : all_texts()) {
    for (const MathSpan& span : cut_math(text).spans) {
      EXPECT_EQ(span.tex.find("{{"), std::string::npos) << span.tex;
    }
  }
}

TEST(Formulas, AreMathInThePage) {
  std::size_t formulas = 0;
  for (const std::string& text : all_texts()) {
    const std::string html = markdown_to_html(text);
    for (std::size_t at = 0; (at = html.find("<math", at)) != std::string::npos; ++at) ++formulas;
    EXPECT_EQ(html.find('$'), std::string::npos);
  }
  EXPECT_GE(formulas, 30U);
}

}  // namespace
}  // namespace labreport::formulas_test
