// No file of a site holds a generated sentence with `--answers none`: the tests render and search a
// recorded run and one of a small GPU.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/text.h"
#include "experiments/sample_runs.h"
#include "publish/site.h"
#include "results/run_json.h"
#include "results/run_store.h"
#include "writers/markdown/markdown.h"
#include "writers/typst/typst.h"

namespace labreport::without_answers_test {
namespace {

namespace fs = std::filesystem;
using testing_samples::end_with;
using testing_samples::measured;
using testing_samples::plan_input;

constexpr std::size_t kShortest = 16;  // A shorter sentence may occur elsewhere as a word.

class BlankChartTool : public ChartTool {
 public:
  std::vector<std::string> draw(const std::vector<std::string>& specs) override {
    return std::vector<std::string>(specs.size(), "<svg></svg>");
  }
  std::string bundle() override { return "// bundle\n"; }
};

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
}

/// Returns the text without tags, entities, marks and kinds of spaces, so that all formats are
/// alike.
std::string plain(std::string text) {
  replace_all(text, "\u00a0", " ");
  std::string words;
  bool tag = false;
  for (const char letter : text) {
    tag = letter == '<' || (tag && letter != '>');
    const bool space = letter == ' ' || letter == '\n';
    const bool mark = std::string_view("<>*`\\").find(letter) != std::string_view::npos;
    if (tag || mark || (space && words.ends_with(' '))) continue;
    words.push_back(space ? ' ' : letter);
  }
  for (const auto& [entity, mark] :
       {std::pair("&lt;", ""), std::pair("&gt;", ""), std::pair("&quot;", "\""),
        std::pair("&#39;", "'"), std::pair("&amp;", "&")}) {
    replace_all(words, entity, mark);
  }
  return words;
}

/// Does the same for Typst, whose marks are words.
std::string plain_typst(std::string text) {
  for (const char* mark : {"#strong[", "#emph[", "#raw(\"", "\")", "]", "\u200b", "\\"}) {
    replace_all(text, mark, "");
  }
  return plain(std::move(text));
}

/// Sentences of Markdown, or items of a list, each longer than a label.
std::vector<std::string> sentences(const std::string& markdown) {
  std::vector<std::string> found;
  for (const std::string& line : split(markdown, '\n')) {
    std::string text = plain(line.starts_with("- ") ? line.substr(2) : line);
    for (const char* end : {". ", "; "}) replace_all(text, end, "\n");
    for (const std::string& sentence : split(text, '\n')) {
      if (sentence.size() >= kShortest) found.push_back(sentence);
    }
  }
  return found;
}

std::vector<std::string> generated(const Document& document) {
  std::vector<std::string> all;
  for (const Section& section : document.sections) {
    for (const Part& part : section.parts) {
      for (const std::string* text : {&part.answer, &part.details.findings}) {
        for (std::string& sentence : sentences(*text)) all.push_back(std::move(sentence));
      }
    }
  }
  return all;
}

/// Every text file of the site in one, without the run itself.
std::string text_of(const Document& document, Answers answers) {
  BlankChartTool tool;
  std::string text;
  for (const SiteFile& file : render_site({{"run", document, ""}}, {answers}, &tool).files) {
    if (!file.path.starts_with("assets/")) text += plain(file.bytes) + "\n";
  }
  return text;
}

Run recorded() {
  return RunStore(list_measured_runs(fs::path(LABREPORT_SOURCE_DIR) / "site/runs").front()).load();
}

Run small_gpu() {
  return measured(plan_input(Preset::kQuick), [](const CellSpec& spec, Launch& launch) {
    if (spec.size == "medium") end_with(launch, OutOfMemory{"forward", 1 << 30, 1 << 30, 1 << 30});
  });
}

struct Case {
  const char* name;
  Run (*make)();
};

class WithoutAnswers : public testing::TestWithParam<Case> {};

TEST_P(WithoutAnswers, NoGeneratedSentenceIsLeftInAnyFile) {
  const Document document = build_document(GetParam().make(), false);
  const std::string full = text_of(document, Answers::kFull);
  const std::string none = text_of(document, Answers::kNone);
  const std::vector<std::string> all = generated(document);
  EXPECT_GT(all.size(), 20u);
  for (const std::string& sentence : all) {
    EXPECT_EQ(none.find(sentence), std::string::npos) << sentence;
  }
  for (const std::string& sentence : generated(document)) {
    EXPECT_NE(full.find(sentence), std::string::npos) << "the search must find: " << sentence;
  }
}

TEST_P(WithoutAnswers, NoGeneratedSentenceIsLeftInTheTypesettersSource) {
  const Document document = build_document(GetParam().make(), false);
  TypstOptions options;
  const std::string full = plain_typst(report_typst(document, {}, options));
  options.answers = Answers::kNone;
  const std::string none = plain_typst(report_typst(document, {}, options));
  std::size_t found = 0;
  const std::vector<std::string> all = generated(document);
  for (const std::string& sentence : all) {
    EXPECT_EQ(none.find(sentence), std::string::npos) << sentence;
    if (full.find(sentence) != std::string::npos) ++found;
  }
  EXPECT_GT(found, generated(document).size() / 2) << "the search must find most";
}

INSTANTIATE_TEST_SUITE_P(Runs, WithoutAnswers,
                         testing::Values(Case{"recorded", recorded}, Case{"small_gpu", small_gpu}),
                         [](const auto& info) { return info.param.name; });

/// Text between tables, charts, and the numbers at a glance.
std::vector<std::string> prose(const std::string& report) {
  std::vector<std::string> lines;
  for (const std::string& line : split(report, '\n')) {
    if (!line.starts_with("|") && !line.starts_with("- ")) lines.push_back(line);
  }
  return lines;
}

TEST(WithoutAnswers, ProseIsTheSameWhateverWasMeasured) {
  const auto slower = [](const CellSpec& spec, Launch& launch) {
    for (Metric& metric : launch.metrics) {
      if (!metric.is_samples() || metric.unit != "ns" || spec.kind != CellKind::kTiming) continue;
      auto* samples = std::get_if<std::vector<std::int64_t>>(&std::get<Samples>(metric.data));
      if (samples == nullptr) continue;
      for (std::int64_t& sample : *samples) sample += sample / 3;
    }
  };
  const Document one = build_document(measured(plan_input(Preset::kQuick)), false);
  const Document other = build_document(measured(plan_input(Preset::kQuick), slower), false);
  ASSERT_NE(report_markdown(one, {}, Answers::kFull), report_markdown(other, {}, Answers::kFull));
  ASSERT_NE(prose(report_markdown(one, {}, Answers::kFull)),
            prose(report_markdown(other, {}, Answers::kFull)));
  EXPECT_EQ(prose(report_markdown(one, {}, Answers::kNone)),
            prose(report_markdown(other, {}, Answers::kNone)));
}

}  // namespace
}  // namespace labreport::without_answers_test
