#include "analysis/speedups.h"

#include <map>

namespace labreport {
namespace {

bool comparable(const ComparedRow& row) {
  return row.spec.kind == CellKind::kTiming && row.measure != Measure::kFirstStep &&
         row.spec.precision;
}

/// What an FP32 row and its twin in another precision have in common.
std::string key_of(const ComparedRow& row) {
  CellSpec spec = row.spec;
  spec.precision.reset();
  return cell_id(spec) + "." + std::string(name(row.measure));
}

std::optional<double> speedup(const RowSide& fp32, const RowSide& other) {
  return fp32.value && other.value ? std::optional(*fp32.value / *other.value) : std::nullopt;
}

}  // namespace

std::vector<SpeedupRow> speedups_of(const std::vector<ComparedRow>& rows) {
  std::map<std::string, const ComparedRow*> fp32;
  for (const ComparedRow& row : rows) {
    if (comparable(row) && row.spec.precision == Precision::kFp32) fp32.emplace(key_of(row), &row);
  }
  std::vector<SpeedupRow> found;
  for (const ComparedRow& row : rows) {
    if (!comparable(row) || row.spec.precision == Precision::kFp32) continue;
    const auto twin = fp32.find(key_of(row));
    if (twin == fp32.end()) continue;
    const SpeedupRow speedups{.spec = row.spec,
                              .size = row.size,
                              .measure = row.measure,
                              .a = speedup(twin->second->a, row.a),
                              .b = speedup(twin->second->b, row.b)};
    if (speedups.a || speedups.b) found.push_back(speedups);
  }
  return found;
}

}  // namespace labreport
