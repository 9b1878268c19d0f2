#include "experiments/data_parallel/predicted.h"

#include "plan/collectives.h"

namespace labreport::data_parallel {
namespace {

constexpr double kMsPerSecond = 1e3;

double step_on(const Network& network, const Trained& trained, std::int64_t ranks) {
  const Trained& none = *network.ran(Scheme::kNone);
  const BucketModel two = *network.model();
  const std::int64_t measured = network.spec.ranks->count;
  const double alpha =
      two.alpha * static_cast<double>(ranks - 1) / static_cast<double>(measured - 1);
  const double beta = two.beta * bus_factor(measured) / bus_factor(ranks);
  const double exposed =
      exposed_seconds(trained.cell->spec, *none.backward_ms / kMsPerSecond, alpha, beta);
  return *none.step_ms() + exposed * kMsPerSecond;
}

const std::vector<Column<Predicted>> kPredicted{
    {"scheme", "Scheme", [](const Predicted& row) { return Value(row.trained->words()); }},
    {"measured", "Measured", &Predicted::measured_ms, "ms"},
    {"predicted", "Predicted", &Predicted::two_ms, "ms"},
    {"error",
     "Off by",
     [](const Predicted& row) { return Value(row.error()); },
     "%",
     {Notation::kPercent}},
    {"four", "4 GPUs, predicted", [](const Predicted& row) { return Value(row.four_ms); }, "ms"},
    {"eight", "8 GPUs, predicted", [](const Predicted& row) { return Value(row.eight_ms); }, "ms"}};

}  // namespace

std::vector<Predicted> predicted_steps(const Network& network) {
  const Trained* none = network.ran(Scheme::kNone);
  std::vector<Predicted> rows;
  if (none == nullptr || !none->backward_ms || !network.model()) return rows;
  for (const Trained& trained : network.schemes) {
    if (!trained.step_ms() || trained.scheme() == Scheme::kNone) continue;
    Predicted row{&trained, *trained.step_ms(),
                  step_on(network, trained, network.spec.ranks->count)};
    if (network.spec.device == DeviceKind::kCuda) {
      const double unexplained = row.measured_ms - row.two_ms;
      row.four_ms = step_on(network, trained, 4) + unexplained;
      row.eight_ms = step_on(network, trained, 8) + unexplained;
    }
    rows.push_back(row);
  }
  return rows;
}

Dataset predicted_dataset(const std::vector<Predicted>& rows) {
  return make_dataset("predicted", kPredicted, rows);
}

}  // namespace labreport::data_parallel
