// On a processor operators stand in the kernels' place: so they do in titles, heads and captions.
#pragma once

#include "document/section.h"

namespace labreport::nsys_profile {

/// Writes "operator" for "kernel" in what the part shows beside its words.
void say_operators(PartContent& part);

}  // namespace labreport::nsys_profile
