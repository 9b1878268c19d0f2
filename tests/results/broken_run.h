// Breaks the sample run's text, and returns the message about it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "results/run_json.h"
#include "results/sample.h"

namespace labreport::testing_samples {

/// Returns the message; empty if nothing is wrong.
inline std::string complaint(const std::string& text) {
  try {
    run_from_json(text, "run.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// The sample with one value changed at a JSON pointer; null pointer value removes nothing.
inline std::string changed(const std::string& pointer, const nlohmann::json& value) {
  auto document = nlohmann::json::parse(to_json(sample_run()));
  document[nlohmann::json::json_pointer(pointer)] = value;
  return document.dump();
}

}  // namespace labreport::testing_samples
