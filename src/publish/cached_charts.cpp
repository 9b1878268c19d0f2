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

/// One start of the tool makes at most this many results, so that it keeps its time limit on a busy
/// machine. Each start's results are stored before the next start, which may be interrupted.
constexpr std::size_t kJobsPerStart = 40;

std::string typeset_request(const TypesetJob& job) {
  std::string text = "typeset\n" + job.source;
  for (const auto& [path, bytes] : job.pictures) text += "\n" + path + " " + content_hash(bytes);
  return text;
}

/// Returns one result for each job. `make` makes the results that `find` does not find, a batch at
/// a time, and `store` caches them. Returns no results if the tool cannot print charts.
template <typename Result, typename Job, typename Find, typename Store, typename Make>
std::vector<Result> find_or_make(const std::vector<Job>& jobs, const char* results_name, Find find,
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
    for (const std::size_t position : rest.first(std::min(kJobsPerStart, rest.size()))) {
      batch.push_back(jobs[position]);
    }
    std::vector<Result> new_results = make(batch);
    if (new_results.empty() && std::is_same_v<Result, PrintedChart>) return {};
    if (new_results.size() != batch.size()) {
      throw Error(std::string("the chart tool made another number of ") + results_name);
    }
    for (std::size_t i = 0; i < new_results.size(); ++i) {
      store(batch[i], new_results[i]);
      results[rest[i]] = std::move(new_results[i]);
    }
    rest = rest.subspan(batch.size());
  }
  return results;
}

}  // namespace

CachedCharts::CachedCharts(ChartTool& tool, std::string identity, ContentCache cache)
    : tool_(tool), identity_(std::move(identity)), cache_(std::move(cache)) {}

std::optional<std::string> CachedCharts::find(const std::string& request) const {
  return identity_.empty() ? std::nullopt : cache_.find(key(request));
}

void CachedCharts::store(const std::string& request, const std::string& bytes) const {
  if (!identity_.empty()) cache_.store(key(request), bytes);
}

std::vector<std::string> CachedCharts::draw(const std::vector<std::string>& specs) {
  const std::set<std::string> unique_specs(specs.begin(), specs.end());
  const std::vector<std::string> sorted_specs(unique_specs.begin(), unique_specs.end());
  bool has_stored = false;
  const auto drawn = find_or_make<std::string>(
      sorted_specs, "charts", [this](const std::string& spec) { return find(spec); },
      [&](const std::string& spec, const std::string& svg) { store(spec, svg), has_stored = true; },
      [this](const std::vector<std::string>& missing) { return tool_.draw(missing); });
  if (has_stored) cache_.trim();
  std::vector<std::string> svgs;
  for (const std::string& spec : specs) {
    const auto position = std::ranges::lower_bound(sorted_specs, spec) - sorted_specs.begin();
    svgs.push_back(drawn[static_cast<std::size_t>(position)]);
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
  const auto store_both = [this](const std::string& svg, const PrintedChart& chart) {
    store("pdf " + svg, chart.pdf);
    store("png " + svg, chart.png);
  };
  return find_or_make<PrintedChart>(
      svgs, "prints", find_both, store_both,
      [this](const std::vector<std::string>& missing) { return tool_.print(missing); });
}

std::vector<TypesetResult> CachedCharts::typeset(const std::vector<TypesetJob>& jobs) {
  const auto find_pdf = [this](const TypesetJob& job) -> std::optional<TypesetResult> {
    auto pdf = find(typeset_request(job));
    return pdf ? std::optional(TypesetResult{std::move(*pdf), ""}) : std::nullopt;
  };
  return find_or_make<TypesetResult>(
      jobs, "documents", find_pdf,
      [this](const TypesetJob& job, const TypesetResult& result) {
        const bool is_whole = !result.pdf.empty() && result.missing_letters.empty();
        if (is_whole) store(typeset_request(job), result.pdf);
      },
      [this](const std::vector<TypesetJob>& missing) { return tool_.typeset(missing); });
}

std::vector<std::string> CachedCharts::render_latex(const std::vector<std::string>& reports) {
  return find_or_make<std::string>(
      reports, "texts", [this](const std::string& report) { return find("latex " + report); },
      [this](const std::string& report, const std::string& text) {
        if (!text.empty()) store("latex " + report, text);
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
  const Formulas converted = tool_.convert_formulas(missing);
  for (const std::string& source : missing) {
    const auto formula = converted.find(source);  // A refused formula is absent.
    const Formulas entry = formula == converted.end() ? Formulas() : Formulas{*formula};
    store("formula " + source, formulas_json(entry));
    formulas.insert(entry.begin(), entry.end());
  }
  return formulas;
}

std::string CachedCharts::bundle() {
  if (auto cached = find("bundle")) return *cached;
  const std::string script = tool_.bundle();
  store("bundle", script);
  return script;
}

}  // namespace labreport
