// Tests the messages about runs that another version of the program wrote.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "cli/program_fixture.h"

namespace labreport::versions_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

class VersionsTest : public ProgramTest {
 protected:
  /// Writes a recorded run with this schema version, and returns its folder.
  std::string write_run_of_version(const std::string& version) {
    auto run = nlohmann::json::parse(
        read_file(fs::path(LABREPORT_SOURCE_DIR) / "tests/fixtures/traced_step.json"));
    run["schema_version"] = version;
    make_writable_folder(folder_ / "site/runs/gpu/2025/old");
    write_atomically(folder_ / "site/runs/gpu/2025/old/run.json", run.dump());
    return "site/runs/gpu/2025/old";
  }
};

std::size_t count_warnings(const std::string& messages) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = messages.find("is newer than", at)) != std::string::npos; ++at) {
    ++count;
  }
  return count;
}

TEST_F(VersionsTest, ANewerRunIsWarnedOfOnceHoweverOftenItIsRead) {
  const std::string run = write_run_of_version("2.10.0");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"check", run}, {"list", "runs"}, {"diff", run, run}, {"render"}}) {
    const CompletedProcess process = call(words);
    EXPECT_EQ(process.exit_status, 0) << words.front() << process.messages;
    EXPECT_EQ(count_warnings(process.messages), 1u) << words.front() << process.messages;
  }
}

}  // namespace
}  // namespace labreport::versions_test
