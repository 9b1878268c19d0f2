// Builds the datasets and facts of the XXL network: its memory, its devices, and the smallest batch
// with which its forward pass is bound by compute.
#include "base/format.h"
#include "experiments/parallel_arithmetic/machine.h"
#include "experiments/problems.h"
#include "results/run_labels.h"

namespace labreport::parallel_arithmetic {
namespace {

// The handout's constants: memory of an H100 and of a TPU v5p, the TPUs' mesh, and their rates.
constexpr double kH100Bytes = 80e9, kTpuBytes = 95e9;
constexpr Mesh kHandoutMesh{.fsdp = 16, .tensor = 4, .fsdp_axes = 2, .tensor_axes = 1};
constexpr Rates kHandoutRates{.flops_per_second = 4.6e14, .bytes_per_second = 1.8e11};
constexpr const char* kHandoutWords = "the handout's";
constexpr double kBillion = 1e9;
constexpr Notation kWholeNumber{Notation::kFixed, 0};

/// Returns the handout's mesh with one axis each for FSDP and TP, which share a GPU's links.
Mesh gpu_mesh() {
  Mesh mesh = kHandoutMesh;
  mesh.fsdp_axes = mesh.tensor_axes = 1;
  return mesh;
}

struct StateRow {
  std::string what;
  double bytes;
};

const std::vector<Column<StateRow>> kStateColumns{
    {"what", "What", &StateRow::what},
    {"bytes", "Bytes", [](const StateRow& row) { return row.bytes / kGigabyte; }, "GB"},
    {"gibibytes", "The same", &StateRow::bytes, "GiB", {Notation::kGibibytes}},
    {"devices", "H100 80 GB", [](const StateRow& row) { return row.bytes / kH100Bytes; }}};

PartContent memory_part() {
  const double parameters = kXxl.parameters();
  const std::vector<StateRow> rows{{"master weights, FP32", 4 * parameters},
                                   {"gradients, FP32", 4 * parameters},
                                   {"AdamW’s two moments, FP32", 8 * parameters},
                                   {"all of them", kXxl.state_bytes()}};
  PartContent part;
  part.facts.set("parameters", format_significant(parameters / kBillion));
  part.facts.set("state", format_significant(kXxl.state_bytes() / kGigabyte));
  part.facts.set("devices", format_count(least_devices(kXxl, kH100Bytes, 0)));
  part.facts.set("token", format_count(static_cast<std::int64_t>(kXxl.saved_bytes_per_token())));
  part.calculated = true;
  part.datasets = {make_dataset("state", kStateColumns, rows)};
  return part;
}

struct ShardedRow {
  double tokens_per_device;

  double activation_bytes() const { return tokens_per_device * kXxl.saved_bytes_per_token(); }
  std::int64_t devices() const { return least_devices(kXxl, kTpuBytes, activation_bytes()); }
};

const std::vector<Column<ShardedRow>> kShardedColumns{
    {"tokens", "Tokens a device", &ShardedRow::tokens_per_device, "", {Notation::kCount}},
    {"activations", "A", [](const ShardedRow& row) { return row.activation_bytes() / kGigabyte; },
     "GB"},
    {"devices",
     "Least N",
     [](const ShardedRow& row) {
       return row.devices() > 0 ? Value(row.devices()) : Value::missing("no N is enough");
     },
     "",
     {Notation::kCount}},
    {"bytes", "Then a device holds",
     [](const ShardedRow& row) {
       if (row.devices() == 0) return Value();
       const auto devices = static_cast<double>(row.devices());
       return Value(sharded_bytes(kXxl, devices, row.activation_bytes()) / kGigabyte);
     },
     "GB"}};

PartContent sharding_part() {
  const std::vector<ShardedRow> rows{{0}, {512}, {1024}, {2048}, {4096}, {8192}, {16384}};
  PartContent part;
  part.facts.set("devices", format_count(rows.front().devices()));
  part.facts.set("tokens", format_count(static_cast<std::int64_t>(rows[3].tokens_per_device)));
  part.facts.set("with_tokens", format_count(rows[3].devices()));
  part.calculated = true;
  part.datasets = {make_dataset("sharded", kShardedColumns, rows)};
  return part;
}

Column<Machine> tokens_column(const char* name, const char* title,
                              double (*least_tokens)(const Rates&, const Mesh&, double)) {
  return {name, title,
          [least_tokens](const Machine& machine) {
            const Mesh mesh = machine.words == kHandoutWords ? kHandoutMesh : gpu_mesh();
            return value_at(
                machine, [&](const Rates& rates) { return least_tokens(rates, mesh, kXxl.inner); });
          },
          "", kWholeNumber};
}

void add_least_batch(Facts& facts, const Rates& rates, const Mesh& mesh) {
  const double tokens = least_tokens_at_best_x(rates, mesh, kXxl.inner);
  facts.set("alpha", format_fixed(rates.intensity(), 0));
  facts.set("tokens", format_significant(tokens, 3));
  facts.set("from", tokens == 0 ? "at any batch"
                                : "from " + format_significant(tokens, 3) + " tokens a device on");
  facts.set("all_tokens", format_significant(tokens * mesh.devices() / 1e3, 3));
  facts.set("best",
            format_significant(best_fsdp_devices(mesh, tokens * mesh.devices(), kXxl.inner), 2));
}

PartContent batch_part(const RunView& view) {
  const std::vector<Machine> machines{
      {.words = kHandoutWords,
       .flops_per_second = kHandoutRates.flops_per_second,
       .bytes_per_second = kHandoutRates.bytes_per_second},
      measured_machine(view, {Precision::kBf16, Precision::kFp16, Precision::kFp32})};
  PartContent part;
  add_least_batch(part.facts, kHandoutRates, kHandoutMesh);
  const auto whole = [](double value) { return format_fixed(value, 0); };
  part.facts.set("beside",
                 whole(least_tokens_side_by_side(kHandoutRates, kHandoutMesh, kXxl.inner)));
  part.facts.set("in_turn", whole(least_tokens_in_turn(kHandoutRates, kHandoutMesh, kXxl.inner)));
  part.facts.list("measured",
                  machine_facts({machines.back()}, [](Facts& facts, const Rates& rates) {
                    add_least_batch(facts, rates, gpu_mesh());
                  }));
  set_missing_rate(part.facts, machines);
  part.calculated = !machines.back().rates();
  std::vector<Column<Machine>> columns = machine_columns();
  columns.push_back({"alpha", "α = C / W",
                     [](const Machine& machine) {
                       return value_at(machine,
                                       [](const Rates& rates) { return rates.intensity(); });
                     },
                     "", kWholeNumber});
  columns.push_back(
      tokens_column("best", "Tokens a device, X at its best", least_tokens_at_best_x));
  columns.push_back(
      tokens_column("beside", "X = 16, both beside each other", least_tokens_side_by_side));
  columns.push_back(tokens_column("in_turn", "X = 16, one after the other", least_tokens_in_turn));
  part.datasets = {make_dataset("batch", columns, machines)};
  return part;
}

}  // namespace

Presentation communication_accounting(const RunView& view) {
  if (!has_all_reduce(view) || view.edition().name != kEdition2025) return {};
  PartContent smaller_batches;
  smaller_batches.calculated = true;
  return {{"a", memory_part()},
          {"b", sharding_part()},
          {"c", batch_part(view)},
          {"d", smaller_batches}};
}

}  // namespace labreport::parallel_arithmetic
