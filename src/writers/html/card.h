// What the index tells of a run: all of it can be kept without the run itself.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "document/document.h"

namespace labreport {

/// A form of the report beside its page.
struct FormatLink {
  std::string name;  ///< "PDF"
  std::string file;  ///< "report.pdf"
};

struct RunCard {
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
  std::vector<KeyNumber> key_numbers;  ///< The three headline numbers, or fewer.
  std::vector<FormatLink> formats;
};

/// `started_at` may be empty: the document's date stands in.
RunCard run_card(const Document& document, const std::string& folder,
                 const std::string& started_at);

/// The forms of a report among the site's files below `folder`, in the order of the index.
std::vector<FormatLink> formats_among(const std::vector<std::string>& files,
                                      const std::string& folder);

/// Runs of one device, newest first, one's own before those that ship with the project. Devices
/// with a run of one's own come first, then the one that ran last; CPU demonstrations last.
struct CardGroup {
  std::string device;
  bool demonstration = false;
  std::vector<RunCard> cards;
};
std::vector<CardGroup> grouped(std::vector<RunCard> cards);

/// A page of the site that compares two runs.
struct ComparedPair {
  std::string link;  ///< Relative to the index.
  std::string title;
  std::string edition;
  std::string words;  ///< "different hardware: 90 cells match, …"
};

/// One card a run; links are relative to the index.
std::string index_html(const std::vector<RunCard>& cards,
                       const std::vector<ComparedPair>& pairs = {});

// How a card is kept between renders.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KeyNumber, label, value, anchor)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FormatLink, name, file)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunCard, folder, device, edition, preset, started_at, revision,
                                   outcome, demonstration, reference, incomplete, key_numbers,
                                   formats)

}  // namespace labreport
