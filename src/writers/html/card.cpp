#include "writers/html/card.h"

#include <algorithm>
#include <tuple>

namespace labreport {
namespace {

constexpr std::size_t kHeadlines = 3;

/// Every form that a report can have, in the order in which the index names them.
constexpr std::pair<const char*, const char*> kLinkedFormats[] = {
    {"PDF", "report.pdf"},       {"one file", "report.html"}, {"Markdown", "report.md"},
    {"Typst", "report.typ"},     {"LaTeX", "report.tex"},     {"CSV", "cells.csv"},
    {"run as JSON", "run.json"},
};

/// Of the runs that ship with the project the full ones are worth a reader's first look.
bool is_excerpt(const RunCard& card) { return card.reference && card.preset != "full"; }

/// Smaller comes first; ISO times compare as texts.
bool before(const RunCard& a, const RunCard& b) {
  if (is_excerpt(a) != is_excerpt(b)) return is_excerpt(b);
  return std::tie(a.reference, b.started_at, b.folder) <
         std::tie(b.reference, a.started_at, a.folder);
}

bool before(const CardGroup& a, const CardGroup& b) {
  if (a.demonstration != b.demonstration) return b.demonstration;
  const RunCard& first = a.cards.front();
  const RunCard& second = b.cards.front();
  return std::tie(first.reference, second.started_at, a.device) <
         std::tie(second.reference, first.started_at, b.device);
}

}  // namespace

RunCard run_card(const Document& document, const std::string& folder,
                 const std::string& started_at) {
  RunCard card{.folder = folder,
               .device = document.device,
               .edition = document.edition,
               .preset = document.preset,
               .started_at = started_at.empty() ? document.date : started_at,
               .revision = document.revision,
               .outcome = document.outcome_line,
               .demonstration = document.demonstration,
               .reference = document.reference,
               .incomplete = document.incomplete,
               .key_numbers = document.key_numbers,
               .formats = {}};
  if (card.key_numbers.size() > kHeadlines) card.key_numbers.resize(kHeadlines);
  return card;
}

std::vector<FormatLink> formats_among(const std::vector<std::string>& files,
                                      const std::string& folder) {
  std::vector<FormatLink> found;
  for (const auto& [name, file] : kLinkedFormats) {
    if (std::ranges::find(files, folder + "/" + file) != files.end()) found.push_back({name, file});
  }
  return found;
}

std::vector<CardGroup> grouped(std::vector<RunCard> cards) {
  std::vector<CardGroup> groups;
  for (RunCard& card : cards) {
    auto group = std::ranges::find_if(groups, [&card](const CardGroup& known) {
      return known.device == card.device && known.demonstration == card.demonstration;
    });
    if (group == groups.end()) {
      groups.push_back({card.device, card.demonstration, {}});
      group = groups.end() - 1;
    }
    group->cards.push_back(std::move(card));
  }
  for (CardGroup& group : groups) {
    std::ranges::sort(group.cards, [](const auto& a, const auto& b) { return before(a, b); });
  }
  std::ranges::sort(groups, [](const auto& a, const auto& b) { return before(a, b); });
  return groups;
}

}  // namespace labreport
