// Measures a course checkout with the real program and a fake worker, which finds two parts in it.
#include <gmock/gmock.h>

#include <algorithm>

#include "base/files.h"
#include "cli/program_fixture.h"
#include "experiments/catalog.h"
#include "results/run_store.h"

namespace labreport::course_test {
namespace {

namespace fs = std::filesystem;

using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class CourseTest : public ProgramTest {
 protected:
  CompletedProcess report(std::vector<std::string> words) {
    words.insert(words.begin(), {"report", "--preset", "demo", "--course", "checkout"});
    return call(words);
  }
  labreport::Run joined_run() { return RunStore(only_run()).load(); }
};

TEST_F(CourseTest, MeasuresEachPartInItsProblemAndJoinsThem) {
  const CompletedProcess process = report({"--format", "md"});
  ASSERT_EQ(process.exit_status, 0) << process.messages;
  EXPECT_THAT(process.messages, HasSubstr("checkout, 2026 edition\n"));
  EXPECT_THAT(process.messages, HasSubstr("  not measured: get_fsdp raises NotImplementedError\n"));
  const labreport::Run run = joined_run();
  EXPECT_EQ(run.edition, "2026");
  EXPECT_EQ(run.sessions.size(), 2u);
  for (const Session& session : run.sessions) {
    EXPECT_TRUE(std::ranges::any_of(run.cells, [&](const Cell& cell) {
      return cell.spec.implementation == session.model->implementation;
    })) << session.model->model;
  }
}

TEST_F(CourseTest, LeavesOutPartsWhoseProblemIsNotChosen) {
  const CompletedProcess process =
      report({"--problems", "optimizer_state_sharding_accounting", "--format", "md"});
  ASSERT_EQ(process.exit_status, 0) << process.messages;
  const labreport::Run run = joined_run();
  ASSERT_EQ(run.sessions.size(), 1u);
  EXPECT_EQ(run.sessions.front().model->part, "sharded_optimizer");
}

TEST_F(CourseTest, NamesTheCheckoutInTitleAndCommand) {
  ASSERT_EQ(report({"--format", "md"}).exit_status, 0);
  const Document document = build_document(joined_run(), false);
  EXPECT_THAT(document.title, EndsWith(" of checkout"));
  EXPECT_THAT(document.reproduce, HasSubstr("make report"));
  EXPECT_THAT(document.reproduce, HasSubstr("COURSE=checkout"));
  EXPECT_THAT(document.reproduce, Not(HasSubstr("ATTENTION=")));
  EXPECT_THAT(document.reproduce, Not(HasSubstr("PROBLEMS=")));
}

TEST_F(CourseTest, ResumesOnlyWhatWasBegun) {
  const auto expect_nothing = [&](const CompletedProcess& process) {
    EXPECT_EQ(process.exit_status, 2);
    EXPECT_THAT(process.messages, HasSubstr("no interrupted run of --preset demo --course checkout "
                                            "below "));
    EXPECT_THAT(process.messages,
                ContainsRegex("site/parts(, which is not there)?; measure anew without --resume"));
  };
  expect_nothing(report({"--resume"}));
  ASSERT_EQ(report({"--format", "md"}).exit_status, 0);
  expect_nothing(report({"--resume"}));
  EXPECT_EQ(joined_run().sessions.size(), 2u);
}

TEST_F(CourseTest, KeepsWhatIsCompleteAndMeasuresWhatIsMissing) {
  fs::create_directories(folder_ / "checkout/broken");
  const CompletedProcess first = report({"--format", "md"});
  EXPECT_EQ(first.exit_status, 1) << first.messages;
  EXPECT_THAT(first.messages, HasSubstr("there is no file missing.py"));
  const labreport::Run incomplete = joined_run();
  ASSERT_EQ(incomplete.sessions.size(), 1u);
  fs::remove(folder_ / "checkout/broken");
  const CompletedProcess process = report({"--format", "md", "--resume"});
  EXPECT_EQ(process.exit_status, 0) << process.messages;
  const labreport::Run complete = joined_run();  // The new one replaces that of before.
  ASSERT_EQ(complete.sessions.size(), 2u);
  EXPECT_EQ(complete.sessions.back().started_at, incomplete.sessions.front().started_at);
}

TEST_F(CourseTest, ResumesAnInterruptedPartWithTheFirstFlags) {
  ASSERT_EQ(
      report({"--problems", "optimizer_state_sharding_accounting", "--format", "md"}).exit_status,
      0);
  const fs::path part = list_runs(folder_ / "site/parts").front();
  labreport::Run run = RunStore(part).load();
  run.cells.back().launches.clear();
  RunStore(part).save(run);
  fs::create_directories(RunStore(part).cells_folder());
  const CompletedProcess process = report({"--format", "md", "--resume"});
  EXPECT_EQ(process.exit_status, 0) << process.messages;
  EXPECT_EQ(list_runs(folder_ / "site/parts").size(), 1u);
  EXPECT_EQ(joined_run().sessions.size(), 2u);  // Both are of the resumed part.
}

TEST_F(CourseTest, TheCheckoutIsHandedIn) {
  for (const char* file : {"tests/adapters.py", ".venv/secret.py", ".env", "a/__pycache__/b.pyc"}) {
    fs::create_directories((folder_ / "checkout" / file).parent_path());
    write_atomically(folder_ / "checkout" / file, "import torch");
  }
  write_atomically(folder_ / "checkout/weights.pt", std::string(11u << 20, 'w'));
  EXPECT_THAT(call({"submit", "--course", "checkout"}).messages,
              HasSubstr("no run of checkout; `labreport report --course checkout` makes one"));
  ASSERT_EQ(report({"--format", "md"}).exit_status, 0);
  const CompletedProcess process = call({"submit", "--course", "checkout"});
  EXPECT_EQ(process.exit_status, 0) << process.messages;
  EXPECT_THAT(process.output,
              HasSubstr("left out of code.zip, because above 10 MiB: weights.pt\n"));
  EXPECT_THAT(process.output, HasSubstr("missing: get_fsdp raises NotImplementedError\n"));
  const std::string zip = read_file(folder_ / "code.zip");
  EXPECT_THAT(zip, HasSubstr("tests/adapters.py"));
  for (const char* left_out : {"secret.py", ".env", "b.pyc", "weights.pt"})
    EXPECT_THAT(zip, Not(HasSubstr(left_out)));
}

TEST_F(CourseTest, TwoAttentionsAreMeasuredInOneRun) {
  const CompletedProcess process =
      call({"run", "--preset", "demo", "--attention", "net.py:Net,other.py:Other"});
  ASSERT_EQ(process.exit_status, 0) << process.messages;
  const labreport::Run run = joined_run();
  ASSERT_EQ(run.sessions.size(), 1u);
  for (const ModelSource* code : code_of(run.sessions.front())) {
    EXPECT_TRUE(std::ranges::any_of(run.cells, [&](const Cell& cell) {
      return cell.spec.implementation == code->implementation;
    })) << code->model;
  }
  EXPECT_EQ(implementations(run.sessions.front()), "Net-0a1b2c3d, Other-4e5f6a7b");
}

TEST_F(CourseTest, FsdpChoosesTheEditionThatHasIt) {
  const CompletedProcess process =
      call({"run", "--preset", "demo", "--fsdp", "net.py:Net", "--dry-run"});
  ASSERT_EQ(process.exit_status, 0) << process.messages;
  EXPECT_THAT(process.messages, HasSubstr("2026 edition, because no other has fsdp_accounting\n"));
}

TEST_F(CourseTest, SaysWhichProblemsLeaveTheCodeOut) {
  const CompletedProcess ladder =
      call({"run", "--preset", "demo", "--model", "net.py:Net", "--problems", "ladder"});
  EXPECT_EQ(ladder.exit_status, 2);
  EXPECT_THAT(ladder.messages, HasSubstr("nothing to measure: --model is not trained in ladder; "
                                         "leave --model out, or choose other problems"));
  const CompletedProcess all = call({"run", "--preset", "demo", "--model", "net.py:Net",
                                     "--problems", "benchmarking_script,ladder", "--dry-run"});
  EXPECT_EQ(all.exit_status, 0) << all.messages;
  EXPECT_THAT(all.messages, HasSubstr("left out beside --model: ladder\n"));
}

TEST_F(CourseTest, TheEndSaysHowToChooseTheOtherEdition) {
  const std::vector<std::string> words{"run", "--preset", "demo", "--problems",
                                       "mixed_precision_accumulation"};
  EXPECT_THAT(call(words).messages,
              HasSubstr("this is the 2025 edition; --edition 2026 measures the other\n"));
  std::vector<std::string> chosen = words;
  chosen.insert(chosen.end(), {"--edition", "2025"});
  EXPECT_THAT(call(chosen).messages, Not(HasSubstr("measures the other")));
}

TEST_F(CourseTest, RefusesOtherCodeBesideIt) {
  const CompletedProcess process = report({"--step", "train.py:make_step"});
  EXPECT_EQ(process.exit_status, 2);
  EXPECT_THAT(process.messages, HasSubstr("--course and --step are both given"));
}

TEST_F(CourseTest, APartIsMeasuredInItsProblemAlone) {
  const CompletedProcess process =
      call({"report", "--preset", "demo", "--ddp", "ddp.py:Container", "--problems", "ladder"});
  EXPECT_EQ(process.exit_status, 2);
  EXPECT_THAT(process.messages, HasSubstr("--ddp is measured by data_parallel, not by ladder"));
}

TEST_F(CourseTest, APartThatAnotherPartOfItsProblemAsksForIsRefused) {
  const CompletedProcess process =
      call({"report", "--preset", "demo", "--ddp", "ddp.py:Container", "--only", "naive_ddp"});
  EXPECT_EQ(process.exit_status, 2);
  EXPECT_THAT(process.messages,
              HasSubstr("--ddp answers data_parallel.c and data_parallel.d, not data_parallel.a"));
}

TEST_F(CourseTest, RanksThatNoProblemUsesAreRefused) {
  const CompletedProcess process =
      call({"report", "--preset", "demo", "--step", "train.py:make_step", "--ranks", "2",
            "--problems", "benchmarking_script"});
  EXPECT_EQ(process.exit_status, 2);
  EXPECT_THAT(process.messages, HasSubstr("benchmarking_script is measured in one"));
}

TEST_F(CourseTest, TwoPartsInOneRunAreRefused) {
  const CompletedProcess process = call(
      {"report", "--preset", "demo", "--ddp", "ddp.py:Container", "--fsdp", "fsdp.py:Container"});
  EXPECT_EQ(process.exit_status, 2);
  EXPECT_THAT(process.messages, HasSubstr("--ddp and --fsdp are both given"));
}

}  // namespace
}  // namespace labreport::course_test
