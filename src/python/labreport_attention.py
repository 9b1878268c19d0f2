"""An attention of the user's: a function, an autograd Function, a module, or an adapter of the course that returns one."""

import contextlib
import inspect

import torch
from labreport_source import Mismatch, call, call_text, describe_value, is_required
from torch.nn.functional import scaled_dot_product_attention

TESTED_TOKENS = 128
TOLERANCE, TOLERANCE_16_BIT = 0.01, 0.05  # of the largest value, as the engine allows in its comparison


def attention_of_adapter(name, function):
    """Returns what the user named, or what it returns if that is an adapter of the course: a function of no arguments that
    returns an autograd Function. Also tells if it is one."""
    if isinstance(function, type) or any(is_required(parameter) or parameter.kind is parameter.VAR_POSITIONAL
                                         for parameter in parameters_of(function)):
        return function, False
    try:
        made = call(name, function)
    except Mismatch as error:
        if isinstance(error.__cause__, NotImplementedError):
            raise Mismatch(f"{name} raises NotImplementedError: it is not written yet") from error.__cause__
        raise
    is_attention = isinstance(made, type) and issubclass(made, torch.autograd.Function)
    if not is_attention:
        raise Mismatch(f"{name}() returned {describe_value(made)}; expected a class of torch.autograd.Function")
    return made, True


def parameters_of(function):
    try:
        return inspect.signature(function).parameters.values()
    except (ValueError, TypeError):  # some callables have no signature
        return [inspect.Parameter("unknown", inspect.Parameter.POSITIONAL_ONLY)]


class UserAttention:
    """Calls the user's attention with Q, K and V, each [batch, tokens, head_dim], and True as its causal flag. One that an
    adapter of the course returns is also held to the course's test, which has no mask. The engine compares the causal one."""

    def __init__(self, source, device):
        self.name = source.name
        function, self.has_to_pass_test = attention_of_adapter(self.name, source.model)
        if isinstance(function, type) and issubclass(function, torch.autograd.Function):
            self.name, function = f"{function.__name__}.apply", function.apply
        elif isinstance(function, type):
            function = call(self.name, function)
            if isinstance(function, torch.nn.Module):
                function.to(device)
        self.function = function

    def discard_compilations(self):
        return False

    def test(self, like):
        """Holds an attention that an adapter returned to the course's test. The shapes of its inputs are those of `like`."""
        if self.has_to_pass_test:
            self.test_unmasked(like)

    def test_unmasked(self, like):
        """Raises Mismatch if the output or a gradient without a mask is not PyTorch's. Whether backward works is the engine's to
        tell, which then has the times of forward."""
        places = ["the output", "the gradient of Q", "the gradient of K", "the gradient of V"]
        with torch.random.fork_rng([like.device] if like.is_cuda else []):
            torch.manual_seed(0)
            *inputs, upstream = (torch.randn(2, TESTED_TOKENS, like.shape[-1], dtype=like.dtype, device=like.device) for _ in range(4))
        inputs = [tensor.requires_grad_() for tensor in inputs]
        found, expected = [self.attend(*inputs, False)], [scaled_dot_product_attention(*(tensor.double() for tensor in inputs))]
        with contextlib.suppress(Mismatch):
            found += call(self.name, torch.autograd.grad, found[0], inputs, upstream)
            expected += torch.autograd.grad(expected[0], inputs, upstream.double())
        allowed = TOLERANCE if like.dtype == torch.float32 else TOLERANCE_16_BIT
        for place, value, right in zip(places, found, expected):
            difference = ((value.double() - right.double()).abs().max() / right.abs().max()).item()
            if not difference <= allowed:
                raise Mismatch(f"{self.name} without a mask, as the course tests it: {place} differs from PyTorch's by up to "
                               f"{difference:.2g} of the largest value; allowed is {allowed}")

    def attend(self, q, k, v, is_causal):
        output = call(self.name, self.function, q, k, v, is_causal)
        if not isinstance(output, torch.Tensor) or output.shape != q.shape:
            raise Mismatch(f"{call_text(self.name, (q, k, v, is_causal))} returned {describe_value(output)}; give a tensor like Q")
        return output

    def forward(self, q, k, v, mask):
        return self.attend(q, k, v, True)
