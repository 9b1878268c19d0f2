#include "cli/cached_charts.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/stamp.h"

namespace labreport {
namespace {

/// What one start of the tool draws: within its time limit also on a busy machine, and what is
/// drawn is kept should the next be interrupted.
constexpr std::size_t kBatch = 40;

std::string described(const TypesetJob& job) {
  std::string text = "typeset\n" + job.source;
  for (const auto& [path, bytes] : job.pictures) text += "\n" + path + " " + content_hash(bytes);
  return text;
}

}  // namespace

CachedCharts::CachedCharts(ChartTool& tool, std::string identity, ContentCache cache)
    : tool_(tool), identity_(std::move(identity)), cache_(std::move(cache)) {}

/// Each spec that neither this call nor an earlier one has drawn, once.
std::vector<std::string> CachedCharts::missing(const std::vector<std::string>& specs) {
  std::vector<std::string> missing;
  for (const std::string& spec : specs) {
    const auto [place, is_new] = drawn_.try_emplace(spec);
    if (!is_new) continue;
    auto kept = identity_.empty() ? std::nullopt : cache_.find(key(spec));
    if (!kept)
      missing.push_back(spec);
    else
      place->second = std::move(*kept);
  }
  return missing;
}

std::vector<std::string> CachedCharts::draw(const std::vector<std::string>& specs) {
  drawn_.clear();
  const std::vector<std::string> wanted = missing(specs);
  for (std::size_t i = 0; i < wanted.size(); i += kBatch) {
    const auto begin = wanted.begin() + static_cast<std::ptrdiff_t>(i);
    const std::vector<std::string> batch(begin, begin + std::min(kBatch, wanted.size() - i));
    const std::vector<std::string> svgs = tool_.draw(batch);
    if (svgs.size() != batch.size()) throw Error("the chart tool drew another number of charts");
    for (std::size_t j = 0; j < batch.size(); ++j) {
      drawn_[batch[j]] = svgs[j];
      if (!identity_.empty()) cache_.keep(key(batch[j]), svgs[j]);
    }
  }
  if (!wanted.empty()) cache_.trim();
  std::vector<std::string> svgs;
  for (const std::string& spec : specs) svgs.push_back(drawn_.at(spec));
  return svgs;
}

std::optional<Print> CachedCharts::kept_print(const std::string& svg) const {
  if (identity_.empty()) return std::nullopt;
  auto pdf = cache_.find(key("pdf " + svg));
  auto png = cache_.find(key("png " + svg));
  if (!pdf || !png) return std::nullopt;
  return Print{std::move(*pdf), std::move(*png)};
}

std::vector<Print> CachedCharts::print(const std::vector<std::string>& svgs) {
  std::vector<Print> prints(svgs.size());
  std::vector<std::string> wanted;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < svgs.size(); ++i) {
    if (auto kept = kept_print(svgs[i])) {
      prints[i] = std::move(*kept);
    } else {
      wanted.push_back(svgs[i]);
      places.push_back(i);
    }
  }
  if (wanted.empty()) return prints;
  const std::vector<Print> made = tool_.print(wanted);
  if (made.empty()) return {};  // a tool that cannot
  if (made.size() != wanted.size()) throw Error("the chart tool printed another number of charts");
  for (std::size_t i = 0; i < made.size(); ++i) {
    prints[places[i]] = made[i];
    if (identity_.empty()) continue;
    cache_.keep(key("pdf " + wanted[i]), made[i].pdf);
    cache_.keep(key("png " + wanted[i]), made[i].png);
  }
  return prints;
}

std::vector<Typeset> CachedCharts::typeset(const std::vector<TypesetJob>& jobs) {
  std::vector<Typeset> all(jobs.size());
  std::vector<TypesetJob> wanted;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    auto kept = identity_.empty() ? std::nullopt : cache_.find(key(described(jobs[i])));
    if (kept) {
      all[i].pdf = std::move(*kept);
    } else {
      wanted.push_back(jobs[i]);
      places.push_back(i);
    }
  }
  if (wanted.empty()) return all;
  const std::vector<Typeset> made = tool_.typeset(wanted);
  if (made.size() != wanted.size()) throw Error("the typesetter made another number of documents");
  for (std::size_t i = 0; i < made.size(); ++i) {
    all[places[i]] = made[i];
    const bool keep = !identity_.empty() && !made[i].pdf.empty();
    if (keep) cache_.keep(key(described(wanted[i])), made[i].pdf);
  }
  return all;
}

std::string CachedCharts::bundle() {
  if (identity_.empty()) return tool_.bundle();
  if (auto kept = cache_.find(key("bundle"))) return *kept;
  const std::string made = tool_.bundle();
  cache_.keep(key("bundle"), made);
  return made;
}

}  // namespace labreport
