#include "writers/csv/cells_csv.h"

#include <optional>
#include <string_view>
#include <variant>

#include "base/csv.h"
#include "base/text.h"
#include "writers/csv/metric_columns.h"

namespace labreport {
namespace {

constexpr double kSeconds = 1e-9;
constexpr std::string_view kNotMeasured = "not measured";

template <class Number>
CsvField field(const std::optional<Number>& number) {
  return number ? csv_number(*number) : CsvField();
}

template <class Named>
CsvField name_field(const std::optional<Named>& value) {
  return value ? csv_text(name(*value)) : CsvField();
}

CsvFields identity_heads() {
  return csv_texts({"id", "kind", "device", "size", "d_model", "d_ff", "layers", "heads", "vocab",
                    "context", "batch", "precision", "mode", "warmup", "steps"});
}

CsvFields identity_fields(const Cell& cell) {
  const CellSpec& spec = cell.spec;
  CsvFields fields = {csv_text(cell.id), csv_text(name(spec.kind)), csv_text(name(spec.device)),
                      csv_text(spec.size)};
  for (const auto part : {&ModelShape::d_model, &ModelShape::d_ff, &ModelShape::layers,
                          &ModelShape::heads, &ModelShape::vocab}) {
    fields.push_back(spec.model ? csv_number((*spec.model).*part) : CsvField());
  }
  for (const CsvField& text : {field(spec.context), field(spec.batch), name_field(spec.precision),
                               name_field(spec.mode), field(spec.warmup), field(spec.steps)}) {
    fields.push_back(text);
  }
  return fields;
}

CsvFields outcome_heads() {
  return csv_texts({"outcome", "phase", "requested (B)", "in use (B)", "peak (B)", "limit (s)",
                    "signal", "message"});
}

/// What each outcome has to say, in the columns of `outcome_heads` after the first.
struct OutcomeFields {
  CsvFields operator()(const Ok&) const { return CsvFields(7); }
  CsvFields operator()(const OutOfMemory& oom) const {
    return {csv_text(oom.phase),
            field(oom.requested_bytes),
            field(oom.in_use_bytes),
            field(oom.peak_bytes),
            {},
            {},
            {}};
  }
  CsvFields operator()(const Skipped& skipped) const {
    return {{}, {}, {}, {}, {}, {}, csv_text(skipped.reason)};
  }
  CsvFields operator()(const TimedOut& late) const {
    return {{}, {}, {}, {}, csv_number(late.limit_seconds), {}, {}};
  }
  CsvFields operator()(const Crashed& crashed) const {
    return {
        {}, {}, {}, {}, {}, csv_number(std::int64_t{crashed.signal}), csv_text(crashed.message)};
  }
  CsvFields operator()(const Failed& failed) const {
    return {{}, {}, {}, {}, {}, {}, csv_text(failed.message)};
  }
};

CsvField hardware(const Run& run, const Launch& launch) {
  return launch.device ? csv_text(run.devices.at(static_cast<std::size_t>(*launch.device)).name)
                       : CsvField();
}

void append(CsvFields& fields, const CsvFields& more) {
  fields.insert(fields.end(), more.begin(), more.end());
}

/// A cell that a run has planned and not come to: a row like any other, without a launch.
CsvFields unmeasured_fields() {
  CsvFields fields(3);
  append(fields, {csv_text(kNotMeasured)});
  fields.resize(fields.size() + outcome_heads().size() - 1 + 2);
  return fields;
}

CsvFields launch_fields(const Run& run, const Launch& launch, std::size_t number) {
  CsvFields fields = {csv_number(static_cast<std::int64_t>(number)), csv_number(launch.session),
                      hardware(run, launch), csv_text(status_name(launch.outcome))};
  append(fields, std::visit(OutcomeFields{}, launch.outcome));
  append(fields, {csv_number(static_cast<double>(launch.wall_ns) * kSeconds),
                  csv_text(join(launch.warnings, "; "))});
  return fields;
}

}  // namespace

std::string cells_csv(const Run& run) {
  const MetricColumns metrics(run);
  CsvFields heads = identity_heads();
  append(heads, csv_texts({"launch", "session", "hardware"}));
  append(heads, outcome_heads());
  append(heads, csv_texts({"wall (s)", "warnings"}));
  append(heads, metrics.heads());
  std::string csv = csv_line(heads);
  for (const Cell& cell : run.cells) {
    const CsvFields identity = identity_fields(cell);
    const auto add_row = [&](const CsvFields& outcome, const Launch& launch) {
      CsvFields fields = identity;
      append(fields, outcome);
      append(fields, metrics.fields(cell, launch));
      csv += csv_line(fields);
    };
    if (cell.launches.empty()) add_row(unmeasured_fields(), {});
    for (std::size_t i = 0; i < cell.launches.size(); ++i) {
      add_row(launch_fields(run, cell.launches[i], i), cell.launches[i]);
    }
  }
  return csv;
}

}  // namespace labreport
