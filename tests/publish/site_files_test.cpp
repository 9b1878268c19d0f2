// Tests which files a render may write, overwrite and remove.
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "base/files.h"
#include "publish/site.h"

namespace labreport::site_files_test {
namespace {

namespace fs = std::filesystem;

void write_site(const Site& site, const fs::path& out,
                OnForeignFile on_foreign_file = OnForeignFile::kRefuse) {
  StagedSite(site, out, on_foreign_file).commit();
}

class WriteSite : public testing::Test {
 protected:
  WriteSite() { fs::remove_all(out_); }
  ~WriteSite() override { fs::remove_all(out_); }

  const fs::path out_ = fs::path(testing::TempDir()) / "labreport-write-site";
};

TEST_F(WriteSite, RemovesOnlyItsOwnStalePages) {
  write_site({.files = {{"a/old.html", "old"}, {"index.html", "1"}}, .notice = ""}, out_);
  std::ofstream(out_ / "CNAME") << "example";
  write_site({.files = {{"b/new.html", "new"}, {"index.html", "2"}}, .notice = ""}, out_);
  EXPECT_FALSE(fs::exists(out_ / "a"));
  EXPECT_EQ(read_file(out_ / "b/new.html"), "new");
  EXPECT_EQ(read_file(out_ / "index.html"), "2");
  EXPECT_TRUE(fs::exists(out_ / "CNAME"));
}

TEST_F(WriteSite, KeepsUnchangedFiles) {
  write_site({.files = {{"a/page.html", "1"}, {"b/page.html", "1"}}, .notice = ""}, out_);
  write_site({.files = {{"index.html", "2"}}, .notice = "", .unchanged_files = {"a/page.html"}},
             out_);
  EXPECT_EQ(read_file(out_ / "a/page.html"), "1");
  EXPECT_FALSE(fs::exists(out_ / "b"));
  write_site({.files = {{"index.html", "2"}}, .notice = ""}, out_);
  EXPECT_FALSE(fs::exists(out_ / "a")) << "it is still known as the program's own";
}

TEST_F(WriteSite, RefusesTwoFilesOfOnePath) {
  write_site({.files = {{"a/page.html", "1"}}, .notice = ""}, out_);
  const Site twofold{.files = {{"a/page.html", "2"}, {"a/page.html", "3"}}, .notice = ""};
  EXPECT_THROW(write_site(twofold, out_), Error);
  const Site both{
      .files = {{"a/page.html", "2"}}, .notice = "", .unchanged_files = {"a/page.html"}};
  EXPECT_THROW(write_site(both, out_), Error);
  EXPECT_EQ(read_file(out_ / "a/page.html"), "1");
}

TEST_F(WriteSite, DoesNotRewriteEqualFiles) {
  const Site site{.files = {{"index.html", "1"}}, .notice = ""};
  write_site(site, out_);
  const auto past = fs::file_time_type::clock::now() - std::chrono::hours(1);
  fs::last_write_time(out_ / "index.html", past);
  write_site(site, out_);
  EXPECT_EQ(fs::last_write_time(out_ / "index.html"), past);
}

TEST_F(WriteSite, RefusesAFolderWithForeignFiles) {
  fs::create_directories(out_);
  std::ofstream(out_ / "thesis.tex") << "precious";
  EXPECT_THROW(write_site({.files = {{"index.html", "1"}}, .notice = ""}, out_), InputError);
  EXPECT_FALSE(fs::exists(out_ / "index.html"));
}

TEST_F(WriteSite, OverwritesForeignFilesOnlyOnRequest) {
  write_site({.files = {{"index.html", "1"}}, .notice = ""}, out_);
  std::ofstream(out_ / "about.html") << "precious";
  const Site site{.files = {{"index.html", "2"}, {"about.html", "2"}}, .notice = ""};
  for (int time = 0; time < 2; ++time) EXPECT_THROW(write_site(site, out_), InputError);
  EXPECT_EQ(read_file(out_ / "about.html"), "precious");
  EXPECT_EQ(read_file(out_ / "index.html"), "1") << "all or nothing";
  write_site(site, out_, OnForeignFile::kOverwrite);
  EXPECT_EQ(read_file(out_ / "about.html"), "2");
  write_site({.files = {{"index.html", "3"}, {"about.html", "3"}}, .notice = ""}, out_);
  EXPECT_EQ(read_file(out_ / "about.html"), "3") << "its own from then on";
}

TEST_F(WriteSite, ChangesNothingBeforeTheCommit) {
  write_site({.files = {{"a/old.html", "old"}, {"index.html", "1"}}, .notice = ""}, out_);
  const Site site{.files = {{"b/new.html", "new"}, {"index.html", "2"}}, .notice = ""};
  {
    const StagedSite staged(site, out_);
    EXPECT_EQ(read_file(out_ / "index.html"), "1");
    EXPECT_FALSE(fs::exists(out_ / "b"));
  }
  EXPECT_EQ(read_file(out_ / "a/old.html"), "old");
  EXPECT_FALSE(fs::exists(out_ / ".labreport-new"));
  StagedSite(site, out_).commit();
  EXPECT_EQ(read_file(out_ / "b/new.html"), "new");
  EXPECT_FALSE(fs::exists(out_ / "a/old.html"));
  EXPECT_FALSE(fs::exists(out_ / ".labreport-new"));
}

TEST_F(WriteSite, ChangesNothingIfAFileCannotBeWritten) {
  write_site({.files = {{"index.html", "1"}}, .notice = ""}, out_);
  const std::string too_long(253, 'x');  // The suffix of unfinished files makes it too long.
  const Site site{.files = {{"index.html", "2"}, {too_long, "2"}}, .notice = ""};
  EXPECT_THROW(write_site(site, out_), InputError);
  EXPECT_EQ(read_file(out_ / "index.html"), "1");
  EXPECT_FALSE(fs::exists(out_ / ".labreport-new"));
}

TEST_F(WriteSite, FollowsNoLinkOutOfItsFolder) {
  const fs::path outside = fs::path(testing::TempDir()) / "labreport-outside-folder";
  fs::create_directories(outside);
  std::ofstream(outside / "page.html") << "precious";
  write_site({.files = {{"index.html", "1"}}, .notice = ""}, out_);
  fs::create_symlink(outside, out_ / "a");
  const Site site{.files = {{"index.html", "2"}, {"a/page.html", "2"}}, .notice = ""};
  EXPECT_THROW(write_site(site, out_, OnForeignFile::kOverwrite), InputError);
  std::ofstream(out_ / ".labreport-site") << "a/page.html\nindex.html\n";
  EXPECT_THROW(write_site({.files = {{"index.html", "2"}}, .notice = ""}, out_), InputError);
  EXPECT_EQ(read_file(outside / "page.html"), "precious");
  EXPECT_EQ(read_file(out_ / "index.html"), "1");
  fs::remove_all(outside);
}

TEST_F(WriteSite, FollowsNoLinkThatComesWhileItIsWritten) {
  const fs::path outside = fs::path(testing::TempDir()) / "labreport-outside-late";
  fs::create_directories(outside);
  for (const char* name : {"old.html", "page.html"}) std::ofstream(outside / name) << "precious";
  write_site({.files = {{"a/old.html", "1"}, {"a/page.html", "1"}}, .notice = ""}, out_);
  const Site site{.files = {{"a/page.html", "2"}}, .notice = ""};
  StagedSite staged(site, out_);
  fs::rename(out_ / "a", out_ / "moved");
  fs::create_symlink(outside, out_ / "a");
  EXPECT_THROW(staged.commit(), InputError);
  EXPECT_EQ(read_file(outside / "page.html"), "precious");
  EXPECT_TRUE(fs::exists(outside / "old.html"));
  fs::remove_all(outside);
}

TEST_F(WriteSite, RemovesNoListedFileOutsideItsFolder) {
  const fs::path outside = fs::path(testing::TempDir()) / "labreport-outside";
  write_site({.files = {{"index.html", "1"}}, .notice = ""}, out_);
  std::ofstream(outside) << "precious";
  std::ofstream(out_ / ".labreport-site") << "../labreport-outside\n" << outside.string() << "\n";
  write_site({.files = {{"index.html", "1"}}, .notice = ""}, out_);
  EXPECT_TRUE(fs::exists(outside));
  fs::remove(outside);
}

}  // namespace
}  // namespace labreport::site_files_test
