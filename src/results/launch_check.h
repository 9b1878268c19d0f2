// Whether run.json can hold a launch that came by a file of its own.
#pragma once

#include <optional>
#include <string>

#include "results/run.h"

namespace labreport {

/// Holds launch and device against the schema, as the run that they join will be when it is read
/// again: one of them alone could make all of it unreadable. Throws `InputError` with `origin`.
void check_launch(const CellSpec& spec, const Launch& launch, const std::optional<Device>& device,
                  const std::string& origin);

}  // namespace labreport
