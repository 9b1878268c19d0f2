// The allocations of one step, roughly as the network makes them.
#pragma once

#include "fake_allocator.h"
#include "plan/editions.h"
#include "plan/memory.h"

namespace labreport::fake_memory {

inline constexpr const char* kScores =
    "attn/scaled dot product attention/computing attention scores";
inline constexpr const char* kSoftmax = "attn/scaled dot product attention/computing softmax";
inline constexpr const char* kValues = "attn/scaled dot product attention/final matmul";

/// The operation that makes a saved tensor, as the worker records it.
struct Maker {
  std::string_view tensor;  ///< The tensor, or the module that owns it as an input.
  const char* module;       ///< Null for the tensor's own module.
  const char *outer_op, *inner_op;
};

inline constexpr Maker kMakers[]{{"residual stream", "", "aten::add", "aten::add"},
                                 {"1/rms", nullptr, "aten::rsqrt", "aten::rsqrt"},
                                 {"x / rms", nullptr, "aten::mul", "aten::mul"},
                                 {"attn/q_proj, k_proj, v_proj", "ln1", "aten::mul", "aten::mul"},
                                 {"rotated queries", "attn/rotary", "aten::cat", "aten::cat"},
                                 {"rotated keys", "attn/rotary", "aten::cat", "aten::cat"},
                                 {"mask", "attn", "aten::ge", "aten::ge"},
                                 {"indices of maxima", kSoftmax, "aten::max", "aten::max"},
                                 {"exponentials", kSoftmax, "aten::exp", "aten::exp"},
                                 {"sums", kSoftmax, "aten::sum", "aten::sum"},
                                 {"probabilities", kSoftmax, "aten::div", "aten::div"},
                                 {"values", kValues, "aten::matmul", "aten::empty"},
                                 {"attn/output_proj", "attn", "aten::contiguous", "aten::empty"},
                                 {"ffn/w1, w3", "ln2", "aten::mul", "aten::mul"},
                                 {"W1 x", "ffn/w1", "aten::linear", "aten::mm"},
                                 {"sigmoid", "ffn", "aten::sigmoid", "aten::sigmoid"},
                                 {"silu(W1 x)", "ffn", "aten::mul", "aten::mul"},
                                 {"W3 x", "ffn/w3", "aten::linear", "aten::mm"},
                                 {"ffn/w2", "ffn", "aten::mul", "aten::mul"}};

class Step {
 public:
  Step(const CellSpec& spec, std::int64_t capacity) : spec_(spec), allocator_(capacity) {
    allocator_.allocate_before_step(parameter_bytes(*spec.model), metric::kParameters);
    allocator_.allocate_before_step(2 * 8 * tokens(), metric::kData);
    allocator_.allocate_before_step(8 << 20, metric::kWorkspace);
    if (spec.mode == Mode::kTrainStep) {
      allocator_.allocate_before_step(moment_bytes(*spec.model), metric::kOptimizerMemory);
    }
    allocator_.begin_step();
  }

  void run() {
    forward();
    if (spec_.mode != Mode::kForwardBackward && spec_.mode != Mode::kTrainStep) return;
    loss();
    backward();
    if (spec_.mode == Mode::kTrainStep) optimizer();
  }

  const Allocator& allocator() const { return allocator_; }
  std::int64_t before_block = 0;  ///< Bytes before the second block's backward; 0 without one.
  std::int64_t after_block = 0;   ///< Bytes after the second block's backward; 0 without one.

 private:
  bool has_grad() const { return spec_.mode != Mode::kInference; }
  std::int64_t tokens() const { return *spec_.batch * *spec_.context; }
  std::int64_t layers() const { return spec_.model->layers; }
  static std::string layer(std::int64_t i) { return "layers." + std::to_string(i); }

  static Origin origin_of(const std::string& path, const SavedTensor& tensor,
                          std::string_view category) {
    const auto maker = std::ranges::find_if(kMakers, [&](const Maker& known) {
      return known.tensor == tensor.contents || known.tensor == tensor.module;
    });
    const std::string module = maker->module == nullptr ? tensor.module : maker->module;
    return {module.empty() ? path : path + "/" + module, maker->outer_op, maker->inner_op,
            category};
  }

  /// Keeps a tensor for backward. Without gradients, frees the oldest of four tensors.
  void keep(std::size_t id) {
    kept_.push_back(id);
    if (has_grad() || kept_.size() < 4) return;
    allocator_.free(kept_.front());
    kept_.erase(kept_.begin());
  }

  void forward_block(std::int64_t i) {
    const auto category = has_grad() ? metric::kActivations : metric::kTemporary;
    for (const SavedTensor& tensor : tensors_saved_by_block(spec_)) {
      if (tensor.contents == "exponentials") {
        const Origin scores{layer(i) + "/" + kScores, "aten::matmul", "aten::bmm",
                            metric::kTemporary};
        const std::size_t product = allocator_.allocate(score_bytes(spec_), scores);
        allocator_.allocate_and_free(score_bytes(spec_), {scores.module, "aten::where",
                                                          "aten::resize_", metric::kTemporary});
        allocator_.free(product);
      }
      keep(allocator_.allocate(tensor.bytes, origin_of(layer(i), tensor, category)));
    }
    block_ends_.push_back(kept_.size());
  }

  void forward() {
    allocator_.enter_phase(metric::kForward);
    for (std::int64_t i = 0; i < layers(); ++i) {
      const std::int64_t copies = weight_copy_bytes(spec_) / layers();
      if (copies > 0) {
        weight_copies_.push_back(
            allocator_.allocate(copies, {layer(i) + "/attn/q_proj", "aten::linear",
                                         "aten::empty_strided", metric::kWeightCopies}));
      }
      forward_block(i);
    }
    const auto category = has_grad() ? metric::kActivations : metric::kTemporary;
    const std::int64_t width =
        score_bytes(spec_) / (tokens() * *spec_.context * spec_.model->heads);
    const std::int64_t logits = width * tokens() * spec_.model->vocab;
    if (has_grad()) {
      CellSpec forward_only = spec_;
      forward_only.mode = Mode::kForward;
      saved_by_loss_ = saved_bytes(spec_) - saved_bytes(forward_only);
      const std::int64_t norm =
          saved_bytes(forward_only) - layers() * saved_block_bytes(spec_) - logits;
      for (int i = 0; i < 3; ++i) {
        const std::int64_t part = i == 0 ? norm - norm / 3 * 2 : norm / 3;
        head_.push_back(
            allocator_.allocate(part, {"ln_final", "aten::mul", "aten::mul", category}));
      }
    }
    head_.push_back(allocator_.allocate(logits, {"lm_head", "aten::linear", "aten::mm", category}));
    if (has_grad()) return;
    reach_peak();
    for (const std::size_t id : kept_) allocator_.free(id);
    for (const std::size_t id : weight_copies_) allocator_.free(id);
  }

  /// Allocates up to the calculated peak, in the last block's attention.
  void reach_peak() {
    std::int64_t missing = expected_peak(spec_).total();
    for (const auto category : {metric::kParameters, metric::kWeightCopies, metric::kTemporary}) {
      const auto allocated = allocator_.current().bytes.find(category);
      if (allocated != allocator_.current().bytes.end()) missing -= allocated->second;
    }
    const Origin softmax{layer(layers() - 1) + "/" + kSoftmax, "aten::div", "aten::div",
                         metric::kTemporary};
    if (missing > 0) allocator_.allocate_and_free(missing, softmax);
  }

  void loss() {
    allocator_.enter_phase(metric::kLoss);
    const std::int64_t shifted = 4 * tokens() * spec_.model->vocab;
    const std::size_t id = allocator_.allocate(shifted, {"", "", "aten::sub", metric::kTemporary});
    head_.push_back(
        allocator_.allocate(saved_by_loss_, {"", "", "aten::exp", metric::kActivations}));
    allocator_.free(id);
  }

  void backward_block(std::int64_t i) {
    const std::string path = layer(i);
    const std::size_t begin = i == 0 ? 0 : block_ends_[static_cast<std::size_t>(i) - 1];
    const Origin scores{path + "/" + kSoftmax, "aten::div", "aten::div", metric::kTemporary};
    if (i == 1) before_block = allocator_.current().allocated;
    for (std::size_t k = block_ends_[static_cast<std::size_t>(i)]; k-- > begin;) {
      // This is a copy, because allocations move the blocks.
      const Origin origin = allocator_.blocks()[kept_[k]].origin;
      if (origin.inner_op == "aten::exp") {
        const std::size_t first = allocator_.allocate(score_bytes(spec_), scores);
        allocator_.allocate_and_free(score_bytes(spec_), scores);
        allocator_.free(first);
      }
      if (origin.inner_op == "aten::mm" && origin.category == metric::kActivations) {
        gradients_.push_back(
            allocator_.allocate(block_gradient_bytes(*spec_.model) / 2,
                                {origin.module, "aten::linear", "aten::mm", metric::kGradients}));
      }
      allocator_.free(kept_[k]);
    }
    if (!weight_copies_.empty()) allocator_.free(weight_copies_[static_cast<std::size_t>(i)]);
    if (i == 1) after_block = allocator_.current().allocated;
  }

  void backward() {
    allocator_.enter_phase(metric::kBackward);
    // Each block allocates its gradients in two halves, which round down.
    const std::int64_t rest =
        parameter_bytes(*spec_.model) - layers() * (block_gradient_bytes(*spec_.model) / 2 * 2);
    gradients_.push_back(
        allocator_.allocate(rest, {"lm_head", "aten::linear", "aten::mm", metric::kGradients}));
    for (const std::size_t id : head_) allocator_.free(id);
    for (std::int64_t i = layers(); i-- > 0;) backward_block(i);
  }

  void optimizer() {
    allocator_.enter_phase(metric::kOptimizer);
    for (const std::size_t gradient : gradients_) {
      const std::int64_t bytes = allocator_.blocks()[gradient].bytes;
      const std::string module = allocator_.blocks()[gradient].origin.module;
      for (int moment = 0; moment < 2; ++moment) {
        const std::size_t scaled =
            allocator_.allocate(bytes / 8, {module, "", "aten::mul", metric::kTemporary});
        allocator_.allocate(bytes, {module, "", "aten::add", metric::kOptimizerMemory});
        allocator_.free(scaled);
        allocator_.free_from_before_step(bytes, metric::kOptimizerMemory);
      }
    }
  }

  const CellSpec& spec_;
  Allocator allocator_;
  std::vector<std::size_t> kept_;
  std::vector<std::size_t> weight_copies_;
  std::vector<std::size_t> gradients_;
  std::vector<std::size_t> head_;        ///< Saved by the layers after the blocks and by the loss.
  std::vector<std::size_t> block_ends_;  ///< The size of `kept_` after each block of the network.
  std::int64_t saved_by_loss_ = 0;
};

}  // namespace labreport::fake_memory
