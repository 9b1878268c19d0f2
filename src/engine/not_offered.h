// What a measurement asks for in vain.
#pragma once

#include "base/error.h"

namespace labreport {

/// What this machine or this torch cannot do, and why: no failure.
class NotOffered : public Error {
 public:
  using Error::Error;
};

}  // namespace labreport
