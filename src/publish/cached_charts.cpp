#include "publish/cached_charts.h"

#include <algorithm>
#include <set>
#include <span>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "base/stamp.h"

namespace labreport {
namespace {

/// The number of jobs in one start of the tool, few enough for its time limit on a busy machine.
/// Their results are stored before the next start, which may be interrupted.
constexpr std::size_t kBatch = 40;

std::string described(const TypesetJob& job) {
  std::string text = "typeset\n" + job.source;
  for (const auto& [path, bytes] : job.pictures) text += "\n" + path + " " + content_hash(bytes);
  return text;
}

/// Returns one result for each job. `make` makes those that `find` lacks, a batch at a time, and
/// `store` caches them. Returns no results if the tool cannot print.
template <typename Result, typename Job, typename Find, typename Store, typename Make>
std::vector<Result> find_or_make(const std::vector<Job>& jobs, const char* what, Find find,
                                 Store store, Make make) {
  std::vector<Result> results(jobs.size());
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (auto found = find(jobs[i])) {
      results[i] = std::move(*found);
    } else {
      missing.push_back(i);
    }
  }
  for (std::span<const std::size_t> rest = missing; !rest.empty();) {
    std::vector<Job> batch;
    for (const std::size_t place : rest.first(std::min(kBatch, rest.size()))) {
      batch.push_back(jobs[place]);
    }
    std::vector<Result> made = make(batch);
    if (made.empty() && std::is_same_v<Result, PrintedChart>) return {};
    if (made.size() != batch.size()) {
      throw Error(std::string("the chart tool made another number of ") + what);
    }
    for (std::size_t i = 0; i < made.size(); ++i) {
      store(batch[i], made[i]);
      results[rest[i]] = std::move(made[i]);
    }
    rest = rest.subspan(batch.size());
  }
  return results;
}

}  // namespace

CachedCharts::CachedCharts(ChartTool& tool, std::string identity, ContentCache cache)
    : tool_(tool), identity_(std::move(identity)), cache_(std::move(cache)) {}

std::optional<std::string> CachedCharts::find(const std::string& what) const {
  return identity_.empty() ? std::nullopt : cache_.find(key(what));
}

void CachedCharts::store(const std::string& what, const std::string& bytes) const {
  if (!identity_.empty()) cache_.store(key(what), bytes);
}

std::vector<std::string> CachedCharts::draw(const std::vector<std::string>& specs) {
  const std::set<std::string> once(specs.begin(), specs.end());
  const std::vector<std::string> distinct(once.begin(), once.end());
  bool fresh = false;
  const auto drawn = find_or_make<std::string>(
      distinct, "charts", [this](const std::string& spec) { return find(spec); },
      [&](const std::string& spec, const std::string& svg) { store(spec, svg), fresh = true; },
      [this](const std::vector<std::string>& missing) { return tool_.draw(missing); });
  if (fresh) cache_.trim();
  std::vector<std::string> svgs;
  for (const std::string& spec : specs) {
    const auto place = std::ranges::lower_bound(distinct, spec) - distinct.begin();
    svgs.push_back(drawn[static_cast<std::size_t>(place)]);
  }
  return svgs;
}

std::vector<PrintedChart> CachedCharts::print(const std::vector<std::string>& svgs) {
  const auto find_both = [this](const std::string& svg) -> std::optional<PrintedChart> {
    auto pdf = find("pdf " + svg);
    auto png = find("png " + svg);
    return pdf && png ? std::optional(PrintedChart{std::move(*pdf), std::move(*png)})
                      : std::nullopt;
  };
  const auto store_both = [this](const std::string& svg, const PrintedChart& print) {
    store("pdf " + svg, print.pdf);
    store("png " + svg, print.png);
  };
  return find_or_make<PrintedChart>(
      svgs, "prints", find_both, store_both,
      [this](const std::vector<std::string>& missing) { return tool_.print(missing); });
}

std::vector<TypesetResult> CachedCharts::typeset(const std::vector<TypesetJob>& jobs) {
  const auto cached = [this](const TypesetJob& job) -> std::optional<TypesetResult> {
    auto pdf = find(described(job));
    return pdf ? std::optional(TypesetResult{std::move(*pdf), ""}) : std::nullopt;
  };
  return find_or_make<TypesetResult>(
      jobs, "documents", cached,
      [this](const TypesetJob& job, const TypesetResult& typeset) {
        if (!typeset.pdf.empty()) store(described(job), typeset.pdf);
      },
      [this](const std::vector<TypesetJob>& missing) { return tool_.typeset(missing); });
}

std::vector<std::string> CachedCharts::render_latex(const std::vector<std::string>& trees) {
  return find_or_make<std::string>(
      trees, "texts", [this](const std::string& tree) { return find("latex " + tree); },
      [this](const std::string& tree, const std::string& text) {
        if (!text.empty()) store("latex " + tree, text);
      },
      [this](const std::vector<std::string>& missing) { return tool_.render_latex(missing); });
}

Formulas CachedCharts::convert_formulas(const std::set<std::string>& sources) {
  Formulas formulas;
  std::set<std::string> missing;
  for (const std::string& source : sources) {
    const auto cached = find("formula " + source);
    if (cached) formulas.merge(parse_formulas(*cached));
    if (!cached) missing.insert(source);
  }
  if (missing.empty()) return formulas;
  const Formulas made = tool_.convert_formulas(missing);
  for (const std::string& source : missing) {
    const auto form = made.find(source);  // absent if refused, which is cached as no formula
    const Formulas one = form == made.end() ? Formulas() : Formulas{*form};
    store("formula " + source, formulas_json(one));
    formulas.insert(one.begin(), one.end());
  }
  return formulas;
}

std::string CachedCharts::bundle() {
  if (auto cached = find("bundle")) return *cached;
  const std::string made = tool_.bundle();
  store("bundle", made);
  return made;
}

}  // namespace labreport
