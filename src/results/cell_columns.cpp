#include "results/cell_columns.h"

#include <algorithm>

#include "base/text.h"
#include "results/run_json_keys.h"

namespace labreport {
namespace {

/// The type of a parameter's values, of which an optional parameter has none or one.
template <typename Value>
struct ParamType {
  using Type = Value;
};
template <typename Value>
struct ParamType<std::optional<Value>> {
  using Type = Value;
};

template <typename Struct, typename Value>
CellColumn column_of(const Param<Struct, Value>& param) {
  using Type = typename ParamType<Value>::Type;
  CellColumn column{param.key, param.comment, std::is_same_v<Type, std::int64_t>};
  if constexpr (std::is_enum_v<Type>) {
    if (column.comment.empty()) column.comment = "'" + join(all_names<Type>(), "', '") + "'";
  }
  return column;
}

Scalar scalar_of(const Json& json) {
  if (json.is_null()) return {};
  if (json.is_number_integer()) return json.get<std::int64_t>();
  return json.is_string() ? json.get<std::string>() : compact_json(json);
}

}  // namespace

const std::vector<CellColumn>& cell_columns() {
  static const std::vector<CellColumn> all = [] {
    std::vector<CellColumn> columns{
        {"id", "all parameters as a name", false, true},
        {"kind", "'timing', 'kernels', 'memory', 'attention', …", false, true}};
    const CellSpec bare;
    for_each_param(&bare, [&](const auto& param, const auto* value) {
      CellColumn column = column_of(param);
      column.has_each_value = value != nullptr && !is_empty(*value);
      const bool is_new =
          std::ranges::find(columns, column.name, &CellColumn::name) == columns.end();
      if (is_new) columns.push_back(std::move(column));  // Networks and attentions have heads.
    });
    return columns;
  }();
  return all;
}

std::vector<Scalar> cell_values(const Cell& cell) {
  Json params = cell.spec;
  params["id"] = cell.id;
  params["kind"] = name(cell.spec.kind);
  std::vector<Scalar> values;
  for (const CellColumn& column : cell_columns()) {
    values.push_back(scalar_of(params.value(column.name, Json())));
  }
  return values;
}

}  // namespace labreport
