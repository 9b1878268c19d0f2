#include "publish/site.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/text.h"
#include "writers/sample_fixture.h"

namespace labreport::site_test {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;
using testing::StartsWith;

const std::vector<SiteRun>& sample_runs() {
  static const std::vector<SiteRun> runs = {
      {sample_summary(demonstration_document(), "cpu/2025/2-a"), demonstration_document(),
       "{\"demo\": true}\n"},
      {sample_summary(sample_document(), "nvidia-h200/2025/1-a"), sample_document(), "{}\n"}};
  return runs;
}

std::vector<std::string> paths(const Site& site) {
  std::vector<std::string> file_paths;
  for (const SiteFile& file : site.files) file_paths.push_back(file.path);
  return file_paths;
}

const std::string& bytes(const Site& site, const std::string& path) {
  for (const SiteFile& file : site.files) {
    if (file.path == path) return file.bytes;
  }
  throw Error("no " + path);
}

TEST(RenderSite, MakesEachKindOfFile) {
  FakeChartTool tool;
  const Site site = render_site(sample_runs(), {}, &tool);
  EXPECT_THAT(
      paths(site),
      IsSupersetOf({"index.html", ".nojekyll", "assets/style.css", "assets/script.js",
                    "assets/charts.js", "assets/run.schema.json", "nvidia-h200/2025/1-a/index.html",
                    "nvidia-h200/2025/1-a/report.md", "nvidia-h200/2025/1-a/report.typ",
                    "nvidia-h200/2025/1-a/report.pdf", "nvidia-h200/2025/1-a/run.json",
                    "nvidia-h200/2025/1-a/charts/durations.svg"}));
  EXPECT_EQ(bytes(site, "cpu/2025/2-a/run.json"), "{\"demo\": true}\n");
  EXPECT_EQ(site.notice, "");
}

TEST(RenderSite, WritesOnlyRequestedFormats) {
  FakeChartTool tool;
  SiteOptions options;
  options.formats = parse_formats("pdf,json");
  const Site site = render_site(sample_runs(), options, &tool);
  EXPECT_THAT(paths(site), testing::UnorderedElementsAre(
                               "nvidia-h200/2025/1-a/run.json", "cpu/2025/2-a/run.json",
                               "nvidia-h200/2025/1-a/report.pdf", "cpu/2025/2-a/report.pdf"));
  EXPECT_THROW(parse_formats("html,"), InputError);
}

TEST(RenderSite, PutsAttachmentsBesideTheirPage) {
  std::vector<SiteRun> runs = sample_runs();
  runs[1].document.sections.front().parts.front().attachments = {{"kernels.csv", "Name\n", {}}};
  EXPECT_EQ(bytes(render_site(runs, {}, nullptr), "nvidia-h200/2025/1-a/kernels.csv"), "Name\n");
}

TEST(RenderSite, MakesEqualBytesInOneStartOfTheTool) {
  FakeChartTool tool;
  const Site once = render_site(sample_runs(), {}, &tool);
  EXPECT_EQ(tool.starts, 1);
  const Site again = render_site(sample_runs(), {}, &tool);
  ASSERT_EQ(paths(once), paths(again));
  for (const SiteFile& file : once.files) EXPECT_EQ(file.bytes, bytes(again, file.path));
}

TEST(RenderSite, KeepsFilesAndRowsOfUnchangedRuns) {
  const RunSummary summary = sample_summary(sample_document(), "kept/2025/1-a");
  const Site site =
      render_site({sample_runs()[0]}, {}, nullptr, {{summary, {"kept/2025/1-a/index.html"}}});
  EXPECT_THAT(site.unchanged_files, testing::ElementsAre("kept/2025/1-a/index.html"));
  EXPECT_THAT(bytes(site, "index.html"), HasSubstr("kept/2025/1-a/index.html"));
  EXPECT_EQ(site.links, site_links({summary, site.summaries.front()}));
  EXPECT_THAT(bytes(site, "index.html"), HasSubstr("cpu/2025/2-a/index.html"));
}

TEST(RenderSite, WritesSummariesOfAllRunsNewestFirst) {
  std::vector<SiteRun> runs = sample_runs();
  runs[0].summary.started_at = "2026-05-02T09:00:00Z";
  RunSummary kept = sample_summary(sample_document(), "kept/2025/1-a");
  kept.started_at = "2026-05-03T10:15:00Z";
  const Site site = render_site(runs, {}, nullptr, {{kept, {}}});
  std::string summaries = summary_json(kept) + bytes(site, "cpu/2025/2-a/summary.json") +
                          bytes(site, "nvidia-h200/2025/1-a/summary.json");
  summaries = replaced(summaries, "}\n{", "},\n{");
  const std::string script = bytes(site, "assets/summaries.js");
  EXPECT_THAT(script, testing::EndsWith("\"runs\": [\n" + summaries + "]};\n"));
  const std::vector<SiteRun> reversed(runs.rbegin(), runs.rend());
  EXPECT_EQ(bytes(render_site(reversed, {}, nullptr, {{kept, {}}}), "assets/summaries.js"), script);
}

TEST(RenderSite, GivesEveryComparisonOneFormAndOneHead) {
  SitePair pair{.key = "", .runs = {"cpu/2025/2-a", "nvidia-h200/2025/1-a"}, .link = {}};
  pair.link.folder = "diff/a--b";
  pair.link.device = "H200 vs. CPU, 2025";
  pair.document = sample_document();
  pair.document->relation = "different hardware";
  const Site site = render_site(sample_runs(), {}, nullptr, {}, {pair});
  EXPECT_THAT(bytes(site, "diff/a--b/index.html"),
              HasSubstr("<div id=\"choice\" data-root=\"../../\" data-a=\"cpu/2025/2-a\" "
                        "data-b=\"nvidia-h200/2025/1-a\">"));
  const std::string page = bytes(site, "compare.html");
  EXPECT_THAT(page, HasSubstr("<div id=\"choice\" data-root=\"\" data-a=\"\" data-b=\"\">"));
  EXPECT_THAT(page, testing::Not(HasSubstr("MIT license"))) << "not all runs ship";
  std::vector<SiteRun> shipped = sample_runs();
  for (SiteRun& run : shipped) run.summary.reference = true;
  EXPECT_THAT(bytes(render_site(shipped, {}, nullptr), "compare.html"), HasSubstr("MIT license"));
  for (const std::string& listing : {page, bytes(site, "index.html")})
    EXPECT_THAT(listing, HasSubstr("<a href=\"diff/a--b/index.html\">H200 vs. CPU, 2025</a>"));
  EXPECT_THAT(bytes(site, "cpu/2025/2-a/index.html"),
              HasSubstr("<a href=\"../../../compare.html\">Compare</a>"));
}

TEST(RenderSite, LinksPagesToTheFormatsOfTheirRun) {
  FakeChartTool tool;
  const Site whole = render_site(sample_runs(), {}, &tool);
  EXPECT_THAT(bytes(whole, "cpu/2025/2-a/index.html"),
              HasSubstr("<a href=\"report.pdf\">PDF</a> <a href=\"report.md\">Markdown</a> "));
  SiteOptions options;
  options.formats = parse_formats("html,md");
  const std::string page =
      bytes(render_site(sample_runs(), options, &tool), "cpu/2025/2-a/index.html");
  EXPECT_THAT(page, HasSubstr("<p class=\"formats\"><a href=\"report.md\">Markdown</a> </p>"));
}

TEST(RenderSite, DrawsChartsOfTheIndex) {
  FakeChartTool tool;
  const Site site = render_site(sample_runs(), {}, &tool);
  EXPECT_THAT(paths(site), IsSupersetOf({"charts/steps.svg", "charts/specs.js"}));
  EXPECT_THAT(bytes(site, "index.html"), HasSubstr("data-charts=\"assets/charts.js\""));
  EXPECT_THAT(bytes(render_site(sample_runs(), {}, nullptr), "index.html"),
              Not(HasSubstr("data-charts")));
}

TEST(RenderSite, WritesRelativeLinks) {
  FakeChartTool tool;
  for (const SiteFile& file : render_site(sample_runs(), {}, &tool).files) {
    if (!file.path.ends_with(".html")) continue;
    EXPECT_THAT(file.bytes, Not(HasSubstr("=\"/"))) << file.path;
    EXPECT_THAT(file.bytes, Not(testing::ContainsRegex("<link[^>]*href=\"http"))) << file.path;
    EXPECT_THAT(file.bytes, Not(HasSubstr("src=\"http"))) << file.path;
  }
}

class Typesetter : public FakeChartTool {
 public:
  std::vector<TypesetResult> typeset(const std::vector<TypesetJob>& typeset_jobs) override {
    jobs = typeset_jobs;
    return FakeChartTool::typeset(typeset_jobs);
  }
  std::vector<TypesetJob> jobs;
};

class PoorTypesetter : public FakeChartTool {
 public:
  std::vector<TypesetResult> typeset(const std::vector<TypesetJob>& jobs) override {
    std::vector<TypesetResult> results(jobs.size(), TypesetResult{"", "unknown variable: x"});
    results.front() = {"%PDF-fake", "", {{"fonts-of-a", {"前", "字", "外"}}}};
    return results;
  }
};

TEST(RenderSite, NamesReportsWithoutPdfAndLettersWithoutFonts) {
  std::vector<SiteRun> runs = sample_runs();
  Part& part = runs.front().document.sections.front().parts.front();
  part.note = AuthorNote{"前 and 字", true};
  PoorTypesetter tool;
  const Site site = render_site(runs, {}, &tool);
  const std::string pdf = runs.front().folder() + "/report.pdf";
  ASSERT_THAT(site.problems, testing::SizeIs(1 + runs.size()));
  EXPECT_EQ(site.problems[0], "note " + part.name() + ".md: " + pdf +
                                  " shows boxes for 前 字: install fonts-of-a and render again");
  EXPECT_EQ(site.problems[1], pdf + " shows boxes for 外: install fonts-of-a and render again");
  EXPECT_EQ(site.problems[2], runs[1].folder() + "/report.pdf is left out: unknown variable: x");
  EXPECT_EQ(site.incomplete_runs.size(), runs.size());
}

TEST(RenderSite, GivesTheTypesetterThePicturesOfItsSource) {
  std::vector<SiteRun> runs = sample_runs();
  Part& part = runs.front().document.sections.front().parts.front();
  part.note = AuthorNote{"![Mine](notes/plot.png) ![Broken](notes/broken.png)", true};
  const std::string png = "\x89PNG\r\n\x1a\n…";
  part.attachments.push_back({"notes/plot.png", png});
  part.attachments.push_back({"notes/broken.png", "no picture at all"});
  Typesetter tool;
  render_site(runs, {}, &tool);
  ASSERT_EQ(tool.jobs.size(), runs.size());
  const TypesetJob& job = tool.jobs.front();
  EXPECT_EQ(job.pictures.at("notes/plot.png"), png);
  EXPECT_FALSE(job.pictures.contains("notes/broken.png"));
  EXPECT_THAT(job.source, HasSubstr("image(\"notes/plot.png\""));
  EXPECT_THAT(job.source, HasSubstr("Picture\\: Broken"));
  for (const auto& [path, bytes] : job.pictures) EXPECT_THAT(job.source, HasSubstr(path));
}

/// Fails for every chart whose spec contains "fatal".
class FragileChartTool : public FakeChartTool {
 public:
  std::vector<std::string> draw(const std::vector<std::string>& specs) override {
    for (const std::string& spec : specs) {
      if (spec.find("fatal") != std::string::npos) throw Error("the tool died");
    }
    return FakeChartTool::draw(specs);
  }
};

TEST(RenderSite, DrawsOtherRunsIfOneStopsTheTool) {
  std::vector<SiteRun> runs = sample_runs();
  for (Figure& figure : runs[1].document.sections.front().parts.front().figures) {
    figure.spec["description"] = "fatal";
  }
  SiteRun good = sample_runs()[1];
  good.summary.folder = "good/2025/1-a";
  runs.push_back(good);
  FragileChartTool tool;
  const Site site = render_site(runs, {}, &tool);
  EXPECT_EQ(site.notice, "charts are left out of nvidia-h200/2025/1-a: the tool died");
  EXPECT_THAT(site.incomplete_runs, testing::ElementsAre("nvidia-h200/2025/1-a"));
  EXPECT_THAT(paths(site), Contains("good/2025/1-a/charts/durations.svg"));
  EXPECT_THAT(paths(site), Contains("good/2025/1-a/charts/durations.pdf"));
  EXPECT_THAT(paths(site), Not(Contains("nvidia-h200/2025/1-a/charts/durations.svg")));
  EXPECT_THAT(paths(site), Contains("assets/charts.js"));
}

/// Returns true if the bytes contain an invisible control character.
bool has_control(const std::string& bytes) {
  for (const char control : {'\0', '\x01', '\x1b', '\x7f'}) {
    if (bytes.find(control) != std::string::npos) return true;
  }
  return bytes.find("\xC2\x9B") != std::string::npos;
}

TEST(RenderSite, LeavesOutAComparisonThatCannotBeWritten) {
  std::vector<SitePair> pairs(2);
  pairs[0].link.folder = "diff/written";
  pairs[0].document = sample_document();
  pairs[1].link.folder = "diff/not-written";
  pairs[1].document = sample_document();
  pairs[1].document->sections.front().parts.front().figures.front().script_data = "\xff";
  FakeChartTool tool;
  const Site site = render_site(sample_runs(), {}, &tool, {}, pairs);
  EXPECT_THAT(paths(site), Contains("diff/written/index.html"));
  EXPECT_THAT(paths(site), Contains("nvidia-h200/2025/1-a/index.html"));
  EXPECT_THAT(paths(site), Each(Not(StartsWith("diff/not-written"))));
  EXPECT_THAT(site.notice, StartsWith("diff/not-written is left out: "));
  EXPECT_THAT(bytes(site, "index.html"), HasSubstr("diff/written/index.html"));
  EXPECT_THAT(bytes(site, "index.html"), Not(HasSubstr("diff/not-written")));
  EXPECT_THAT(site.incomplete_runs, ElementsAre("diff/not-written"));
}

TEST(RenderSite, ShowsControlCharactersInEveryFormat) {
  const std::string hidden("a\0b\x01\x1b[31m\x7f\xC2\x9B", 12);
  std::vector<SiteRun> runs = sample_runs();
  runs[0].cells_csv = "label\n" + hidden + "\n";
  runs[0].document.title = hidden;
  Part& part = runs[0].document.sections.front().parts.front();
  part.answer = hidden;
  part.attachments.push_back({"kernels.csv", hidden, {}});
  Typesetter tool;
  const Site site = render_site(runs, {.single_file = true}, &tool);
  for (const SiteFile& file : site.files) EXPECT_FALSE(has_control(file.bytes)) << file.path;
  for (const TypesetJob& job : tool.jobs) EXPECT_FALSE(has_control(job.source));
  EXPECT_THAT(bytes(site, "cpu/2025/2-a/cells.csv"), HasSubstr("a\uFFFDb\uFFFD\uFFFD[31m\uFFFD"));
}

class BrokenChartTool : public ChartTool {
 public:
  std::vector<std::string> draw(const std::vector<std::string>&) override {
    throw Error("no renderer here", "install it");
  }
  std::string bundle() override { return ""; }
};

TEST(RenderSite, WritesTheRestIfTheToolFails) {
  BrokenChartTool tool;
  const Site site = render_site(sample_runs(), {}, &tool);
  EXPECT_EQ(site.notice,
            "charts are left out: no renderer here; install it\n"
            "PDF is left out: this tool does not typeset\n"
            "LaTeX is left out: this tool writes no LaTeX");
  EXPECT_THAT(paths(site), Contains("nvidia-h200/2025/1-a/index.html"));
  EXPECT_THAT(paths(site), Not(Contains("assets/charts.js")));
  EXPECT_THAT(bytes(site, "nvidia-h200/2025/1-a/index.html"), Not(HasSubstr("charts.js")));
}

}  // namespace
}  // namespace labreport::site_test
