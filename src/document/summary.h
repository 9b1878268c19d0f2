// A run's summary is small enough to keep for every run. Pages over several runs are made of it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "document/document.h"

namespace labreport {

struct RunSummary {
  std::string folder;  ///< Inside the site: "nvidia-h200/2025/<time>-<revision>"
  std::string title;   ///< "Profiling and benchmarking (§1.1)"
  std::string device;
  std::string edition;
  std::string preset;
  std::string started_at;  ///< UTC, ISO 8601; only a date if no time is known.
  std::string revision;    ///< Empty if unknown.
  std::string outcome;     ///< "40 cells: 38 ok, 2 out of memory"
  bool demonstration = false;
  bool reference = false;
  bool incomplete = false;
  Headline headline = {};
  std::string problems = {};  ///< Names of answered problems; empty if the headline has a network.
  std::vector<KeyNumber> key_numbers = {};
  std::vector<Quantity> quantities = {};
  MemoryFormulas memory = {};

  /// The folder of all runs of this GPU: "nvidia-h200".
  std::string gpu_folder() const;
  /// The GPU without a count: "NVIDIA H200" for "2 × NVIDIA H200".
  std::string gpu() const;
  /// The address of a part's anchor on the run's page; an empty anchor is the page itself.
  std::string address(const std::string& anchor) const;
  /// True if this run is newer, or began in the same second and has the smaller folder name.
  bool is_before(const RunSummary& other) const;
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
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MemoryFormulas, device_bytes, networks, confirmed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunSummary, folder, title, device, edition, preset, started_at,
                                   revision, outcome, demonstration, reference, incomplete,
                                   headline, problems, key_numbers, quantities, memory)

/// If `started_at` is empty, the document's date is used. A run that mostly failed has no headline
/// and no numbers.
RunSummary run_summary(const Document& document, const std::string& folder,
                       const std::string& started_at);

/// Returns the content of summary.json.
std::string summary_json(const RunSummary& summary);

std::string_view summary_schema();

}  // namespace labreport
