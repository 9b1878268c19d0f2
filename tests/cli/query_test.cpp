// Tests `labreport query` like a user calls it.
#include <gmock/gmock.h>

#include "base/files.h"
#include "cli/program_fixture.h"
#include "experiments/sample_runs.h"
#include "results/run_store.h"

namespace labreport::query_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Query : public ProgramTest {
 protected:
  Query() { keep("nvidia-h200/2025/20260501-000000-a"); }
  void keep(const std::string& place, const std::string& edition = "2025") {
    const RunStore store(folder_ / "site/runs" / place);
    auto run = testing_samples::fake_run(testing_samples::input_for("ladder"));
    run.edition = edition;
    store.create(run);
    store.finish(run);
  }
};

TEST_F(Query, PrintsTheResultInTheChosenFormat) {
  EXPECT_EQ(call({"query", "H200", "select kind, batch from cell where kind = 'limits'"}).output,
            "kind    batch\nlimits  –\n");
  EXPECT_EQ(
      call({"query", "H200", "latest", "select run, edition from run", "--format", "csv"}).output,
      "run,edition\nH200,2025\nlatest,2025\n");
}

TEST_F(Query, OfSeveralGpusReadsOneEditionOrSaysThatEditionsDiffer) {
  keep("nvidia-h200/2026/20260503-000000-a", "2026");
  keep("nvidia-h100/2025/20260502-000000-a");
  const std::vector<std::string> both{
      "query", "H100", "H200", "select distinct edition from run", "--format", "csv"};
  EXPECT_EQ(call(both).output, "edition\n2025\n") << "the H200's newest run is of 2026";
  EXPECT_THAT(call(both).messages, testing::Not(HasSubstr("editions differ")));
  keep("nvidia-b300/2026/20260504-000000-a", "2026");
  EXPECT_THAT(call({"query", "B300", "H100", "select 1 "}).messages,
              HasSubstr("editions differ: site/runs/nvidia-b300/2026/20260504-000000-a is of 2026, "
                        "site/runs/nvidia-h100/2025/20260502-000000-a of 2025; a size of one name "
                        "may be two networks"));
}

TEST_F(Query, SaysThatTwoWordsNameOneRun) {
  keep("nvidia-h200/2025/20260502-000000-copy");
  EXPECT_EQ(call({"query", "latest", "previous", "select count(*) as runs from run"}).messages,
            "latest: site/runs/nvidia-h200/2025/20260502-000000-copy\n"
            "previous: site/runs/nvidia-h200/2025/20260501-000000-a\n"
            "latest and previous are the same run, whose rows are there twice\n");
}

TEST_F(Query, ReadsAQueryFromItsInput) {
  write_atomically(folder_ / "q.sql", "select 1 as one");
  EXPECT_EQ(run({"bash", "-c", "$LABREPORT query latest - < q.sql"}).output, "one\n  1\n");
}

TEST_F(Query, FailsIfItsOutputCannotBeWritten) {
  const std::string query = "$LABREPORT query latest 'select * from sample' ";
  const CompletedProcess read = run({"bash", "-c", query + "| head -n 1"});
  EXPECT_EQ(read.messages, "");
  const CompletedProcess full = run({"bash", "-c", query + "> /dev/full"});
  EXPECT_EQ(full.exit_status, 2);
  EXPECT_THAT(full.messages, HasSubstr("cannot write to standard output"));
}

TEST_F(Query, ShowsTheTablesWithTheirComments) {
  EXPECT_THAT(call({"query", "--tables"}).output,
              HasSubstr("create table kernels (\n  launch integer not null,"));
}

TEST_F(Query, SavesTheTables) {
  EXPECT_EQ(call({"query", "latest", "--save", "run.db"}).exit_status, 0);
  EXPECT_THAT(read_file(folder_ / "run.db"), StartsWith("SQLite format 3"));
  EXPECT_THAT(call({"query", "latest", "--save", "run.db"}).messages,
              HasSubstr("run.db is there already"));
}

TEST_F(Query, SaysInOneLineWhatIsWrong) {
  const CompletedProcess unknown = call({"query", "latest", "select sise from cell"});
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_THAT(unknown.messages, StartsWith("labreport: line 1, column 8: unknown column 'sise'"));
  EXPECT_THAT(call({"query", "latest"}).messages,
              HasSubstr("query needs a run and a query; try `"));
  EXPECT_THAT(call({"query", "B300", "select 1"}).messages, HasSubstr("no run is called 'B300'"));
  EXPECT_THAT(call({"query", "latest", "latest", "select 1 "}).messages,
              HasSubstr("latest is named twice"));
  EXPECT_THAT(call({"query", "latest", "select 1 ", "--format", "xml"}).messages,
              HasSubstr("unknown format 'xml'"));
}

}  // namespace
}  // namespace labreport::query_test
