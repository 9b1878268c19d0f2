// Names that workers and imports write into launches, and presenters read.
//
// A tag groups metrics, and each metric of a tag has a name. A comment behind a constant begins
// with the role of the constant: tag (with the unit of its metrics), table, phase, group, method,
// outcome, point or lane. A constant without a role is the name of a metric.
#pragma once

#include <array>
#include <string_view>

namespace labreport::metric {

// The host's clock times steps 1 to warmup + steps of the process, in order. The device is
// synchronized only once, after the last step.
inline constexpr std::string_view kStep = "step";    // tag; ns, samples
inline constexpr std::string_view kTotal = "total";  // step's start until device finished
// kEnqueue is the time from a step's start until all its work is enqueued. The tag kEnqueue has,
// for each phase, the time until the phase's work is enqueued.
inline constexpr std::string_view kEnqueue = "enqueue";

// Device events, or on a CPU the host's clock, time the phases of the steps of tag kStep.
inline constexpr std::string_view kEvent = "event";  // tag; ns, samples; names: phases

// The host's clock times `steps` further steps, which synchronize after every phase.
inline constexpr std::string_view kSynced = "synced";  // tag; ns, samples; names: phases and kTotal

inline constexpr std::string_view kForward = "forward";      // phase
inline constexpr std::string_view kLoss = "loss";            // phase
inline constexpr std::string_view kBackward = "backward";    // phase
inline constexpr std::string_view kOptimizer = "optimizer";  // phase

// A training step of the user's has any number of phases. Each metric of tags kEvent and kSynced is
// the sum over the occurrences of a phase in a step. The tag kOccurrences has their number in one
// more step, and kSynchronizations, the number of times that this step waits for the GPU.
inline constexpr std::string_view kOther = "other";              // phase: between the others
inline constexpr std::string_view kOccurrences = "occurrences";  // tag; 1; names: phases
inline constexpr std::string_view kSynchronizations = "synchronizations";

// Times before step 1.
inline constexpr std::string_view kStartUp = "start-up";     // tag; ns
inline constexpr std::string_view kLibraries = "libraries";  // from exec to main()
// The creation of the device's context, which partly overlaps kLibraries.
inline constexpr std::string_view kDeviceContext = "context";
inline constexpr std::string_view kModelBuild = "model";  // creation of the parameters
// The time of the first forward, loss and backward of a compiled model, which compile it. They run
// after the model is built and before the first kernel of kFirstKernel. The tag kCompile has the
// times, in ns, in which kind `attention` compiles for each sequence length.
inline constexpr std::string_view kCompile = "compile";
// The time from exec until the first kernel of step 1 is enqueued.
inline constexpr std::string_view kFirstKernel = "first_kernel";

// Allocator statistics at the end of the timed steps.
inline constexpr std::string_view kMemory = "memory";  // tag; B
inline constexpr std::string_view kParameters = "parameters";
inline constexpr std::string_view kPeakAllocated = "peak_allocated";
inline constexpr std::string_view kPeakReserved = "peak_reserved";
inline constexpr std::string_view kPeakRequested = "peak_requested";

// Conditions of a launch, during the timed steps unless stated otherwise.
inline constexpr std::string_view kClock = "clock";  // tag; MHz in an untimed step; kSm and kMemory
inline constexpr std::string_view kSm = "sm";
inline constexpr std::string_view kSlowdown = "slowdown";  // tag; ns at reduced clocks, by cause:
inline constexpr std::string_view kThermal = "thermal";
inline constexpr std::string_view kHardware = "hardware";
inline constexpr std::string_view kPower = "power";
inline constexpr std::string_view kAllocatorLimit = "limit";     // B, in tag kMemory
inline constexpr std::string_view kGpu = "gpu";                  // tag
inline constexpr std::string_view kHost = "host";                // tag; kOtherProcesses on a CPU
inline constexpr std::string_view kTemperature = "temperature";  // °C after the steps
inline constexpr std::string_view kOtherProcesses = "other_processes";  // their number
inline constexpr std::string_view kSpilled = "spilled";  // B reserved beyond the device's memory
inline constexpr std::string_view kDeviceAllocations = "device_allocations";  // in the timed steps

// Kind `ladder` writes the metrics of kinds `timing` and `kernels`, and losses.
inline constexpr std::string_view kLosses = "losses";  // tag; kTotal has a sample for each step

// Kind `checkpointing` first runs forward, loss and backward once, before AdamW has states, and
// writes kResident and kPeak as kind `memory` does. Then it times training steps as kind `timing`
// does, and writes their losses.
inline constexpr std::string_view kCheckpoints = "checkpoints";  // tag; B
inline constexpr std::string_view kSaved = "saved";  // growth of allocated bytes until backward
// The most bytes that the repeated forward of one group of blocks adds.
inline constexpr std::string_view kRecomputedBytes = "recomputed";
// The time of the repeated forwards of all groups of blocks, in tag kStep.
inline constexpr std::string_view kRecomputeTime = "recompute";

// Kind `limits` measures sustained rates.
inline constexpr std::string_view kMatrixRate = "matrix_rate";  // tag; flop/s; names: precisions
inline constexpr std::string_view kCopy = "copy";               // tag; B/s
inline constexpr std::string_view kBandwidth = "bandwidth";     // bytes read and written by a copy

// Kind `accumulation` writes the sum after each addition of a loop. Names are loops: the dtype of
// the sum, and the dtype of the addend 0.01 or another addend.
inline constexpr std::string_view kRunningSum = "running";  // tag; on the cell's device
inline constexpr std::string_view kHostRunningSum =
    "running_host";                                    // tag; on the CPU, for comparison
inline constexpr std::string_view kAddend = "addend";  // tag; the addend, rounded to its dtype
inline constexpr std::string_view kFp32Loop = "fp32+=fp32";
inline constexpr std::string_view kFp16Loop = "fp16+=fp16";
inline constexpr std::string_view kMixedLoop = "fp32+=fp16";
inline constexpr std::string_view kCastLoop = "fp32+=float(fp16)";
inline constexpr std::string_view kBf16Loop = "bf16+=bf16";
inline constexpr std::string_view kExactLoop = "fp32+=0.5";  // All sums are exact in FP32.

// Kind `dtypes` writes one table, with columns precision, group, name and dtype. If the cell has a
// precision, it counts one step of a user's network, and the table has kParameter, kBuffer and
// kProduct only. Names of tag kFlops are phases, and kParameters, a number of elements. The tag
// kHidden has, as text, what computes without being counted.
inline constexpr std::string_view kDtypes = "dtypes";    // table
inline constexpr std::string_view kFlops = "flops";      // tag
inline constexpr std::string_view kHidden = "hidden";    // tag; name kFlops
inline constexpr std::string_view kBuffer = "buffer";    // group
inline constexpr std::string_view kProduct = "product";  // group: operators that multiply matrices
inline constexpr std::string_view kInput = "input";      // group
inline constexpr std::string_view kParameter = "parameter";             // group
inline constexpr std::string_view kOutput = "output";                   // group: outputs of modules
inline constexpr std::string_view kLossValue = "loss";                  // group
inline constexpr std::string_view kGradient = "gradient";               // group
inline constexpr std::string_view kOptimizerState = "optimizer state";  // group
inline constexpr std::string_view kNorm = "norm";        // group: norms of a 16-bit tensor
inline constexpr std::string_view kNetwork = "network";  // group: outputs in a Transformer block

// Kind `layer_norm` writes a table with one row for each format, method, width and scale. Errors
// are relative to FP64 and are medians over many vectors. The columns of overflow and underflow
// count the vectors in which it occurs.
inline constexpr std::string_view kLayerNorm = "layer_norm";  // tag and table
inline constexpr std::string_view kVectors = "vectors";       // number of vectors
inline constexpr std::string_view kRounded = "rounded";       // method: rounds after every addition
inline constexpr std::string_view kReductions = "reductions";  // method: LibTorch's own reductions
inline constexpr std::string_view kFp32Statistics = "fp32_statistics";  // method: all steps in FP32

// Kind `kernels` profiles one step. An activity is a kernel, copy or memset.
inline constexpr std::string_view kProfile = "profile";          // tag; ns
inline constexpr std::string_view kProfilerPrepare = "prepare";  // time to start the profiler
inline constexpr std::string_view kProfilerCollect = "collect";  // time to read its record
inline constexpr std::string_view kSpan = "span";  // first activity's start to last activity's end
// The time in which at least one activity runs. The tag kBusy has the sum of the activities'
// durations in each phase, in ns.
inline constexpr std::string_view kBusy = "busy";
inline constexpr std::string_view kUnattributed = "unattributed";  // activities without a phase
inline constexpr std::string_view kKernels = "kernels";  // the number of activities; also a table
inline constexpr std::string_view kKernelNames = "kernel_names";  // table
inline constexpr std::string_view kGpuTrace = "gpu_trace";  // table: every kernel, if requested
// Host time in calls of the device's runtime during the profiled step, by purpose.
inline constexpr std::string_view kRuntime = "runtime";  // tag; ns
inline constexpr std::string_view kAllocation = "allocation";
inline constexpr std::string_view kLaunchCalls = "launch";
inline constexpr std::string_view kOtherCalls = "other";
// Host time in the first launch of each kernel, written only if the process profiles its first
// step. See measure/kernels/host_calls.h.
inline constexpr std::string_view kFirstLaunches = "first";  // tag; ns
inline constexpr std::string_view kCodeLoading = "code_loading";
inline constexpr std::string_view kCublasSetup = "matrix_library";

// Kind `memory` runs one step without the allocator's history, then one with it. Its tags have
// bytes.
inline constexpr std::string_view kResident = "resident";  // tag: allocated just before the step
inline constexpr std::string_view kPeak = "peak";          // tag: highest allocated, by phase
inline constexpr std::string_view kHistory = "history";    // tag: the recorded step's peaks, events
inline constexpr std::string_view kCategory = "category";  // tag: requested, at the step's peak
inline constexpr std::string_view kRounding = "rounding";  // tag: allocated − requested
inline constexpr std::string_view kResidual = "residual";  // tag: one tensor of the residual stream
inline constexpr std::string_view kAlternativePeaks = "meaning";  // tag: other peaks of forward
inline constexpr std::string_view kBlock = "block";  // tag and table: bytes of a Transformer block
inline constexpr std::string_view kAllocated = "allocated";
inline constexpr std::string_view kRequested = "requested";
inline constexpr std::string_view kEvents = "events";    // number of the history's events
inline constexpr std::string_view kLostEvents = "lost";  // number of events that the history lacks
inline constexpr std::string_view kForwardWithState = "forward_with_state";  // with AdamW's states
inline constexpr std::string_view kForwardGraphAlive = "forward_graph_alive";
inline constexpr std::string_view kKept = "kept";  // bytes of the block that stay for backward
inline constexpr std::string_view kBeforeBackward = "before_backward";
inline constexpr std::string_view kAfterBackward = "after_backward";
inline constexpr std::string_view kGradients = "gradients";
inline constexpr std::string_view kOptimizerMemory = "optimizer";
inline constexpr std::string_view kData = "data";
inline constexpr std::string_view kActivations = "activations";
inline constexpr std::string_view kWeightCopies = "weight_copies";
inline constexpr std::string_view kWorkspace = "workspace";
inline constexpr std::string_view kTemporary = "temporary";
inline constexpr std::string_view kUnknown = "unknown";
/// The categories of memory in the order in which charts stack them.
inline constexpr std::array kCategories{kParameters, kGradients,   kOptimizerMemory,
                                        kData,       kActivations, kWeightCopies,
                                        kWorkspace,  kTemporary,   kUnknown};
inline constexpr std::string_view kTimeline = "timeline";             // table
inline constexpr std::string_view kAllocations = "allocations";       // table
inline constexpr std::string_view kLargest = "largest";               // table
inline constexpr std::string_view kBlockTimeline = "block_timeline";  // table

// Kind `attention` writes a table with one row for each sequence length.
inline constexpr std::string_view kAttention = "attention";  // table; see shape::attention
inline constexpr std::string_view kEndToEnd = "end_to_end";  // phase: forward and backward together
inline constexpr std::string_view kRan = "ok";               // outcome
inline constexpr std::string_view kOutOfMemory = "out of memory";  // outcome
inline constexpr std::string_view kNotOffered = "not offered";     // outcome: by device or library
inline constexpr std::string_view kInaccurate = "inaccurate";      // outcome
inline constexpr std::string_view kNotTried = "not tried";  // outcome: a shorter length did not fit
inline constexpr std::string_view kFailed = "failed";       // outcome
// Times of single passes, written if each pass is timed by itself. Names are sequence lengths.
inline constexpr std::string_view kForwardPasses = "forward_passes";    // tag; ns
inline constexpr std::string_view kBackwardPasses = "backward_passes";  // tag; ns
// Bytes of the same sweep. Names are sequence lengths. kRefusedReserved is what the allocator had
// reserved when it refused an allocation.
inline constexpr std::string_view kForwardPeak = "forward_peak";          // tag; B
inline constexpr std::string_view kBackwardPeak = "backward_peak";        // tag; B
inline constexpr std::string_view kRefusedReserved = "refused_reserved";  // tag; B
// The largest difference from FP64, relative to the tensor's largest magnitude. Names are kOutput,
// the gradients of q, k and v, and kTolerance, the largest difference allowed.
inline constexpr std::string_view kAttentionError = "attention_error";  // tag
inline constexpr std::string_view kTolerance = "tolerance";

// Kind `all_reduce` writes the table shape::all_reduce, and all samples of the course handout's
// sizes, in ns, as metrics named "<bytes>.<rank>". Methods are kSynced and those of nccl-tests.
inline constexpr std::string_view kAllReduce = "all_reduce";     // tag, table and phase
inline constexpr std::string_view kInPlace = "in_place";         // method of nccl-tests
inline constexpr std::string_view kOutOfPlace = "out_of_place";  // method of nccl-tests
// Kind `sharding` writes kTotal of each counted step, from the slowest rank, and the loss of each
// step, as a mean over the ranks. Metrics with tag kSynced have the phases kForward, kLoss,
// kBackward, kAllReduce, kOptimizer and kBroadcast.
inline constexpr std::string_view kBroadcast = "broadcast";               // phase
inline constexpr std::string_view kHeld = "held";                         // table
inline constexpr std::string_view kAfterModel = "model";                  // point of kHeld
inline constexpr std::string_view kBeforeOptimizer = "before_optimizer";  // point of kHeld
inline constexpr std::string_view kAfterOptimizer = "after_optimizer";    // point of kHeld
inline constexpr std::string_view kGathers = "gathers";                   // table

// Kind `data_parallel` writes kStep and kEvent from the slowest rank of each step, losses as means
// over the ranks, and two tables. Its phases are those of a training step, with kExchange between
// backward and optimizer.
inline constexpr std::string_view kExchange = "exchange";  // phase
inline constexpr std::string_view kSkew = "skew";          // tag; ns; name kStep: slowest − fastest
// The all-reduces of one rank in one step: their number (kCalls) and bytes (kTotal, kLargest).
inline constexpr std::string_view kAllReduceCalls = "all_reduces";  // tag
inline constexpr std::string_view kCalls = "calls";
// Before timing, all ranks run kEqualitySteps steps of a small network together, and each rank runs
// these steps alone on the whole batch. The metrics are the largest difference of kGradients and of
// kWeights, relative to the largest element of the tensor, and kTolerance for both. kDivergedRanks
// counts the ranks of the timed network whose weights differ from rank 0's after the last step.
inline constexpr std::string_view kEquality = "equality";  // tag
inline constexpr std::string_view kWeights = "weights";
inline constexpr std::string_view kEqualitySteps = "steps";
inline constexpr std::string_view kDivergedRanks = "apart";
// One more step is traced to show when each rank computes and when it communicates.
inline constexpr std::string_view kRankSteps = "rank_steps";  // table
inline constexpr std::string_view kLanes = "lanes";  // table; rank 0 only, except of an own step
inline constexpr std::string_view kCompute = "compute";              // lane
inline constexpr std::string_view kCommunication = "communication";  // lane
// On a GPU the kernels of rank 0's traced step are told apart by whether collectives run beside
// them. Kind `sharding` also traces one step for it.
inline constexpr std::string_view kContention = "contention";  // table
// Kind `leaderboard` writes what `data_parallel` writes of a step that joins its ranks by itself.
// On a GPU both also write the kernels of the traced step by class, for each rank.
inline constexpr std::string_view kStepClasses = "step_classes";  // table
inline constexpr std::string_view kGemms = "gemms";               // class
inline constexpr std::string_view kFused = "fused";               // class: written by torch.compile
inline constexpr std::string_view kCopies = "copies";             // class
inline constexpr std::string_view kDoBench = "do_bench";          // tag; ns; rank 0's kTotal
// Conditions of cells with ranks. A metric kOutOfPlace says why that method is missing.
inline constexpr std::string_view kCollectives = "collectives";  // tag
inline constexpr std::string_view kLibrary = "library";          // "NCCL 2.28.9"
inline constexpr std::string_view kRounds = "rounds";  // how often the list of sizes was measured
inline constexpr std::string_view kRank = "rank";      // tag; a hashed UUID for each rank from 1

// Published numbers, which only imported runs have, without samples. Names are kTotal and phases,
// in ns, or kPeak, in B.
inline constexpr std::string_view kPublished = "published";  // tag; a mean time, or a peak
inline constexpr std::string_view kPublishedStddev = "published_stddev";  // tag
// Conditions that say, as text, where published numbers come from.
inline constexpr std::string_view kProvenance = "provenance";  // tag
inline constexpr std::string_view kTitle = "title";
inline constexpr std::string_view kSource = "source";
inline constexpr std::string_view kFile = "file";
inline constexpr std::string_view kPlace = "place";      // "line 12"
inline constexpr std::string_view kAssumed = "assumed";  // values that the table does not give

}  // namespace labreport::metric
