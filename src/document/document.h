// A report independent of its format, as each writer (HTML, Markdown, …) receives it.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "document/formulas.h"
#include "document/value.h"

namespace labreport {

enum class Align { kLeft, kRight };

/// Chooses whether a report shows generated answers and findings (`kFull`) or leaves them out
/// (`kNone`). Numbers in tables and charts always stay.
enum class Answers { kNone, kFull };

struct ColumnView {
  std::string title;
  std::string unit;  ///< The unit of all numbers in the column; may be empty.
  Align align = Align::kRight;
  bool is_code = false;  ///< True for commands: monospaced, with a button that copies the text.
  Notation notation = {};

  std::string head() const;  ///< "forward (ms)"
};

/// A row of a table. Its `cells` end early if a text across the other columns says why their
/// numbers are missing.
struct RowView {
  std::vector<Value> cells;
  std::vector<std::string> flags = {};  ///< Words beside the row: "thermal slowdown", "outlier".
  std::string missing_reason = {};      ///< Shown across the columns after `cells`.
  std::string id = {};                  ///< The target of links to the row, unique in a page.

  std::string reason_or_dash() const;  ///< Returns `missing_reason`, or "–" if it is empty.
  std::string joined_flags() const;    ///< "thermal slowdown, outlier"
};

struct TableView {
  std::string slug;   ///< Unique in its part, e.g. "durations".
  std::string title;  ///< Plain text.
  std::vector<ColumnView> columns;
  std::vector<RowView> rows;
  bool always_on_paper = false;  ///< If true, paper formats print the table even if it is long.

  /// The formatted cell of a row; empty after the row's last cell.
  std::string text(const RowView& row, std::size_t column) const;
};

struct Figure {
  std::string slug;     ///< Unique in the document, safe in a file name.
  std::string title;    ///< Plain text that says what the figure shows.
  std::string caption;  ///< Markdown that says how to read the figure.
  std::string alt;      ///< Plain text for readers who cannot see the figure.
  nlohmann::json spec;  ///< Vega-Lite with inline data; theme and width come from the writer.
  TableView table;      ///< The numbers that the figure draws.
  /// Adjacent figures that vary in one condition have the same family, the condition's name
  /// ("Context"), and different variants ("512"). The page shows one variant at a time, every other
  /// format shows all. A variant may be several adjacent figures.
  std::string family = {};
  std::string variant = {};
  std::string page_caption = {};  ///< Markdown after the caption, for the page only.
  /// Data for the script that replaces the chart in the page: site/timeline.js or what_fits.js. The
  /// script finds its data by the figure's slug. Null if the page shows the chart.
  nlohmann::json script_data = {};
  bool page_only = false;    ///< True if paper formats leave the figure out.
  bool for_summary = false;  ///< True if a summary made of the parts shows it instead of its part.
};

/// A file for content that is too long for the page. The part's words link to the file.
struct Attachment {
  std::string name;  ///< Unique in the document: "kernels.csv"
  std::string bytes;
  /// The name of one of the run's artifacts, whose content is attached instead of `bytes`. The
  /// artifact is published if the run still has it and it is small enough for a page.
  std::string artifact = {};
};

/// A part's <details> element, which the page shows closed.
struct Details {
  std::string title = "How this was measured";
  std::string method;                 ///< Markdown that does not depend on measured values.
  std::vector<TableView> tables;      ///< E.g. the command that reproduces each row.
  std::vector<Figure> figures;        ///< E.g. samples as a strip plot.
  std::vector<std::string> warnings;  ///< Plain text.
  std::string findings = {};          ///< Markdown, generated from this run's values.

  bool is_empty(Answers answers) const;

  /// Returns the method, followed by the findings if answers are shown.
  std::string words(Answers answers) const;
};

struct AuthorNote {
  std::string markdown;         ///< notes/note.h has made it safe.
  bool replaces_answer = true;  ///< If false, the note follows the generated answer.
  Formulas formulas = {};       ///< Formulas that can be typeset; the note shows others as code.
  /// The file and line of each formula, "notes/nsys_profile.a.md:3", by the formula's source.
  std::map<std::string, std::string> formula_places = {};
};

/// A part's contribution to the summary of a report that timed no training step.
struct PartSummary {
  std::string words = {};  ///< A list in Markdown; may be empty.
  std::vector<Figure> figures = {};
};

/// The words beside an answer that needs no measurement.
inline constexpr const char* kCalculated = "Calculated, not measured.";

struct Part {
  std::string problem;   ///< "benchmarking_script"
  std::string letter;    ///< "b"; empty for a problem with a single part.
  std::string title;     ///< Plain text; empty if the section's title suffices.
  std::string setting;   ///< Plain text: device, versions, precision, batch, context.
  std::string question;  ///< Markdown; empty if the handout has no such part.
  std::string answer;    ///< Markdown, generated from facts; may be empty.
  PartSummary summary = {};
  bool calculated = false;  ///< True if no measurement enters the answer.
  std::optional<AuthorNote> note;
  std::vector<Figure> figures;
  std::vector<TableView> tables;
  Details details;
  std::vector<Attachment> attachments;

  /// "benchmarking_script.b", or the problem alone if it has a single part. It is safe in the name
  /// of a file, because problems' names are identifiers.
  std::string name() const;
  std::string anchor() const;          ///< "benchmarking_script-b"
  std::string lettered_title() const;  ///< "(b) Forward, backward and optimizer"

  /// Returns the generated answer in Markdown. Empty if answers are left out, if the author's note
  /// replaces it, or if there is none.
  std::string generated_answer(Answers answers) const;

  /// True if the report leaves room for the author's own words: it shows no generated answers, and
  /// the author wrote no note.
  bool awaits_answer(Answers answers) const;
};

struct Section {
  std::string problem;
  std::string title;
  std::vector<Part> parts;

  /// False for the report's own summary.
  bool is_handout_problem() const;
};

/// The author of the report in plain text; each member may be empty.
struct FrontMatter {
  std::string author;
  std::string course;
  std::string repository;  ///< An https address.

  /// Returns "In the words of Ada Lovelace", or "In the author’s own words" without a name.
  std::string attribution() const;
  /// Returns the repository's address without scheme and closing slashes. There must be one.
  std::string repository_label() const;
};

/// Describes a run as a whole, for pages and summaries.
struct RunDescription {
  std::string device = {};      ///< "NVIDIA H200", or "2 × NVIDIA H200" if ranks ran on several.
  std::string edition = {};     ///< "2025"
  std::string preset = {};      ///< "full"
  std::string started_at = {};  ///< UTC, ISO 8601; only a date if no time is known.
  std::string revision = {};    ///< Short, e.g. "a1b2c3d"; empty when unknown.
  std::string outcome = {};     ///< "38 of 40 measurements succeeded (2 out of memory)"
  bool demonstration = false;   ///< True for a run on a CPU with tiny sizes; every page says so.
  bool reference = false;       ///< True for a run that ships with the project.
  bool incomplete = false;      ///< True if the run was interrupted and cells are missing.

  std::string date() const;  ///< "2026-05-01"
};

/// A report of a run, a comparison of two, or a page over several, which describe no single run.
struct Document : RunDescription {
  FrontMatter front = {};
  std::string title = {};     ///< "Profiling and benchmarking (§1.1)", without the device.
  std::string relation = {};  ///< Set for a comparison only: "different hardware".
  std::string side_a = {}, side_b = {};  ///< Set for a comparison only: "H100", "H200".
  nlohmann::json script_data = {};       ///< Data of site/prices.js; null if the page lacks it.
  std::string provenance = {};  ///< One line of plain text that says where the numbers come from.
  std::vector<Section> sections = {};
  std::string method = {};     ///< Markdown on the method and its limits.
  TableView environment = {};  ///< Shown under "Reproduce".
  std::string reproduce = {};  ///< The commands that make this document, one in each line.

  /// "How fast can a training step get? · NVIDIA H200", or the title alone if there is no device.
  std::string name() const;
  /// Returns the provenance. If the document shows a generated answer, the line says so.
  std::string provenance_line(Answers answers) const;
  bool has_part(const std::string& anchor) const;
  std::string run_line() const;  ///< "2025 edition · full preset · 2026-05-01 · reference run"
};

}  // namespace labreport
