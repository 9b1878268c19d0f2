// Tags and names that workers write and presenters read.
#pragma once

#include <string_view>

namespace labreport::metric {

// Steps 1 … warmup + steps, in order from process start; host clock, synchronised once at the end.
inline constexpr std::string_view kStep = "step";    // tag; unit ns, samples
inline constexpr std::string_view kTotal = "total";  // start → device done
inline constexpr std::string_view kEnqueue =
    "enqueue";  // start → all enqueued; also a tag: per phase

// Phases of the same steps by device events (host clock on a CPU); names are phase names.
inline constexpr std::string_view kEvent = "event";  // tag; unit ns, samples

// A second set of `steps` steps that synchronises after every phase; host clock.
inline constexpr std::string_view kSynced = "synced";  // tag; unit ns, samples; also kTotal

inline constexpr std::string_view kForward = "forward";
inline constexpr std::string_view kLoss = "loss";
inline constexpr std::string_view kBackward = "backward";
inline constexpr std::string_view kOptimizer = "optimizer";

// Before step 1; unit ns, one value each.
inline constexpr std::string_view kStartUp = "start-up";     // tag
inline constexpr std::string_view kLibraries = "libraries";  // exec → main
inline constexpr std::string_view kDeviceContext =
    "context";  // device context, partly beside kLibraries
inline constexpr std::string_view kModelBuild = "model";  // parameters made and initialised
inline constexpr std::string_view kFirstKernel =
    "first_kernel";  // exec → first step's first kernel enqueued

// Allocator at the end of the timed steps; unit B.
inline constexpr std::string_view kMemory = "memory";  // tag
inline constexpr std::string_view kParameters = "parameters";
inline constexpr std::string_view kPeakAllocated = "peak_allocated";
inline constexpr std::string_view kPeakReserved = "peak_reserved";
inline constexpr std::string_view kPeakRequested = "peak_requested";

// Conditions around the timed steps.
inline constexpr std::string_view kClock = "clock";  // tag; MHz in one untimed step; also kMemory
inline constexpr std::string_view kSm = "sm";
inline constexpr std::string_view kSlowdown = "slowdown";  // tag; ns of thermal, hardware, power
inline constexpr std::string_view kThermal = "thermal";
inline constexpr std::string_view kHardware = "hardware";
inline constexpr std::string_view kPower = "power";
inline constexpr std::string_view kGpu = "gpu";                               // tag
inline constexpr std::string_view kTemperature = "temperature";               // °C after the steps
inline constexpr std::string_view kOtherProcesses = "other_processes";        // count
inline constexpr std::string_view kDeviceAllocations = "device_allocations";  // in timed steps

// Kind `limits`: sustained rates.
inline constexpr std::string_view kMatrixRate = "matrix_rate";  // tag; flop/s; names: precisions
inline constexpr std::string_view kCopy = "copy";               // tag
inline constexpr std::string_view kBandwidth = "bandwidth";     // B/s, read + written

}  // namespace labreport::metric
