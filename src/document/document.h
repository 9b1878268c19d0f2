// A report independent of its format, as each writer (HTML, Markdown, …) receives it.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "document/formulas.h"
#include "document/value.h"
#include "plan/editions.h"

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
  bool page_only = false;  ///< True if paper formats leave the figure out.
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

/// The main number of a part, which pages over several runs show.
struct KeyNumber {
  std::string topic;  ///< "Fastest step"; empty if the part has no key number.
  std::string words;  ///< Plain text: "2.7B in BF16: 328 → 108 ms"
  std::string part;   ///< The part's anchor on its page.
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
  KeyNumber key_number = {};
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

/// The training steps that represent a run on pages over several runs: those of the largest network
/// that ran in FP32 and in mixed precision, else of the last network. A number is 0 if it was not
/// measured.
struct Headline {
  std::string network;    ///< "2.7B"; empty if no training step ran.
  std::string precision;  ///< "BF16"
  double fp32_ms = 0;
  double mixed_ms = 0;
  double mfu = 0;  ///< FLOP/s of the mixed-precision step over that of the run's fastest GEMM.
  double peak_bytes = 0;  ///< The largest memory peak of the network's training steps.
};

/// Topics under which pages over several runs show numbers.
namespace topic {

inline constexpr const char* kTrainingStep = "Training step";
inline constexpr const char* kKernels = "Kernels of a step";
inline constexpr const char* kMixedPrecision = "Mixed precision";
inline constexpr const char* kMemory = "Memory";
inline constexpr const char* kAttention = "Attention";
inline constexpr const char* kAttentionMemory = "Attention’s memory";
inline constexpr const char* kCompilation = "Compilation";
inline constexpr const char* kFastestStep = "Fastest step";
inline constexpr const char* kCheckpointing = "Checkpointing";
inline constexpr const char* kSeveralGpus = "Several GPUs";
inline constexpr const char* kAllReduce = "All-reduce";
inline constexpr const char* kLimits = "GPU limits";

}  // namespace topic

/// All topics in the order in which pages over several runs show them.
inline constexpr const char* kTopics[]{
    topic::kTrainingStep, topic::kFastestStep,   topic::kMixedPrecision, topic::kKernels,
    topic::kMemory,       topic::kCheckpointing, topic::kAttention,      topic::kAttentionMemory,
    topic::kCompilation,  topic::kSeveralGpus,   topic::kAllReduce,      topic::kLimits};

/// Numbers of one setting in one unit: a network's step and its phases, or one sweep.
struct Quantity {
  std::string topic;
  std::string network = {};    ///< "2.7B"; empty if the setting has no network.
  double parameters = 0;       ///< Number of parameters, which identifies a network; 0 if unknown.
  std::string precision = {};  ///< "BF16"
  std::string setting = {};    ///< "context 512, batch 4"
  std::string unit = {};       ///< "ms"
  std::vector<std::pair<std::string, double>> values = {};  ///< {"step", 108.5}, …
  std::string remark = {};                                  ///< "launch-bound", "mixed"
  std::string part = {};  ///< Anchor of the part that shows the values; empty for the whole page.

  /// "BF16, context 512, batch 4"
  std::string words() const;
  /// Returns the value of that name, in `unit`; null if there is none.
  const double* find(const std::string& name) const;
  /// True if topic, network, precision, setting and unit are equal. Networks are equal if they have
  /// equally many parameters, or equal names if both numbers are unknown.
  bool matches(const Quantity& other) const;
};

/// A step that both sides ran. The page computes its cost from the prices of GPU hours.
struct PricedStep {
  std::string name;  ///< "2.7B in BF16, tuned"
  double a_ms = 0, b_ms = 0;
};

/// Measured memory peaks of one kind of step, which agree with the formulas of plan/memory.h. The
/// names of the members are keys of summary.json.
struct ConfirmedPeaks {
  std::string mode;        ///< The name of a Mode: "train_step".
  std::string precision;   ///< The name of a Precision: "bf16".
  std::int64_t peaks = 0;  ///< Number of measured peaks.
  double farthest = 0;     ///< The worst relative error of a prediction: predicted ÷ measured − 1.
  std::int64_t batch = 0;  ///< The largest measured batch of each rank.
  std::int64_t context = 0;  ///< The longest measured context.
  std::int64_t blocks = 0;   ///< The most blocks per checkpoint; 0 without checkpoints.
  std::int64_t ranks = 0;  ///< The most ranks that shard the optimizer's state; 0 for one process.
  std::int64_t workspace = 0;  ///< Bytes of the libraries' workspaces, which no formula predicts.
};

/// The evidence for predictions of memory peaks on the run's GPU. Empty unless measured peaks
/// confirm the formulas of plan/memory.h.
struct MemoryEvidence {
  std::int64_t device_bytes = 0;    ///< The GPU's memory.
  std::vector<Size> networks = {};  ///< Smallest first.
  std::vector<ConfirmedPeaks> confirmed = {};
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

struct Document {
  FrontMatter front;
  std::string title;     ///< "Profiling and benchmarking (§1.1)", without the device.
  std::string relation;  ///< Set for a comparison only: "different hardware".
  std::string side_a = {}, side_b = {};       ///< Set for a comparison only: "H100", "H200".
  std::vector<PricedStep> priced_steps = {};  ///< Set for a comparison only.
  std::string device;                         ///< "NVIDIA H200"
  std::string edition;                        ///< "2025"
  std::string preset;                         ///< "full"
  std::string date;                           ///< "2026-05-01"
  std::string revision;                       ///< Short, e.g. "a1b2c3d"; empty when unknown.
  std::string provenance;      ///< One line of plain text that says where the numbers come from.
  bool demonstration = false;  ///< True for a run on a CPU with tiny sizes; every page says so.
  bool reference = false;      ///< True for a run that ships with the project.
  bool incomplete = false;     ///< True if the run was interrupted and cells are missing.
  bool mostly_failed = false;  ///< If true, pages over several runs ignore the run's numbers.
  std::string outcome_line;    ///< "40 cells: 38 ok, 2 out of memory"
  Headline headline;
  std::vector<Quantity> quantities = {};  ///< Shown on pages over several runs.
  MemoryEvidence memory = {};             ///< For the page "What fits?".
  std::vector<Section> sections;
  std::string method;     ///< Markdown on the method and its limits.
  TableView environment;  ///< Shown under "Reproduce".
  std::string reproduce;  ///< The commands that make this document, one in each line.

  /// "How fast can a training step get? · NVIDIA H200", or the title alone if there is no device.
  std::string name() const;
  /// Returns the provenance. If the document shows a generated answer, the line says so.
  std::string provenance_line(Answers answers) const;
  std::string run_line() const;  ///< "2025 edition · full preset · 2026-05-01 · reference run"
};

}  // namespace labreport
