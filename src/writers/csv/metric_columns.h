// The metrics of a run's launches as columns of its CSV.
#pragma once

#include <string>
#include <vector>

#include "base/csv.h"
#include "results/run.h"

namespace labreport {

/// What each launch measured, in the order in which metrics first appear; see cells_csv.h for names
/// and units.
class MetricColumns {
 public:
  explicit MetricColumns(const Run& run);

  CsvFields heads() const;
  /// As many as `heads`; empty where the launch has no such metric.
  CsvFields fields(const Cell& cell, const Launch& launch) const;

 private:
  struct Column {
    std::string tag, name, unit;
    bool samples = false;
    bool condition = false;
  };

  static std::vector<double> counted(const Metric& metric, const CellSpec& spec);
  static const Metric* find(const Column& column, const Launch& launch);
  static bool is_running(const Column& column);
  static void add_samples(CsvFields& fields, const Column& column,
                          const std::vector<double>& samples);
  void add(const std::vector<Metric>& metrics, bool conditions);

  std::vector<Column> columns_;
};

}  // namespace labreport
