// The site's first page as a part of a document: all runs side by side, and what is told of each,
// which can be kept without the run itself.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "document/document.h"

namespace labreport {

struct RunEntry {
  std::string folder;  ///< Inside the site: "nvidia-h200/2025/<time>-<revision>"
  std::string device;
  std::string edition;
  std::string preset;
  std::string started_at;  ///< UTC, ISO 8601; a date alone where nothing more is known.
  std::string revision;    ///< Empty when unknown.
  std::string outcome;     ///< "40 cells: 38 ok, 2 out of memory"
  bool demonstration = false;
  bool reference = false;
  bool incomplete = false;
  Headline headline = {};
  std::string problems = {};  ///< That it answers, where no network's step stands for it.
  std::vector<KeyNumber> key_numbers = {};
  std::vector<TunedStep> tuned = {};
};

/// `started_at` may be empty: the document's date stands in.
RunEntry run_entry(const Document& document, const std::string& folder,
                   const std::string& started_at);

// How an entry is kept between renders.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Headline, network, precision, fp32_ms, mixed_ms, mfu, peak_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KeyNumber, topic, words, part)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TunedStep::Rung, change, ms)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TunedStep, network, precision, parameters, rungs)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunEntry, folder, device, edition, preset, started_at, revision,
                                   outcome, demonstration, reference, incomplete, headline,
                                   problems, key_numbers, tuned)

/// What was found across GPUs, in sentences; the ladders of one network side by side; a matrix of
/// GPUs and topics, each cell the newest run's finding. Figures of the newest run of each device
/// and edition, and of each device's history where it has three runs; one table with a row a run,
/// one's own first, CPU demonstrations last. Links are relative to the site's root.
Document index_document(std::vector<RunEntry> entries);

}  // namespace labreport
