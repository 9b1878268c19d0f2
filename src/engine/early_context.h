// The device's context, made while the program's libraries are still being initialised.
#pragma once

#include <cstdint>

namespace labreport {

/// A program that links this and is called with `--request` first starts making the context of
/// CUDA's device 0 on a thread of its own before any library's initialisers run: both take some
/// 0.2 s. What goes wrong there is left for `start_device` to tell.
///
/// Waits until that thread is done, and returns the nanoseconds that it took; 0 without a device.
std::int64_t join_early_context();

}  // namespace labreport
