// Tells whether the steps of the user's network are whole training steps.
#pragma once

#include <string>

#include "results/run.h"

namespace labreport {

/// Returns what the worker found when it trained the user's network: "Net's steps do less than
/// training steps: 14 of 74 parameters get no gradient". Empty if it found nothing.
std::string less_work(const Run& run);

}  // namespace labreport
