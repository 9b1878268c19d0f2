"""Counts the floating-point operations of one step of a module, and notes the dtypes of its matrix products.

The formulas are those of torch.utils.flop_counter, which sees every operator that torch dispatches, also in backward, in
autograd Functions and in recomputed forwards. It ignores that attention is causal and counts a CPU's fused attention as 0,
so fused attention has a formula of its own.
"""

import collections
import contextlib
import functools
import re
import sys
import threading
from pathlib import Path

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

ATTENTION = "_scaled_dot_product_"  # the fused operators; the one called math dispatches its matrix products one by one
HARMLESS = ["aten", "prim", "prims", "profiler", "rngprims"]  # namespaces of operators whose products are known
BACKWARD_PRODUCTS = 2.5  # of the forward's: backward computes the scores again and four more products
# Operators of torch that multiply matrices or vectors, but have no formula.
UNCOUNTED = re.compile(r"(^|_|add|b)(mm|mv)(_|$)|rnn|lstm|gru|multi_head|attention|transformer_encoder|conv(olution)?(_|$)")


def attention_flops(arguments):
    """Returns the FLOPs of fused attention: two products of scores, half of them if the attention is causal."""
    (*batch, queries, width), (*_, keys, value_width) = arguments["query"].shape, arguments["value"].shape
    pairs = torch.Size(batch).numel() * queries * keys
    flops = 2 * pairs * (width + value_width) * (BACKWARD_PRODUCTS if "out" in arguments else 1)
    return int(flops / 2 if arguments.get("is_causal") else flops)


@functools.cache
def is_foreign_extension(module_name):
    """Returns true for an extension module that is linked to torch, but a part of neither torch nor labreport. Its kernels
    may pass by torch's dispatcher."""
    file = Path(getattr(sys.modules.get(module_name), "__file__", None) or "")
    is_own = {Path(torch.__file__).parent, Path(__file__).parent} & {*file.parents}
    return file.suffix == ".so" and not is_own and b"libc10" in file.read_bytes()


class OperatorCounter(TorchDispatchMode):
    """Counts FLOPs by `phase`, which the caller sets, and notes what computes without being counted."""

    supports_higher_order_operators = True

    def __init__(self):
        super().__init__()
        self.phase, self.flops = "", collections.Counter()
        self.products, self.hidden = {}, {}  # both keep the order in which operators ran
        self.running = threading.local()

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if isinstance(operator, torch._ops.HigherOrderOperator):
            self.hidden[operator.name()] = None
            return operator(*args, **kwargs)
        packet, name = operator._overloadpacket, operator._opname
        if packet not in flop_registry:  # only operators in inference mode are not composed of others
            with self:
                result = operator.decompose(*args, **kwargs)
            if result is not NotImplemented:
                return result
        self.running.inside = True
        try:
            result = operator(*args, **kwargs)
        finally:
            self.running.inside = False
        if name.startswith(ATTENTION):
            arguments = {argument.name: value for argument, value in zip(operator._schema.arguments, args)} | kwargs
            self.add(operator, attention_flops(arguments), arguments["query"])
        elif packet in flop_registry:
            tensors = [argument for argument in args if isinstance(argument, torch.Tensor)]
            self.add(operator, flop_registry[packet](*args, **kwargs, out_val=result), tensors[-1])
        elif operator.namespace not in HARMLESS or UNCOUNTED.search(name):
            self.hidden[f"{operator.namespace}::{name}"] = None
        return result

    def add(self, operator, flops, factor):
        self.flops[self.phase] += flops
        self.products.setdefault((operator._opname, str(factor.dtype).removeprefix("torch.")))

    def counted(self, phases):
        return dict(flops=[(phase, self.flops[phase]) for phase in phases], products=list(self.products), hidden=list(self.hidden))

    def note_call(self, _frame, event, function):
        """Is called by Python for each call while sys.setprofile has it."""
        name = getattr(function, "__module__", None) if event == "c_call" else None
        if name and is_foreign_extension(name):
            self.hidden[f"{name}.{function.__name__}"] = None

    @contextlib.contextmanager
    def watching(self):
        """Within this context kernels are noted that are launched past the dispatcher: Triton's and extensions'."""
        jit = sys.modules.get("triton.runtime.jit")
        launch = jit.JITFunction.run if jit else None

        def run(kernel, *args, **kwargs):
            if not getattr(self.running, "inside", False):  # not one that an operator launches
                self.hidden[f"the Triton kernel {kernel.fn.__name__}"] = None
            return launch(kernel, *args, **kwargs)

        former = sys.getprofile()
        try:
            if jit:
                jit.JITFunction.run = run
            sys.setprofile(self.note_call)
            with torch.compiler.set_stance("force_eager"), self:
                yield
        finally:
            sys.setprofile(former)
            if jit:
                jit.JITFunction.run = launch


def count_step(network, ids, targets, mode, autocast_dtype):
    """Runs one step of the mode, not compiled. Returns its FLOPs by phase, its matrix products as pairs of operator and
    dtype, and the names of what computes without being counted."""
    counter = OperatorCounter()
    autocast = torch.autocast(ids.device.type, autocast_dtype, enabled=autocast_dtype is not None)
    with counter.watching():
        with torch.set_grad_enabled(mode != "inference"), autocast:
            counter.phase = "forward"
            logits = network.traced_forward(ids, None)
            if mode in ["forward_backward", "train_step"]:
                counter.phase = "loss"
                loss = network.loss(logits, targets)
        if mode in ["forward_backward", "train_step"]:
            counter.phase = "backward"
            loss.backward()
        if mode == "train_step":
            counter.phase = "optimizer"
            network.make_optimizer().step()
    return counter.counted(["forward", "loss", "backward", "optimizer"])
