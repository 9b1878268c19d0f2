// The worker as a Python extension module, which measures networks that are Python objects.
#include <c10/util/Exception.h>
#include <pybind11/functional.h>
#include <pybind11/stl.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/pybind.h>

#include <list>

#include "base/machine.h"
#include "engine/range.h"
#include "engine/rank_group.h"
#include "engine/torch_versions.h"
#include "measure/attention/implementation.h"
#include "measure/timing/start_up.h"
#include "model/network.h"
#include "worker/worker.h"

namespace labreport {
namespace {

namespace py = pybind11;

std::string traceback_of(const py::error_already_set& error) {
  constexpr std::size_t kMaxBytes = 12'000;  // below the 16 KiB that a text of a run may take
  const py::object lines =
      py::module_::import("traceback")
          .attr("format_exception")(error.type(), error.value(), error.trace());
  std::string text = py::str("").attr("join")(lines).cast<std::string>();
  return text.size() <= kMaxBytes ? text : text.substr(text.size() - kMaxBytes);
}

std::string message_of(const py::error_already_set& error) {
  const auto text = py::str(error.value()).cast<std::string>();
  return text.substr(0, text.find('\n'));
}

/// Rethrows a Python error: as LibTorch's error if memory ran out, as `NotOffered` if its type has
/// that name, and as `UserCodeError` otherwise.
[[noreturn]] void rethrow(const py::error_already_set& error, const std::string& message) {
  if (error.matches(py::module_::import("torch").attr("OutOfMemoryError"))) {
    TORCH_CHECK_WITH(OutOfMemoryError, false, message);
  }
  const auto type_name = error.type().attr("__name__").cast<std::string>();
  if (type_name == "NotOffered") throw NotOffered(message);
  if (type_name == "CollectiveFailed") throw group_error(message);
  throw UserCodeError(message, traceback_of(error));
}

/// Makes a call under the interpreter's lock. The measuring code runs without the lock, because
/// autograd's threads may need it.
template <typename Call>
auto with_python(const Call& call) {
  const py::gil_scoped_acquire lock;
  try {
    return call();
  } catch (const py::error_already_set& error) {
    rethrow(error, message_of(error));
  }
}

py::function describe_error;  ///< Describes a Python exception in one line.

/// Rethrows an error from Python code in backward: an autograd Function's or compiled code's.
[[noreturn]] void rethrow_from_backward(python_error& python_exception) {
  const py::gil_scoped_acquire lock;
  python_exception.restore();
  const py::error_already_set error;
  rethrow(error, "backward failed: " + describe_error(error.value()).cast<std::string>());
}

/// A Python object that is released under the interpreter's lock.
class PythonObject {
 public:
  explicit PythonObject(py::object object) : object_(std::move(object)) {}
  ~PythonObject() {
    const py::gil_scoped_acquire lock;
    object_ = py::object();
  }
  PythonObject(const PythonObject&) = delete;
  PythonObject& operator=(const PythonObject&) = delete;

  template <typename... Arguments>
  py::object call(const char* method, const Arguments&... arguments) const {
    return object_.attr(method)(arguments...);
  }

 private:
  py::object object_;
};

Parameters named_tensors(const py::object& names_and_tensors) {
  Parameters tensors;
  for (const py::handle pair : names_and_tensors) {
    auto [name, tensor] = pair.cast<std::pair<std::string, at::Tensor>>();
    tensors.push_back({std::move(name), std::move(tensor)});
  }
  return tensors;
}

class PythonOptimizer : public Optimizer {
 public:
  explicit PythonOptimizer(py::object optimizer) : optimizer_(std::move(optimizer)) {}
  void step() override {
    with_python([&] { optimizer_.call("step"); });
  }
  Parameters state() const override {
    return with_python([&] { return named_tensors(optimizer_.call("state")); });
  }

 private:
  PythonObject optimizer_;
};

/// Passes the phases that the hooks of a step of the user's see to the step's observer, and opens a
/// range for each. Other steps, such as those that count, have no observer.
class StepPhases {
 public:
  explicit StepPhases(PhaseObserver& observer) : observer_(observer) { current = this; }
  ~StepPhases() { current = nullptr; }
  StepPhases(const StepPhases&) = delete;
  StepPhases& operator=(const StepPhases&) = delete;

  static void begin(const std::string& name) {
    if (current == nullptr) return;
    const auto phase = parse_name<Phase>(name);
    begin_phase(phase);
    current->observer_.on_phase_begin(phase);
    current->range_.emplace(labreport::name(phase));
  }
  static void end(const std::string& name) {
    if (current == nullptr) return;
    current->range_.reset();
    current->observer_.on_phase_end(parse_name<Phase>(name));
  }

 private:
  static inline StepPhases* current = nullptr;
  PhaseObserver& observer_;
  std::optional<Range> range_;
};

class PythonNetwork : public Network {
 public:
  explicit PythonNetwork(const py::object& network)
      : network_(network), parameters_(named_tensors(network_.call("parameters"))) {
    for (Parameter& buffer : named_tensors(network_.call("buffers"))) {
      buffers_.push_back(std::move(buffer.tensor));
    }
  }
  at::Tensor forward(const at::Tensor& ids) const override {
    return with_python([&] { return network_.call("forward", ids).cast<at::Tensor>(); });
  }
  at::Tensor traced_forward(const at::Tensor& ids, const OutputCallback& on_output) const override {
    return with_python(
        [&] { return network_.call("traced_forward", ids, on_output).cast<at::Tensor>(); });
  }
  bool compiles() const override {
    return with_python([&] { return network_.call("compiles").cast<bool>(); });
  }
  at::Tensor loss(const at::Tensor& logits, const at::Tensor& targets) const override {
    return with_python([&] { return network_.call("loss", logits, targets).cast<at::Tensor>(); });
  }
  CountedStep count_step(const Batch& batch, Mode mode) const override {
    return with_python([&] {
      const py::object counted =
          network_.call("count_step", batch.ids, batch.targets, std::string(name(mode)));
      return CountedStep{counted["flops"].cast<decltype(CountedStep::flops)>(),
                         counted["products"].cast<decltype(CountedStep::products)>(),
                         counted["hidden"].cast<std::vector<std::string>>()};
    });
  }
  bool has_own_step() const override {
    return with_python([&] { return network_.call("has_own_step").cast<bool>(); });
  }
  at::Tensor own_step(const Batch& batch, PhaseObserver& observer) const override {
    const StepPhases phases(observer);
    return with_python([&] {
      const py::object loss = network_.call("step", batch.ids, batch.targets);
      return loss.is_none() ? at::Tensor() : loss.cast<at::Tensor>();
    });
  }
  std::vector<std::pair<std::string, std::int64_t>> count_occurrences(
      const Batch& batch) const override {
    return with_python([&] {
      return network_.call("count_occurrences", batch.ids, batch.targets)
          .cast<std::vector<std::pair<std::string, std::int64_t>>>();
    });
  }
  void backward(const at::Tensor& loss) const override try {
    loss.backward();
  } catch (python_error& error) {
    rethrow_from_backward(error);
  }
  std::unique_ptr<Optimizer> make_optimizer() const override {
    return with_python(
        [&] { return std::make_unique<PythonOptimizer>(network_.call("make_optimizer")); });
  }
  const Parameters& parameters() const override { return parameters_; }
  Parameters replicated_parameters() const override {
    if (!has_own_step()) return parameters_;
    return with_python([&] { return named_tensors(network_.call("replicated_parameters")); });
  }
  StateBytes state_bytes(const Optimizer& optimizer) const override {
    if (!has_own_step()) return Network::state_bytes(optimizer);
    return with_python([&] {
      const auto [parameters, gradients, state] =
          network_.call("held_bytes").cast<std::tuple<std::int64_t, std::int64_t, std::int64_t>>();
      return StateBytes{parameters, gradients, state};
    });
  }
  const std::vector<at::Tensor>& buffers() const override { return buffers_; }

 private:
  PythonObject network_;
  Parameters parameters_;
  std::vector<at::Tensor> buffers_;
};

class PythonAttention : public AttentionImplementation {
 public:
  explicit PythonAttention(py::object function) : function_(std::move(function)) {}
  at::Tensor forward(const AttentionInputs& inputs) const override {
    return with_python([&] {
      return function_.call("forward", inputs.q, inputs.k, inputs.v, inputs.mask)
          .cast<at::Tensor>();
    });
  }
  void backward(const at::Tensor& value, const at::Tensor& upstream,
                bool retain_graph) const override try {
    if (!value.requires_grad()) {
      throw UserCodeError("there is no backward: the output requires no gradient", "");
    }
    AttentionImplementation::backward(value, upstream, retain_graph);
  } catch (python_error& error) {
    rethrow_from_backward(error);
  }
  void test(const AttentionInputs& inputs) const override {
    with_python([&] { function_.call("test", inputs.q); });
  }
  bool discard_compilations() const override {
    return with_python([&] { return function_.call("discard_compilations").cast<bool>(); });
  }

 private:
  PythonObject function_;
};

py::dict hyper_parameters(const NetworkSpec& spec) {
  py::dict values;
  values["vocab_size"] = spec.shape.vocab;
  values["context_length"] = spec.context;
  values["d_model"] = spec.shape.d_model;
  values["num_layers"] = spec.shape.layers;
  values["num_heads"] = spec.shape.heads;
  values["d_ff"] = spec.shape.d_ff;
  return values;
}

struct OpenRange {
  explicit OpenRange(std::string range_name) : name(std::move(range_name)), range(name) {}
  std::string name;  ///< `range` refers to this text.
  Range range;
};
std::list<OpenRange> open_ranges;  // the innermost range is last

int run(const std::vector<std::string>& arguments, const py::function& make_network,
        const py::function& make_attention, const py::function& error_text,
        const py::function& notes, const std::string& python_version) {
  note_main_reached();
  describe_error = error_text;
  set_attention_factory([&](const std::string& implementation, c10::Device device) {
    return with_python([&] {
      return std::make_unique<PythonAttention>(make_attention(implementation, device.str()));
    });
  });
  set_network_factory([&](const NetworkSpec& spec, c10::Device device) {
    return with_python([&] {
      return std::make_unique<PythonNetwork>(
          make_network(spec.implementation, hyper_parameters(spec), device.str()));
    });
  });
  const py::gil_scoped_release without_lock;
  return run_worker(arguments, python_version, [&] {
    return with_python([&] { return notes().cast<std::vector<std::string>>(); });
  });
}

}  // namespace
}  // namespace labreport

PYBIND11_MODULE(labreport_engine, module) {
  module.attr("torch_version") = TORCH_VERSION;
  module.def("run", labreport::run);
  module.def("changes_results", labreport::changes_results);
  module.def("observed", labreport::Range::has_observer);
  module.def("open_range",
             [](std::string name) { labreport::open_ranges.emplace_back(std::move(name)); });
  module.def("close_range", [] { labreport::open_ranges.pop_back(); });
  module.def("begin_phase", labreport::StepPhases::begin);
  module.def("end_phase", labreport::StepPhases::end);
}
