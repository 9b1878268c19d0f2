#include "base/csv.h"

#include <gtest/gtest.h>

#include <limits>

namespace labreport::csv_test {
namespace {

TEST(Csv, QuotesWhatTheFormatNeedsAndNothingElse) {
  EXPECT_EQ(csv_text("NVIDIA H200").bytes(), "NVIDIA H200");
  EXPECT_EQ(csv_text("").bytes(), "");
  EXPECT_EQ(csv_text("asked 2.0 GiB, 138.1 GiB in use").bytes(),
            "\"asked 2.0 GiB, 138.1 GiB in use\"");
  EXPECT_EQ(csv_text("void f<\"a\">()").bytes(), "\"void f<\"\"a\"\">()\"");
  EXPECT_EQ(csv_text("two\nlines").bytes(), "\"two\nlines\"");
  EXPECT_EQ(csv_text(" margin").bytes(), "\" margin\"");
}

TEST(Csv, TextIsNeverAFormula) {
  EXPECT_EQ(csv_text("=HYPERLINK(\"a\",\"b\")").bytes(), "\"'=HYPERLINK(\"\"a\"\",\"\"b\"\")\"");
  EXPECT_EQ(csv_text("+1").bytes(), "'+1");
  EXPECT_EQ(csv_text("-1").bytes(), "'-1");
  EXPECT_EQ(csv_text("@SUM(A1)").bytes(), "'@SUM(A1)");
  EXPECT_EQ(csv_text("＝SUM(A1)").bytes(), "'＝SUM(A1)");
  EXPECT_EQ(csv_text("＠SUM(A1)").bytes(), "'＠SUM(A1)");
  EXPECT_EQ(csv_text("\t=1").bytes(), "'\t=1");
  EXPECT_EQ(csv_text("\n=1").bytes(), "\"'\n=1\"");
}

TEST(Csv, NumbersStayNumbersInFullPrecision) {
  EXPECT_EQ(csv_number(-1.5).bytes(), "-1.5");
  EXPECT_EQ(csv_number(0.1 + 0.2).bytes(), "0.3");
  EXPECT_EQ(csv_number(0.010619873).bytes(), "0.010619873");
  EXPECT_EQ(csv_number(std::int64_t{150000000000}).bytes(), "150000000000");
  EXPECT_EQ(csv_number(std::numeric_limits<double>::quiet_NaN()).bytes(), "");
  EXPECT_EQ(csv_number(-std::numeric_limits<double>::infinity()).bytes(), "");
}

TEST(Csv, ALineHoldsItsFields) { EXPECT_EQ(csv_line(csv_texts({"a", "", "b,c"})), "a,,\"b,c\"\n"); }

}  // namespace
}  // namespace labreport::csv_test
