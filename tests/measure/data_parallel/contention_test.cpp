#include "measure/data_parallel/contention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::contention_test {
namespace {

using testing::ElementsAre;

/// Adds the product of a layer's w1, whose kernel begins at `start`.
void add_product(Trace& trace, const char* layer, std::uint64_t op, std::int64_t start,
                 std::int64_t duration) {
  const std::int64_t at = 10 * static_cast<std::int64_t>(op);
  trace.push_back({TraceKind::kRange, layer, at, 9, 1, 0, 0, -1, 0});
  trace.push_back({TraceKind::kRange, "w1", at + 1, 7, 1, 0, 0, -1, 0});
  trace.push_back({TraceKind::kOperator, "aten::mm", at + 2, 5, 1, op, 0, -1, 0});
  trace.push_back({TraceKind::kKernel, "gemm", start, duration, 0, 0, op, -1, 7});
}

TraceEvent all_gather(std::int64_t start, std::int64_t duration) {
  return {TraceKind::kKernel, "ncclDevKernel_AllGather", start, duration, 0, 0, 0, -1, 8};
}

std::vector<double> numbers_in(const Table& table, std::size_t row) {
  const MeasuredRow read(table, row);
  std::vector<double> numbers;
  for (const auto name : {column::kBesideInstances, column::kBesideTotalNs, column::kCoveredNs,
                          column::kAloneInstances, column::kAloneTotalNs})
    numbers.push_back(*read.number(name));
  return numbers;
}

TEST(ContentionTable, AddsUpTheBlocksByWhetherCollectivesRunBeside) {
  Trace trace{{TraceKind::kRange, "forward", 0, 100, 1, 0, 0, -1, 0}};
  add_product(trace, "layers.0", 1, 100, 50);
  add_product(trace, "layers.1", 2, 200, 60);
  add_product(trace, "layers.2", 3, 300, 58);
  trace.push_back(all_gather(140, 10));  // It ends with the first product.
  trace.push_back(all_gather(190, 30));
  trace.push_back(all_gather(210, 20));  // Two collectives at once count once.
  const Table table = contention_table(trace);
  ASSERT_EQ(table.rows.size(), 1u);
  const MeasuredRow row(table, 0);
  EXPECT_EQ(row.text(column::kPhase), "forward");
  EXPECT_EQ(row.text(column::kModule), "layers/w1");
  EXPECT_EQ(row.text(column::kClass), "gemm");
  EXPECT_THAT(numbers_in(table, 0), ElementsAre(2, 50 + 60, 10 + 30, 1, 58));
}

TEST(ContentionTable, TellsTheKernelsOfAModuleApartByTheirPlace) {
  Trace trace{{TraceKind::kRange, "forward", 0, 100, 1, 0, 0, -1, 0}};
  add_product(trace, "layers.0", 1, 100, 50);
  trace.push_back({TraceKind::kKernel, "gemm", 150, 20, 0, 0, 1, -1, 7});
  const Table table = contention_table(trace);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_THAT(numbers_in(table, 0), ElementsAre(0, 0, 0, 1, 50));
  EXPECT_THAT(numbers_in(table, 1), ElementsAre(0, 0, 0, 1, 20));
}

TEST(ContentionTable, HasNoRowsOutsideOfModulesAndPasses) {
  Trace trace{{TraceKind::kRange, "optimizer", 0, 100, 1, 0, 0, -1, 0}};
  add_product(trace, "layers.0", 1, 100, 50);
  trace.push_back({TraceKind::kKernel, "stranger", 160, 20, 0, 0, 0, -1, 7});
  EXPECT_TRUE(contention_table(trace).rows.empty());
}

}  // namespace
}  // namespace labreport::contention_test
