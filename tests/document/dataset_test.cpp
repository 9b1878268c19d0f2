#include "document/dataset.h"

#include <gmock/gmock.h>

#include <functional>

#include "base/error.h"
#include "document/facts.h"

namespace labreport::dataset_test {
namespace {

using testing::ElementsAre;

struct Step {
  std::string size;
  Value time;
  std::optional<double> bytes;
  std::vector<std::string> flags = {};
};

const std::vector<Column<Step>> kStepColumns{
    {"size", "Size", &Step::size},
    {"time", "Step", &Step::time, "ms"},
    {"peak", "Peak", &Step::bytes, "GiB", {Notation::kGibibytes}}};

Dataset steps() {
  return make_dataset("steps", kStepColumns,
                      std::vector<Step>{{"small", {116.714, 0.294}, 3.0 * (1LL << 30), {"outlier"}},
                                        {"large", Value::missing("out of memory"), std::nullopt}});
}

/// Returns the cells of a row as the table shows them.
std::vector<std::string> texts(const TableView& table, std::size_t row_index) {
  const RowView& row = table.rows.at(row_index);
  std::vector<std::string> texts;
  for (std::size_t c = 0; c < row.cells.size(); ++c) texts.push_back(table.text(row, c));
  return texts;
}

TEST(Dataset, FormatsNumbersByColumn) {
  const TableView table = table_of(steps());
  EXPECT_EQ(table.columns.at(1).title, "Step");
  EXPECT_EQ(table.columns.at(1).unit, "ms");
  EXPECT_EQ(table.columns.at(0).align, Align::kLeft);
  EXPECT_EQ(table.columns.at(2).align, Align::kRight);
  EXPECT_THAT(texts(table, 0), ElementsAre("small", "116.7 ± 0.3", "3.00"));
  EXPECT_THAT(table.rows.at(0).flags, ElementsAre("outlier"));
  EXPECT_EQ(number_in_unit(table.rows.at(0).cells.at(2), table.columns.at(2).notation), 3.0);
  EXPECT_EQ(table.rows.at(0).cells.at(1).deviation, 0.294) << "unrounded, as the writers need it";
}

TEST(Dataset, ReplacesMissingNumbersByTheirReason) {
  const TableView table = table_of(steps());
  EXPECT_THAT(texts(table, 1), ElementsAre("large"));
  EXPECT_EQ(table.rows.at(1).missing_reason, "out of memory");
}

TEST(Dataset, KeepsTheReasonIfNoColumnHasANumber) {
  const Dataset data =
      make_dataset("steps", kStepColumns,
                   std::vector<Step>{{"large", Value::missing("out of memory"), std::nullopt}});
  EXPECT_EQ(table_of(data).rows.front().missing_reason, "out of memory");
  EXPECT_EQ(table_of(data).columns.size(), 2u) << "one for the reason";
}

TEST(Dataset, ExplainsADivisionByZero) {
  const double zero = 0;
  const TableView table = table_of(make_dataset(
      "steps", kStepColumns,
      std::vector<Step>{{"small", {1 / zero, 0.1}, std::nullopt}, {"large", 9.5, 1e9}}));
  EXPECT_EQ(table.rows.at(0).missing_reason, "a number that it divides by is 0");
  EXPECT_EQ(format_value(Value(zero / zero), {Notation::kNoTrailingZeros}), "–");
  EXPECT_EQ(format_value(Value(2.5, 1 / zero)), "2.500");
}

TEST(Dataset, FlagsARowThatLacksOneNumber) {
  Dataset data = steps();
  data.rows.at(1).cells.at(2) = 1.5 * (1LL << 30);
  const TableView table = table_of(data);
  EXPECT_THAT(texts(table, 1), ElementsAre("large", "–", "1.50"));
  EXPECT_THAT(table.rows.at(1).flags, ElementsAre("out of memory"));
}

TEST(Dataset, LeavesOutAColumnWithoutValues) {
  Dataset data = steps();
  for (RowView& row : data.rows) row.cells.at(2) = Value();
  EXPECT_EQ(table_of(data).columns.size(), 2u);
}

TEST(Dataset, AlignsNumbersThatNameARowLeft) {
  const auto time = [](double context) {
    return context < 2000 ? Value(1.5) : Value::missing("out of memory");
  };
  const std::vector<Column<double>> columns{
      {"context", "Context", std::identity(), "", {Notation::kRowNumber}},
      {"time", "Step", time, "ms"}};
  const TableView table = table_of(make_dataset("contexts", columns, {2048.0, 512.0}));
  EXPECT_EQ(table.columns.at(0).align, Align::kLeft);
  EXPECT_THAT(texts(table, 0), ElementsAre("2,048"));
  EXPECT_EQ(*table.rows.at(0).cells.at(0).number(), 2048);
  EXPECT_EQ(table.rows.at(0).missing_reason, "out of memory");
}

TEST(Dataset, ShowsChosenColumnsInTheirOrder) {
  EXPECT_THAT(texts(table_of(steps(), {"size", "peak"}), 0), ElementsAre("small", "3.00"));
  EXPECT_THROW(table_of(steps(), {"weight"}), Error);
}

TEST(Dataset, ConvertsRowsToJson) {
  const nlohmann::json rows = json_rows(steps());
  EXPECT_EQ(rows.at(0), (nlohmann::json{{"size", "small"},
                                        {"time", 116.714},
                                        {"time_text", "116.7 ± 0.3"},
                                        {"time_deviation", 0.294},
                                        {"peak", 3221225472.0},
                                        {"peak_text", "3.00"}}));
  EXPECT_TRUE(rows.at(1).at("time").is_null());
  EXPECT_EQ(rows.at(1).at("reason"), "out of memory");
  const auto is_used = [](const std::string& name) {
    return name == "time" || name == "peak_text";
  };
  EXPECT_EQ(json_rows(steps(), is_used).at(0),
            (nlohmann::json{{"time", 116.714}, {"peak_text", "3.00"}}));
}

TEST(Dataset, FormatsMeansWithTheirDeviation) {
  EXPECT_EQ(format_value(Value::mean_of({1, 2, 3})), "2.0 ± 1.0");
  EXPECT_EQ(format_value(Value::mean_of({2.5})), "2.500");
  EXPECT_EQ(format_value(Value::mean_of({})), "–");
}

TEST(Notations, FormatNumbers) {
  struct WrittenNumber {
    double number;
    Notation notation;
    const char* text;
  };
  for (const auto& [number, notation, text] :
       {WrittenNumber{1234.567, {}, "1,235"},
        {10.00013351, {Notation::kNoTrailingZeros, 10}, "10.00013351"},
        {16392.61, {Notation::kNoTrailingZeros, 5}, "16,393"},
        {-1000, {Notation::kNoTrailingZeros, 5}, "−1000"},
        {-0.0000123, {Notation::kNoTrailingZeros, 5}, "−1.23\u00a0×\u00a010⁻⁵"},
        {2.005, {Notation::kFixed, 1}, "2.0"},
        {128625408, {Notation::kCount}, "128,625,408"},
        {0.468, {Notation::kPercent}, "46.8"},
        {0.996, {Notation::kRelativeError, 2}, "100"},
        {3.64e-8, {Notation::kRelativeError, 2}, "3.6\u00a0×\u00a010⁻⁶"},
        {1048576, {Notation::kMebibytes}, "1.0"}}) {
    EXPECT_EQ(format_value(number, notation), text);
  }
}

TEST(Facts, ShowOnlyTheSituationThatHolds) {
  Facts facts;
  facts.when("grows", true, "factor", "2.4");
  facts.when("falls", false, "factor", "");
  EXPECT_EQ(render_words("{{#grows}}It grows by {{factor}}.{{/grows}}\n{{#falls}}It falls by "
                         "{{factor}}.{{/falls}}",
                         facts, "test"),
            "It grows by 2.4.");
}

}  // namespace
}  // namespace labreport::dataset_test
