// Tests that a part that cannot be presented costs its own place in the report and nothing else.
#include <gmock/gmock.h>

#include <cstdlib>

#include "base/files.h"
#include "cli/app.h"
#include "cli/program_fixture.h"
#include "experiments/catalog.h"

namespace labreport::left_out_part_test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kBroken = "mixed_precision_accumulation";
constexpr const char* kOther = "pytorch_attention";

/// Presents the part without the facts that its words need.
Presentation present_without_facts(const RunView&) { return {{"", PartContent{}}}; }

/// Presents nothing at all.
Presentation throw_error(const RunView&) { throw std::runtime_error("a row is missing"); }

/// Replaces the presenter of `kBroken` in this process until the end of its scope.
class BrokenPresenter {
 public:
  explicit BrokenPresenter(Presentation (*present)(const RunView&)) { replace(present); }
  ~BrokenPresenter() { replace(kept_); }
  BrokenPresenter(const BrokenPresenter&) = delete;

 private:
  static void replace(Presentation (*present)(const RunView&)) {
    // The catalog is constant for the program. Its elements are ordinary objects.
    const_cast<Experiment&>(find_experiment(kBroken)).present = present;
  }

  Presentation (*kept_)(const RunView&) = find_experiment(kBroken).present;
};

class LeftOutPart : public ProgramTest {
 protected:
  void SetUp() override {
    const std::string problems = std::string(kBroken) + "," + kOther;
    const CompletedProcess process = call({"run", "--preset", "demo", "--only", problems});
    ASSERT_EQ(process.exit_status, 0) << process.messages;
    fs::current_path(folder_);
  }
  void TearDown() override { fs::current_path(fs::temp_directory_path()); }

  /// Runs a verb in this process. Returns its status and its messages.
  static std::pair<int, std::string> call_here(std::vector<std::string> words) {
    words.insert(words.begin(), "labreport");
    testing::internal::CaptureStderr();
    const int status = run_app(words);
    return {status, testing::internal::GetCapturedStderr()};
  }

  std::string line(const std::string& reason) const {
    return "left out of " + only_run().lexically_relative(folder_).string() + ": " + kBroken +
           ": " + reason;
  }
};

TEST_F(LeftOutPart, IsNamedWithItsRunEachTimeAndTheReportStands) {
  const BrokenPresenter broken(present_without_facts);
  for (const auto& runs : std::vector<std::vector<std::string>>{{}, {}, {"latest"}}) {
    std::vector<std::string> words{"render", "--format", "md"};
    words.insert(words.end(), runs.begin(), runs.end());
    const auto [status, messages] = call_here(words);
    EXPECT_EQ(status, 1);
    EXPECT_THAT(messages, HasSubstr(line(std::string(kBroken) + " Answer: the tag")));
  }
  const auto run = only_run().filename();
  std::string report;
  for (const auto& entry : fs::recursive_directory_iterator("site/public")) {
    if (entry.path().filename() == "report.md") report = read_file(entry.path());
  }
  EXPECT_THAT(report, AllOf(HasSubstr(std::string("(`") + kOther + "`)"),
                            Not(HasSubstr(std::string("(`") + kBroken + "`)")),
                            HasSubstr("This report lacks mixed\\_precision\\_accumulation")));
}

TEST_F(LeftOutPart, IsNamedByEveryVerbThatWritesAReport) {
  const BrokenPresenter broken(throw_error);
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"render", "--format", "md"}, {"notes", "--init"}, {"notes"}, {"submit"}}) {
    const auto [status, messages] = call_here(words);
    EXPECT_EQ(status, 1) << words.front();
    EXPECT_THAT(messages, HasSubstr(line("a row is missing"))) << words.front();
  }
  EXPECT_TRUE(fs::exists(fs::path("notes") / (std::string(kOther) + ".md")));
  EXPECT_TRUE(fs::exists("submission/report.md"));
}

}  // namespace
}  // namespace labreport::left_out_part_test
