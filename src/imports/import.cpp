#include "imports/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/format.h"
#include "base/printable.h"
#include "base/text.h"
#include "plan/editions.h"
#include "results/bounds.h"
#include "results/metric_names.h"
#include "results/run_labels.h"

namespace labreport {
namespace {

using enum ImportField::Place;

constexpr std::size_t kMaxLineBytes = 1000;
constexpr std::int64_t kMaxParameter = 1'000'000'000;
constexpr double kMaxNumber = 1e15;  // Eleven days in nanoseconds, or a petabyte.
constexpr std::size_t kMaxComplaints = 20;
constexpr std::string_view kIgnored = "-";  // The header of a column that is left out.
constexpr std::string_view kNeeded = "needed";
constexpr std::string_view kOptional = "optional";

constexpr auto kFields = std::to_array<ImportField>({
    {"gpu", kLine, "the GPU's name", kNeeded},
    {"edition", kLine, "2025 or 2026: the handout whose sizes these are", kNeeded},
    {"title", kLine, "whose numbers these are", kOptional},
    {"source", kLine, "where they were published, such as a URL", kOptional},
    {"size", kLineOrColumn,
     "a size of the edition, such as small or 2.7B, or one's own: NAME=d_model,d_ff,layers,heads",
     kNeeded},
    {"vocab", kLineOrColumn, "size of the vocabulary, 10000 in the handout", kOptional},
    {"context", kLineOrColumn, "tokens in a sequence", kNeeded},
    {"batch", kLineOrColumn, "sequences in a step", "4"},
    {"precision", kLineOrColumn, "fp32, tf32, bf16 or fp16", kNeeded},
    {"mode", kLineOrColumn,
     "inference (no_grad), forward, forward_backward or train_step (with AdamW)", kNeeded},
    {"warmup", kLineOrColumn, "steps before the timed ones", "5"},
    {"steps", kLineOrColumn, "timed steps", "10"},
    {"mean", kColumn, "mean time of the mode's whole step", kOptional, metric::kTotal},
    {"stddev", kColumn, "its standard deviation", kOptional, metric::kTotal, true},
    {"forward", kColumn, "mean time of the step's forward pass alone", kOptional, metric::kForward,
     false, Mode::kForwardBackward},
    {"forward_stddev", kColumn, "its standard deviation", kOptional, metric::kForward, true,
     Mode::kForwardBackward},
    {"backward", kColumn, "mean time of the step's backward pass alone", kOptional,
     metric::kBackward, false, Mode::kForwardBackward},
    {"backward_stddev", kColumn, "its standard deviation", kOptional, metric::kBackward, true,
     Mode::kForwardBackward},
    {"optimizer", kColumn, "mean time of the step's optimizer alone", kOptional, metric::kOptimizer,
     false, Mode::kTrainStep},
    {"optimizer_stddev", kColumn, "its standard deviation", kOptional, metric::kOptimizer, true,
     Mode::kTrainStep},
    {"peak", kColumn, "peak of the memory allocated in a step", kOptional, metric::kPeak},
});

CellKind kind_of(const ImportField& field) {
  return field.metric == metric::kPeak ? CellKind::kMemory : CellKind::kTiming;
}

struct Unit {
  CellKind kind;
  std::string_view name;  ///< In lower case, as in the end of a header.
  double scale;           ///< One unit in nanoseconds or bytes.
};
constexpr auto kUnits = std::to_array<Unit>({{CellKind::kTiming, "ms", 1e6},
                                             {CellKind::kTiming, "s", 1e9},
                                             {CellKind::kMemory, "mib", kBytesPerMebibyte},
                                             {CellKind::kMemory, "gib", kBytesPerGibibyte}});

/// The numbers of one metric in a row: times in nanoseconds, or a peak in bytes as `mean`.
struct PublishedNumbers {
  std::optional<std::int64_t> mean, deviation;
};

/// The metrics of published numbers. A step's phases come in their order, the step behind them.
constexpr std::array kPhases{metric::kForward, metric::kBackward, metric::kOptimizer,
                             metric::kTotal, metric::kPeak};

std::size_t phase_of(std::string_view metric_name) {
  return static_cast<std::size_t>(std::ranges::find(kPhases, metric_name) - kPhases.begin());
}

/// The numbers of a row that belong to one kind of cell.
struct PublishedRow {
  std::map<std::size_t, PublishedNumbers> numbers;  ///< By the index of their phase.
  std::optional<std::size_t> oom_phase;             ///< The first that ran out of memory.
};

struct Column {
  const ImportField* field;  ///< Null if the column is left out.
  std::string name;
};

bool is_absent(const std::string& text) {
  constexpr std::array kAbsent{"", "-", "--", "–", "—", "−", "n/a", "na", "nan"};
  return std::ranges::find(kAbsent, lower(text)) != kAbsent.end();
}

bool is_oom(const std::string& text) {
  return lower(text) == "oom" || lower(text) == "out of memory";
}

/// Removes the commas of a number whose commas can only separate thousands: "1,181.4". In "1,181"
/// and "1,5" a comma may be the decimal point.
std::string without_thousands(const std::string& text) {
  const std::vector<std::string> groups = split(text.substr(0, text.find('.')), ',');
  const bool has_point = text.find('.') != text.npos;
  const bool are_thousands =
      groups.size() > (has_point ? 1 : 2) && !groups[0].empty() && groups[0].size() <= 3 &&
      groups[0] != "0" &&
      std::all_of(groups.begin() + 1, groups.end(), [](const std::string& group) {
        return group.size() == 3 && std::ranges::all_of(group, is_digit);
      });
  return are_thousands ? replaced(text, ",", "") : text;
}

/// Throws `InputError` for an unknown name. The known names are those of all fields except the
/// fields in `excluded_place`.
[[noreturn]] void refuse_name(std::string_view kind, std::string_view name,
                              ImportField::Place excluded_place) {
  std::vector<std::string> known;
  for (const ImportField& field : kFields) {
    if (field.place == excluded_place) continue;
    for (const std::string& column : field.column_names()) known.push_back(column);
  }
  throw InputError(fmt::format("unknown {} '{}'", kind, name),
                   fmt::format("nearest: {}; {}`labreport import --help` has all names",
                               nearest(name, known).front(),
                               kind == "column" ? "the header '-' leaves a column out; " : ""));
}

/// Splits a line of a table into cells without the quotes and the stress around them.
std::vector<std::string> split_row(std::string_view line, char separator) {
  if (separator == '|' && line.starts_with('|')) line.remove_prefix(1);
  if (separator == '|' && line.ends_with('|')) line.remove_suffix(1);
  std::vector<std::string> cells{""};
  bool is_quoted = false;
  for (const char letter : line) {
    if (separator == ',' && letter == '"') is_quoted = !is_quoted;
    letter == separator && !is_quoted ? void(cells.emplace_back()) : cells.back().push_back(letter);
  }
  for (std::string& cell : cells) {
    cell = trimmed(cell);
    while (cell.size() > 1 && cell.front() == cell.back() &&
           std::string_view("\"*_`").find(cell.front()) != std::string_view::npos) {
      cell = trimmed(std::string_view(cell).substr(1, cell.size() - 2));
    }
  }
  return cells;
}

class Importer {
 public:
  Importer(std::string file, const ImportFlags& flags) : file_(std::move(file)) {
    for (const auto& [name, text] : flags) set_value(name, text);
  }

  /// Reads a line and keeps its complaints. Returns false if the next lines cannot be read.
  bool read_line(std::string_view line) {
    ++line_number_;
    attempt([&] { read_text(line); });
    return !has_ended_ && complaints_.size() <= kMaxComplaints;
  }

  /// Returns the run after the last line was read. Throws all complaints at once.
  Run finish() {
    if (complaints_.size() > kMaxComplaints) {
      complaints_.resize(kMaxComplaints);
      complaints_.push_back(file_ + ": there are more");
    }
    if (!complaints_.empty()) throw InputError(join(complaints_, "\n"));
    if (!run_.cells.empty()) return std::move(run_);
    throw InputError(
        file_ + " holds no published number",
        fmt::format("write a table in CSV or Markdown; a header to copy: {}", kExampleHeader));
  }

 private:
  /// Keeps the complaint if `work` throws one.
  template <typename Work>
  void attempt(Work work) try {
    work();
  } catch (const InputError& error) {
    complaints_.push_back(fmt::format("{}: line {}: {}", file_, line_number_, error.what()));
  }

  void read_text(std::string_view line) {
    // Spreadsheets begin a file with a byte order mark.
    if (line_number_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    line = trimmed(line);
    check_text(line);
    if (line.empty()) return;
    const std::size_t colon = line.find(':');
    if (!columns_.empty()) {
      read_row(line);
    } else if (colon < line.find_first_of(",|")) {
      set_value(std::string(trimmed(line.substr(0, colon))),
                std::string(trimmed(line.substr(colon + 1))));
    } else {
      read_header(line);
    }
  }

  static void check_text(std::string_view text) {
    if (!is_utf8(text)) throw InputError("it is no UTF-8", "save the file as UTF-8");
    if (text.size() > kMaxLineBytes) {
      throw InputError(fmt::format("it has more than {} bytes", format_count(kMaxLineBytes)));
    }
    if (printable(text, "\t") != text) throw InputError("it holds a control character");
  }

  void set_value(const std::string& name, const std::string& text) {
    const auto field = std::ranges::find(kFields, name, &ImportField::name);
    if (field == kFields.end() || field->place == kColumn) refuse_name("name", name, kColumn);
    check_text(text);
    if (text.empty()) throw InputError(name + " is empty");
    if (!values_.emplace(name, text).second) throw InputError(name + " is given twice");
  }

  void read_header(std::string_view line) {
    separator_ = line.find('|') == line.npos ? ',' : '|';
    for (const std::string& name : split_row(line, separator_)) {
      columns_.push_back({nullptr, name});
      if (name != kIgnored) attempt([&] { columns_.back().field = field_of(name); });
    }
    has_ended_ = true;
    std::vector<std::string> missing;
    for (const ImportField& field : kFields) {
      if (has_value(field.name) || field.if_absent == kOptional) continue;
      if (field.if_absent == kNeeded) {
        missing.emplace_back(field.name);
      } else {
        values_.emplace(field.name, field.if_absent);
        assumed_.push_back(fmt::format("{} {}, as in the handout", field.name, field.if_absent));
      }
    }
    if (!missing.empty()) {
      throw InputError(
          "nothing says " + join(missing, ", "),
          fmt::format("write a line '{0}: …' above the table, or give --{0}", missing.front()));
    }
    edition_ = &find_edition(values_.at("edition"));
    run_.edition = edition_->name;
    run_.preset = kPresetNone;
    run_.source = kSourceImported;
    run_.devices.resize(1);
    run_.devices[0].kind = DeviceKind::kCuda;
    run_.devices[0].name = values_.at("gpu");
    has_ended_ = false;
  }

  /// Returns the field of the last column.
  const ImportField* field_of(const std::string& name) const {
    const auto field = std::ranges::find_if(kFields, [&](const ImportField& each) {
      const auto names = each.column_names();
      return lower(name) == each.name || std::ranges::find(names, lower(name)) != names.end();
    });
    if (field == kFields.end()) refuse_name("column", name, kLine);
    if (field->place == kLine) {
      throw InputError(name + " is no column",
                       fmt::format("write a line '{0}: …' above the table, or give --{0}", name));
    }
    if (values_.contains(field->name)) throw InputError(name + " is given twice");
    for (const Column& other : columns_) {
      if (other.field == field) {
        throw InputError(fmt::format("columns {} and {} say the same", other.name, name));
      }
    }
    return field;
  }

  void read_row(std::string_view line) {
    const bool is_markdown_rule = line.find_first_not_of("|:- \t") == line.npos;
    if (is_markdown_rule && !has_rows_) return;
    has_rows_ = true;
    row_ = split_row(line, separator_);
    if (row_.size() != columns_.size()) {
      throw InputError(fmt::format("{} in a table of {}", format_plural(row_.size(), "cell"),
                                   format_plural(columns_.size(), "column")));
    }
    const std::size_t complaints_before = complaints_.size();
    CellSpec spec;
    attempt([&] { read_size(spec); });
    attempt([&] { spec.context = integer_of("context"); });
    attempt([&] { spec.batch = integer_of("batch"); });
    attempt([&] { spec.precision = parse_name<Precision>(lower(text_of("precision"))); });
    attempt([&] { spec.mode = parse_name<Mode>(lower(text_of("mode"))); });
    attempt([&] { spec.warmup = integer_of("warmup", 0); });
    attempt([&] { spec.steps = integer_of("steps"); });
    const PublishedRow times = published_row(CellKind::kTiming, spec.mode);
    const PublishedRow peak = published_row(CellKind::kMemory, spec.mode);
    if (complaints_.size() > complaints_before) return;
    if (!bytes_are_countable(spec))
      throw InputError("its tensors would have more bytes than can be counted");
    add_cell(spec, times);
    spec.kind = CellKind::kMemory;
    spec.warmup.reset();  // A peak does not depend on the number of steps.
    spec.steps.reset();
    add_cell(spec, peak);
  }

  /// True if a line, a flag or a column gives the parameter.
  bool has_value(std::string_view name) const {
    return values_.contains(name) || std::ranges::any_of(columns_, [&](const Column& column) {
             return column.field != nullptr && column.field->name == name;
           });
  }

  /// Returns the text of a parameter from the current row, or from the lines and flags.
  std::string text_of(std::string_view name) const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].field != nullptr && columns_[i].field->name == name) return row_[i];
    }
    return values_.find(name)->second;
  }

  std::int64_t integer_of(std::string_view name, std::int64_t min = 1) const {
    const std::string digits = text_of(name);
    const auto value = parse_number<std::int64_t>(digits);
    if (value && *value >= min && *value <= kMaxParameter) return *value;
    throw InputError(fmt::format("{} is '{}'", name, digits),
                     fmt::format("write a whole number, at least {}", min));
  }

  /// Reads the name of a size of the edition or of the table's own. The first row of an own size
  /// says what it is, and later rows may use its name alone.
  void read_size(CellSpec& spec) {
    const bool has_vocab = has_value("vocab");
    const std::int64_t vocab = has_vocab ? integer_of("vocab") : kHandoutVocab;
    const std::string text = text_of("size");
    if (text.find('=') != text.npos) add_own_size(parse_size(text, vocab), has_vocab);
    const std::string size = text.substr(0, text.find('='));
    std::vector<std::string> names;
    for (const std::vector<Size>* sizes : {&edition_->sizes, &std::as_const(own_sizes_)}) {
      for (const Size& known : *sizes) {
        names.push_back(known.name);
        if (lower(known.name) != lower(size)) continue;
        spec.size = known.name;
        spec.model = known.shape;
        spec.model->vocab = vocab;
      }
    }
    if (!spec.model) refuse_unknown("size of the " + edition_->name + " edition", size, names);
  }

  void add_own_size(Size size, bool has_vocab) {
    const auto is_namesake = [&](const Size& known) {
      return lower(known.name) == lower(size.name);
    };
    if (std::ranges::any_of(edition_->sizes, is_namesake)) {
      throw InputError(fmt::format("{} is a size of the {} edition", size.name, edition_->name),
                       "choose another name");
    }
    const auto known = std::ranges::find_if(own_sizes_, is_namesake);
    size.shape.vocab = kHandoutVocab;  // Rows have their own.
    if (known != own_sizes_.end() && known->shape != size.shape) {
      throw InputError(fmt::format("{} is another network than in a row before", size.name),
                       "choose another name");
    }
    if (known != own_sizes_.end()) return;
    if (!has_vocab)
      assumed_.push_back(
          fmt::format("vocab {} of {}, as in the handout", kHandoutVocab, size.name));
    own_sizes_.push_back(std::move(size));
  }

  /// Reads the numbers of the current row that belong to cells of this kind.
  PublishedRow published_row(CellKind kind, std::optional<Mode> mode) {
    PublishedRow row;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const Column& column = columns_[i];
      if (column.field == nullptr || column.field->place != kColumn) continue;
      if (kind_of(*column.field) != kind || is_absent(row_[i])) continue;
      attempt([&] {
        if (mode && *mode < column.field->first_mode) {
          throw InputError(
              fmt::format("a step of mode {} has no {}", name(*mode), column.field->name),
              "write '-'");
        }
        const std::size_t phase = phase_of(column.field->metric);
        if (is_oom(row_[i])) {
          row.oom_phase = std::min(row.oom_phase.value_or(phase), phase);
        } else {
          read_number(column, row_[i], row.numbers[phase]);
        }
      });
    }
    attempt([&] {
      for (const auto& [phase, published] : row.numbers) {
        if (row.oom_phase && phase >= *row.oom_phase) {
          throw InputError("a step that ran out of memory has no times after that",
                           "write OOM or '-'");
        }
        if (!published.mean && published.deviation)
          throw InputError("a deviation stands without its mean", "write '-' for it");
      }
    });
    return row;
  }

  /// Adds a cell with the published numbers, if there are any.
  void add_cell(const CellSpec& spec, const PublishedRow& row) {
    if (!row.oom_phase && row.numbers.empty()) return;
    Launch launch = new_launch();
    const bool is_timing = spec.kind == CellKind::kTiming;
    if (row.oom_phase) {
      const std::string_view phase = kPhases.at(*row.oom_phase);
      const bool is_whole = phase == metric::kTotal || phase == metric::kPeak;
      OutOfMemory out_of_memory;
      if (!is_whole) out_of_memory.phase = phase;
      launch.outcome = std::move(out_of_memory);
    }
    for (const auto& [phase, published] : row.numbers) {
      const std::string_view metric_name = kPhases.at(phase);
      launch.metrics.push_back(
          integer_metric(metric::kPublished, metric_name, is_timing ? "ns" : "B", *published.mean));
      if (!is_timing) continue;
      launch.metrics.push_back(integer_metric(metric::kPublishedStddev, metric_name, "ns",
                                              published.deviation, "the table has none"));
    }
    const auto [id_and_line, is_new] = cell_lines_.emplace(cell_id(spec), line_number_);
    if (!is_new)
      throw InputError(fmt::format("repeats line {}", id_and_line->second), "keep one of them");
    if (run_.cells.size() == kMaxCells) {
      has_ended_ = true;
      throw InputError(fmt::format("more than {} cells", format_count(kMaxCells)),
                       "import parts of the table");
    }
    run_.cells.push_back({id_and_line->first, spec, {std::move(launch)}});
  }

  /// Reads "31.4", "31.4 ms" or "31.4 ± 0.3 ms" in nanoseconds or bytes.
  static void read_number(const Column& column, const std::string& text,
                          PublishedNumbers& numbers) {
    const std::vector<std::string> parts =
        split(replaced(replaced(text, "+/-", "±"), "±", "\n"), '\n');
    std::string unit(column.name.substr(column.name.rfind('_') + 1));
    std::vector<double> values;
    // A unit behind the deviation is the mean's, too, so the last part comes first.
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      const std::size_t end = part->find_last_of("0123456789.") + 1;
      if (const std::string own = lower(trimmed(part->substr(end))); !own.empty()) unit = own;
      values.push_back(scaled_number(column, text, trimmed(part->substr(0, end)), lower(unit)));
    }
    const bool is_deviation = column.field->is_deviation;
    if (parts.size() > (is_deviation ? 1 : 2)) throw InputError(unreadable(column, text));
    if (values.back() < (is_deviation ? 0 : 1)) throw InputError(unreadable(column, text));
    if (!is_deviation) numbers.mean = std::llround(values.back());
    if (!is_deviation && parts.size() < 2) return;
    if (numbers.deviation) throw InputError("its deviation is given twice");
    numbers.deviation = std::llround(values.front());
  }

  static std::string unreadable(
      const Column& column, const std::string& text,
      std::string_view remedy = "write a number such as 12.5, '-' for none, or OOM") {
    return fmt::format("{} is '{}'; {}", column.name, text, remedy);
  }

  static double scaled_number(const Column& column, const std::string& text, std::string_view part,
                              const std::string& unit_name) {
    const std::string digits = without_thousands(std::string(part));
    const auto value = parse_number<double>(digits);
    if (digits.find(',') != digits.npos)
      throw InputError(unreadable(column, text, "write it without a comma, which may be a point"));
    if (!value) throw InputError(unreadable(column, text));
    const bool is_time = kind_of(*column.field) == CellKind::kTiming;
    const auto unit = std::ranges::find_if(kUnits, [&](const Unit& each) {
      return each.name == unit_name && (each.kind == CellKind::kTiming) == is_time;
    });
    if (unit == kUnits.end()) {
      throw InputError(unreadable(column, text,
                                  is_time ? "give its unit, ms or s, there or in the header"
                                          : "give its unit, MiB or GiB, there or in the header"));
    }
    const double scaled = *value * unit->scale;
    if (scaled >= 0 && scaled <= kMaxNumber) return scaled;
    throw InputError(unreadable(column, text));
  }

  Launch new_launch() const {
    Launch launch;
    launch.device = 0;
    const auto add_condition = [&](std::string_view name, const std::string& text) {
      if (!text.empty()) launch.conditions.push_back(text_metric(metric::kProvenance, name, text));
    };
    const auto value_of = [&](std::string_view name) {
      const auto found = values_.find(name);
      return found == values_.end() ? "" : found->second;
    };
    add_condition(metric::kTitle, value_of("title"));
    add_condition(metric::kSource, value_of("source"));
    add_condition(metric::kFile, file_);
    add_condition(metric::kPlace, fmt::format("line {}", line_number_));
    add_condition(metric::kAssumed, join(assumed_, "; "));
    return launch;
  }

  std::string file_;
  std::size_t line_number_ = 0;
  ImportFlags values_;  ///< Values from flags, lines above the table and the course handout.
  std::vector<std::string> assumed_;  ///< Descriptions of the values that are assumed.
  char separator_ = ',';
  std::vector<Column> columns_;
  std::vector<std::string> row_;  ///< The current row.
  bool has_rows_ = false;
  bool has_ended_ = false;               ///< If so, no further line can be read.
  std::vector<std::string> complaints_;  ///< One line each, with file and line.
  const Edition* edition_ = nullptr;
  std::vector<Size> own_sizes_;                    ///< Networks that the table brings.
  std::map<std::string, std::size_t> cell_lines_;  ///< The line number of each cell, by its id.
  Run run_;
};

}  // namespace

std::vector<std::string> ImportField::column_names() const {
  if (place != kColumn) return {std::string(name)};
  std::vector<std::string> names;
  for (const Unit& unit : kUnits) {
    if (unit.kind == kind_of(*this)) names.push_back(fmt::format("{}_{}", name, unit.name));
  }
  return names;
}

std::span<const ImportField> import_fields() { return kFields; }

Run import_table(const std::string& text, const std::string& file, const ImportFlags& flags) {
  Importer importer(file, flags);
  for (const std::string& line : split(text, '\n')) {
    if (!importer.read_line(line)) break;
  }
  return importer.finish();
}

}  // namespace labreport
