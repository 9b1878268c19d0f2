"""Watches what a user's code does, by hooks of torch that are removed afterwards. The code itself is not changed."""

import collections
import contextlib
import functools
import sys
import threading
import warnings

import torch
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook


def first_tensor(output):
    """Returns the first tensor of a module's output, which may be a tuple; None without a tensor."""
    for value in output if isinstance(output, (tuple, list)) else [output]:
        if isinstance(value, torch.Tensor):
            return value
    return None


class ModuleRanges:
    """Within this context each module's forward opens a range of the engine, named by the module's path within the
    enclosing module. `on_output` is called with each module's path and output."""

    def __init__(self, engine, root, on_output=None):
        self.engine, self.root, self.open_paths, self.on_output = engine, root, [], on_output
        self.paths = {module: path for path, module in root.named_modules()}

    def __enter__(self):
        self.hooks = [register_module_forward_pre_hook(self.before),
                      register_module_forward_hook(self.after, always_call=True)]

    def __exit__(self, *_):
        for hook in self.hooks:
            hook.remove()
        while self.open_paths:
            self.after(None)

    def before(self, module, _):
        if module is self.root:
            return
        path = self.paths.get(module, type(module).__name__)
        if self.open_paths:  # a module used in several places has the path of the first
            prefix = self.open_paths[-1] + "."
            path = prefix + (path.removeprefix(prefix) if path.startswith(prefix) else path.rpartition(".")[2])
        self.engine.open_range(path.removeprefix(self.open_paths[-1] + ".") if self.open_paths else path)
        self.open_paths.append(path)

    def after(self, module, _=None, output=None):
        if module is self.root:
            return
        path, tensor = self.open_paths.pop(), first_tensor(output)
        self.engine.close_range()
        if self.on_output and tensor is not None:
            self.on_output(path, tensor)


@contextlib.contextmanager
def replaced(owner, name, function):
    """Within this context the owner's function of that name is another one."""
    former = vars(owner)[name]
    setattr(owner, name, function)
    try:
        yield
    finally:
        setattr(owner, name, former)


class CompileWatch:
    """Within this context `used` becomes true if torch.compile is called, also as a decorator, or a module is compiled."""

    def __init__(self):
        self.used, self.stack = False, contextlib.ExitStack()

    def __enter__(self):
        for owner in [torch, torch.nn.Module]:
            self.stack.enter_context(replaced(owner, "compile", self.noting(owner.compile)))
        return self

    def __exit__(self, *_):
        self.stack.close()

    def noting(self, function):
        @functools.wraps(function)
        def compile_and_note(*arguments, **named):
            self.used = True
            return function(*arguments, **named)

        return compile_and_note


class StepPhases:
    """Reports the phases of a user's training step to the engine: forward of each outermost module, backward from entry to
    return, the step of each outermost optimizer, and what lies between them.

    A phase inside another one belongs to the outer one, as the forward that a checkpoint repeats, except in an optimizer's
    closure, whose phases are its own. The time from a forward to a backward that does not start from its very output is "loss",
    and so is a module without parameters that is called after a forward. All other time is "other".
    """

    def __init__(self, engine):
        self.engine = engine
        self.outermost, self.spans, self.is_captured, self.has_run = {}, [], False, False
        self.counts = collections.Counter()  # of phases, except "other"

    @contextlib.contextmanager
    def observing(self, sees_phases=True):
        """Within this context a step runs. Without `sees_phases` all of it is "other"."""
        self.thread, self.counts = threading.get_ident(), collections.Counter()
        self.spans, self.expected_spans = [], self.spans
        self.current = self.last = None
        self.suspended, self.entered, self.forward_outputs, self.failure = [], [], (), (None, "")
        self.begin_gap()
        with contextlib.ExitStack() as stack:
            if sees_phases:
                self.register(stack)
            yield
        self.has_run = True
        self.engine.end_phase("other")

    def register(self, stack):
        """In the first step all modules have hooks, and later only the outermost ones that it called, because a hook costs
        time in each call."""
        hooks = [register_optimizer_step_pre_hook(self.before_optimizer), register_optimizer_step_post_hook(self.after_optimizer)]
        if not self.outermost:
            hooks += [register_module_forward_pre_hook(self.before_forward),
                      register_module_forward_hook(self.after_forward, always_call=True)]
        for module in self.outermost:
            hooks += [module.register_forward_pre_hook(self.before_forward),
                      module.register_forward_hook(self.after_forward, always_call=True)]
        for hook in hooks:
            stack.callback(hook.remove)
        for name in ["backward", "grad"]:
            stack.enter_context(replaced(torch.autograd, name, self.as_backward(getattr(torch.autograd, name))))

    def begin_gap(self):
        """Begins the time between phases, or between those of a closure in its optimizer. A range needs its name when it
        opens, so it is "loss" if the same one was in the step before."""
        number, name = len(self.spans), self.current or "other"
        was_loss = number < len(self.expected_spans) and self.expected_spans[number] == "loss"
        self.engine.begin_phase("loss" if was_loss else name)

    def end_span(self, name):
        self.engine.end_phase(name)
        self.spans.append(name)

    def begin(self, phase, follows_loss=False):
        """Begins a phase, unless one is open that contains it. The time before it is the loss's if `follows_loss`. Returns true
        if it began."""
        if threading.get_ident() != self.thread or self.current not in [None, "optimizer"] or self.current == phase:
            return False
        if torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing():
            self.is_captured = True  # an event in a captured graph would be a part of it
            return False
        self.end_span("loss" if follows_loss else self.current or "other")
        if follows_loss:
            self.counts["loss"] += 1
        self.suspended.append(self.current)
        self.current = phase
        self.counts[phase] += 1
        self.engine.begin_phase(phase)
        return True

    def end(self):
        self.last, self.current = self.current, self.suspended.pop()
        if sys.exception():  # the engine's phase stays that which fails, for example for want of memory
            self.failure = sys.exception(), self.last
            return
        self.end_span(self.last)
        self.begin_gap()

    def phase_of(self, error):
        """Returns the phase in which the error was raised; "" for one between phases."""
        return self.failure[1] if self.failure[0] is error else self.current or ""

    def before_forward(self, module, _):
        is_outermost = self.current in [None, "optimizer"]  # a closure's passes are no part of its optimizer
        is_loss = is_outermost and self.counts["forward"] and not any(True for _ in module.parameters())
        ranges = None
        began = self.begin("loss" if is_loss else "forward")
        if began:
            self.outermost[module] = None
            if self.engine.observed():
                ranges = ModuleRanges(self.engine, module)
                ranges.__enter__()
        self.entered.append((began, ranges))

    def after_forward(self, _module, _, output):
        began, ranges = self.entered.pop()
        if ranges:
            ranges.__exit__()
        if began:
            self.forward_outputs = output if isinstance(output, (tuple, list)) else (output,)
            self.end()

    def before_optimizer(self, *_):
        self.entered.append((self.begin("optimizer"), None))

    def after_optimizer(self, *_):
        if self.entered.pop()[0]:
            self.end()

    def as_backward(self, function):
        @functools.wraps(function)
        def backward(tensors, *arguments, **named):
            roots = [tensors] if isinstance(tensors, torch.Tensor) else tensors
            is_output = any(root is output for root in roots for output in self.forward_outputs)
            began = self.begin("backward", follows_loss=self.last == "forward" and not is_output)
            try:
                return function(tensors, *arguments, **named)
            finally:
                if began:
                    self.end()

        return backward


class SynchronizationCounter:
    """Within this context `count` counts how often the code waits for the GPU."""

    def __init__(self):
        self.count, self.stack = 0, contextlib.ExitStack()

    def __enter__(self):
        for owner in [torch.cuda, torch.cuda.Stream, torch.cuda.Event]:
            self.stack.enter_context(replaced(owner, "synchronize", self.counting(owner.synchronize)))
        self.stack.callback(torch.cuda.set_sync_debug_mode, torch.cuda.get_sync_debug_mode())
        torch.cuda.set_sync_debug_mode("warn")
        self.warnings = self.stack.enter_context(warnings.catch_warnings(record=True))
        warnings.simplefilter("always")
        return self

    def __exit__(self, *_):
        self.count += sum("synchronizing CUDA operation" in str(warning.message) for warning in self.warnings)
        self.stack.close()

    def counting(self, function):
        @functools.wraps(function)
        def count_and_wait(*arguments, **named):
            self.count += 1
            return function(*arguments, **named)

        return count_and_wait
