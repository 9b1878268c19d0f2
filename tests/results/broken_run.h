// Changes the sample run's text, and returns the error message about it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "results/run_json.h"
#include "results/sample.h"

namespace labreport::testing_samples {

/// Returns the message with which the text of a run is refused; empty if it is accepted.
inline std::string refusal(const std::string& text) {
  try {
    run_from_json(text, "run.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// Returns the sample run's text with another value at a JSON pointer.
inline std::string sample_with(const std::string& pointer, const nlohmann::json& value) {
  auto document = nlohmann::json::parse(to_json(sample_run()));
  document[nlohmann::json::json_pointer(pointer)] = value;
  return document.dump();
}

}  // namespace labreport::testing_samples
