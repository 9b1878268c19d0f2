// Tags and names that workers, or imports, write and presenters read.
#pragma once

#include <string_view>

namespace labreport::metric {

// Steps 1 … warmup + steps, in order from process start; host clock, synchronized once at the end.
inline constexpr std::string_view kStep = "step";    // tag; unit ns, samples
inline constexpr std::string_view kTotal = "total";  // start → device done
inline constexpr std::string_view kEnqueue =
    "enqueue";  // start → all enqueued; also a tag: per phase

// Phases of the same steps by device events (host clock on a CPU); names are phase names.
inline constexpr std::string_view kEvent = "event";  // tag; unit ns, samples

// A second set of `steps` steps that synchronizes after every phase; host clock.
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
inline constexpr std::string_view kModelBuild = "model";  // parameters made and initialized
// A compiled model's forward, loss and backward run once, which compiles them; kLibraries and
// kModelBuild end before it, kFirstKernel is after it.
inline constexpr std::string_view kCompile = "compile";
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
inline constexpr std::string_view kLimit = "limit";  // tag kMemory; B: the allocator's cap
inline constexpr std::string_view kGpu = "gpu";      // tag
inline constexpr std::string_view kTemperature = "temperature";         // °C after the steps
inline constexpr std::string_view kOtherProcesses = "other_processes";  // count
inline constexpr std::string_view kSpilled = "spilled";  // B reserved that the device does not hold
inline constexpr std::string_view kDeviceAllocations = "device_allocations";  // in timed steps

// Kind `ladder`, beside what kinds `timing` and `kernels` say of steps and of a profile.
inline constexpr std::string_view kLosses = "losses";  // tag; kTotal: of each step, in order

// Kind `checkpointing`: one forward, loss and backward before AdamW has states, whose "resident"
// and "peak" are as of kind `memory`; then training steps as of kind `timing`, with their losses.
inline constexpr std::string_view kCheckpoints = "checkpoints";  // tag; B
inline constexpr std::string_view kSaved = "saved";  // before backward, less before forward
inline constexpr std::string_view kRecomputed = "recomputed";  // what one group adds, run again
inline constexpr std::string_view kRecompute = "recompute";    // tag kStep; of all groups; a range

// Kind `limits`: sustained rates.
inline constexpr std::string_view kMatrixRate = "matrix_rate";  // tag; flop/s; names: precisions
inline constexpr std::string_view kCopy = "copy";               // tag
inline constexpr std::string_view kBandwidth = "bandwidth";     // B/s, read + written

// Kind `accumulation`: the sum after each addition, of 0.01 where not said otherwise; names: loops.
inline constexpr std::string_view kRunning = "running";           // tag; on the cell's device
inline constexpr std::string_view kRunningHost = "running_host";  // tag; on the CPU beside it
inline constexpr std::string_view kAddend = "addend";             // tag; as rounded to its dtype
inline constexpr std::string_view kFp32Loop = "fp32+=fp32";
inline constexpr std::string_view kFp16Loop = "fp16+=fp16";
inline constexpr std::string_view kMixedLoop = "fp32+=fp16";
inline constexpr std::string_view kCastLoop = "fp32+=float(fp16)";
inline constexpr std::string_view kBf16Loop = "bf16+=bf16";
inline constexpr std::string_view kHalvesLoop = "fp32+=0.5";

// Kind `dtypes`: a table of this name with columns precision, group, name, dtype.
inline constexpr std::string_view kDtypes = "dtypes";
inline constexpr std::string_view kInput = "input";  // groups …
inline constexpr std::string_view kParameter = "parameter";
inline constexpr std::string_view kOutput = "output";  // of modules
inline constexpr std::string_view kLossValue = "loss";
inline constexpr std::string_view kGradient = "gradient";
inline constexpr std::string_view kOptimizerState = "optimizer state";
inline constexpr std::string_view kNorm = "norm";        // normalizations given 16-bit input
inline constexpr std::string_view kNetwork = "network";  // outputs in a block of the Transformer

// Kind `layer_norm`: a table of this name, a row a format, method, width and scale; errors are
// relative to FP64, medians over `vectors` vectors; counts are vectors.
inline constexpr std::string_view kLayerNorm = "layer_norm";  // tag and table
inline constexpr std::string_view kVectors = "vectors";
inline constexpr std::string_view kRounded = "rounded";        // method: after every addition
inline constexpr std::string_view kReductions = "reductions";  // method: LibTorch's own
inline constexpr std::string_view kFp32Statistics = "fp32_statistics";

// Kind `kernels`: one profiled step. Tag "profile", ns where not said otherwise.
inline constexpr std::string_view kProfile = "profile";
inline constexpr std::string_view kPrepare = "prepare";
inline constexpr std::string_view kCollect = "collect";
inline constexpr std::string_view kSpan = "span";  // first activity's start → last one's end
inline constexpr std::string_view kBusy = "busy";  // union of activities; also a tag: sums by phase
inline constexpr std::string_view kUnattributed = "unattributed";
// Tables, and the count of activities.
inline constexpr std::string_view kKernels = "kernels";
inline constexpr std::string_view kKernelNames = "kernel_names";
inline constexpr std::string_view kGpuTrace = "gpu_trace";  // each kernel, where asked for
// The host's time in the device's runtime during that step, by what for.
inline constexpr std::string_view kRuntime = "runtime";  // tag
inline constexpr std::string_view kAllocation = "allocation";
inline constexpr std::string_view kLaunchCalls = "launch";
inline constexpr std::string_view kOtherCalls = "other";
// Where the profiled step is its process's first: what first launches cost the host, see
// measure/host_calls.
inline constexpr std::string_view kFirst = "first";  // tag
inline constexpr std::string_view kCodeLoading = "code_loading";
inline constexpr std::string_view kMatrixLibrary = "matrix_library";

// Kind `memory`: one step without the allocator's history, then one with it. Bytes.
inline constexpr std::string_view kResident = "resident";  // tag: just before the step
inline constexpr std::string_view kPeak = "peak";          // tag: allocated, by phase
inline constexpr std::string_view kHistory = "history";    // tag: of the step with the history
inline constexpr std::string_view kCategory = "category";  // tag: requested, at the step's peak
inline constexpr std::string_view kRounding = "rounding";  // tag: allocated − requested
inline constexpr std::string_view kResidual = "residual";  // tag: the residual stream's tensor
inline constexpr std::string_view kMeaning = "meaning";    // tag: other peaks of a forward
inline constexpr std::string_view kBlock = "block";        // tag and table: one block's part
inline constexpr std::string_view kAllocated = "allocated";
inline constexpr std::string_view kRequested = "requested";
inline constexpr std::string_view kEvents = "events";
inline constexpr std::string_view kLost = "lost";
inline constexpr std::string_view kForwardWithState = "forward_with_state";
inline constexpr std::string_view kForwardGraphAlive = "forward_graph_alive";
inline constexpr std::string_view kKept = "kept";
inline constexpr std::string_view kPoint = "point";
inline constexpr std::string_view kBeforeBackward = "before_backward";
inline constexpr std::string_view kAfterBackward = "after_backward";
inline constexpr std::string_view kGradients = "gradients";
// Categories, in the order of stacking: kParameters, kGradients, then …
inline constexpr std::string_view kOptimizerStates = "optimizer";  // also a phase: kOptimizer
inline constexpr std::string_view kData = "data";
inline constexpr std::string_view kActivations = "activations";
inline constexpr std::string_view kWeightCopies = "weight_copies";
inline constexpr std::string_view kWorkspace = "workspace";
inline constexpr std::string_view kTemporary = "temporary";
inline constexpr std::string_view kUnknown = "unknown";
// Tables, beside kBlock.
inline constexpr std::string_view kTimeline = "timeline";
inline constexpr std::string_view kAllocations = "allocations";
inline constexpr std::string_view kLargest = "largest";
inline constexpr std::string_view kBlockTimeline = "block_timeline";

// Kind `attention`: a table of this name, a row for each sequence length; see shape::attention.
inline constexpr std::string_view kAttention = "attention";
inline constexpr std::string_view kEndToEnd = "end_to_end";  // forward and backward in one
inline constexpr std::string_view kRan = "ok";               // outcomes
inline constexpr std::string_view kRanOut = "out of memory";
inline constexpr std::string_view kNotOffered = "not offered";  // by device, dtype or library
inline constexpr std::string_view kInaccurate = "inaccurate";
inline constexpr std::string_view kNotTried = "not tried";  // a shorter sequence ran out of memory
inline constexpr std::string_view kFailed = "failed";
// Every pass where each is timed by itself; names: sequence lengths.
inline constexpr std::string_view kForwardPasses = "forward_passes";    // tag; ns
inline constexpr std::string_view kBackwardPasses = "backward_passes";  // tag; ns
// Largest difference from FP64, relative to the largest magnitude; names: kOutput, gradients of q,
// k and v, and how large it may be.
inline constexpr std::string_view kAttentionError = "attention_error";  // tag
inline constexpr std::string_view kTolerance = "tolerance";

// Kind `all_reduce`: tag, ns, every sample of sizes that the handout asks for, names:
// "<bytes>.<rank>"; and a table of this name, see shape::all_reduce. Its methods: kSynced, and
// nccl-tests' two.
inline constexpr std::string_view kAllReduce = "all_reduce";
inline constexpr std::string_view kInPlace = "in_place";
inline constexpr std::string_view kOutOfPlace = "out_of_place";
// Kind `sharding`: steps kTotal, counted ones alone, of the rank that took longest; losses kTotal
// of all of them from the first, the mean over ranks. Phases kSynced are kForward, kLoss,
// kBackward, kAllReduce, kOptimizer, kBroadcast. Tables: see shape::held, shape::gathers.
inline constexpr std::string_view kBroadcast = "broadcast";
inline constexpr std::string_view kHeld = "held";         // table
inline constexpr std::string_view kAfterModel = "model";  // points of it …
inline constexpr std::string_view kBeforeOptimizer = "before_optimizer";
inline constexpr std::string_view kAfterOptimizer = "after_optimizer";
inline constexpr std::string_view kGathers = "gathers";  // table

// Kind `data_parallel`: kStep and kEvent of the slowest rank of each step, losses averaged over the
// ranks, and two tables. Phases are those of a training step and, between backward and optimizer, …
inline constexpr std::string_view kExchange = "exchange";
inline constexpr std::string_view kSkew = "skew";  // tag; ns; kStep: slowest − fastest rank
inline constexpr std::string_view kAllReduces = "all_reduces";  // tag; of one step and one rank
inline constexpr std::string_view kCalls = "calls";             // "1"; also kLargest, kTotal: B
// Before anything is timed: kSteps of a small network on all ranks and, with the whole batch, on
// each by itself. The largest difference of kGradients and of kWeights, relative to the largest of
// their tensor, and the kTolerance of both. kApart: ranks of the timed network that after the last
// step hold other weights than rank 0.
inline constexpr std::string_view kEquality = "equality";  // tag
inline constexpr std::string_view kWeights = "weights";
inline constexpr std::string_view kSteps = "steps";
inline constexpr std::string_view kApart = "apart";
// One more step, traced: when the rank computed and when it communicated.
inline constexpr std::string_view kRankSteps = "rank_steps";  // table
inline constexpr std::string_view kLanes = "lanes";           // table; of rank 0
inline constexpr std::string_view kCompute = "compute";       // a lane; the other …
inline constexpr std::string_view kCommunication = "communication";
// Conditions of cells with ranks.
inline constexpr std::string_view kCollectives = "collectives";  // tag; also kOutOfPlace: why not
inline constexpr std::string_view kLibrary = "library";          // "NCCL 2.28.9"
inline constexpr std::string_view kRounds = "rounds";            // over all sizes of all-reduces
inline constexpr std::string_view kRank =
    "rank";  // tag; names: ranks from 1; devices' hashed UUIDs

// Numbers that somebody published, without their samples: in imported runs alone. Names: kTotal and
// phases, unit ns, or kPeak, unit B.
inline constexpr std::string_view kPublished = "published";  // tag; a mean of time, or a peak
inline constexpr std::string_view kPublishedStddev = "published_stddev";  // tag; as it was printed
// A condition of theirs: where they stood; texts.
inline constexpr std::string_view kProvenance = "provenance";  // tag
inline constexpr std::string_view kTitle = "title";
inline constexpr std::string_view kSource = "source";
inline constexpr std::string_view kFile = "file";
inline constexpr std::string_view kPlace = "place";      // "line 12"
inline constexpr std::string_view kAssumed = "assumed";  // what the table does not say

}  // namespace labreport::metric
