// Reads the data that parity_data.py wrote.
#pragma once

#include <ATen/core/Dict.h>

#include <string>

namespace labreport {

void load_reference_data(const std::string& path);

/// Returns the loaded data; empty before load_reference_data().
c10::impl::GenericDict& reference_data();

}  // namespace labreport
