#include "imports/row.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/table.h"
#include "base/text.h"

namespace labreport {
namespace {

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
    if (answered && column->meaning.name == "mixed_precision") {
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

}  // namespace

const Size* size_named(const Edition& edition, std::string_view name) {
  const auto found = std::ranges::find_if(
      edition.sizes, [&](const Size& size) { return lower(size.name) == lower(name); });
  return found == edition.sizes.end() ? nullptr : &*found;
}

bool is_size(std::string_view name) {
  return std::ranges::any_of(
      editions(), [&](const Edition& edition) { return size_named(edition, name) != nullptr; });
}

void read_row(const UnderstoodTable& table, const TableRow& row, const Declared& declared,
              const std::string& edition, Readings& into) {
  Row(table, row, declared, into).read(edition);
}

}  // namespace labreport
