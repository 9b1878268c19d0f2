#include "writers/markdown/markdown.h"

#include <gmock/gmock.h>

#include "writers/sample_fixture.h"

namespace labreport::markdown_test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(TableMarkdown, AlignsNumbersAndPutsUnitsInTheHead) {
  TableView table{.slug = "t", .title = "Times", .columns = {}, .rows = {}};
  table.columns = {{"size", "", Align::kLeft}, {"a", "ms"}, {"b", "ms"}};
  table.rows = {{{"s|m", 1.5, {2, 0.1}}}, {{"xl"}}};
  table.rows[1].flags = {"outlier", "shared GPU"};
  table.rows[1].missing_reason = "out of memory";
  EXPECT_EQ(table_markdown(table),
            "**Times**\n\n"
            "| size | a (ms) | b (ms) | Remarks |\n"
            "| --- | ---: | ---: | --- |\n"
            "| s\\|m | 1.500 | 2.00 ± 0.10 |  |\n"
            "| xl | out of memory |  | outlier, shared GPU |\n\n");
}

TEST(TableMarkdown, WritesCommandsVerbatim) {
  TableView table{.slug = "t", .title = "", .columns = {}, .rows = {}};
  table.columns = {{"command", "", Align::kLeft, true}};
  table.rows = {{{"run *a* | tee b"}}, {{"echo `date`"}}};
  EXPECT_THAT(table_markdown(table), HasSubstr("| `run *a* \\| tee b` |"));
  EXPECT_THAT(table_markdown(table), HasSubstr("| `` echo `date` `` |"));
}

TEST(ReportMarkdown, EscapesMarkupFromRuns) {
  const std::string text = report_markdown(demonstration_document(), {}, Answers::kFull);
  EXPECT_THAT(text, HasSubstr("\\<script\\>alert(1)\\</script\\> \\& \\| \\`CPU\\` \\*\\*bold"));
  EXPECT_THAT(text, HasSubstr("> **CPU demonstration.**"));
}

}  // namespace
}  // namespace labreport::markdown_test
