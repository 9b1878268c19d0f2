// Interfaces of a network, labreport's or the user's, and of its optimizer; creates networks.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/not_offered.h"
#include "engine/phase.h"
#include "model/parameter.h"
#include "results/cell.h"

namespace labreport {

class Optimizer {
 public:
  virtual ~Optimizer() = default;

  virtual void step() = 0;

  /// Returns the state's tensors, named after their parameters; empty before the first step.
  virtual Parameters state() const = 0;
};

/// Called with a module's path, such as "layers.3.attn", and the module's output.
using OutputCallback = std::function<void(const std::string& module, const at::Tensor& output)>;

/// Token ids and the ids to predict, both [batch, context].
struct Batch {
  at::Tensor ids;
  at::Tensor targets;
};

struct CountedStep {
  std::vector<std::pair<std::string, std::int64_t>> flops;    ///< By phase.
  std::vector<std::pair<std::string, std::string>> products;  ///< Operators and their dtypes.
  std::vector<std::string> hidden;  ///< Kernels and operators whose FLOPs cannot be counted.
};

/// Bytes of this rank's tensors, or of its shards of them.
struct StateBytes {
  std::int64_t parameters, gradients, optimizer;
};

class Network {
 public:
  virtual ~Network() = default;

  /// Maps token ids [batch, positions] to logits [batch, positions, vocab].
  virtual at::Tensor forward(const at::Tensor& ids) const = 0;

  /// Does the same as forward() and reports each module's output; this default reports no output.
  virtual at::Tensor traced_forward(const at::Tensor& ids, const OutputCallback& /*report*/) const {
    return forward(ids);
  }

  /// Returns true if the first forward and backward compile the network.
  virtual bool compiles() const { return false; }

  /// Maps logits and target ids to the scalar loss from which backward starts.
  virtual at::Tensor loss(const at::Tensor& logits, const at::Tensor& targets) const = 0;

  virtual void backward(const at::Tensor& loss) const { loss.backward(); }

  /// Runs one step of `mode` and counts what it computes, recomputation included.
  virtual CountedStep count_step(const Batch& /*batch*/, Mode /*mode*/) const {
    throw NotOffered("labreport's own network has a formula for its FLOPs");
  }

  /// Returns true if the network comes with a training step of the user's, which own_step() runs in
  /// place of forward(), loss(), backward() and the optimizer's step.
  virtual bool has_own_step() const { return false; }

  /// Runs one training step and reports the ends of its phases, which may repeat and come in any
  /// order. Returns the loss; undefined if the step returns none.
  virtual at::Tensor own_step(const Batch& /*batch*/, PhaseObserver& /*observer*/) const {
    throw NotOffered("labreport's own network has no step of its own");
  }

  /// Runs one more own_step() and counts the occurrences of each phase, and synchronizations.
  virtual std::vector<std::pair<std::string, std::int64_t>> count_occurrences(
      const Batch& /*batch*/) const {
    return {};
  }

  /// Returns the optimizer; with a step of the user's, only its state() is used.
  virtual std::unique_ptr<Optimizer> make_optimizer() const = 0;

  /// Returns the same tensors throughout the network's lifetime.
  virtual const Parameters& parameters() const = 0;

  /// Returns the parameters that every rank holds as a whole, rather than a shard of them.
  virtual Parameters replicated_parameters() const { return parameters(); }

  /// Returns what a rank holds for training: parameters, gradients and the optimizer's state.
  virtual StateBytes state_bytes(const Optimizer& optimizer) const;

  /// Returns the tensors that the network holds but never trains.
  virtual const std::vector<at::Tensor>& buffers() const = 0;
};

struct NetworkSpec {
  std::string implementation;  ///< See `CellSpec`.
  ModelShape shape;
  std::int64_t context = 0;  ///< The longest sequence, in tokens.
  Variant variant = Variant::kMatmul;
  std::optional<std::int64_t> blocks_per_checkpoint = {};  ///< Absent without checkpoints.
};

using NetworkFactory =
    std::function<std::unique_ptr<Network>(const NetworkSpec& spec, c10::Device device)>;

/// Sets the factory that `make_network` calls. An empty factory, the default, stands for
/// labreport's own network.
void set_network_factory(NetworkFactory factory);

std::unique_ptr<Network> make_network(const NetworkSpec& spec, c10::Device device);

/// Thrown if the user's code failed. The message describes the failed call in one line.
class UserCodeError : public Error {
 public:
  UserCodeError(const std::string& line, std::string traceback)
      : Error(line), traceback_(std::move(traceback)) {}
  const std::string& traceback() const { return traceback_; }

 private:
  std::string traceback_;
};

}  // namespace labreport
