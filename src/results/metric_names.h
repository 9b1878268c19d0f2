// Tags and names of metrics and tables. Workers and imports write them, presenters read them.
//
// A comment behind a constant begins with `tag` or `table` if the constant is one. Then it gives
// the unit of the tag's metrics and their meaning. All other constants are names of metrics.
#pragma once

#include <string_view>

namespace labreport::metric {

// The host's clock times steps 1 to warmup + steps of the process, in order. The device is
// synchronized only once, after the last step.
inline constexpr std::string_view kStep = "step";    // tag; unit ns, samples
inline constexpr std::string_view kTotal = "total";  // step's start → device finished
inline constexpr std::string_view kEnqueue =
    "enqueue";  // step's start → all work enqueued; also a tag: values by phase

// Device events, or on a CPU the host's clock, time the phases of these steps. Names are phases.
inline constexpr std::string_view kEvent = "event";  // tag; unit ns, samples

// The host's clock times `steps` further steps, which synchronize after every phase.
inline constexpr std::string_view kSynced = "synced";  // tag; unit ns, samples; phases and kTotal

inline constexpr std::string_view kForward = "forward";
inline constexpr std::string_view kLoss = "loss";
inline constexpr std::string_view kBackward = "backward";
inline constexpr std::string_view kOptimizer = "optimizer";

// Times before step 1; unit ns, one value for each name.
inline constexpr std::string_view kStartUp = "start-up";     // tag
inline constexpr std::string_view kLibraries = "libraries";  // exec → main
inline constexpr std::string_view kDeviceContext =
    "context";  // device context created; this partly overlaps kLibraries
inline constexpr std::string_view kModelBuild = "model";  // parameters created and initialized
// The time of the first forward, loss and backward of a compiled model, which compile it. They run
// after kLibraries and kModelBuild and before kFirstKernel.
inline constexpr std::string_view kCompile = "compile";
inline constexpr std::string_view kFirstKernel =
    "first_kernel";  // exec → first step's first kernel enqueued

// Allocator statistics at the end of the timed steps; unit B.
inline constexpr std::string_view kMemory = "memory";  // tag
inline constexpr std::string_view kParameters = "parameters";
inline constexpr std::string_view kPeakAllocated = "peak_allocated";
inline constexpr std::string_view kPeakReserved = "peak_reserved";
inline constexpr std::string_view kPeakRequested = "peak_requested";

// Conditions of a launch, during the timed steps unless stated otherwise.
inline constexpr std::string_view kClock = "clock";  // tag; MHz in one untimed step; kSm, kMemory
inline constexpr std::string_view kSm = "sm";
inline constexpr std::string_view kSlowdown = "slowdown";  // tag; ns at reduced clocks, by cause
inline constexpr std::string_view kThermal = "thermal";
inline constexpr std::string_view kHardware = "hardware";
inline constexpr std::string_view kPower = "power";
inline constexpr std::string_view kAllocatorLimit =
    "limit";                                     // tag kMemory; B: the allocator's limit
inline constexpr std::string_view kGpu = "gpu";  // tag
inline constexpr std::string_view kTemperature = "temperature";         // °C after the steps
inline constexpr std::string_view kOtherProcesses = "other_processes";  // count
inline constexpr std::string_view kSpilled = "spilled";  // B reserved beyond the device's memory
inline constexpr std::string_view kDeviceAllocations = "device_allocations";  // in the timed steps

// Kind `ladder` writes the metrics of kinds `timing` and `kernels`, and losses.
inline constexpr std::string_view kLosses = "losses";  // tag; kTotal: one for each step

// Kind `checkpointing` first runs forward, loss and backward once, before AdamW has states, and
// writes "resident" and "peak" as kind `memory` does. Then it times training steps as kind `timing`
// does, and writes their losses.
inline constexpr std::string_view kCheckpoints = "checkpoints";  // tag; B
inline constexpr std::string_view kSaved = "saved";  // allocated before backward − before forward
inline constexpr std::string_view kRecomputed = "recomputed";  // memory that one group added
inline constexpr std::string_view kRecompute = "recompute";    // in tag kStep: all groups' forwards

// Kind `limits` measures sustained rates.
inline constexpr std::string_view kMatrixRate = "matrix_rate";  // tag; flop/s; names: precisions
inline constexpr std::string_view kCopy = "copy";               // tag
inline constexpr std::string_view kBandwidth = "bandwidth";     // B/s, read + written

// Kind `accumulation` writes the sum after each addition of a loop. Names are loops. The addend is
// 0.01 unless the loop's name gives another.
inline constexpr std::string_view kRunningSum = "running";  // tag; on the cell's device
inline constexpr std::string_view kHostRunningSum =
    "running_host";                                    // tag; on the CPU, for comparison
inline constexpr std::string_view kAddend = "addend";  // tag; the addend rounded to its dtype
inline constexpr std::string_view kFp32Loop = "fp32+=fp32";
inline constexpr std::string_view kFp16Loop = "fp16+=fp16";
inline constexpr std::string_view kMixedLoop = "fp32+=fp16";
inline constexpr std::string_view kCastLoop = "fp32+=float(fp16)";
inline constexpr std::string_view kBf16Loop = "bf16+=bf16";
inline constexpr std::string_view kHalvesLoop = "fp32+=0.5";

// Kind `dtypes` writes a table of this name with columns precision, group, name, dtype.
inline constexpr std::string_view kDtypes = "dtypes";
inline constexpr std::string_view kInput = "input";  // the groups are kInput to kGradient
inline constexpr std::string_view kParameter = "parameter";
inline constexpr std::string_view kOutput = "output";  // outputs of modules
inline constexpr std::string_view kLossValue = "loss";
inline constexpr std::string_view kGradient = "gradient";
inline constexpr std::string_view kOptimizerState = "optimizer state";
inline constexpr std::string_view kNorm = "norm";        // a group: norms with 16-bit input
inline constexpr std::string_view kNetwork = "network";  // a group: outputs in a Transformer block

// Kind `layer_norm` writes a table of this name, one row for each format, method, width and scale.
// Errors are relative to FP64 and are medians over kVectors vectors. The columns of overflow and
// underflow count the vectors in which it occurs.
inline constexpr std::string_view kLayerNorm = "layer_norm";  // tag and table
inline constexpr std::string_view kVectors = "vectors";
inline constexpr std::string_view kRounded = "rounded";  // method: rounds after every addition
inline constexpr std::string_view kReductions = "reductions";  // method: LibTorch's own reductions
inline constexpr std::string_view kFp32Statistics = "fp32_statistics";

// Kind `kernels` profiles one step. Values with the tag "profile" are in ns unless stated
// otherwise.
inline constexpr std::string_view kProfile = "profile";
inline constexpr std::string_view kPrepare = "prepare";
inline constexpr std::string_view kCollect = "collect";
inline constexpr std::string_view kSpan = "span";  // start of the first activity → end of the last
inline constexpr std::string_view kBusy = "busy";  // union of activities; also a tag: sums by phase
inline constexpr std::string_view kUnattributed = "unattributed";
// kKernels is a count of activities and a table; the next two are only tables.
inline constexpr std::string_view kKernels = "kernels";
inline constexpr std::string_view kKernelNames = "kernel_names";
inline constexpr std::string_view kGpuTrace = "gpu_trace";  // every kernel, if requested
// Host time in calls of the device's runtime during the profiled step, by purpose.
inline constexpr std::string_view kRuntime = "runtime";  // tag
inline constexpr std::string_view kAllocation = "allocation";
inline constexpr std::string_view kLaunchCalls = "launch";
inline constexpr std::string_view kOtherCalls = "other";
// Host time in the first launch of each kernel, written only if the process profiles its first
// step. See measure/kernels/host_calls.h.
inline constexpr std::string_view kFirstLaunches = "first";  // tag
inline constexpr std::string_view kCodeLoading = "code_loading";
inline constexpr std::string_view kMatrixLibrary = "matrix_library";

// Kind `memory` runs one step without the allocator's history, then one with it. Unit B.
inline constexpr std::string_view kResident = "resident";  // tag: allocated just before the step
inline constexpr std::string_view kPeak = "peak";          // tag: highest allocated, by phase
inline constexpr std::string_view kHistory = "history";    // tag: the step with the history
inline constexpr std::string_view kCategory = "category";  // tag: requested, at the step's peak
inline constexpr std::string_view kRounding = "rounding";  // tag: allocated − requested
inline constexpr std::string_view kResidual = "residual";  // tag: one tensor of the residual stream
inline constexpr std::string_view kOtherForwardPeaks =
    "meaning";  // tag: the peak of forward by other definitions than kPeak's
inline constexpr std::string_view kBlock = "block";  // tag and table: memory of one block
inline constexpr std::string_view kAllocated = "allocated";
inline constexpr std::string_view kRequested = "requested";
inline constexpr std::string_view kEvents = "events";
inline constexpr std::string_view kLostEvents = "lost";
inline constexpr std::string_view kForwardWithState = "forward_with_state";
inline constexpr std::string_view kForwardGraphAlive = "forward_graph_alive";
inline constexpr std::string_view kKept = "kept";
inline constexpr std::string_view kPoint = "point";
inline constexpr std::string_view kBeforeBackward = "before_backward";
inline constexpr std::string_view kAfterBackward = "after_backward";
inline constexpr std::string_view kGradients = "gradients";
// Categories in stacking order: kParameters, kGradients, then these.
inline constexpr std::string_view kOptimizerStates = "optimizer";  // also a phase: kOptimizer
inline constexpr std::string_view kData = "data";
inline constexpr std::string_view kActivations = "activations";
inline constexpr std::string_view kWeightCopies = "weight_copies";
inline constexpr std::string_view kWorkspace = "workspace";
inline constexpr std::string_view kTemporary = "temporary";
inline constexpr std::string_view kUnknown = "unknown";
// Tables of kind `memory`, in addition to kBlock.
inline constexpr std::string_view kTimeline = "timeline";
inline constexpr std::string_view kAllocations = "allocations";
inline constexpr std::string_view kLargest = "largest";
inline constexpr std::string_view kBlockTimeline = "block_timeline";

// Kind `attention` writes a table of this name, one row for each sequence length; see
// shape::attention.
inline constexpr std::string_view kAttention = "attention";
inline constexpr std::string_view kEndToEnd = "end_to_end";  // forward and backward timed together
inline constexpr std::string_view kRan = "ok";               // kRan to kFailed are outcomes
inline constexpr std::string_view kRanOut = "out of memory";
inline constexpr std::string_view kNotOffered = "not offered";  // by device, dtype or library
inline constexpr std::string_view kInaccurate = "inaccurate";
inline constexpr std::string_view kNotTried = "not tried";  // a shorter sequence ran out of memory
inline constexpr std::string_view kFailed = "failed";
// Times of single passes, written if each pass is timed by itself. Names are sequence lengths.
inline constexpr std::string_view kForwardPasses = "forward_passes";    // tag; ns
inline constexpr std::string_view kBackwardPasses = "backward_passes";  // tag; ns
// The largest difference from FP64, relative to the tensor's largest magnitude. Names are kOutput,
// the gradients of q, k and v, and kTolerance, the largest difference allowed.
inline constexpr std::string_view kAttentionError = "attention_error";  // tag
inline constexpr std::string_view kTolerance = "tolerance";

// Kind `all_reduce` writes a tag and a table of this name. The tag has all samples of the handout's
// sizes, in ns, under names "<bytes>.<rank>". For the table see shape::all_reduce. Its methods are
// kSynced and the next two, which are those of nccl-tests.
inline constexpr std::string_view kAllReduce = "all_reduce";
inline constexpr std::string_view kInPlace = "in_place";
inline constexpr std::string_view kOutOfPlace = "out_of_place";
// Kind `sharding` writes kTotal of each counted step, from the slowest rank, and the loss of each
// step, as a mean over the ranks. Phases of kSynced are kForward, kLoss, kBackward, kAllReduce,
// kOptimizer, kBroadcast. For its tables see shape::held and shape::gathers.
inline constexpr std::string_view kBroadcast = "broadcast";
inline constexpr std::string_view kHeld = "held";  // table
inline constexpr std::string_view kAfterModel =
    "model";  // kAfterModel to kAfterOptimizer are points
inline constexpr std::string_view kBeforeOptimizer = "before_optimizer";
inline constexpr std::string_view kAfterOptimizer = "after_optimizer";
inline constexpr std::string_view kGathers = "gathers";  // table

// Kind `data_parallel` writes kStep and kEvent from the slowest rank of each step, losses as means
// over the ranks, and two tables. Its phases are those of a training step, with kExchange between
// backward and optimizer.
inline constexpr std::string_view kExchange = "exchange";
inline constexpr std::string_view kSkew = "skew";  // tag; ns; kStep: slowest − fastest rank
inline constexpr std::string_view kAllReduces = "all_reduces";  // tag; in one step of one rank
inline constexpr std::string_view kCalls = "calls";             // unit "1"; kLargest, kTotal: B
// Before timing, all ranks run kSteps steps of a small network together, and each rank runs the
// same steps alone on the whole batch. The metrics are the largest difference of kGradients and of
// kWeights, relative to the largest element of the tensor, and kTolerance for both. kDivergedRanks
// counts the ranks of the timed network whose weights differ from rank 0's after the last step.
inline constexpr std::string_view kEquality = "equality";  // tag
inline constexpr std::string_view kWeights = "weights";
inline constexpr std::string_view kSteps = "steps";
inline constexpr std::string_view kDivergedRanks = "apart";
// One more step is traced; it shows when each rank computed and when it communicated.
inline constexpr std::string_view kRankSteps = "rank_steps";  // table
inline constexpr std::string_view kLanes = "lanes";           // table; rank 0 only
inline constexpr std::string_view kCompute = "compute";  // kCompute and kCommunication are lanes
inline constexpr std::string_view kCommunication = "communication";
// Conditions of cells with ranks.
inline constexpr std::string_view kCollectives = "collectives";  // tag; kOutOfPlace: why none
inline constexpr std::string_view kLibrary = "library";          // "NCCL 2.28.9"
inline constexpr std::string_view kRounds = "rounds";            // repetitions of the list of sizes
inline constexpr std::string_view kRank =
    "rank";  // tag; names are ranks from 1, values are hashed UUIDs of devices

// Published numbers, which only imported runs have, without samples. Names are kTotal and phases,
// in ns, or kPeak, in B.
inline constexpr std::string_view kPublished = "published";  // tag; a mean time, or a peak
inline constexpr std::string_view kPublishedStddev = "published_stddev";  // tag; as printed
// The source of published numbers: conditions, as text.
inline constexpr std::string_view kProvenance = "provenance";  // tag
inline constexpr std::string_view kTitle = "title";
inline constexpr std::string_view kSource = "source";
inline constexpr std::string_view kFile = "file";
inline constexpr std::string_view kPlace = "place";      // "line 12"
inline constexpr std::string_view kAssumed = "assumed";  // values that the table does not give

}  // namespace labreport::metric
