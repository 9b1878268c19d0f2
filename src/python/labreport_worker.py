"""The worker for models that are PyTorch modules: one request in, one result out, as labreport-worker.

labreport_worker.py --request FILE --result FILE [--nvtx] | --describe REQUEST | --course FOLDER | --version

labreport_engine, built from the C++ code of labreport-worker, does the measuring. This file loads the model that the
request names, calls it, and reports in one line which call of the model failed.
"""

import collections
import contextlib
import functools
import gc
import inspect
import json
import os
import platform
import re
import sys
import tempfile
import traceback
from pathlib import Path

import torch
from labreport_attention import UserAttention
from labreport_course import discover
from labreport_flops import count_step
from labreport_honesty import remarks_on_steps
from labreport_hooks import ModuleRanges
from labreport_leaderboard import LeaderboardSource, rung_of
from labreport_parts import PartSource
from labreport_ranks import prepare_ranks
from labreport_settings import SET_FOR_FORWARD, SettingChanged, Settings, compare, read
from labreport_source import (CONFIG_NEEDS, ROPE_THETA, AttentionSource, Mismatch, NotOffered, ShippedSource, Source, are_logits, call,
                              call_text, check_compiler, check_offered, describe_error, describe_value, spellings, tensors_in)
from labreport_step import StepSource

OPTIMIZER_ARGUMENTS = {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.01}


@contextlib.contextmanager
def empty_compile_cache():
    """Uses an empty cache, so compile times are those of a first compilation. A cache is reused only if the user
    names it in TORCHINDUCTOR_CACHE_DIR and keeps that variable by --keep-env."""
    with tempfile.TemporaryDirectory(prefix="labreport-compile-", ignore_cleanup_errors=True) as folder:
        if "TORCHINDUCTOR_CACHE_DIR" not in os.environ:
            os.environ |= {"TORCHINDUCTOR_CACHE_DIR": folder, "TRITON_CACHE_DIR": os.path.join(folder, "triton")}
        try:
            yield
        finally:
            end_compile_workers()


def end_compile_workers():
    """Stops torch's compiling processes, which would write into the cache folder while it is removed."""
    async_compile = sys.modules.get("torch._inductor.async_compile")
    if async_compile:
        async_compile.shutdown_compile_workers()


def compile_function(function, device, mode=None, dynamic=None):
    check_compiler()
    if device.type == "cpu":
        from torch._inductor import config

        config.cpp.enable_kernel_profile = True  # shows each kernel to the profiler, by name
    return torch.compile(function, mode=mode, dynamic=dynamic)


def compile_notes():
    """Tells how often torch.compile gave up and how often it compiled anew, each with the first place and reason."""
    utils = sys.modules.get("torch._dynamo.utils")
    if utils is None:
        return []
    breaks, notes = {}, []
    for found in utils.graph_break_reasons:
        place = found.user_stack[-1]
        breaks.setdefault((place.filename, place.lineno), f"`{(place.line or '').strip()}`: {found.reason.splitlines()[0]}")
    anew = [compilation for compilation in utils.get_compilation_metrics() if compilation.recompile_reason]
    if breaks:
        (file, line), words = next(iter(breaks.items()))
        notes.append(f"{plural(len(breaks), 'graph break')}, the first at {os.path.basename(file)}:{line}, {words}")
    if anew:
        guard = re.sub(r"^\d+/\d+: ", "", anew[0].recompile_reason.splitlines()[0]).partition("  #")[0].strip()
        place = f"{os.path.basename(anew[0].co_filename)}:{anew[0].co_firstlineno}"
        notes.append(f"{plural(len(anew), 'recompilation')}, the first of {place}, because this no longer held: `{guard}`")
    return notes


def plural(count, noun):
    return f"{count} {noun}" + "s" * (count != 1)


def read_source(spec):
    kind = PartSource if spec.get("part") else StepSource if spec.get("step") else AttentionSource if spec.get("attention") else Source
    return kind(spec)


# These functions and classes run models for the engine.


def dtype_words(kind, tensors):
    """Returns "2 of 14 parameters are bfloat16"; "" if all are FP32."""
    dtypes = [str(tensor.dtype).removeprefix("torch.") for tensor in tensors if tensor.is_floating_point()]
    counts = collections.Counter(dtype for dtype in dtypes if dtype != "float32")
    return ", ".join(f"{count} of {len(dtypes)} {kind} {'is' if count == 1 else 'are'} {dtype}" for dtype, count in counts.items())



LAUNCH_NETWORKS = []  # all networks of this process


def notes_of_launch(source, settings):
    """Returns lines on what a reader of the launch's numbers must know: dtypes, graph breaks and recompilations. Raises
    SettingChanged to refuse the numbers."""
    changes = []
    if settings and isinstance(source, StepSource):
        changes = settings.changes(source.name)
    elif settings and isinstance(source, Source):
        settings.check(f"a step of {source.name}")
    is_users_network = any(not isinstance(network.source, ShippedSource) for network in LAUNCH_NETWORKS)
    notes = [note for network in LAUNCH_NETWORKS for note in network.notes()] + changes
    return notes + (compile_notes() if is_users_network else [])


class Network:
    """A model with the interface that the engine expects of a network."""

    def __init__(self, source, values, device, precision=None):
        self.source, self.vocab, self.device = source, values["vocab_size"], torch.device(device)
        self.forward_count, self.ids, self.targets = 0, None, None
        if isinstance(source, ShippedSource) and source.compiled:
            check_offered(self.device)
        named = source.named_arguments(values, self.device)
        with torch.device(device):
            try:
                self.module = call(source.name, source.model, **named)
            except Mismatch as error:
                advice = f"; {source.arguments_flag} sets other fields of {source.config_name}" if source.config_name else ""
                raise Mismatch(f"{error}{advice}") from error.__cause__
        if not isinstance(self.module, torch.nn.Module):
            raise Mismatch(f"{call_text(source.name, (), named)} made {describe_value(self.module)}, no torch.nn.Module")
        self.module.to(device)
        if device != "cpu":
            torch.cuda.empty_cache()  # returns the memory that initialization used to the GPU
        self.check_device(self.device)
        self.check_dtypes(precision)
        self.autocast_dtype = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(precision)
        self.targets_name = self.find_targets_name()
        self.call_name = f"torch.compile({source.name}).forward" if source.compiled else f"{source.name}.forward"
        self.taken_names = spellings(named) | (dict.fromkeys(CONFIG_NEEDS | {"context_length"}) if source.config_name else {})

    @functools.cached_property
    def function(self):
        """Compiles on the first forward, so that torch.compile's imports count as compiling."""
        return compile_function(self.module, self.device, self.source.mode) if self.source.compiled else self.module

    @functools.cached_property
    def loss_function(self):
        loss, mode = self.source.loss, self.source.mode
        return compile_function(loss, self.device, mode) if self.source.compiled_loss else loss

    def check_dtypes(self, precision):
        """Notes dtypes other than FP32. Raises NotOffered if the cell is to be in FP32 but parameters are not."""
        parameters = dtype_words("parameters", (tensor for _, tensor in self.parameters()))
        buffers = dtype_words("buffers", (tensor for _, tensor in self.buffers()))
        if parameters and precision in ["fp32", "tf32"]:
            raise NotOffered(f"{parameters}, so {self.source.name} makes no step in {precision.upper()}; --precisions bf16 "
                             "measures it in BF16")
        self.dtype_notes = list(filter(None, [parameters, buffers]))
        LAUNCH_NETWORKS.append(self)

    def find_targets_name(self):
        """Returns the name of the parameter by which forward takes targets; None without one. Raises Mismatch if forward
        requires what it does not get."""
        with contextlib.suppress(ValueError, TypeError):  # some callables have no signature
            _, *others = inspect.signature(self.module.forward).parameters.values()
            found = next((other.name for other in others if other.name in ["targets", "target", "labels", "y"]), None)
            for other in others:
                is_given = self.source.has_own_loss and (other.name == found or found is None and other is others[0])
                if not is_given and other.default is other.empty and other.kind is other.POSITIONAL_OR_KEYWORD:
                    raise Mismatch(f"{self.source.name}.forward needs {other.name}, which it does not get; it is called with "
                                   "token ids only, and with LOSS=model also with targets")
            return found
        return None

    def call_arguments(self, ids):
        """Returns positional and named arguments of the module's call. LOSS=model adds the ids that follow."""
        if not self.source.has_own_loss:
            return [ids], {}
        if self.ids is not ids:  # all steps have the same batch
            self.ids, self.targets = ids, ids.roll(-1, dims=-1)
        return ([ids], {self.targets_name: self.targets}) if self.targets_name else ([ids, self.targets], {})

    def check_device(self, device):
        for name, tensor in [*self.parameters(), *self.buffers()]:
            if tensor.device != device:
                raise Mismatch(f"{name} of {self.source.name} is on {tensor.device} after .to({device}); "
                               "let .to move every parameter and buffer")

    def notes(self):
        return self.dtype_notes

    def has_own_step(self):
        return False

    def count_occurrences(self, *_):
        return []

    def parameters(self):
        return list(self.module.named_parameters())

    def buffers(self):
        return list(self.module.named_buffers())

    def forward(self, ids):
        """Opens ranges for modules, but not in compiled code, because hooks would change it."""
        self.forward_count += 1
        if self.source.compiled and self.forward_count == 2:  # the first forward compiled
            gc.freeze()  # A full collection would walk a million objects of the compiler, for most of a second of some step.
        if self.source.mode == "reduce-overhead":
            torch.compiler.cudagraph_mark_step_begin()  # allows CUDA graphs to overwrite the outputs of the previous step
        arguments, named = self.call_arguments(ids)
        observes = engine.observed() and not self.source.compiled
        before = read(SET_FOR_FORWARD) if self.forward_count == 1 else None  # it is restored before Settings.check looks
        with ModuleRanges(engine, self.module) if observes else contextlib.nullcontext():
            try:
                output = call(self.call_name, self.function, *arguments, **named)
            except Mismatch as error:
                raise Mismatch(f"{error}{self.advice_on_index(error.__cause__)}") from error.__cause__
        if before:
            compare(before, read(SET_FOR_FORWARD), self.call_name)
        return self.result(output, ids)

    def advice_on_index(self, error):
        """Returns which flag has to give the size of a table that the model does not take, if an index lies outside of one."""
        if isinstance(error, IndexError) and "vocab_size" not in self.taken_names:
            return f"; {self.source.name} takes no vocab_size, so --vocab has to say how many ids it knows, with make ARGS=\"--vocab N\""
        if isinstance(error, IndexError) and "context_length" not in self.taken_names:
            return f"; {self.source.name} takes no context_length, so --contexts has to say how many positions it knows"
        return ""

    def traced_forward(self, ids, on_output):
        """Runs the model without compiling it and reports each module's output."""
        with ModuleRanges(engine, self.module, on_output):
            arguments, named = self.call_arguments(ids)
            return self.result(call(f"{self.source.name}.forward", self.module, *arguments, **named), ids)

    def count_step(self, ids, targets, mode):
        """Runs a step without compiling the model. See labreport_flops.count_step."""
        return count_step(self, ids, targets, mode, self.autocast_dtype)

    def result(self, output, ids):
        """Returns the logits, or with LOSS=model the loss: the first of the output's tensors that has the shape."""
        name = "loss" if self.source.has_own_loss else "logits"
        for part in tensors_in(output, name):
            if part.numel() == 1 if self.source.has_own_loss else are_logits(part, ids, self.vocab):
                return part
        arguments, named = self.call_arguments(ids)
        expected = "a loss of one number" if self.source.has_own_loss else f"logits {[*ids.shape, self.vocab]}"
        advice = f"; LOSS=model passes it {self.targets_name}" if self.targets_name and not self.source.has_own_loss else ""
        raise Mismatch(f"{call_text(self.call_name, arguments, named)} returned {describe_value(output)}; expected {expected}, "
                       f"by itself, as .{name} or in a tuple{advice}")

    def compiles(self):
        return self.source.compiled

    def loss(self, logits, targets):
        """Passes all positions as one batch, the form that losses expect. With LOSS=model, `logits` is the loss already."""
        if self.source.has_own_loss:
            if not logits.requires_grad:
                raise Mismatch(f"{self.call_name} returned a loss that requires no gradient: there is nothing to differentiate")
            return logits
        logits, targets = logits.flatten(0, -2), targets.flatten()
        loss = call(self.source.spec["loss"], self.loss_function, logits, targets)
        is_number = isinstance(loss, torch.Tensor) and loss.numel() == 1
        if is_number and loss.requires_grad:
            return loss
        text = call_text(self.source.spec["loss"], (logits, targets))
        if is_number:
            raise Mismatch(f"{text} returned a loss that requires no gradient: there is nothing to differentiate")
        raise Mismatch(f"{text} returned {describe_value(loss)}; expected one number")

    def make_optimizer(self):
        return Optimizer(self.source, self.parameters())


class Optimizer:
    """An optimizer, created with those of labreport's hyper-parameters that its signature takes."""

    def __init__(self, source, parameters):
        self.name, self.names = source.spec["optimizer"], {id(tensor): name for name, tensor in parameters}
        taken = inspect.signature(source.optimizer).parameters
        named = {name: value for name, value in OPTIMIZER_ARGUMENTS.items() if name in taken}
        self.optimizer = call(self.name, source.optimizer, [tensor for _, tensor in parameters], **named)

    def step(self):
        call(f"{self.name}.step", self.optimizer.step)

    def state(self):
        for parameter, values in self.optimizer.state.items():
            for key, value in values.items():
                if isinstance(value, torch.Tensor):
                    yield f"{self.names.get(id(parameter), '')}.{key}", value


class Attention:
    """The attention of labreport's network, with the interface that the engine expects of an attention."""

    def __init__(self, implementation, device):
        import labreport_transformer as network

        variant = ShippedSource.variant_words(implementation)
        self.compiled, self.device, self.function = "compiled" in variant, torch.device(device), network.scaled_dot_product
        self.eager_function = self.function
        if self.compiled:
            check_offered(self.device)
            self.discard_compilations()

    def test(self, like):
        """The network's attention has no test of the course's."""

    def discard_compilations(self):
        """Discards earlier compilations, so that the next call compiles for its sequence length only."""
        if self.compiled:
            from torch._inductor import config

            config.force_disable_caches = True
            torch._dynamo.reset()
            self.function = compile_function(self.eager_function, self.device, dynamic=False)
        return self.compiled

    def forward(self, q, k, v, mask):
        return call("torch.compile(attention)" if self.compiled else "attention", self.function, q, k, v, mask)


def load_source(spec, settings=None):
    """Loads the model before any measured time. Returns an error instead of raising it, for the launch to report."""
    try:
        source = read_source(spec) if spec else Mismatch("the request names no model")
        if settings and not isinstance(source, StepSource):
            settings.check(f"importing {spec['model']}")
        return source
    except (Mismatch, SettingChanged) as error:
        return error


def checked_source(source, implementation):
    """Returns the source, or raises Mismatch if the model changed after the run was planned."""
    if isinstance(source, Exception):
        raise source
    if implementation != source.implementation:
        raise Mismatch(f"{source.name} changed after the run began: it was {implementation}, it is {source.implementation}")
    return source


@contextlib.contextmanager
def refuse_changed_settings(settings, source, device):
    """Within this context the user's network or attention is made. Refuses it if that changes a setting."""
    if settings:
        settings.add_late(torch.device(device))
    try:
        yield
    finally:
        if settings:
            settings.check(f"making {source.name}")


def attention_factory(source, settings=None):
    def make(implementation, device):
        if ShippedSource.variant_words(implementation):
            return Attention(implementation, device)
        with refuse_changed_settings(settings, checked_source(source, implementation), device):
            return UserAttention(source, device)

    return make


def network_factory(source, cell, settings=None):
    def make(implementation, values, device):
        values = values | {"rope_theta": ROPE_THETA}
        if ShippedSource.variant_words(implementation):
            return Network(ShippedSource(implementation), values, device)
        if isinstance(source, StepSource):
            if settings:
                settings.add_late(torch.device(device))
            LAUNCH_NETWORKS.append(checked_source(source, implementation).make_step(values, cell, device, engine))
            return LAUNCH_NETWORKS[-1]
        with refuse_changed_settings(settings, checked_source(source, implementation), device):
            return Network(source, values, device, cell.get("precision"))

    return make


def read_request(arguments):
    """Returns the request's model, its cell's parameters, the prefix of its artifacts' paths, and where its ranks meet;
    (None, {}, "", None) for a faulty request, which the engine reports."""
    try:
        request = json.loads(Path(arguments[arguments.index("--request") + 1]).read_text())
        return (request.get("model"), {"kind": request["kind"], **request["params"]}, request.get("artifacts", ""),
                request.get("rendezvous"))
    except (ValueError, LookupError, TypeError, AttributeError, OSError):
        return None, {}, "", None


def with_remarks(make_network, cell):
    """Returns a factory that also trains the first network of a cell that traces dtypes, before it makes another to be traced.
    What its steps lack becomes a note of the launch."""
    def make(*arguments):
        notes = []
        if cell.get("kind") == "dtypes" and "precision" not in cell:
            network = make_network(*arguments)
            try:
                remarks = remarks_on_steps(network, cell["batch"], cell["context"])
            except torch.OutOfMemoryError:
                remarks = []
            except Exception as error:  # of the user's code, whose first step may succeed
                remarks = [f"one of the first ten fails: {describe_error(error)}"]
            if remarks:
                notes = [f"{network.source.name}'s steps do less than training steps: {' and '.join(remarks)}"]
            if network.has_own_step():  # nothing is traced
                network.dtype_notes += notes
                return network
            LAUNCH_NETWORKS.clear()
            del network
        traced_network = make_network(*arguments)
        traced_network.dtype_notes += notes
        return traced_network

    return make


def print_to_stderr():
    """Sends the output of models and their child processes to stderr. Returns the former stdout, which no child inherits."""
    stdout = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return stdout


def describe(request_json):
    """Prints what the front end needs for planning: the implementation's name, and of a step maker what it takes."""
    stdout, request = print_to_stderr(), json.loads(request_json)
    if request["model"].get("step"):
        prepare_ranks(request["params"])
    source = read_source(request["model"])
    source.check()
    description = {"implementation": source.implementation}
    if isinstance(source, StepSource):
        description["step"] = source.describe(request["params"], engine)
    stdout.write(json.dumps(description))
    stdout.close()
    return 0


def describe_course(folder):
    """Prints which parts a checkout of the course's assignment has."""
    stdout = print_to_stderr()
    prepare_ranks({})
    stdout.write(json.dumps(discover(folder)))
    stdout.close()
    return 0


def main(arguments):
    if arguments[:1] == ["--course"] and len(arguments) == 2:
        return describe_course(arguments[1])
    if arguments[:1] == ["--describe"] and len(arguments) == 2:
        return describe(arguments[1])
    if "--request" in arguments:
        print_to_stderr()
    spec, cell, artifacts, rendezvous = read_request(arguments)
    implementation = cell.get("implementation", "")
    rung = rung_of(implementation)
    is_shipped = rung or "compiled" in ShippedSource.variant_words(implementation)
    compiles = spec.get("compile") or spec.get("step") if spec else is_shipped
    with empty_compile_cache() if compiles else contextlib.nullcontext():
        settings = Settings(engine.changes_results) if spec else None
        if rung or spec and spec.get("step"):
            prepare_ranks(cell, rendezvous)
        source = LeaderboardSource(implementation) if rung else load_source(spec, settings)
        if artifacts and spec and isinstance(source, Source) and spec.get("implementation") == source.implementation:
            with contextlib.suppress(OSError):  # A launch without room for the files may have room for its result.
                source.keep_files(artifacts)
        return engine.run(arguments, with_remarks(network_factory(source, cell, settings), cell),
                          attention_factory(source, settings), describe_error,
                          functools.partial(notes_of_launch, source, settings), platform.python_version())


if __name__ == "__main__":
    try:
        import labreport_engine as engine  # must follow torch, whose libraries it links to

        if engine.torch_version != torch.__version__.partition("+")[0]:
            raise ImportError(f"it was built beside torch {engine.torch_version}")
        status = main(sys.argv[1:])
    except ImportError as error:
        print(f"the worker for models does not fit torch {torch.__version__}: {error}; build it again with `make report`",
              file=sys.stderr)
        status = 2
    except Mismatch as error:
        if error.__cause__:
            traceback.print_exception(error.__cause__)
        print(error, file=sys.stderr)
        status = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # avoids destructors: see the end of src/worker_main.cpp
