// What a training step is made of, whoever wrote it, and how one is made.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/not_offered.h"
#include "model/parameter.h"
#include "results/cell.h"

namespace labreport {

class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// Changes the parameters by their gradients.
  virtual void step() = 0;

  /// Its tensors, named after their parameters; none before the first step.
  virtual Parameters state() const = 0;
};

/// Gets a module's path, "layers.3.attn", and what its forward returned.
using ModuleOutputs = std::function<void(const std::string& module, const at::Tensor& output)>;

class Network {
 public:
  virtual ~Network() = default;

  /// [batch, positions] of token ids → [batch, positions, vocab] logits.
  virtual at::Tensor forward(const at::Tensor& ids) const = 0;

  /// The same, telling what each module returns, where its modules are known.
  virtual at::Tensor traced_forward(const at::Tensor& ids, const ModuleOutputs& /*tell*/) const {
    return forward(ids);
  }

  /// Whether its first forward and backward compile it.
  virtual bool compiles() const { return false; }

  /// Logits and the ids that should follow → one number that backward can begin with.
  virtual at::Tensor loss(const at::Tensor& logits, const at::Tensor& targets) const = 0;

  /// From that number to the gradients of the parameters.
  virtual void backward(const at::Tensor& loss) const { loss.backward(); }

  /// Of its parameters.
  virtual std::unique_ptr<Optimizer> make_optimizer() const = 0;

  /// The same tensors for as long as it lives.
  virtual const Parameters& parameters() const = 0;

  /// Tensors that it holds and never trains.
  virtual const std::vector<at::Tensor>& tables() const = 0;
};

struct NetworkSpec {
  std::string implementation;  ///< As in `CellSpec`.
  ModelShape shape;
  std::int64_t context = 0;  ///< The longest sequence.
  Variant variant = Variant::kMatmul;
  std::optional<std::int64_t> group = {};  ///< As in `CellSpec`.
};

using NetworkFactory =
    std::function<std::unique_ptr<Network>(const NetworkSpec& spec, c10::Device device)>;

/// What `make_network` calls from now on; empty, as in the beginning: it makes labreport's own.
void set_network_factory(NetworkFactory factory);

std::unique_ptr<Network> make_network(const NetworkSpec& spec, c10::Device device);

/// Code that is not the program's own failed: which call, in one line, and its traceback.
class ForeignError : public Error {
 public:
  ForeignError(const std::string& line, std::string traceback)
      : Error(line), traceback_(std::move(traceback)) {}
  const std::string& traceback() const { return traceback_; }

 private:
  std::string traceback_;
};

}  // namespace labreport
