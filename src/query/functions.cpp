#include "query/functions.h"

#include <sqlite3.h>

#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "base/statistics.h"
#include "plan/arithmetic.h"
#include "plan/editions.h"

namespace labreport {
namespace {

bool is_null(sqlite3_value* value) { return sqlite3_value_type(value) == SQLITE_NULL; }

/// The arguments of an aggregate in the rows of one group.
struct Group {
  std::vector<double> samples;
  double probability = 0;  ///< The second argument of `quantile`.
};

/// Returns the address of the pointer that SQLite stores for each group. The pointer is null at
/// first. The address is null if `bytes` is 0 and the group has no row, or if memory runs out.
Group** group_of(sqlite3_context* context, int bytes) {
  return static_cast<Group**>(sqlite3_aggregate_context(context, bytes));
}

/// SQLite calls this for each row of a group.
void add_row(sqlite3_context* context, int count, sqlite3_value** values) {
  Group** group = group_of(context, sizeof(Group*));
  if (group == nullptr) return sqlite3_result_error_nomem(context);
  if (*group == nullptr) *group = new Group;
  if (is_null(values[0])) return;
  (*group)->samples.push_back(sqlite3_value_double(values[0]));
  if (count > 1) (*group)->probability = sqlite3_value_double(values[1]);
}

/// Sets the result of an aggregate: the statistic of the group, or NULL without samples. SQLite
/// calls this once for each group, even if the query is stopped early, so the group is always
/// freed.
template <auto statistic>
void finish_group(sqlite3_context* context) {
  Group** group = group_of(context, 0);
  if (group == nullptr || *group == nullptr) return sqlite3_result_null(context);
  const std::unique_ptr<Group> owned_group(*group);
  std::optional<double> result;
  if (!owned_group->samples.empty()) result = statistic(*owned_group);
  result ? sqlite3_result_double(context, *result) : sqlite3_result_null(context);
}

/// `statistic` maps a `Group` with samples to a number, or to an empty optional for NULL.
template <auto statistic>
void add_aggregate(sqlite3* database, const char* name, int argument_count) {
  sqlite3_create_function_v2(database, name, argument_count, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                             nullptr, nullptr, add_row, finish_group<statistic>, nullptr);
}

constexpr std::int64_t kMaxDimension = 1'000'000;  // A parameter count then fits 64 bits.

/// Returns the arguments; nothing if any of them is NULL or not from 1 to kMaxDimension.
template <std::size_t N>
std::optional<std::array<std::int64_t, N>> dimensions(sqlite3_value** values) {
  std::array<std::int64_t, N> numbers{};
  for (std::size_t i = 0; i < N; ++i) {
    numbers[i] = sqlite3_value_int64(values[i]);
    if (is_null(values[i]) || numbers[i] < 1 || numbers[i] > kMaxDimension) return std::nullopt;
  }
  return numbers;
}

void parameters_function(sqlite3_context* context, int /*count*/, sqlite3_value** values) {
  const auto numbers = dimensions<4>(values);
  if (!numbers) return sqlite3_result_null(context);
  const auto [d_model, d_ff, layers, vocab] = *numbers;
  const ModelShape shape{
      .d_model = d_model, .d_ff = d_ff, .layers = layers, .heads = 1, .vocab = vocab};
  sqlite3_result_double(context, static_cast<double>(parameter_count(shape)));
}

void forward_flops_function(sqlite3_context* context, int /*count*/, sqlite3_value** values) {
  const auto numbers = dimensions<6>(values);
  if (!numbers) return sqlite3_result_null(context);
  const auto [d_model, d_ff, layers, vocab, batch, length] = *numbers;
  const ModelShape shape{
      .d_model = d_model, .d_ff = d_ff, .layers = layers, .heads = 1, .vocab = vocab};
  sqlite3_result_double(context, forward_flops(shape, batch, length));
}

}  // namespace

void add_functions(sqlite3* database) {
  constexpr auto kMean = [](const Group& group) { return mean(group.samples); };
  constexpr auto kMedian = [](const Group& group) { return median(group.samples); };
  constexpr auto kStddev = [](const Group& group) -> std::optional<double> {
    if (group.samples.size() < 2) return std::nullopt;
    return sample_stddev(group.samples);
  };
  constexpr auto kSum = [](const Group& group) {
    return std::accumulate(group.samples.begin(), group.samples.end(), 0.0);
  };
  constexpr auto kQuantile = [](const Group& group) -> std::optional<double> {
    if (!(group.probability >= 0 && group.probability <= 1)) return std::nullopt;
    return quantile(group.samples, group.probability);
  };
  add_aggregate<kMean>(database, "mean", 1);
  add_aggregate<kMedian>(database, "median", 1);
  add_aggregate<kStddev>(database, "stddev", 1);
  add_aggregate<kSum>(database, "sum_of", 1);
  add_aggregate<kQuantile>(database, "quantile", 2);
  constexpr int kDeterministic = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
  sqlite3_create_function_v2(database, "parameters", 4, kDeterministic, nullptr,
                             parameters_function, nullptr, nullptr, nullptr);
  sqlite3_create_function_v2(database, "forward_flops", 6, kDeterministic, nullptr,
                             forward_flops_function, nullptr, nullptr, nullptr);
}

}  // namespace labreport
