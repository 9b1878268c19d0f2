// Reads the data that parity_data.py wrote.
#pragma once

#include <ATen/core/Dict.h>

#include <string>

namespace labreport {

void load_reference_data(const std::string& path);

/// Empty until it is loaded.
c10::impl::GenericDict& reference_data();

}  // namespace labreport
