// Tests that no file of a site of a recorded or fake run holds an answer with `--answers none`.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/text.h"
#include "experiments/overview/overview.h"
#include "experiments/sample_runs.h"
#include "publish/site.h"
#include "results/run_json.h"
#include "results/shipped_runs.h"
#include "writers/markdown/markdown.h"
#include "writers/typst/typst.h"

namespace labreport::without_answers_test {
namespace {

namespace fs = std::filesystem;
using testing_samples::end_with;
using testing_samples::fake_run;
using testing_samples::plan_input;

constexpr std::size_t kShortestSentence = 16;  // A shorter one may occur elsewhere as a word.

class BlankChartTool : public ChartTool {
 public:
  std::vector<std::string> draw(const std::vector<std::string>& specs) override {
    return std::vector<std::string>(specs.size(), "<svg></svg>");
  }
  std::string bundle() override { return "// bundle\n"; }
};

void replace_all(std::string& text, std::string_view old_words, std::string_view new_words) {
  for (std::size_t at = 0; (at = text.find(old_words, at)) != std::string::npos;
       at += new_words.size()) {
    text.replace(at, old_words.size(), new_words);
  }
}

/// Returns HTML or Markdown as plain text, so that a sentence reads the same in all formats.
std::string plain(std::string text) {
  replace_all(text, "\u00a0", " ");
  std::string words;
  bool in_tag = false;
  for (const char letter : text) {
    in_tag = letter == '<' || (in_tag && letter != '>');
    const bool is_space = letter == ' ' || letter == '\n';
    const bool is_mark = std::string_view("<>*`\\").find(letter) != std::string_view::npos;
    if (in_tag || is_mark || (is_space && words.ends_with(' '))) continue;
    words.push_back(is_space ? ' ' : letter);
  }
  for (const auto& [entity, mark] :
       {std::pair("&lt;", ""), std::pair("&gt;", ""), std::pair("&quot;", "\""),
        std::pair("&#39;", "'"), std::pair("&amp;", "&")}) {
    replace_all(words, entity, mark);
  }
  return words;
}

/// Returns Typst as plain text.
std::string plain_typst(std::string text) {
  for (const char* mark : {"#strong[", "#emph[", "#raw(\"", "\")", "]", "\u200b", "\\"}) {
    replace_all(text, mark, "");
  }
  return plain(std::move(text));
}

/// Returns the sentences and list items of Markdown that are longer than a label.
std::vector<std::string> sentences(const std::string& markdown) {
  std::vector<std::string> result;
  for (const std::string& line : split(markdown, '\n')) {
    std::string text = plain(line.starts_with("- ") ? line.substr(2) : line);
    for (const char* end : {". ", "; "}) replace_all(text, end, "\n");
    for (const std::string& sentence : split(text, '\n')) {
      if (sentence.size() >= kShortestSentence) result.push_back(sentence);
    }
  }
  return result;
}

std::vector<std::string> generated_sentences(const Document& document) {
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

/// Returns all files of the site as one plain text, except those below assets/.
std::string site_text(const Run& run, const Document& document, Answers answers) {
  BlankChartTool tool;
  std::string text;
  SiteRun page{overview::run_summary(run, &document), document, ""};
  page.summary.folder = "run";
  for (const SiteFile& file : render_site({page}, {answers}, &tool).files) {
    if (!file.path.starts_with("assets/")) text += plain(file.bytes) + "\n";
  }
  return text;
}

std::optional<Run> recorded_run() { return testing_shipped::full_run("nvidia-h200/2025"); }

std::optional<Run> small_gpu_run() {
  return fake_run(plan_input(Preset::kQuick), [](const CellSpec& spec, Launch& launch) {
    if (spec.size == "medium") end_with(launch, OutOfMemory{"forward", 1 << 30, 1 << 30, 1 << 30});
  });
}

struct RunCase {
  const char* name;
  std::optional<Run> (*make_run)();
};

class WithoutAnswers : public testing::TestWithParam<RunCase> {};

TEST_P(WithoutAnswers, NoGeneratedSentenceIsLeftInAnyFile) {
  const auto run = GetParam().make_run();
  if (!run) GTEST_SKIP() << testing_shipped::kNotHere;
  const Document document = build_document(*run, false);
  const std::string full = site_text(*run, document, Answers::kFull);
  const std::string none = site_text(*run, document, Answers::kNone);
  const std::vector<std::string> all = generated_sentences(document);
  EXPECT_GT(all.size(), 20u);
  for (const std::string& sentence : all) {
    EXPECT_EQ(none.find(sentence), std::string::npos) << sentence;
  }
  for (const std::string& sentence : generated_sentences(document)) {
    EXPECT_NE(full.find(sentence), std::string::npos) << "the search must find: " << sentence;
  }
}

TEST_P(WithoutAnswers, NoGeneratedSentenceIsLeftInTheTypesettersSource) {
  const auto run = GetParam().make_run();
  if (!run) GTEST_SKIP() << testing_shipped::kNotHere;
  const Document document = build_document(*run, false);
  TypstOptions options;
  const std::string full = plain_typst(report_typst(document, {}, options));
  options.answers = Answers::kNone;
  const std::string none = plain_typst(report_typst(document, {}, options));
  std::size_t found = 0;
  const std::vector<std::string> all = generated_sentences(document);
  for (const std::string& sentence : all) {
    EXPECT_EQ(none.find(sentence), std::string::npos) << sentence;
    if (full.find(sentence) != std::string::npos) ++found;
  }
  EXPECT_GT(found, generated_sentences(document).size() / 2) << "the search must find most";
}

INSTANTIATE_TEST_SUITE_P(Runs, WithoutAnswers,
                         testing::Values(RunCase{"recorded", recorded_run},
                                         RunCase{"small_gpu", small_gpu_run}),
                         [](const auto& info) { return info.param.name; });

/// Returns the lines of a report outside tables and lists, without figures' titles and
/// descriptions, which tell what the figures show.
std::vector<std::string> prose(const std::string& report) {
  std::vector<std::string> lines;
  for (const std::string& line : split(report, '\n')) {
    const bool is_of_figure = line.starts_with("**Figure ") || line.starts_with("![");
    if (!line.starts_with("|") && !line.starts_with("- ") && !is_of_figure) lines.push_back(line);
  }
  return lines;
}

TEST(WithoutAnswers, ProseIsTheSameWhateverWasMeasured) {
  // Kernels are slower, too, so that the same networks are launch-bound.
  const auto slower = [](const CellSpec& spec, Launch& launch) {
    for (Metric& metric : launch.metrics) {
      if (metric.tag == metric::kBusy) {
        const auto ns = static_cast<std::int64_t>(*metric.number());
        metric.data = Scalar(ns + ns / 3);
      }
      if (!metric.is_samples() || metric.unit != "ns" || spec.kind != CellKind::kTiming) continue;
      auto* samples = std::get_if<std::vector<std::int64_t>>(&std::get<Samples>(metric.data));
      if (samples == nullptr) continue;
      for (std::int64_t& sample : *samples) sample += sample / 3;
    }
  };
  const Document one = build_document(fake_run(plan_input(Preset::kQuick)), false);
  const Document other = build_document(fake_run(plan_input(Preset::kQuick), slower), false);
  ASSERT_NE(report_markdown(one, {}, Answers::kFull), report_markdown(other, {}, Answers::kFull));
  ASSERT_NE(prose(report_markdown(one, {}, Answers::kFull)),
            prose(report_markdown(other, {}, Answers::kFull)));
  EXPECT_THAT(prose(report_markdown(one, {}, Answers::kNone)),
              testing::ElementsAreArray(prose(report_markdown(other, {}, Answers::kNone))));
}

}  // namespace
}  // namespace labreport::without_answers_test
