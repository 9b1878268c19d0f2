// The report before any format: what each writer (HTML, Markdown, …) is given.
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

/// Chooses whether generated sentences are answers. One that depends on a measured value stands
/// in `kFull` alone, wherever it is; numbers in tables and charts always stay.
enum class Answers { kNone, kFull };

struct ColumnView {
  std::string title;
  std::string unit;  ///< One unit a column, shown in its head; may be empty.
  Align align = Align::kRight;
  bool code = false;  ///< Verbatim text such as a command: monospaced, with a button that copies.
  Notation notation = {};  ///< Of its numbers.

  std::string head() const;  ///< "forward (ms)"
};

struct RowView {
  std::vector<Value> cells;
  std::vector<std::string> flags = {};  ///< Words beside the row: "thermal slowdown", "outlier".
  std::string note = {};  ///< Spans the row's remaining columns: a reason for what is missing.
  std::string id = {};    ///< In a page: what a link to the row names; unique there.

  std::string reason() const;   ///< The note, or "–".
  std::string remarks() const;  ///< "thermal slowdown, outlier"
};

struct TableView {
  std::string slug;   ///< Unique in its part, e.g. "durations".
  std::string title;  ///< Plain text.
  std::vector<ColumnView> columns;
  std::vector<RowView> rows;
  bool on_paper = false;  ///< Stands there whatever its length.

  /// Of one of its rows' cells, as readers see it; empty behind the row's last.
  std::string text(const RowView& row, std::size_t column) const;
};

struct Figure {
  std::string slug;     ///< Unique in the document, safe in a file name.
  std::string title;    ///< Plain text: what the figure shows.
  std::string caption;  ///< Markdown: how to read it.
  std::string alt;      ///< Plain text for readers who cannot see it.
  nlohmann::json spec;  ///< Vega-Lite with inline data; theme and width come from the writer.
  TableView data;       ///< The same data as a table.
  /// Figures in a row that show the same thing under one varying condition name it alike
  /// ("Context") and themselves apart ("512"). The page shows one variant at a time, every other
  /// format one after another. A variant may be several figures in a row.
  std::string family = {};
  std::string variant = {};
  std::string in_page = {};  ///< Markdown: what the page alone offers, behind its caption.
  /// Data of the script that the page runs in place of the picture, by the figure's slug:
  /// site/timeline.js, site/what_fits.js. Null: the chart.
  nlohmann::json live = {};
  bool page_only = false;  ///< Paper leaves it to the page.
};

/// A file beside the page, for what is too long for it; the words link to it.
struct Attachment {
  std::string name;  ///< Unique in the document: "kernels.csv"
  std::string bytes;
  /// Or the name of a file among the run's artifacts: published where the run still has it and it
  /// is small enough for a page.
  std::string artifact = {};
};

/// The closed <details> element of a part.
struct Details {
  std::string title = "How this was measured";
  std::string method;                 ///< Markdown.
  std::vector<TableView> tables;      ///< E.g. the command that reproduces each row.
  std::vector<Figure> figures;        ///< E.g. samples as a strip plot.
  std::vector<std::string> warnings;  ///< Plain text.
  std::string findings = {};          ///< Markdown, behind the method: what this run's values say.

  bool is_empty(Answers answers) const;

  /// The method, with the findings where generated sentences are asked for.
  std::string words(Answers answers) const;
};

/// The author's own words for a part.
struct AuthorNote {
  std::string markdown;    ///< Safe as it is: see notes/note.h.
  bool replaces = true;    ///< The generated answer; otherwise they follow it.
  Formulas formulas = {};  ///< Those of its formulas that are typeset; the others are code.
  /// Where each formula was written, by its source: "notes/nsys_profile.a.md:3".
  std::map<std::string, std::string> places = {};
};

/// A part's key number in a few words.
struct KeyNumber {
  std::string topic;  ///< "Fastest step"; empty: the part has found nothing.
  std::string words;  ///< Plain text: "2.7B in BF16: 328 → 108 ms"
  std::string part;   ///< The part's anchor on its page.
};

/// Marks an answer that needs no measurement.
inline constexpr const char* kCalculated = "Calculated, not measured.";

struct Part {
  std::string problem;        ///< "benchmarking_script"
  std::string letter;         ///< "b"; empty for a problem with a single part.
  std::string title;          ///< Plain text; empty: its section's says it.
  std::string setting;        ///< Plain text: device, versions, precision, batch, context.
  std::string question;       ///< Markdown; empty: the handout asks for no such part.
  std::string answer;         ///< Markdown, generated from facts; empty: nothing to say.
  KeyNumber key_number = {};  ///< The part's key number, for pages over several runs.
  bool calculated = false;    ///< No measurement enters the answer.
  std::optional<AuthorNote> note;
  std::vector<Figure> figures;
  std::vector<TableView> tables;
  Details details;
  std::vector<Attachment> files;

  /// "benchmarking_script.b", or the problem alone where it has a single part: safe in the name of
  /// a file, since problems' names are identifiers of this program's.
  std::string name() const;
  std::string anchor() const;          ///< "benchmarking_script-b"
  std::string lettered_title() const;  ///< "(b) Forward, backward and optimizer"

  /// Markdown: what stands as the generated answer, empty where nothing does: not asked for,
  /// nothing to say, or replaced by the author's note.
  std::string generated_answer(Answers answers) const;

  /// Whether room is left for the author's own words: none were asked of this program and none
  /// have come from the author.
  bool awaits_answer(Answers answers) const;
};

struct Section {
  std::string problem;
  std::string title;
  std::vector<Part> parts;

  /// A problem of the handout, not the report's own summary.
  bool asked() const;
};

/// The training step that stands for a run where runs stand side by side: of the largest network
/// that ran in FP32 and in mixed precision. A number is 0 where it was not measured.
struct Headline {
  std::string network;    ///< "2.7B"; empty: no training step ran.
  std::string precision;  ///< "BF16"
  double fp32_ms = 0;
  double mixed_ms = 0;
  double mfu = 0;         ///< Of the mixed-precision step, a share of the measured peak.
  double peak_bytes = 0;  ///< The larger one of both.
};

/// Topics under which pages over several runs show numbers, in their order there.
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

inline constexpr const char* kTopics[]{
    topic::kTrainingStep, topic::kFastestStep,   topic::kMixedPrecision, topic::kKernels,
    topic::kMemory,       topic::kCheckpointing, topic::kAttention,      topic::kAttentionMemory,
    topic::kCompilation,  topic::kSeveralGpus,   topic::kAllReduce,      topic::kLimits};

/// Numbers of one setting in one unit: a network's step and its phases, or one sweep.
struct Quantity {
  std::string topic;
  std::string network = {};    ///< "2.7B"; empty: the setting belongs to no network.
  double parameters = 0;       ///< Networks are the same if these are; 0: not known.
  std::string precision = {};  ///< "BF16"
  std::string setting = {};    ///< "context 512, batch 4"
  std::string unit = {};       ///< "ms"
  std::vector<std::pair<std::string, double>> values = {};  ///< {"step", 108.5}, …
  std::string remark = {};                                  ///< "launch-bound"
  std::string part = {};  ///< The anchor of the part that shows them; empty: the page.

  /// "BF16, context 512, batch 4"
  std::string words() const;
  /// Null if there is no value of that name.
  const double* find(const std::string& name) const;
  /// True if the other quantity can be held against this one.
  bool matches(const Quantity& other) const;
};

/// A step whose cost a comparison's page computes from prices per hour.
struct PricedStep {
  std::string name;  ///< "2.7B in BF16, tuned"
  double a_ms = 0, b_ms = 0;
};

/// A kind of step of which measured peaks agree with the formulas of plan/memory.h.
struct ConfirmedPeaks {
  std::string mode;            ///< The name of a Mode: "train_step".
  std::string precision;       ///< The name of a Precision: "bf16".
  std::int64_t peaks = 0;      ///< That were measured.
  double farthest = 0;         ///< The worst prediction over its measured peak, less 1.
  std::int64_t batch = 0;      ///< The largest one measured, of each rank; likewise …
  std::int64_t context = 0;    ///< … the longest context,
  std::int64_t blocks = 0;     ///< … the most blocks per checkpoint; 0: no checkpoints,
  std::int64_t ranks = 0;      ///< … and ranks that share the optimizer's state; 0: one process.
  std::int64_t workspace = 0;  ///< Bytes of the libraries' workspaces, which no formula predicts.
};

/// Predicts peaks on the run's GPU; empty unless measured peaks confirm the formulas.
struct MemoryFormulas {
  std::int64_t device_bytes = 0;
  std::vector<Size> networks = {};  ///< Smallest first.
  std::vector<ConfirmedPeaks> confirmed = {};
};

/// Whose report it is; each may be empty, all is plain text.
struct FrontMatter {
  std::string author;
  std::string course;
  std::string repository;  ///< An https address.

  /// "In the words of Ada Lovelace"; without a name "In the author’s own words".
  std::string own_words() const;
  /// The repository as it is read, without scheme and closing slash; there must be one.
  std::string shown_address() const;
};

struct Document {
  FrontMatter front;
  std::string title;     ///< "Profiling and benchmarking (§1.1)"; writers add the device.
  std::string relation;  ///< Of a comparison, which has no device: "different hardware".
  std::string side_a = {}, side_b = {};  ///< Of a comparison: "H100", "H200".
  std::vector<PricedStep> priced = {};   ///< Of a comparison.
  std::string device;                    ///< "NVIDIA H200"
  std::string edition;                   ///< "2025"
  std::string preset;                    ///< "full"
  std::string date;                      ///< "2026-05-01"
  std::string revision;                  ///< Short, e.g. "a1b2c3d"; empty when unknown.
  std::string provenance;                ///< One line of plain text.
  bool demonstration = false;  ///< Measured on a CPU with tiny sizes: marked on every page.
  bool reference = false;      ///< Ships with the project: marked as such.
  bool incomplete = false;     ///< Cells are still missing: the run was interrupted.
  bool mostly_failed = false;  ///< Pages over several runs take no number of it.
  std::string outcome_line;    ///< "40 cells: 38 ok, 2 out of memory"
  Headline headline;
  std::vector<Quantity> quantities = {};  ///< What pages over several runs show.
  MemoryFormulas memory = {};             ///< What fits the GPU, for a page over several runs.
  std::vector<Section> sections;
  std::string method;     ///< Markdown: method and limits.
  TableView environment;  ///< Reproduce.
  std::string reproduce;  ///< The commands, one a line.

  std::string name()
      const;  ///< "How fast can a training step get? · NVIDIA H200"; no device: title.
  /// The provenance, and that answers are generated if any of them is.
  std::string provenance_line(Answers answers) const;
  std::string marks() const;  ///< "2025 edition · full preset · 2026-05-01 · reference run"
};

}  // namespace labreport
