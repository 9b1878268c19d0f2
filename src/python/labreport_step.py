"""Training steps that a user's code makes: a maker is called once, and what it returns once for each step."""

import collections
import contextlib
import gc
import inspect
import os
import sys
import traceback
from pathlib import Path

import torch
from labreport_flops import OperatorCounter
from labreport_ranks import describe_collective_error, is_of_collective, is_sharded, local
from labreport_hooks import CompileWatch, StepPhases, SynchronizationCounter
from labreport_source import (ROPE_THETA, CollectiveFailed, Mismatch, NotOffered, Source, call, call_text, describe_error,
                              describe_value, is_installed, is_required, load)

LIBRARIES = (os.path.dirname(torch.__file__), os.path.dirname(__file__), "<")  # how the names of files begin that are not the user's
SIZE_PARAMETERS = {"d_model", "num_layers", "num_heads", "d_ff"}
BATCH_NAMES = {"batch", "ids", "input_ids", "inputs", "labels", "targets", "tokens", "x", "y"}  # what a step takes, not a maker
MAKER_EXAMPLE = "`def make_step(device): …; return step`"
PRECISIONS = {torch.float32: "fp32", torch.bfloat16: "bf16", torch.float16: "fp16"}


class UsedValues(dict):
    """Values by their names, which remembers the names that were asked for."""

    def __init__(self, values):
        super().__init__(values)
        self.used = set()

    def __getitem__(self, name):
        self.used.add(name)
        return super().__getitem__(name)


class StepSource(Source):
    """The maker of training steps that STEP names, and its arguments."""

    arguments_flag = "STEP_ARGS"
    may_compile_modules = True  # what compiles while the file is imported may be a network, and then hooks would change it

    def __init__(self, spec):
        self.spec = spec
        sys.path.insert(0, os.getcwd())
        with CompileWatch() as watch:
            self.model, module = load("STEP", spec["model"])
        self.imports_compiled = watch.used
        self.arguments = self.read_arguments(spec["arguments"])
        self.name, self.compiled = spec["model"].rpartition(":")[2], False
        self.matmul_precision = torch.get_float32_matmul_precision()
        self.implementation = self.implementation_name([module])

    def check(self):
        pass  # describe_step makes a step

    def factory_for(self, parameter, passed):
        """Returns the advice to name the maker instead of its step; else that of a model."""
        required = {name for name, taken in inspect.signature(self.model).parameters.items() if is_required(taken)}
        if required & BATCH_NAMES:
            return f"it takes a batch, as a step does, and STEP names the function that makes the step: {MAKER_EXAMPLE}"
        return super().factory_for(parameter, passed)

    def make_step(self, values, cell, device, engine):
        return UserStep(self, values, cell, device, engine)

    def describe(self, cell, engine):
        return describe_step(self, cell, engine)


def values_for(cell, values, device):
    """Returns all that a maker may take, by name."""
    return UsedValues(values | {"batch_size": cell["batch"], "device": device, "precision": cell.get("precision", "fp32"),
                                "rank": int(os.environ["RANK"]) if "ranks" in cell else 0,
                                "world_size": int(os.environ["WORLD_SIZE"]) if "ranks" in cell else 1})


def alive(kind):
    """Returns the objects of the class that exist, wherever the code keeps them."""
    return [found for found in gc.get_objects() if issubclass(type(found), kind)]


def place_of(error):
    """Returns " at train.py:31", the last line of the user's own that the error passed; "" if there is none."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__)
              if not frame.filename.startswith(LIBRARIES) and not is_installed(Path(frame.filename))]
    return f" at {os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""


def as_list(value):
    return list(value) if isinstance(value, (tuple, list)) else [value]


class UserStep:
    """A training step of the user's, with the interface that the engine expects of a network."""

    def __init__(self, source, values, cell, device, engine):
        self.source, self.device, self.phases = source, torch.device(device), StepPhases(engine)
        self.vocab, self.loss, self.dtype_notes = values["vocab_size"], None, []
        values = values_for(cell, values, self.device)
        named = source.named_arguments(values, self.device)
        self.used = values.used
        if "precision" not in self.used:  # the step chooses, also if its file did when it was imported
            torch.set_float32_matmul_precision(source.matmul_precision)
        with CompileWatch() as self.watch:
            made = call(source.name, source.model, **named)
        self.watch.used |= source.imports_compiled and source.may_compile_modules
        self.function, self.call_name = self.find_step(made, named)
        self.batch_arguments = self.count_batch_arguments()
        self.modules = as_list(getattr(made, "model", None) or self.outermost_modules())
        self.optimizers = as_list(getattr(made, "optimizer", None) or alive(torch.optim.Optimizer))
        self.check_device()
        if self.device.type == "cuda":
            torch.cuda.empty_cache()  # returns the memory that initialization used to the GPU

    def find_step(self, made, named):
        """Returns the step and its name for messages: a method `step` of what was made, or else that itself."""
        step, name = getattr(made, "step", None), f"{self.source.name}'s step"
        if isinstance(made, type):
            raise Mismatch(f"{call_text(self.source.name, (), named)} returned the class {made.__name__}; return an object of it, "
                           f"as {made.__name__}(…)")
        if callable(step) and not isinstance(made, torch.optim.Optimizer):
            return step, name
        if callable(made):
            return made, name
        is_loss = made is None or isinstance(made, float) or isinstance(made, torch.Tensor)
        advice = f"; STEP names the function that makes the step: {MAKER_EXAMPLE}" if is_loss else ""
        raise Mismatch(f"{call_text(self.source.name, (), named)} returned {describe_value(made)}; expected a function "
                       f"step(ids, targets), or an object with one{advice}")

    def count_batch_arguments(self):
        """Returns 2 for a step that takes a batch, and 0 for one that takes nothing."""
        try:
            parameters = inspect.signature(self.function).parameters.values()
        except (ValueError, TypeError):  # some callables have no signature
            return 2
        positional = [parameter for parameter in parameters
                      if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)]
        required = [parameter.name for parameter in parameters
                    if parameter.default is parameter.empty and parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)]
        if len(positional) >= 2 or any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters):
            count = 2
        else:
            count = 0
        if len(required) > count or set(required) - {parameter.name for parameter in positional}:
            raise Mismatch(f"{self.call_name} takes ({', '.join(required)}); a step gets token ids and targets, or nothing: "
                           f"a maker that ends with `return {self.wrapped_step(required)}` passes both on")
        return count

    def wrapped_step(self, required):
        """Returns an example of a step that passes its batch on to the user's, by the names of what that requires."""
        holder = f"{type(self.function.__self__).__name__.lower()}.step" if inspect.ismethod(self.function) else "step"
        if len(required) == 1:
            return f"lambda ids, targets: {holder}((ids, targets))"
        return f"lambda ids, targets: {holder}(ids, targets{''.join(f', {name}=…' for name in required[2:])})"

    def outermost_modules(self):
        modules = alive(torch.nn.Module)
        inner = {id(child) for module in modules for child in module.children()}
        return [module for module in modules if id(module) not in inner]

    def named_tensors(self, tensors_of):
        """Returns names and tensors of all modules, each tensor once. Names begin with a module's class if there are several."""
        roots = [module for module in self.modules if isinstance(module, torch.nn.Module) and any(tensors_of(module))]
        counts, found = collections.Counter(), {}
        for module in roots:
            kind = type(module).__name__
            counts[kind] += 1
            prefix = f"{kind}{counts[kind] if counts[kind] > 1 else ''}." if len(roots) > 1 else ""
            for name, tensor in tensors_of(module):
                found.setdefault(id(tensor), (prefix + name.replace("_orig_mod.", ""), tensor))
        return list(found.values())

    def whole_parameters(self):
        """Returns those of the modules, and tensors that only an optimizer has."""
        found = self.named_tensors(torch.nn.Module.named_parameters)
        known = {id(tensor) for _, tensor in found}
        for optimizer in self.optimizers:
            for tensor in (tensor for group in getattr(optimizer, "param_groups", []) for tensor in group["params"]):
                if id(tensor) not in known:
                    known.add(id(tensor))
                    found.append((f"parameter{len(found)}", tensor))
        return found

    def parameters(self):
        """Returns this rank's shard of each sharded parameter, and the others as they are."""
        return [(name, local(tensor)) for name, tensor in self.whole_parameters()]

    def replicated_parameters(self):
        """Returns the parameters of which all ranks hold a copy."""
        return [(name, tensor) for name, tensor in self.whole_parameters() if not is_sharded(tensor)]

    def buffers(self):
        return [(name, local(tensor)) for name, tensor in self.named_tensors(torch.nn.Module.named_buffers)]

    def check_device(self):
        tensors = self.whole_parameters()
        if tensors and all(tensor.device != self.device for _, tensor in tensors):
            name, tensor = tensors[0]
            raise Mismatch(f"{self.source.name} puts {name} on {tensor.device}; it gets device={self.device}, and has to use it")

    def check_trains(self):
        """Raises Mismatch if there is no optimizer even after a step."""
        self.optimizers = self.optimizers or alive(torch.optim.Optimizer)
        if not self.optimizers:
            raise Mismatch(f"{self.source.name} makes no torch.optim.Optimizer, so nothing trains; if yours is of another class, "
                           "return an object with step and optimizer")

    def has_own_step(self):
        return True

    def compiles(self):
        return False

    def sees_phases(self):
        return not self.watch.used

    def step(self, ids, targets):
        """Runs a step and returns its loss; None if it returns none. The loss is kept, so that its graph is freed outside of
        the measured time."""
        arguments = [ids, targets][:self.batch_arguments]
        try:
            with self.watch, self.phases.observing(self.sees_phases()):
                self.loss = self.function(*arguments)
        except torch.OutOfMemoryError:
            raise
        except BaseException as error:  # a step may call sys.exit
            phase = self.phases.phase_of(error)
            if is_of_collective(error):
                raise CollectiveFailed(f"{call_text(self.call_name, arguments)}: a collective failed"
                                       f"{' in ' if phase else ''}{phase}{place_of(error)}: "
                                       f"{describe_collective_error(error)}") from error
            advice = ""
            if "process group has not been initialized" in str(error):
                advice = "; --ranks 2 starts two processes, which are joined"
            if isinstance(error, IndexError) and "vocab_size" not in self.used:
                advice = "; its maker takes no vocab_size, so --vocab has to say how many ids it knows, with make ARGS=\"--vocab N\""
            raise Mismatch(f"{call_text(self.call_name, arguments)} failed{' in ' if phase else ''}{phase}: "
                           f"{describe_error(error)}{advice}") from error
        loss, *_ = [*as_list(self.loss), None]
        return loss if isinstance(loss, torch.Tensor) and loss.numel() == 1 else None

    def loss_value(self):
        """Returns a copy of the last step's loss as a tensor; None if it returned none."""
        loss, *_ = [*as_list(self.loss), None]
        return loss.detach().clone() if isinstance(loss, torch.Tensor) else torch.tensor(loss) if isinstance(loss, float) else None

    def count_step(self, ids, targets, _mode):
        """Counts the FLOPs of a step, not compiled. See labreport_flops.count_step. A first step shows what to call the time
        between phases."""
        engine = self.phases.engine
        try:
            for _ in range(2):
                self.phases.engine = counter = PhaseCounter()
                with counter.watching():
                    self.step(ids, targets)
        finally:
            self.phases.engine = engine
        if not counter.flops.total():
            raise NotOffered("the step dispatches no matrix product, as one that replays a captured CUDA graph, so its FLOPs cannot "
                             "be counted")
        return counter.counted(["forward", "loss", "backward", "optimizer", "other"])

    def count_occurrences(self, ids, targets):
        """Runs one more step. Returns how often each phase occurs in it, and on a GPU how often it waits for the GPU."""
        on_gpu = self.device.type == "cuda"
        with SynchronizationCounter() if on_gpu else contextlib.nullcontext() as synchronizations:
            self.step(ids, targets)
        counts = [*self.phases.counts.items(), ("batch", int(self.batch_arguments > 0))]
        return counts + [("synchronizations", synchronizations.count)] if on_gpu else counts

    def notes(self):
        """Returns lines on what a reader of the numbers must know."""
        unseen = []
        if self.watch.used:
            unseen = ["the phases of the step are unknown, because hooks would change compiled code"]
        elif self.phases.has_run and (self.phases.is_captured or not self.phases.counts):
            unseen = ["the phases of the step are unknown where hooks do not see them, as in a captured CUDA graph"]
        return self.dtype_notes + unseen

    def make_optimizer(self):
        return self

    def state(self):
        """Returns the optimizers' tensors, named after their parameters."""
        names, seen = {id(tensor): name for name, tensor in self.whole_parameters()}, set()
        for optimizer in self.optimizers:
            for parameter, values in getattr(optimizer, "state", {}).items():
                for key, value in values.items() if isinstance(values, dict) else []:
                    if isinstance(value, torch.Tensor) and id(value) not in seen:
                        seen.add(id(value))
                        yield f"{names.get(id(parameter), '')}.{key}", local(value)


class PhaseCounter(OperatorCounter):
    """Counts by the phases that it hears of in the engine's place."""

    def begin_phase(self, name):
        self.phase = name

    def end_phase(self, name):
        pass

    def observed(self):
        return False


class DtypeCounter(OperatorCounter):
    """Counts the FLOPs of matrix products by dtype."""

    def __init__(self):
        super().__init__()
        self.by_dtype = collections.Counter()

    def add(self, operator, flops, factor):
        super().add(operator, flops, factor)
        self.by_dtype[factor.dtype] += flops


def precision_of(dtype, device):
    if dtype not in PRECISIONS:
        name = str(dtype).removeprefix("torch.")
        raise Mismatch(f"the step multiplies matrices in {name}; there are rows for {', '.join(map(str, PRECISIONS.values()))}")
    is_tf32 = dtype is torch.float32 and device.type == "cuda" and torch.backends.cuda.matmul.allow_tf32
    return "tf32" if is_tf32 else PRECISIONS[dtype]


def describe_step(source, cell, engine):
    """Makes a step and runs it once, not compiled. Returns what its maker takes, whether it compiles, whether it returns no loss,
    and the precision in which it computes if the maker takes none. A step that replays what its maker captured computes in the
    maker's."""
    device = torch.device("cuda:0" if cell["device_kind"] == "cuda" else "cpu")
    values = {"vocab_size": cell["vocab"], "context_length": cell["context"], "d_model": cell["d_model"],
              "num_layers": cell["layers"], "num_heads": cell["heads"], "d_ff": cell["d_ff"], "rope_theta": ROPE_THETA}
    making, running = DtypeCounter(), DtypeCounter()
    with making.watching():
        step = UserStep(source, values, cell, device, engine)
    ids, targets = torch.randint(cell["vocab"], (2, cell["batch"], cell["context"]), device=device)
    with running.watching():
        step.step(ids, targets)
    step.check_trains()
    description = {"takes_size": bool(step.used & SIZE_PARAMETERS), "takes_context": "context_length" in step.used,
                   "compiles": step.watch.used}
    if step.loss_value() is None:
        description["returns_no_loss"] = True
    if "precision" not in step.used:
        (dtype, _), = (running.by_dtype or making.by_dtype).most_common(1) or [(torch.float32, 0)]
        description["precision"] = precision_of(dtype, device)
    return description
