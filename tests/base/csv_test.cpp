#include "base/csv.h"

#include <gtest/gtest.h>

#include <limits>

namespace labreport {
namespace {

TEST(Csv, QuotesWhatTheFormatNeedsAndNothingElse) {
  EXPECT_EQ(csv_text("NVIDIA H200"), "NVIDIA H200");
  EXPECT_EQ(csv_text(""), "");
  EXPECT_EQ(csv_text("asked 2.0 GiB, 138.1 GiB in use"), "\"asked 2.0 GiB, 138.1 GiB in use\"");
  EXPECT_EQ(csv_text("void f<\"a\">()"), "\"void f<\"\"a\"\">()\"");
  EXPECT_EQ(csv_text("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_text(" margin"), "\" margin\"");
}

TEST(Csv, TextIsNeverAFormula) {
  EXPECT_EQ(csv_text("=HYPERLINK(\"a\",\"b\")"), "\"'=HYPERLINK(\"\"a\"\",\"\"b\"\")\"");
  EXPECT_EQ(csv_text("+1"), "'+1");
  EXPECT_EQ(csv_text("-1"), "'-1");
  EXPECT_EQ(csv_text("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(csv_text("\t=1"), "'\t=1");
  EXPECT_EQ(csv_text("\n=1"), "\"'\n=1\"");
}

TEST(Csv, NumbersStayNumbersInFullPrecision) {
  EXPECT_EQ(csv_number(-1.5), "-1.5");
  EXPECT_EQ(csv_number(0.1 + 0.2), "0.3");
  EXPECT_EQ(csv_number(0.010619873), "0.010619873");
  EXPECT_EQ(csv_number(std::int64_t{150000000000}), "150000000000");
  EXPECT_EQ(csv_number(std::numeric_limits<double>::quiet_NaN()), "");
  EXPECT_EQ(csv_number(-std::numeric_limits<double>::infinity()), "");
}

TEST(Csv, ALineHoldsItsFields) { EXPECT_EQ(csv_line({"a", "", "\"b,c\""}), "a,,\"b,c\"\n"); }

}  // namespace
}  // namespace labreport
