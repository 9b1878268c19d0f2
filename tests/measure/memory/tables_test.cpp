#include "measure/memory/tables.h"

#include <gtest/gtest.h>

#include "measure/memory/history_script.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::tables_test {
namespace {

class MemoryTables : public testing::Test {
 protected:
  const HistoryScript script_ = one_block_step();
  const MemoryTimeline timeline_ = timeline_of(script_.history, known_in_one_block_step());
};

std::int64_t value(const std::vector<Metric>& metrics, std::string_view tag,
                   std::string_view name) {
  for (const Metric& metric : metrics) {
    if (metric.tag == tag && metric.name == name) {
      return static_cast<std::int64_t>(*metric.number());
    }
  }
  ADD_FAILURE() << tag << ' ' << name << " is missing";
  return -1;
}

std::string text(const Scalar& scalar) { return std::get<std::string>(scalar); }

std::int64_t number(const Scalar& scalar) { return std::get<std::int64_t>(scalar); }

TEST_F(MemoryTables, TimelineHasAColumnForEachCategoryOfTheStep) {
  const Table table = timeline_table(timeline_, 500);
  std::vector<std::string> names;
  for (const TableColumn& column : table.columns) names.push_back(column.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"event", "time_ns", "phase", "parameters", "gradients",
                                      "optimizer", "activations", "temporary", "allocated"}));
  EXPECT_EQ(text(table.rows[0][2]), "");
  EXPECT_EQ(text(table.rows[1][2]), "forward");
  EXPECT_EQ(number(table.rows[1][6]), 500);  // activations
}

TEST_F(MemoryTables, EveryCategoryIsAColumnOfATimeline) {
  for (const MemoryCategory category : kMemoryCategories) {
    const Table table = empty_table(metric::kTimeline, {name(category)});
    EXPECT_EQ(table.columns.at(3).name, name(category));
  }
}

TEST_F(MemoryTables, AllocationsBeginWithTheMostBytesTimesLifetime) {
  const Table table = allocations_table(timeline_, 3);
  ASSERT_EQ(table.rows.size(), 3u);
  const auto& gradient = table.rows[0];  // the longest, although not the largest
  EXPECT_EQ(number(gradient[1]), 1000);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(gradient[3]));
  EXPECT_EQ(text(gradient[8]), "layers.0/ffn/w1");
  EXPECT_EQ(text(gradient[11]), "gradients");
}

TEST_F(MemoryTables, LargestOfForwardComeFirst) {
  const Table table = largest_table(timeline_);
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(number(table.rows[0][0]), 500);
  EXPECT_EQ(text(table.rows[0][2]), "layers/ffn/w1");
  EXPECT_EQ(text(table.rows[0][4]), "aten::mm");
  EXPECT_EQ(text(table.rows[0][6]), "backward");
  EXPECT_EQ(text(table.rows[0][7]), "0");
  EXPECT_EQ(text(table.rows[2][6]), "in the same module");
}

TEST(LargestTable, JoinsEqualAllocationsOfLayers) {
  HistoryScript script;
  for (const char* module : {"layers.0/attn", "layers.1/attn", "layers.12/attn"}) {
    script.in("forward", module, "Softmax", "aten::exp");
    script.allocate(script.history.events.size(), 4096);
  }
  const MemoryTimeline timeline = timeline_of(script.history, {});
  const Table table = largest_table(timeline);
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(number(table.rows[0][1]), 3);
  EXPECT_EQ(text(table.rows[0][6]), "kept");
  EXPECT_EQ(text(table.rows[0][7]), "0–12");
}

TEST_F(MemoryTables, MetricsSplitThePeakAndGiveTheRounding) {
  const auto metrics = timeline_metrics(timeline_);
  std::int64_t sum = 0;
  for (const MemoryCategory category : kMemoryCategories) {
    sum += value(metrics, metric::kCategory, name(category));
  }
  EXPECT_EQ(sum, timeline_.instants[timeline_.peak_index].total_requested());
  EXPECT_EQ(value(metrics, metric::kResident, metric::kParameters), 1000);
  EXPECT_EQ(value(metrics, metric::kRounding, metric::kParameters), 24);
  EXPECT_EQ(value(metrics, metric::kResidual, metric::kRequested), 100);
  EXPECT_EQ(value(metrics, metric::kResidual, metric::kAllocated), 512);
  EXPECT_EQ(value(metrics, metric::kHistory, metric::kLostEvents), 0);
}

TEST_F(MemoryTables, BlockMetricsGiveTheChangeOverBackward) {
  const TransformerBlockMemory block = transformer_block_memory(timeline_);
  EXPECT_EQ(value(block.metrics, metric::kBlock, metric::kKept), 600);
  EXPECT_EQ(value(block.metrics, metric::kBlock, metric::kGradients), 1000);
  const auto change = value(block.metrics, metric::kBlock, metric::kAfterBackward) -
                      value(block.metrics, metric::kBlock, metric::kBeforeBackward);
  EXPECT_EQ(change, 1000 - 600 - 30) << "gradients, kept tensors, a temporary of backward";
  ASSERT_EQ(block.tables.size(), 2u);
  EXPECT_EQ(text(block.tables[0].rows[0][1]), "ffn/w1");
  EXPECT_EQ(number(block.tables[0].rows[0][5]), 500);
}

TEST(TransformerBlockMemory, IsEmptyWithoutABlock) {
  HistoryScript script;
  script.in("forward", "lm_head").allocate(1, 100);
  const MemoryTimeline timeline = timeline_of(script.history, {});
  EXPECT_TRUE(transformer_block_memory(timeline).tables.empty());
}

}  // namespace
}  // namespace labreport::tables_test
