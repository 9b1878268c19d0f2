#include "measure/memory/known_storages.h"

#include "engine/allocation_source.h"

namespace labreport {
namespace {

void know(const at::Tensor& tensor, MemoryCategory category, KnownStorages& storages) {
  if (!tensor.defined()) return;
  storages[reinterpret_cast<std::uint64_t>(tensor.storage().data())] = category;
}

}  // namespace

KnownStorages known_storages(const Network& network, const Batch& batch, const TrainingStep& step,
                             DeviceKind device) {
  KnownStorages storages;
  for (const std::uint64_t address : workspace_addresses(device)) {
    storages[address] = MemoryCategory::kWorkspace;
  }
  for (const Parameter& parameter : network.parameters()) {
    know(parameter.tensor, MemoryCategory::kParameters, storages);
    know(parameter.tensor.grad(), MemoryCategory::kGradients, storages);
  }
  for (const Parameter& moment : step.optimizer_state()) {
    know(moment.tensor, MemoryCategory::kOptimizer, storages);
  }
  for (const at::Tensor& table : network.tables()) know(table, MemoryCategory::kData, storages);
  know(batch.ids, MemoryCategory::kData, storages);
  know(batch.targets, MemoryCategory::kData, storages);
  return storages;
}

}  // namespace labreport
