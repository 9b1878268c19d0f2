// How a comparison calls its cells and sides.
#pragma once

#include <string>

#include "analysis/comparison.h"

namespace labreport {

/// "small, context 512, BF16, training step": FP32 goes without saying.
std::string cell_label(const CellSpec& spec, const std::string& size);

/// Of a time outside what limits predict: "11 % less time".
std::string departure_words(double departure);

/// "labreport’s network", "TransformerLM-0a1b2c3d"
std::string model_name(const ComparedRun& side);

/// In a sentence: "the H200" where the devices' names tell the sides apart, the model's name where
/// whose network it is does, else "A" and "B".
struct SideNames {
  std::string a = "A";
  std::string b = "B";
};
SideNames names_of(const Comparison& comparison);

/// The same at a sentence's beginning.
std::string at_start(const std::string& name);

}  // namespace labreport
