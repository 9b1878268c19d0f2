// Tests that pictures are drawn once, and that damaged files of the cache count as absent.
#include "publish/cached_charts.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "base/error.h"
#include "base/files.h"
#include "publish/chart_renderer.h"

namespace labreport::cached_charts_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class RecordingTool : public ChartTool {
 public:
  std::vector<std::string> draw(const std::vector<std::string>& specs) override {
    drawn_specs.push_back(specs);
    std::vector<std::string> svgs;
    for (const std::string& spec : specs) svgs.push_back("<svg>" + spec + "</svg>");
    return svgs;
  }
  std::string bundle() override { return ++bundle_calls, "// bundle"; }
  Formulas convert_formulas(const std::set<std::string>& sources) override {
    converted_sources.push_back(sources);
    Formulas formulas;
    for (const std::string& source : sources) {
      if (source != "$bad$") formulas[source] = {"<mi>" + source + "</mi>", source};
    }
    return formulas;
  }

  std::vector<std::vector<std::string>> drawn_specs;
  std::vector<std::set<std::string>> converted_sources;
  int bundle_calls = 0;
};

class Cached : public testing::Test {
 protected:
  Cached() { fs::remove_all(folder_); }
  ~Cached() override { fs::remove_all(folder_); }

  std::vector<std::string> draw(const std::vector<std::string>& specs,
                                const std::string& identity = "1.0") {
    return CachedCharts(tool_, identity, ContentCache(folder_)).draw(specs);
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_)) found.push_back(entry.path());
    return found;
  }

  const fs::path folder_ =
      fs::path(testing::TempDir()) / ("labreport-cached" + std::to_string(getpid()));
  RecordingTool tool_;
};

TEST_F(Cached, DrawsOnlyMissingCharts) {
  EXPECT_THAT(draw({"a", "b"}), ElementsAre("<svg>a</svg>", "<svg>b</svg>"));
  EXPECT_THAT(draw({"b", "c", "a"}), ElementsAre("<svg>b</svg>", "<svg>c</svg>", "<svg>a</svg>"));
  EXPECT_THAT(tool_.drawn_specs, ElementsAre(ElementsAre("a", "b"), ElementsAre("c")));
}

TEST_F(Cached, DoesNotStartTheToolForKnownCharts) {
  draw({"a"});
  draw({"a"});
  draw({});
  EXPECT_EQ(tool_.drawn_specs.size(), 1u);
}

TEST_F(Cached, DrawsEqualSpecsOnceAndManySpecsInBatches) {
  std::vector<std::string> specs(1000, "same");
  for (int i = 0; i < 300; ++i) specs.push_back(std::to_string(i));
  EXPECT_EQ(draw(specs).back(), "<svg>299</svg>");
  EXPECT_GT(tool_.drawn_specs.size(), 1u);
  std::size_t drawn = 0;
  for (const auto& call : tool_.drawn_specs) drawn += call.size();
  EXPECT_EQ(drawn, 301u) << "the numbers from 0 to 299, and \"same\"";
}

TEST_F(Cached, DrawsAgainForAnotherToolVersion) {
  draw({"a"}, "1.0");
  draw({"a"}, "1.1");
  EXPECT_EQ(tool_.drawn_specs.size(), 2u);
}

TEST_F(Cached, AlwaysAsksAToolOfUnknownVersion) {
  draw({"a"}, "");
  draw({"a"}, "");
  EXPECT_EQ(tool_.drawn_specs.size(), 2u);
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(Cached, KeepsTheBundle) {
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(CachedCharts(tool_, "1.0", ContentCache(folder_)).bundle(), "// bundle");
  }
  EXPECT_EQ(tool_.bundle_calls, 1);
}

TEST_F(Cached, ConvertsOrRefusesEachFormulaOnce) {
  CachedCharts charts(tool_, "1.0", ContentCache(folder_));
  const Formulas first = charts.convert_formulas({"$a$", "$bad$"});
  EXPECT_EQ(charts.convert_formulas({"$a$", "$bad$"}), first);
  EXPECT_EQ(first.at("$a$"), (Formula{"<mi>$a$</mi>", "$a$"}));
  EXPECT_THAT(tool_.converted_sources, ElementsAre(ElementsAre("$a$", "$bad$")));
}

TEST_F(Cached, DrawsAgainIfAFileIsDamaged) {
  for (const char* damage : {"", "half", "0123456789abcdef0123456789abcdef\n<svg>x</svg>"}) {
    draw({"a"});
    ASSERT_EQ(files().size(), 1u);
    std::ofstream(files().front()) << damage;
    EXPECT_THAT(draw({"a"}), ElementsAre("<svg>a</svg>")) << damage;
  }
}

TEST_F(Cached, DrawsAgainIfAFileIsACopyOfAnother) {
  draw({"a"});
  const fs::path a = files().front();
  draw({"b"});
  for (const fs::path& file : files()) {
    if (file != a) fs::copy_file(file, a, fs::copy_options::overwrite_existing);
  }
  EXPECT_THAT(draw({"a"}), ElementsAre("<svg>a</svg>"));
}

TEST_F(Cached, DrawsWithoutAWritableFolder) {
  std::ofstream(folder_) << "in the way";
  EXPECT_THAT(draw({"a"}), ElementsAre("<svg>a</svg>"));
  EXPECT_THAT(draw({"a"}), ElementsAre("<svg>a</svg>"));
  EXPECT_EQ(tool_.drawn_specs.size(), 2u);
}

TEST_F(Cached, RemovesTheLongestUnusedFilesAboveItsLimit) {
  const ContentCache cache(folder_, 1000);
  cache.store("old", std::string(400, 'o'));
  fs::last_write_time(files().front(), fs::file_time_type::clock::now() - std::chrono::hours(48));
  cache.store("new", std::string(400, 'n'));
  cache.trim();
  EXPECT_TRUE(cache.find("old")) << "there is room for both";
  cache.store("newest", std::string(400, 'n'));
  // Reading "old" has renewed its time.
  for (const fs::path& file : files()) {
    if (read_file(file).ends_with("o")) {
      fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(20));
    }
  }
  cache.trim();
  EXPECT_FALSE(cache.find("old"));
  EXPECT_TRUE(cache.find("newest"));
}

TEST_F(Cached, HoldsOnlyWholeFilesOfManyWriters) {
  const std::string large(200'000, 'x');
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; ++i) {
    writers.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        const ContentCache cache(folder_);
        cache.store("key", large);
        EXPECT_EQ(cache.find("key").value_or(large), large) << "absent or whole";
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(ContentCache(folder_).find("key"), large);
}

/// The cache is usable without pandoc, on which only formulas and LaTeX depend.
TEST_F(Cached, IdentifiesAToolByItsInstalledPackages) {
  const fs::path packages = folder_ / ".venv/lib/python3.11/site-packages";
  fs::create_directories(folder_ / ".venv/bin");
  fs::create_symlink("/bin/true", folder_ / ".venv/bin/python");
  fs::create_directories(packages / "typst-1.0.dist-info");
  EXPECT_EQ(ChartProcess(folder_).identity(), "") << "vl-convert is missing";
  fs::create_directories(packages / "vl_convert_python-1.0.dist-info");
  const std::string without_pandoc = ChartProcess(folder_).identity();
  EXPECT_NE(without_pandoc, "");
  fs::create_directories(packages / "pypandoc_binary-1.0.dist-info");
  EXPECT_NE(ChartProcess(folder_).identity(), without_pandoc);
  fs::create_directories(packages / "pypandoc_binary-2.0.dist-info");
  EXPECT_EQ(ChartProcess(folder_).identity(), "") << "two versions of pandoc";
}

}  // namespace
}  // namespace labreport::cached_charts_test
