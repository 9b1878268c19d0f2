// Joins the reports of several runs into one write-up, which is a document like any other.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "document/document.h"

namespace labreport {

/// The anchor of a joined report's first part.
inline constexpr const char* kListOfRuns = "runs";

/// One run's share of a write-up.
struct RunReport {
  Document report;  ///< It has no other problems than those of `code`.
  /// Names for each problem the user's code that it measured, "model.py:Model"; empty for
  /// labreport's code.
  std::map<std::string, std::string> code;
  std::string run_json, cells_csv;  ///< The bytes of run.json and cells.csv.
};

/// Joins at least two reports, whose problems differ. Problems follow in the order of `problems`.
/// The first section lists them with the run, GPU, date and code that gave each. The first problem
/// of each run follows the run's summary and outcome. Method, environment and commands stand once
/// for each run. No data are merged: each part keeps the numbers of its run, which the part names.
/// The document has "runs/1.json" and "runs/1.csv" as attachments of the first part.
Document joined_report(std::vector<RunReport> runs, const std::vector<std::string>& problems);

}  // namespace labreport
