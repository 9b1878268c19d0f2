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

/// The samples of one group, and `quantile`'s second argument.
struct Group {
  std::vector<double> samples;
  double share = 0;
};

/// Returns the pointer that SQLite keeps for each group, null at first.
Group** group_of(sqlite3_context* context, int bytes) {
  return static_cast<Group**>(sqlite3_aggregate_context(context, bytes));
}

void collect(sqlite3_context* context, int count, sqlite3_value** values) {
  Group** group = group_of(context, sizeof(Group*));
  if (group == nullptr) return sqlite3_result_error_nomem(context);
  if (*group == nullptr) *group = new Group;
  if (is_null(values[0])) return;
  (*group)->samples.push_back(sqlite3_value_double(values[0]));
  if (count > 1) (*group)->share = sqlite3_value_double(values[1]);
}

/// Returns the statistic of a group to SQLite, or NULL without samples. SQLite calls this for each
/// group, even if the query is ended early, so the group is always freed.
template <auto statistic>
void conclude(sqlite3_context* context) {
  Group** group = group_of(context, 0);
  if (group == nullptr || *group == nullptr) return sqlite3_result_null(context);
  const std::unique_ptr<Group> samples(*group);
  std::optional<double> result;
  if (!samples->samples.empty()) result = statistic(*samples);
  result ? sqlite3_result_double(context, *result) : sqlite3_result_null(context);
}

/// `statistic` maps a `Group` with samples to a number, or to nothing for NULL.
template <auto statistic>
void add_aggregate(sqlite3* database, const char* name, int arguments) {
  sqlite3_create_function_v2(database, name, arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr,
                             nullptr, collect, conclude<statistic>, nullptr);
}

constexpr std::int64_t kMostOfAShape = 1'000'000;  // so that a parameter count fits 64 bits

/// Returns the arguments; nothing if one is NULL or not from 1 to kMostOfAShape.
template <std::size_t N>
std::optional<std::array<std::int64_t, N>> dimensions(sqlite3_value** values) {
  std::array<std::int64_t, N> numbers{};
  for (std::size_t i = 0; i < N; ++i) {
    numbers[i] = sqlite3_value_int64(values[i]);
    if (is_null(values[i]) || numbers[i] < 1 || numbers[i] > kMostOfAShape) return std::nullopt;
  }
  return numbers;
}

void parameters(sqlite3_context* context, int /*count*/, sqlite3_value** values) {
  const auto numbers = dimensions<4>(values);
  if (!numbers) return sqlite3_result_null(context);
  const auto [d_model, d_ff, layers, vocab] = *numbers;
  const ModelShape shape{
      .d_model = d_model, .d_ff = d_ff, .layers = layers, .heads = 1, .vocab = vocab};
  sqlite3_result_double(context, static_cast<double>(parameter_count(shape)));
}

void flops(sqlite3_context* context, int /*count*/, sqlite3_value** values) {
  const auto numbers = dimensions<6>(values);
  if (!numbers) return sqlite3_result_null(context);
  const auto [d_model, d_ff, layers, vocab, batch, tokens] = *numbers;
  const ModelShape shape{
      .d_model = d_model, .d_ff = d_ff, .layers = layers, .heads = 1, .vocab = vocab};
  sqlite3_result_double(context, forward_flops(shape, batch, tokens));
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
    if (!(group.share >= 0 && group.share <= 1)) return std::nullopt;
    return quantile(group.samples, group.share);
  };
  add_aggregate<kMean>(database, "mean", 1);
  add_aggregate<kMedian>(database, "median", 1);
  add_aggregate<kStddev>(database, "stddev", 1);
  add_aggregate<kSum>(database, "sum_of", 1);
  add_aggregate<kQuantile>(database, "quantile", 2);
  constexpr int kPure = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
  sqlite3_create_function_v2(database, "parameters", 4, kPure, nullptr, parameters, nullptr,
                             nullptr, nullptr);
  sqlite3_create_function_v2(database, "forward_flops", 6, kPure, nullptr, flops, nullptr, nullptr,
                             nullptr);
}

}  // namespace labreport
