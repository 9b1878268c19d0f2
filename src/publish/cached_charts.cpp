#include "publish/cached_charts.h"

#include <algorithm>
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

template <typename Result, typename Job>
std::vector<Result> same_count(std::vector<Result> made, const std::vector<Job>& jobs,
                               const std::string& what) {
  if (made.size() != jobs.size()) throw Error("the chart tool made another number of " + what);
  return made;
}

/// Each job's result: kept, or else made with all the others that are not kept. Nothing at all
/// where `make` makes nothing.
template <typename Result, typename Job, typename Kept, typename Make>
std::vector<Result> make_the_rest(const std::vector<Job>& jobs, Kept kept, Make make) {
  std::vector<Result> results(jobs.size());
  std::vector<Job> wanted;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (auto found = kept(jobs[i])) {
      results[i] = std::move(*found);
    } else {
      wanted.push_back(jobs[i]);
      places.push_back(i);
    }
  }
  if (wanted.empty()) return results;
  std::vector<Result> made = make(wanted);
  if (made.empty()) return {};
  for (std::size_t i = 0; i < made.size(); ++i) results[places[i]] = std::move(made[i]);
  return results;
}

}  // namespace

CachedCharts::CachedCharts(ChartTool& tool, std::string identity, ContentCache cache)
    : tool_(tool), identity_(std::move(identity)), cache_(std::move(cache)) {}

std::optional<std::string> CachedCharts::find(const std::string& what) const {
  return identity_.empty() ? std::nullopt : cache_.find(key(what));
}

void CachedCharts::keep(const std::string& what, const std::string& bytes) const {
  if (!identity_.empty()) cache_.keep(key(what), bytes);
}

std::vector<std::string> CachedCharts::draw_and_keep(const std::vector<std::string>& specs) {
  std::vector<std::string> svgs;
  for (std::size_t i = 0; i < specs.size(); i += kBatch) {
    const auto begin = specs.begin() + static_cast<std::ptrdiff_t>(i);
    const std::vector<std::string> batch(begin, begin + std::min(kBatch, specs.size() - i));
    const std::vector<std::string> drawn = same_count(tool_.draw(batch), batch, "charts");
    for (std::size_t j = 0; j < batch.size(); ++j) keep(batch[j], drawn[j]);
    svgs.insert(svgs.end(), drawn.begin(), drawn.end());
  }
  cache_.trim();
  return svgs;
}

std::vector<std::string> CachedCharts::draw(const std::vector<std::string>& specs) {
  const std::set<std::string> once(specs.begin(), specs.end());
  const std::vector<std::string> distinct(once.begin(), once.end());
  const std::vector<std::string> drawn = make_the_rest<std::string>(
      distinct, [this](const std::string& spec) { return find(spec); },
      [this](const std::vector<std::string>& wanted) { return draw_and_keep(wanted); });
  std::vector<std::string> svgs;
  for (const std::string& spec : specs) {
    const auto place = std::ranges::lower_bound(distinct, spec) - distinct.begin();
    svgs.push_back(drawn[static_cast<std::size_t>(place)]);
  }
  return svgs;
}

std::optional<Print> CachedCharts::kept_print(const std::string& svg) const {
  auto pdf = find("pdf " + svg);
  auto png = find("png " + svg);
  if (!pdf || !png) return std::nullopt;
  return Print{std::move(*pdf), std::move(*png)};
}

std::vector<Print> CachedCharts::print(const std::vector<std::string>& svgs) {
  const auto make = [this](const std::vector<std::string>& wanted) {
    std::vector<Print> made = tool_.print(wanted);
    if (made.empty()) return made;  // a tool that cannot
    made = same_count(std::move(made), wanted, "prints");
    for (std::size_t i = 0; i < made.size(); ++i) {
      keep("pdf " + wanted[i], made[i].pdf);
      keep("png " + wanted[i], made[i].png);
    }
    return made;
  };
  return make_the_rest<Print>(
      svgs, [this](const std::string& svg) { return kept_print(svg); }, make);
}

std::vector<Typeset> CachedCharts::typeset(const std::vector<TypesetJob>& jobs) {
  const auto kept = [this](const TypesetJob& job) -> std::optional<Typeset> {
    auto pdf = find(described(job));
    if (!pdf) return std::nullopt;
    return Typeset{std::move(*pdf), ""};
  };
  const auto make = [this](const std::vector<TypesetJob>& wanted) {
    std::vector<Typeset> made = same_count(tool_.typeset(wanted), wanted, "documents");
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (!made[i].pdf.empty()) keep(described(wanted[i]), made[i].pdf);
    }
    return made;
  };
  return make_the_rest<Typeset>(jobs, kept, make);
}

std::vector<std::string> CachedCharts::latex(const std::vector<std::string>& trees) {
  const auto make = [this](const std::vector<std::string>& wanted) {
    std::vector<std::string> made = same_count(tool_.latex(wanted), wanted, "texts");
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (!made[i].empty()) keep("latex " + wanted[i], made[i]);
    }
    return made;
  };
  return make_the_rest<std::string>(
      trees, [this](const std::string& tree) { return find("latex " + tree); }, make);
}

Formulas CachedCharts::convert(const std::set<std::string>& sources) {
  Formulas known;
  std::set<std::string> wanted;
  for (const std::string& source : sources) {
    const auto kept = find("formula " + source);
    if (kept) known.merge(parse_formulas(*kept));
    if (!kept) wanted.insert(source);
  }
  if (wanted.empty()) return known;
  const Formulas made = tool_.convert(wanted);
  for (const std::string& source : wanted) {
    const auto form = made.find(source);  // none: refused, then as now
    const Formulas one = form == made.end() ? Formulas() : Formulas{*form};
    keep("formula " + source, formulas_json(one));
    known.insert(one.begin(), one.end());
  }
  return known;
}

std::string CachedCharts::bundle() {
  if (auto kept = find("bundle")) return *kept;
  const std::string made = tool_.bundle();
  keep("bundle", made);
  return made;
}

}  // namespace labreport
