// Tests which runs of a site are compared, and which pages of an earlier render stay.
#include "publish/diff_pages.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <set>

#include "base/files.h"
#include "cli/kept_runs.h"
#include "publish/page_cache.h"

namespace labreport::diff_pages_test {
namespace {

namespace fs = std::filesystem;
using namespace testing_samples;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;

class DiffPages : public testing::Test {
 protected:
  DiffPages() { fs::remove_all(root_); }
  ~DiffPages() override { fs::remove_all(root_); }

  fs::path add(const std::string& place, const labreport::Run& run) {
    const fs::path folder = keep_run(root_ / "runs", place, run);
    runs_.push_back({RunStore(folder), place, "key of " + place});
    return folder;
  }
  std::vector<SitePair> compare(const ContentCache& cache = ContentCache({})) {
    return compare_pairs(runs_, root_ / "site", cache);
  }
  std::vector<std::string> folders() {
    std::vector<std::string> found;
    for (const SitePair& pair : compare()) {
      if (pair.has_page()) found.push_back(pair.link.folder);
    }
    return found;
  }

  const fs::path root_ =
      fs::temp_directory_path() / ("labreport-pairs-" + std::to_string(getpid()));
  std::vector<PairedRun> runs_;
};

TEST_F(DiffPages, CompareTheLatestRunsOfEachGpuAndEdition) {
  add("b200/2025/2-a", run_on_another_gpu(true));
  add("h200/2025/1-a", three_launches());
  add("h200/2025/3-a", three_launches());
  add("h200/2026/2-a", three_launches());
  EXPECT_THAT(folders(), ElementsAre("diff/b200-2025-2-a--h200-2025-3-a",
                                     "diff/h200-2025-3-a--h200-2026-2-a"));
}

TEST_F(DiffPages, LongNamesAreShortenedAndStayApart) {
  for (const char* last : {"a", "b", "c"}) {
    add(std::string(250, 'g') + last + "/2025/1-a", three_launches());
  }
  const std::vector<std::string> found = folders();
  EXPECT_EQ(std::set<std::string>(found.begin(), found.end()).size(), 3u);
  for (const std::string& folder : found) EXPECT_LE(folder.size(), 255u);
}

TEST_F(DiffPages, PreferTheUsersRunsThenFullShippedRuns) {
  const fs::path full = add("b200/2025/1-a", run_on_another_gpu(true));
  const fs::path quick = add("b200/2025/2-a", run_on_another_gpu(true));
  add("h200/2025/1-a", three_launches());
  for (const fs::path& run : {full, quick}) write_atomically(run / "reference", "");
  for (PairedRun* run : {&runs_[0], &runs_[1]}) {
    run->summary.emplace().headline.network = "small";
    run->summary->preset = run == &runs_[0] ? "full" : "quick";
    run->summary->reference = true;
  }
  EXPECT_THAT(folders(), ElementsAre("diff/b200-2025-1-a--h200-2025-1-a"));
  fs::remove(quick / "reference");
  runs_[1].summary->reference = false;
  EXPECT_THAT(folders(), ElementsAre("diff/b200-2025-2-a--h200-2025-1-a"));
}

TEST_F(DiffPages, CompareImportedTablesOnlyWithRunsOfTheirEdition) {
  add("b200/2025/2-a", run_on_another_gpu(true));
  add("b200/2026/2-a", run_on_another_gpu(true));
  for (const std::string gpu : {"a100", "h200"}) {
    const RunStore table(root_ / "runs" / gpu / "2025/1-imported");
    table.save_imported(imported_run());
    runs_.push_back({table, gpu + "/2025/1-imported", "key of " + gpu});
  }
  EXPECT_THAT(folders(), ElementsAre("diff/b200-2025-2-a--b200-2026-2-a",
                                     "diff/a100-2025-1-imported--b200-2025-2-a",
                                     "diff/h200-2025-1-imported--b200-2025-2-a"))
      << "a table is what the others are held against";
}

TEST_F(DiffPages, ShowAtMostTheTenNewestPairs) {
  for (int day = 1; day <= 6; ++day) {
    const std::string name = std::to_string(day);
    add("gpu" + name + "/2025/" + name + "-a", three_launches());
  }
  const std::vector<std::string> found = folders();
  EXPECT_EQ(found.size(), 10u) << "15 pairs";
  EXPECT_EQ(found.front(), "diff/gpu5-2025-5-a--gpu6-2025-6-a");
  EXPECT_EQ(std::ranges::count(found, "diff/gpu1-2025-1-a--gpu2-2025-2-a"), 0);
}

TEST_F(DiffPages, RunsWithNothingInCommonHaveNoPage) {
  add("b200/2025/2-a", run_on_another_gpu(true));
  labreport::Run other = three_launches();
  other.cells = {timing_cell(network_spec(Mode::kInference), {1e6})};
  add("h200/2025/1-a", other);
  EXPECT_THAT(folders(), IsEmpty());
}

TEST_F(DiffPages, TwoGpusWithTwoModelsHaveNoPage) {
  labreport::Run user_run = three_launches();
  user_run.sessions.front().model = {"Net-0a1b2c3d", "net.py:Net", "", "", ""};
  add("b200/2025/2-a", run_on_another_gpu(true));
  add("h200/2025/1-a", user_run);
  EXPECT_THAT(folders(), IsEmpty());
}

TEST_F(DiffPages, HaveTheSameBytesEachTime) {
  add("b200/2025/2-a", run_on_another_gpu(true));
  add("l4/2025/2-a", run_on_another_gpu(false));
  const Site first = render_site({}, {}, nullptr, {}, compare());
  const Site second = render_site({}, {}, nullptr, {}, compare());
  const std::string folder = "diff/b200-2025-2-a--l4-2025-2-a";
  ASSERT_EQ(files_of(first, folder).size(), 3u) << "HTML, Markdown and JSON";
  for (std::size_t i = 0; i < first.files.size(); ++i) {
    EXPECT_EQ(first.files[i].path, second.files[i].path);
    EXPECT_TRUE(first.files[i].bytes == second.files[i].bytes) << first.files[i].path;
  }
}

TEST_F(DiffPages, StayWhileNeitherRunChanges) {
  add("b200/2025/2-a", run_on_another_gpu(true));
  add("l4/2025/2-a", run_on_another_gpu(false));
  const ContentCache cache(root_ / "cache");
  const SitePair pair = compare().at(0);
  const Site site = render_site({}, {}, nullptr, {}, {pair});
  StagedSite(site, root_ / "site").commit();
  store_pages(cache, pair.key, root_ / "site", pair.link, files_of(site, pair.link.folder));
  const std::vector<SitePair> again = compare(cache);
  EXPECT_FALSE(again.at(0).document);
  EXPECT_EQ(again[0].unchanged_files.size(), 3u);
  EXPECT_EQ(again[0].link.device, pair.link.device) << "the index names what stays";
  EXPECT_THAT(render_site({}, {}, nullptr, {}, again).unchanged_files,
              ElementsAreArray(again[0].unchanged_files));
  runs_[0].key = "another";
  EXPECT_TRUE(compare(cache).at(0).document);
}

TEST_F(DiffPages, AreWrittenAgainIfTheLinksInTheirHeadsChange) {
  add("b200/2025/2-a", run_on_another_gpu(true));
  add("l4/2025/2-a", run_on_another_gpu(false));
  const std::string before = compare().at(0).key;
  runs_.push_back({RunStore(root_ / "runs/b200/2025/2-a"), "t4/2025/2-a", "key of b200/2025/2-a"});
  RunSummary summary;
  summary.device = "T4";
  summary.folder = "t4/2025/2-a";
  runs_.back().summary = summary;
  std::vector<std::string> keys;
  for (const SitePair& pair : compare()) keys.push_back(pair.key);
  EXPECT_THAT(keys, testing::Not(testing::Contains(before)));
}

TEST_F(DiffPages, AreKeptWithTheLinksInTheirHeads) {
  const ContentCache cache(root_ / "cache");
  const std::vector<SiteLink> links{{"H100", "h100/index.html"}, {"H200", "h200/index.html"}};
  store_pages(cache, "a key", root_ / "site", RunSummary{}, {}, "", links);
  EXPECT_EQ(find_pages(cache, "a key", root_ / "site")->links, links);
}

}  // namespace
}  // namespace labreport::diff_pages_test
