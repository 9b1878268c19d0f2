// A run's summary is small enough to keep for every run. Pages over several runs are made of
// summaries.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "document/document.h"

namespace labreport {

/// The main numbers of a run. The names of the members are keys of summary.json.
struct RunSummary {
  std::string folder;  ///< Inside the site: "nvidia-h200/2025/<time>-<revision>"
  std::string title;   ///< "Profiling and benchmarking (§1.1)"
  std::string device;
  std::string edition;
  std::string preset;
  std::string started_at;      ///< UTC, ISO 8601; only a date if no time is known.
  std::string revision;        ///< Empty if unknown.
  std::string outcome;         ///< "40 cells: 38 ok, 2 out of memory"
  bool demonstration = false;  ///< True for a run on a CPU with tiny sizes.
  bool reference = false;      ///< True for a run that ships with the project.
  bool incomplete = false;     ///< True if the run was interrupted and cells are missing.
  Headline headline = {};
  /// Names of the problems that the run answers, for a run without a training step: "ladder and 3
  /// more".
  std::string problems = {};
  std::vector<KeyNumber> key_numbers = {};
  std::vector<Quantity> quantities = {};
  MemoryEvidence memory = {};

  /// Returns the folder of all runs of this GPU: "nvidia-h200".
  std::string gpu_folder() const;
  /// Returns the device without a count: "NVIDIA H200" for "2 × NVIDIA H200".
  std::string gpu() const;
  /// Returns the address of a part on the run's page, or of the page if the anchor is empty.
  std::string address(const std::string& anchor) const;
  /// True if this run began later. Of runs of one second, that with the smaller folder name counts
  /// as newer, so that an order of runs is always the same.
  bool is_newer_than(const RunSummary& other) const;
};

// The form of summary.json, which summary.schema.json describes.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Headline, network, precision, fp32_ms, mixed_ms, mfu, peak_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KeyNumber, topic, words, part)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Quantity, topic, network, parameters, precision, setting, unit,
                                   values, remark, part)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ModelShape, d_model, d_ff, layers, heads, vocab)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Size, name, shape)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ConfirmedPeaks, mode, precision, peaks, farthest, batch, context,
                                   blocks, ranks, workspace)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MemoryEvidence, device_bytes, networks, confirmed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunSummary, folder, title, device, edition, preset, started_at,
                                   revision, outcome, demonstration, reference, incomplete,
                                   headline, problems, key_numbers, quantities, memory)

/// Summarizes a run's report. If `started_at` is empty, the document's date is used. The summary of
/// a run that mostly failed has no headline and no numbers.
RunSummary run_summary(const Document& document, const std::string& folder,
                       const std::string& started_at);

/// Returns the content of summary.json.
std::string summary_json(const RunSummary& summary);

/// Returns the JSON schema of summary.json.
std::string_view summary_schema();

}  // namespace labreport
