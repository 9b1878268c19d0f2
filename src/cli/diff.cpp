// labreport diff compares two runs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "base/files.h"
#include "base/format.h"
#include "base/messages.h"
#include "base/named_file.h"
#include "base/redaction.h"
#include "base/text.h"
#include "cli/run_choice.h"
#include "cli/verbs.h"
#include "document/comparison/diff_document.h"
#include "experiments/overview/overview.h"
#include "orchestrate/worker_info.h"
#include "plan/editions.h"
#include "publish/cached_charts.h"
#include "publish/chart_renderer.h"
#include "results/run_labels.h"
#include "writers/diff/diff_writers.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

struct DiffFlags {
  std::vector<std::string> runs;
  std::string edition;
  std::string format;
  std::string allowed;
  std::string out;
  std::string price_a, price_b;
  bool fail_on_regression = false;
  bool force = false;
};

/// Returns the page; without its charts if the chart tool fails.
std::string html_page(const Document& document) {
  const fs::path project = project_folder();
  ChartProcess process(project);
  CachedCharts tool(process, process.identity(), ContentCache(cache_folder(project)));
  Drawings drawings;
  try {
    drawings = draw_all({&document}, tool).front();
  } catch (const Error& error) {
    say("charts are left out: {}\n", error.what());
  }
  return single_diff_html(document, drawings);
}

constexpr std::array<const char*, 5> kFormats{"text", "table", "md", "json", "html"};

/// Returns the format of --format, or else that of the extension of --out, or else text.
std::string format_of(const DiffFlags& flags) {
  const std::vector<std::string> known_formats(kFormats.begin(), kFormats.end());
  const auto is_known = [&](const std::string& format) {
    return std::ranges::find(known_formats, format) != known_formats.end();
  };
  if (flags.format.empty()) {
    const std::string extension = fs::path(flags.out).extension().string();
    return is_known(extension.substr(extension.empty() ? 0 : 1)) ? extension.substr(1) : "text";
  }
  if (!is_known(flags.format)) refuse_unknown("format", flags.format, known_formats);
  return flags.format;
}

std::string diff_in_format(const Comparison& comparison, const Document& document,
                           const std::string& format) {
  if (format == "md") return diff_markdown(document);
  if (format == "json") return diff_json(comparison);
  if (format == "html") return html_page(document);
  return format == "table" ? diff_tables(document) : diff_text(document);
}

bool contains(std::string_view text, std::string_view words) {
  return text.find(words) != std::string_view::npos;
}

/// Recognizes JSON by its keys, and other formats by their words about measurements of both runs.
bool is_diff(const fs::path& file) {
  const std::string text = read_file(file);
  return (contains(text, " in both runs, ") && contains(text, " more of ")) ||
         (text.starts_with("{\n  \"schema_version\": ") && contains(text, "\"only_a\": "));
}

/// Prints the text, or writes it to --out. A page is for a browser, so it is always written to a
/// file.
void print_or_write(const std::string& text, const std::string& format, const DiffFlags& flags) {
  const std::string out = flags.out.empty() && format == "html" ? "diff.html" : flags.out;
  if (out.empty()) return fmt::print("{}", text);
  const NamedFile file = named_file(out);
  if (fs::is_regular_file(file.path) && !flags.force && !is_diff(file.path)) {
    throw InputError(out + " is in the way: it is no comparison that this program wrote",
                     "choose another --out, or overwrite it with --force");
  }
  write_named(file, text);
  fmt::print("diff: {}\n", out);
}

std::string why_no_verdict(const Comparison& comparison) {
  const MachineRelation& machines = comparison.machines;
  if (machines.relation != Relation::kSameMachine) {
    const std::string reasons = join(machines.reasons, "; ");
    return std::string(describe(machines.relation)) + (reasons.empty() ? "" : " (" + reasons + ")");
  }
  if (!comparison.mismatches.empty()) return join(comparison.mismatches, "; ");
  return "no undisturbed row has three launches a side";
}

/// Throws if no verdict is possible, because exit status 0 would look like an approval.
ExitStatus regression_status(const Comparison& comparison) {
  if (!comparison.allows_verdicts()) {
    throw InputError("--fail-on-regression: no verdict is possible: " + why_no_verdict(comparison),
                     "measure both runs on one machine with --launches 3 or more");
  }
  const std::size_t slower = comparison.count(Verdict::kSlower);
  if (slower > 0) {
    say("B is slower in {}\n", format_plural(static_cast<std::int64_t>(slower), "row"));
  }
  return slower > 0 ? ExitStatus::kIncomplete : ExitStatus::kDone;
}

/// Returns the prices of an hour on A and on B; zeros if they are not given.
std::pair<double, double> parse_prices(const DiffFlags& flags) {
  if (flags.price_a.empty() && flags.price_b.empty()) return {};
  const auto price = [](const char* flag, const std::string& text) {
    const double value = parse_number<double>(text).value_or(0);
    if (std::isfinite(value) && value > 0) return value;
    throw InputError(
        text.empty() ? fmt::format("{} is missing", flag) : fmt::format("{} is '{}'", flag, text),
        "give what an hour of each GPU costs, such as --price-a 2.49 --price-b 3.79");
  };
  return {price("--price-a", flags.price_a), price("--price-b", flags.price_b)};
}

ExitStatus diff(const DiffFlags& flags) {
  if (flags.runs.size() != 2) {
    throw InputError("diff needs two runs, A and B",
                     "`labreport list runs` shows the runs there are");
  }
  const std::string format = format_of(flags);
  if (!flags.edition.empty()) find_edition(flags.edition);
  const auto [price_a, price_b] = parse_prices(flags);
  CompareOptions options{.allowed_mismatches = parse_allowed_mismatches(flags.allowed)};
  const auto runs = choose_runs(flags.runs, flags.edition, "site/runs", kPreferLabreportsNetwork);
  const ChosenRun &a = runs[0], &b = runs[1];
  const PrivateNames names = private_names();
  const std::string name_a = redacted(a.name, names);
  const std::string name_b = redacted(b.name, names);
  options.name_a = "A (" + name_a + ")";
  options.name_b = "B (" + name_b + ")";
  const Comparison comparison = compare_runs(a.run, b.run, options);
  const auto diff_source = [](const std::string& name, const Run& run, double price) {
    DiffSource source{.name = name, .page = "", .price = price};
    if (run.source != kSourceImported) source.summaries = {overview::run_summary(run)};
    return source;
  };
  const Document document = diff_document(comparison, diff_source(name_a, a.run, price_a),
                                          diff_source(name_b, b.run, price_b));
  if (price_a > 0 && document.script_data.is_null()) {
    throw InputError("--price-a and --price-b: the runs have no step whose cost their GPUs decide",
                     "compare runs of two GPUs that trained the same network, or leave prices out");
  }
  print_or_write(diff_in_format(comparison, document, format), format, flags);
  return flags.fail_on_regression ? regression_status(comparison) : ExitStatus::kDone;
}

}  // namespace

void add_diff(CLI::App& app, Invocation& invocation) {
  const auto [verb, flags] = add_verb<DiffFlags>(app, invocation, "diff", "compare two runs", diff);
  verb->add_option("runs", flags->runs, "A B: each a folder, a file, a GPU, latest or previous");
  verb->add_option("--edition", flags->edition,
                   "the edition of runs named by GPU, latest or previous");
  verb->add_option("--format", flags->format,
                   "text, table (every row), md, json or html (default: as --out ends, else text)");
  verb->add_option("--out", flags->out, "file to write instead of printing (for html: diff.html)");
  verb->add_option("--price-a", flags->price_a,
                   "with --price-b: what an hour of A and of B costs; says which to rent");
  verb->add_option("--price-b", flags->price_b, "what an hour of B costs, in the same currency");
  verb->add_option("--allow-mismatch", flags->allowed, "fields that may differ: batch,vocab");
  verb->add_flag("--fail-on-regression", flags->fail_on_regression,
                 "status 1 if a verdict is that B is slower, 2 if no verdict is possible");
  verb->add_flag("--force", flags->force, "overwrite a file that is no comparison");
}

}  // namespace labreport
