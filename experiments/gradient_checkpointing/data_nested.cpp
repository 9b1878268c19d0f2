// Part (a): nested checkpoints, by arithmetic.
#include "base/format.h"
#include "experiments/gradient_checkpointing/arrangements.h"
#include "experiments/gradient_checkpointing/parts.h"

namespace labreport::gradient_checkpointing {
namespace {

struct Row {
  const Checkpointed* network;
  Arrangement arrangement;

  double bytes() const {
    return static_cast<double>(arrangement.inputs) * network->boundary() +
           static_cast<double>(arrangement.residuals) * network->residuals();
  }
  /// Backward takes two forwards' FLOPs.
  double compute() const {
    const auto passes = 3 * static_cast<double>(network->layers());
    return (passes + static_cast<double>(arrangement.again)) / passes;
  }
};

const std::vector<Column<Row>> kRows{
    {"arrangement", "Arrangement", [](const Row& row) { return row.arrangement.words; }},
    {"inputs",
     "Inputs held",
     [](const Row& row) { return row.arrangement.inputs; },
     "",
     {Notation::kCount}},
    {"residuals",
     "Blocks of residuals",
     [](const Row& row) { return row.arrangement.residuals; },
     "",
     {Notation::kCount}},
    {"bytes", "Activations", [](const Row& row) { return format_bytes(row.bytes()); }},
    {"again",
     "Block forwards run again",
     [](const Row& row) { return row.arrangement.again; },
     "",
     {Notation::kCount}},
    {"compute", "Compute", &Row::compute, "×", {Notation::kFixed, 2}}};

}  // namespace

PartContent present_nested(const std::vector<Checkpointed>& networks) {
  const Checkpointed& network = networks.front();
  std::vector<Row> rows;
  for (Arrangement& arrangement : arrangements(network.layers())) {
    rows.push_back({&network, std::move(arrangement)});
  }
  PartContent part;
  part.facts.set("words", network.words).set("blocks", format_count(network.layers()));
  part.facts.set("boundary", format_bytes_briefly(network.boundary()));
  part.facts.set("residuals", format_bytes_briefly(network.residuals()));
  part.facts.flag("measured", network.measured_residuals());
  const Arrangement &halves = rows.at(3).arrangement, &prefixes = rows.at(4).arrangement;
  part.facts.set("halves_inputs", format_count(halves.inputs));
  part.facts.set("halves_again", format_count(halves.again));
  part.facts.set("prefixes_again", format_count(prefixes.again));
  part.calculated = true;
  part.datasets = {make_dataset("arrangements", kRows, rows)};
  for (const Choice& choice : network.choices) part.cells.push_back(choice.cell);
  return part;
}

}  // namespace labreport::gradient_checkpointing
