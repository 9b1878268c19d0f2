#include "experiments/gradient_checkpointing/parts.h"
#include "experiments/problems.h"

namespace labreport::gradient_checkpointing {

Presentation present(const RunView& view) {
  const std::vector<Checkpointed> networks = checkpointed_networks(view);
  if (networks.empty()) return {};
  return {{"a", present_nested(networks)}, {"b", present_block_size(view, networks)}};
}

}  // namespace labreport::gradient_checkpointing
