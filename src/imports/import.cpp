#include "imports/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.h"
#include "base/table.h"
#include "base/text.h"
#include "plan/editions.h"
#include "results/bounds.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

constexpr std::size_t kMostListed = 30;

/// Names are compared without case; null where the edition has none called so.
const Size* size_named(const Edition& edition, std::string_view name) {
  const auto found = std::ranges::find_if(
      edition.sizes, [&](const Size& size) { return lower(size.name) == lower(name); });
  return found == edition.sizes.end() ? nullptr : &*found;
}

/// Of some edition.
bool is_size(std::string_view name) {
  return std::ranges::any_of(
      editions(), [&](const Edition& edition) { return size_named(edition, name) != nullptr; });
}

ImportColumn column_at(const TextTable& table, std::size_t index, const Mapped& mapped) {
  const std::string& name = table.header[index];
  const auto said = mapped.find(name);
  if (const auto meaning = meaning_of(said == mapped.end() ? name : said->second)) {
    return {index, name, *meaning};
  }
  if (!name.empty()) {
    const std::string shown = in_quotes(name);
    return {
        index, name, {}, fmt::format("not understood; --map {}=MEANING says what it is", shown)};
  }
  // pandas prints the names of rows in a column without one.
  const bool sizes = std::ranges::any_of(table.rows, [&](const TableRow& row) {
    return index < row.cells.size() && is_size(row.cells[index]);
  });
  if (sizes) return {index, "", *meaning_of("size")};
  return {index, "", {}, "it has no name"};
}

/// Whether `mean` holds the times that `deviation` is of; `exactly`, by the very same name.
bool belongs(const Meaning& deviation, const Meaning& mean, bool exactly) {
  if (mean.role != Role::kValue || mean.deviation) return false;
  if (mean.subject && mean.subject->kind == CellKind::kMemory) return false;
  const auto fits = [&](const auto& wanted, const auto& found) {
    return wanted == found || (!exactly && !wanted);
  };
  return fits(deviation.subject, mean.subject) && fits(deviation.precision, mean.precision);
}

/// Null where there is none, or several.
ImportColumn* mean_of(const ImportColumn& deviation, std::vector<ImportColumn>& columns) {
  for (const bool exactly : {true, false}) {
    const auto fits = [&](const ImportColumn& column) {
      return belongs(deviation.meaning, column.meaning, exactly);
    };
    if (std::ranges::count_if(columns, fits) == 1) return &*std::ranges::find_if(columns, fits);
  }
  return nullptr;
}

std::vector<ImportColumn> columns_of(const TextTable& table, const Mapped& mapped) {
  std::vector<ImportColumn> columns;
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    columns.push_back(column_at(table, i, mapped));
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].meaning.deviation) continue;
    if (ImportColumn* mean = mean_of(columns[i], columns)) {
      mean->deviations = i;
      const Unit* unit = columns[i].meaning.unit;
      columns[i].meaning = mean->meaning;
      columns[i].meaning.unit = unit;
      columns[i].meaning.deviation = true;
    } else {
      columns[i].why = "of which column of times is it the deviation? --map says so";
      columns[i].meaning = {};
    }
  }
  return columns;
}

/// The first thirty, for a message: "'a', 'b', …".
std::string names_in(const std::vector<TextTable>& tables) {
  std::set<std::string> names;
  for (const TextTable& table : tables) names.insert(table.header.begin(), table.header.end());
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    shown.push_back(shown.size() < kMostListed ? in_quotes(name) : "…");
    if (shown.size() > kMostListed) break;
  }
  return join(shown, ", ");
}

void check_mapped(const Mapped& mapped, const std::vector<TextTable>& tables) {
  for (const auto& [name, meaning] : mapped) {
    const bool here = std::ranges::any_of(tables, [&](const TextTable& table) {
      return std::ranges::find(table.header, name) != table.header.end();
    });
    if (here) continue;
    throw InputError(fmt::format("--map {}={}: no column is called so", in_quotes(name), meaning),
                     "there are " + names_in(tables));
  }
}

/// One published number with its parameters.
struct Reading {
  std::string gpu;
  std::string edition;
  std::string source;
  std::string experiment;
  CellSpec spec;
  std::string_view metric;  ///< `Subject::metric`
  Outcome outcome;          ///< Ok or OutOfMemory.
  std::int64_t value = 0;   ///< Nanoseconds or bytes; meaningless when out of memory.
  std::optional<std::int64_t> deviation;
  std::size_t line = 0;
};

/// What the rows of all tables say together.
struct Readings {
  std::vector<Reading> readings;
  std::set<std::string> assumed;                             ///< As in `Imported`.
  std::map<std::string, std::vector<std::size_t>> left_out;  ///< Likewise.
  /// Flag → what is missing: what neither the table nor the user says, and nothing is assumed for.
  std::map<std::string, std::string> missing;
};

constexpr std::int64_t kLargest = 1'000'000'000;
constexpr double kLongestNanoseconds = 1e15;  // Eleven days; a peak of as many bytes is a petabyte.

/// What a row needs: its name, the flag that says it, and what the handout says.
struct Needed {
  std::string_view name;
  std::string_view flag;
  std::string_view handout = {};
};
constexpr ConstantTable<Role, Needed, 7> kNeeded{{
    {Role::kGpu, {"GPU", "--gpu NAME"}},
    {Role::kUnit, {"unit", "--unit s, --unit ms or --unit us"}},
    {Role::kContext, {"context", "--context N"}},
    {Role::kPrecision, {"precision", "--precision NAME"}},
    {Role::kBatch, {"batch", "--batch N", "4"}},
    {Role::kWarmup, {"warmup", "--warmup N", "5"}},
    {Role::kSteps, {"steps", "--steps N", "10"}},
}};

std::optional<std::int64_t> whole(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool all = error == std::errc() && end == text.data() + text.size();
  return all && value >= 0 && value <= kLargest ? std::optional(value) : std::nullopt;
}

std::string_view measured(bool time) { return time ? "time" : "memory"; }

class Row {
 public:
  Row(const UnderstoodTable& table, const TableRow& row, const Declared& declared, Readings& into)
      : table_(table), row_(row), declared_(declared), into_(into) {}

  void read(const std::string& edition) {
    or_leave_out([&] {
      const Reading common = parameters(edition);
      for (std::size_t i = 0; i < table_.columns.size(); ++i) {
        const Meaning& meaning = table_.columns[i].meaning;
        if (meaning.role != Role::kValue || meaning.deviation) continue;
        or_leave_out([&] { read_value(i, common); });
      }
    });
  }

 private:
  void or_leave_out(const auto& work) {
    try {
      work();
    } catch (const LeftOut& left) {
      into_.left_out[left.what()].push_back(row_.line);
    }
  }

  /// The row's cell, else what the user declares; empty where neither says it.
  std::string said(Role role) const {
    if (const ImportColumn* column = table_.find(role)) {
      return std::string(cell_below(column->meaning, row_.cells.at(column->index)));
    }
    const auto fact = declared_.facts.find(role);
    return fact == declared_.facts.end() ? "" : fact->second;
  }

  /// Adds to what is missing, where nothing says it, and to what is assumed; `otherwise` keeps the
  /// row going. Throws `LeftOut` for an empty cell.
  std::string fact(Role role, const std::string& otherwise) {
    const std::string written = said(role);
    if (!written.empty()) return written;
    const auto& [name, flag, handout] = *look_up(kNeeded, role);
    if (table_.find(role)) throw LeftOut(fmt::format("no {} is given", name));
    if (handout.empty()) {
      into_.missing[std::string(flag)] = fmt::format("nothing says the {}", name);
      return otherwise;
    }
    into_.assumed.insert(
        fmt::format("{0} {1}, as in the handout: --{0} says otherwise", name, handout));
    return std::string(handout);
  }

  std::int64_t number(Role role) {
    const std::string written = fact(role, "1");
    const auto value = whole(written);
    if (value && (*value > 0 || role == Role::kWarmup)) return *value;
    refuse(
        fmt::format("{} {} is no whole number", look_up(kNeeded, role)->name, in_quotes(written)));
  }

  Precision precision() {
    const std::string written = fact(Role::kPrecision, "fp32");
    const auto named = precision_named(written);
    if (!named) throw LeftOut(in_quotes(written) + " is no precision of a step");
    const ImportColumn* column = table_.find(Role::kPrecision);
    const bool answered = column != nullptr && written != row_.cells.at(column->index);
    if (answered && column->meaning.name() == "mixed_precision") {
      into_.assumed.insert(in_quotes(column->name) + " means BF16, as in the handout");
    }
    return *named;
  }

  /// Of the row's mode.
  Subject subject() const {
    const std::string written = said(Role::kMode);
    const auto meaning = quantity_of(written);
    if (meaning && meaning->subject) return *meaning->subject;
    throw LeftOut(in_quotes(written) + " is no pass, step or peak of the vocabulary");
  }

  Reading parameters(const std::string& edition) {
    Reading reading;
    reading.line = row_.line;
    if (table_.find(Role::kMode)) subject();  // Rows of something else need no parameters.
    reading.gpu = fact(Role::kGpu, "");
    reading.source = said(Role::kSource);
    reading.experiment = said(Role::kExperiment);
    reading.edition = table_.find(Role::kEdition) ? said(Role::kEdition) : edition;
    set_network(reading);
    reading.spec.batch = number(Role::kBatch);
    reading.spec.context = number(Role::kContext);
    reading.spec.warmup = number(Role::kWarmup);
    reading.spec.steps = number(Role::kSteps);
    if (is_countable(reading.spec)) return reading;
    throw LeftOut("its tensors would have more bytes than can be counted");
  }

  void set_network(Reading& reading) const {
    const auto edition = std::ranges::find(editions(), reading.edition, &Edition::name);
    if (edition == editions().end()) {
      throw LeftOut("no edition is called " + in_quotes(reading.edition));
    }
    const std::string written = said(Role::kSize);
    const Size* size = size_named(*edition, written);
    if (size == nullptr) {
      throw LeftOut(in_quotes(written) + " is no size of the " + edition->name + " edition");
    }
    reading.spec.size = size->name;
    reading.spec.model = size->shape;
    check_number(Role::kModelWidth, size->shape.d_model);
    check_number(Role::kInnerWidth, size->shape.d_ff);
    check_number(Role::kLayers, size->shape.layers);
    check_number(Role::kHeads, size->shape.heads);
  }

  /// Refuses a cell that is there and says another number.
  void check_number(Role role, std::int64_t expected) const {
    const std::string written = said(role);
    if (written.empty() || whole(written) == expected) return;
    refuse(fmt::format("size {} has {} {}, not {}", in_quotes(said(Role::kSize)),
                       table_.find(role)->name, expected, in_quotes(written)),
           "another network needs another name");
  }

  void read_value(std::size_t index, Reading reading) {
    const Meaning& meaning = table_.columns[index].meaning;
    const TableNumber number = number_at(index);
    const Subject of = meaning.subject ? *meaning.subject : subject();
    reading.spec.kind = of.kind;
    reading.spec.mode = of.mode;
    reading.metric = of.metric;
    if (of.kind == CellKind::kMemory) {  // A peak is of a step, whichever.
      reading.spec.warmup.reset();
      reading.spec.steps.reset();
    }
    reading.spec.precision = meaning.precision ? *meaning.precision : precision();
    if (number.out_of_memory) {
      reading.outcome = OutOfMemory{};
    } else {
      set_number(reading, index, number);
    }
    into_.readings.push_back(std::move(reading));
  }

  void set_number(Reading& reading, std::size_t index, const TableNumber& number) {
    const bool time = reading.spec.kind == CellKind::kTiming;
    const Unit& unit = unit_of(index, number, time);
    reading.value = scaled(number.value, unit);
    if (reading.value <= 0) refuse(shown(index) + (time ? " is no time" : " is no peak"));
    if (number.deviation) reading.deviation = scaled(*number.deviation, unit);
    const auto beside = table_.columns[index].deviations;
    if (beside) or_leave_out([&] { set_deviation(reading, index, *beside, unit); });
  }

  /// From the column that holds it, whose unit is the mean's where it has none.
  void set_deviation(Reading& reading, std::size_t index, std::size_t beside, const Unit& unit) {
    if (row_.cells.at(beside).empty()) return;
    const TableNumber deviation = number_at(beside);
    if (deviation.out_of_memory) return;
    const Unit& own = deviation.unit == nullptr ? unit : *deviation.unit;
    if (!own.time) refuse(shown(beside) + " is no time");
    const std::int64_t value = scaled(deviation.value, own);
    if (reading.deviation.value_or(value) != value) {
      refuse(shown(index) + " has another deviation than " + in_quotes(table_.columns[beside].name),
             "keep one of them");
    }
    reading.deviation = value;
  }

  /// The number's own, else the row's; that of the row's times may stand beside a peak.
  const Unit& unit_of(std::size_t index, const TableNumber& number, bool time) {
    if (number.unit != nullptr && number.unit->time != time) {
      throw LeftOut(fmt::format("{} is no unit of {}", number.unit->name, measured(time)));
    }
    const Unit* beside = unit_named(said(Role::kUnit));
    if (beside != nullptr && beside->time != time) beside = nullptr;
    if (number.unit != nullptr && beside != nullptr && number.unit != beside) {
      refuse(fmt::format("{} is in {}, {} says {}", shown(index), number.unit->name,
                         table_.find(Role::kUnit) ? "the row" : "--unit", beside->name),
             "write one unit");
    }
    if (number.unit != nullptr) return *number.unit;
    if (beside != nullptr) return *beside;
    const std::string written = time ? fact(Role::kUnit, "s") : said(Role::kUnit);
    if (const Unit* unit = unit_named(written); time && unit != nullptr && unit->time) return *unit;
    throw LeftOut(
        fmt::format("{} is no unit of {} that is read", in_quotes(written), measured(time)));
  }

  TableNumber number_at(std::size_t index) const try {
    return parse_table_number(row_.cells.at(index), table_.columns[index].meaning.unit);
  } catch (const InputError& wrong) {
    refuse(shown(index) + ": " + wrong.what());
  }

  /// "'12.5s' in 'forward_ms'"
  std::string shown(std::size_t index) const {
    return in_quotes(row_.cells.at(index)) + " in " + in_quotes(table_.columns[index].name);
  }

  std::int64_t scaled(double value, const Unit& unit) const {
    const double scaled = value * unit.scale;
    if (scaled > kLongestNanoseconds) refuse(fmt::format("{} {} cannot be", value, unit.name));
    return std::llround(scaled);
  }

  [[noreturn]] void refuse(const std::string& problem, const std::string& remedy = "") const {
    refuse_line(declared_.file, row_.line, problem, remedy);
  }

  const UnderstoodTable& table_;
  const TableRow& row_;
  const Declared& declared_;
  Readings& into_;
};

/// Each thing is said once: by no two columns, by no column and a flag.
void check_columns(const UnderstoodTable& understood, const Declared& declared) {
  const auto refuse = [&](const std::string& problem, const std::string& remedy) {
    refuse_line(declared.file, understood.table.line, problem, remedy);
  };
  std::map<std::pair<Role, std::string>, std::string> names;
  for (const ImportColumn& column : understood.columns) {
    Meaning thing = column.meaning;
    thing.unit = nullptr;
    if (thing.role == Role::kIgnored) continue;
    const std::string name = in_quotes(column.name);
    const std::string value = thing.role == Role::kValue ? describe(thing) : "";
    const auto [first, is_new] = names.emplace(std::pair(thing.role, value), name);
    if (!is_new) {
      refuse(fmt::format("{} and {} both say: {}", first->second, name, describe(column)),
             "--map COLUMN=ignored leaves one of them out");
    }
    if (thing.role == Role::kValue && !thing.subject && !understood.find(Role::kMode)) {
      refuse(name + " does not say what was timed, and no other column does",
             "say --map " + name + "=forward, or what it is");
    }
    if (declared.facts.contains(thing.role)) {
      refuse(fmt::format("{} and a flag both say: {}", name, describe(column)),
             "leave the flag out");
    }
  }
}

/// Sizes of tables that name no edition beside them, as far as some edition knows them.
std::set<std::string> named_sizes(const std::vector<UnderstoodTable>& tables) {
  std::set<std::string> names;
  for (const UnderstoodTable& understood : tables) {
    if (understood.find(Role::kEdition) != nullptr) continue;
    const std::size_t index = understood.find(Role::kSize)->index;
    for (const TableRow& row : understood.table.rows) names.insert(row.cells.at(index));
  }
  std::erase_if(names, [](const std::string& name) { return !is_size(name); });
  return names;
}

/// The only edition that has all of these sizes, else the first if they are the same networks in
/// each.
std::string edition_of(const std::set<std::string>& sizes, Readings& into) {
  std::vector<const Edition*> fitting;
  for (const Edition& edition : editions()) {
    const auto knows = [&](const std::string& size) {
      return size_named(edition, size) != nullptr;
    };
    if (std::ranges::all_of(sizes, knows)) fitting.push_back(&edition);
  }
  if (fitting.size() == 1) return fitting.front()->name;
  const Edition& first = editions().front();
  const auto differs = std::ranges::find_if(sizes, [&](const std::string& size) {
    return fitting.empty() || std::ranges::any_of(fitting, [&](const Edition* edition) {
             return size_named(*edition, size)->shape != size_named(first, size)->shape;
           });
  });
  if (differs != sizes.end()) {
    into.missing["--edition 2025 or --edition 2026"] =
        "the editions differ in size " + in_quotes(*differs);
  } else if (!sizes.empty()) {
    into.assumed.insert("edition " + first.name +
                        ", whose sizes these are too: --edition says otherwise");
  }
  return first.name;
}

void refuse_missing(const Readings& readings, const std::string& file) {
  std::vector<std::string> flags;
  std::vector<std::string> problems;
  for (const auto& [flag, problem] : readings.missing) {
    flags.push_back(flag);
    problems.push_back(problem);
  }
  if (!flags.empty()) {
    throw InputError(file + ": " + join(problems, "; "), "say " + join(flags, ", and "));
  }
}

Readings read_tables(const std::vector<UnderstoodTable>& tables, const Declared& declared) {
  Readings readings;
  const auto said = declared.facts.find(Role::kEdition);
  const std::string edition =
      said != declared.facts.end() ? said->second : edition_of(named_sizes(tables), readings);
  for (const UnderstoodTable& understood : tables) {
    check_columns(understood, declared);
    for (const TableRow& row : understood.table.rows) {
      Row(understood, row, declared, readings).read(edition);
    }
  }
  refuse_missing(readings, declared.file);
  return readings;
}

Run new_run(const Reading& reading) {
  Run run;
  run.edition = reading.edition;
  run.preset = "none";
  run.source = "imported";
  Device device;
  device.kind = DeviceKind::kCuda;
  device.name = reading.gpu;
  run.devices = {device};
  return run;
}

Launch new_launch(const Reading& reading, const Declared& declared, const std::string& assumed) {
  Launch launch;
  launch.device = 0;
  const auto note = [&](std::string_view name, const std::string& text) {
    if (!text.empty()) launch.conditions.push_back(text_metric(metric::kProvenance, name, text));
  };
  note(metric::kTitle, declared.title);
  note(metric::kSource, reading.source);
  note(metric::kFile, declared.file);
  note(metric::kPlace, fmt::format("line {}", reading.line));
  note(metric::kExperiment, reading.experiment);
  note(metric::kAssumed, assumed);
  return launch;
}

void add_number(Launch& launch, const Reading& reading) {
  if (!is_ok(reading.outcome)) launch.outcome = reading.outcome;
  if (!is_ok(reading.outcome)) return;
  const bool time = reading.spec.kind == CellKind::kTiming;
  launch.metrics.push_back(
      integer_metric(metric::kPublished, reading.metric, time ? "ns" : "B", reading.value));
  if (!time) return;
  launch.metrics.push_back(integer_metric(metric::kPublishedStddev, reading.metric, "ns",
                                          reading.deviation, "the table has none"));
}

[[noreturn]] void refuse_twice(const Reading& reading, std::size_t first, const std::string& file) {
  const CellSpec& spec = reading.spec;
  refuse_line(
      file, reading.line,
      fmt::format("repeats line {}: {}, {} {}, context {}, {}", first, spec.size,
                  describe(*spec.mode), reading.metric, *spec.context, describe(*spec.precision)),
      "keep one row of them, or import tables apart with --table");
}

std::vector<Run> runs_of(const Readings& readings, const Declared& declared) {
  const std::string assumed =
      join(std::vector(readings.assumed.begin(), readings.assumed.end()), "; ");
  std::vector<Run> runs;
  // Where a run is, by GPU, edition and source; a cell, by its id too; a launch, by its experiment
  // too; and the line of a number, by its metric too.
  std::map<std::vector<std::string>, std::size_t> places;
  for (const Reading& reading : readings.readings) {
    std::vector<std::string> key{reading.gpu, reading.edition, reading.source};
    const auto place_in = [&](auto& list, const auto& fresh) -> auto& {
      const auto [place, is_new] = places.emplace(key, list.size());
      if (is_new) list.push_back(fresh());
      return list[place->second];
    };
    Run& run = place_in(runs, [&] { return new_run(reading); });
    key.push_back(cell_id(reading.spec));
    Cell& cell = place_in(run.cells, [&] { return Cell{key.back(), reading.spec, {}}; });
    key.push_back(reading.experiment);
    Launch& launch =
        place_in(cell.launches, [&] { return new_launch(reading, declared, assumed); });
    key.emplace_back(reading.metric);
    const auto [line, is_new] = places.emplace(key, reading.line);
    if (!is_new) refuse_twice(reading, line->second, declared.file);
    add_number(launch, reading);
  }
  return runs;
}

}  // namespace

const ImportColumn* UnderstoodTable::find(Role role) const {
  const auto found = std::ranges::find(
      columns, role, [](const ImportColumn& column) { return column.meaning.role; });
  return found == columns.end() ? nullptr : &*found;
}

std::vector<UnderstoodTable> understood_tables(const std::string& text, const std::string& file,
                                               const Mapped& mapped) {
  const std::vector<TextTable> tables = find_tables(text);
  check_mapped(mapped, tables);
  std::vector<UnderstoodTable> understood;
  for (const TextTable& table : tables) {
    UnderstoodTable one{table, columns_of(table, mapped)};
    if (one.find(Role::kSize) && one.find(Role::kValue)) understood.push_back(std::move(one));
  }
  if (!understood.empty()) return understood;
  const std::string remedy = ": --map COLUMN=MEANING says what is one of " + names_in(tables);
  throw InputError(
      file + " holds no table of measurements",
      "one needs a column of sizes and one of times or peaks" + (tables.empty() ? "" : remedy));
}

std::string describe(const ImportColumn& column) {
  return column.why.empty() ? describe(column.meaning) : "ignored: " + column.why;
}

Imported import_tables(const std::vector<UnderstoodTable>& tables, const Declared& declared) {
  Readings readings = read_tables(tables, declared);
  Imported imported{runs_of(readings, declared), std::move(readings.assumed),
                    std::move(readings.left_out)};
  for (const Run& run : imported.runs) {
    if (run.cells.size() <= kMostCells) continue;
    throw InputError(fmt::format("{}: {} cells of one run", declared.file, run.cells.size()),
                     fmt::format("{} are the most: import parts of the table", kMostCells));
  }
  return imported;
}

}  // namespace labreport
