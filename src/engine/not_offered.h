// An error for unsupported measurements.
#pragma once

#include "base/error.h"

namespace labreport {

/// Thrown when the device, dtype or library does not support what a cell asks for. It does not
/// count as a failure.
class NotOffered : public Error {
 public:
  using Error::Error;
};

}  // namespace labreport
