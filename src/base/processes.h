// Looks at the processes of this machine.
#pragma once

#include <cstdint>

namespace labreport {

/// Returns the number of processes that `labreport` programs run on this machine now, except those
/// of the program that started this one. They share the CPU with what is measured.
std::int64_t other_labreport_processes();

}  // namespace labreport
