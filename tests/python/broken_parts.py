"""Parts of a training step that work, each with one fault. `get_NAME` makes the part with that fault."""

import functools
import sys
import time

import torch
import torch.distributed as dist


@torch.compile
def halved(gradient):
    """Is compiled, as an attention beside the parts may be, but is called by none of them."""
    return gradient / 2


class Container(torch.nn.Module):
    """Averages gradients after the backward pass."""

    def __init__(self, module, fault=""):
        super().__init__()
        self.module, self.fault, self.batches = module, fault, 0
        if fault == "never_made" and dist.get_rank() == 1:
            time.sleep(600)
        for parameter in module.parameters():
            if fault not in ["no_broadcast", "never_made"]:
                dist.broadcast(parameter.data, 0)

    def forward(self, *inputs):
        return self.module(*inputs)

    def finish_gradient_synchronization(self):
        self.batches += 1
        fault = self.fault if self.batches == 2 else ""
        if fault == "raising" and dist.get_rank() == 1:
            raise ValueError("no gradients today")
        if fault == "exiting":
            sys.exit("enough")
        if fault == "hanging" and dist.get_rank() == 1:
            time.sleep(600)
        if fault == "leaving":
            dist.destroy_process_group()
        if fault == "printing":
            print("a line of the user's")
        for name, parameter in self.module.named_parameters():
            if parameter.grad is None or self.fault == "no_averages":
                continue
            dist.all_reduce(parameter.grad)
            parameter.grad /= {"sums": 1, "averaged_twice": 4}.get(self.fault, 2)
        if self.fault == "frozen":
            self.module.zero_grad()
        if self.fault == "one_wrong":
            self.module.last.bias.grad.add_(1)
        if self.fault == "not_a_number":
            self.module.last.bias.grad.fill_(float("nan"))


class ShardedOptimizer(torch.optim.Optimizer):
    """Updates every second parameter and broadcasts them."""

    def __init__(self, params, optimizer_cls, fault="", **kwargs):
        params = list(params)
        self.fault, self.all = fault, params
        self.inner = optimizer_cls(params[dist.get_rank()::2], **({} if fault == "own_arguments" else kwargs))
        super().__init__(params, {})

    def zero_grad(self, set_to_none=True):
        owner = self.inner if self.fault == "own_gradients" else super()
        owner.zero_grad(set_to_none)

    def step(self, closure=None):
        if self.fault == "raising":
            raise ValueError("no update today")
        self.inner.step()
        for number, parameter in enumerate(self.all):
            if self.fault != "no_broadcast":
                dist.broadcast(parameter.data, number % 2)


class PlainContainer:
    """Wraps a container without being a module, which the course's tests do not ask for."""

    def __init__(self, module):
        self.container = Container(module)

    def __call__(self, *inputs):
        return self.container(*inputs)

    def parameters(self):
        return self.container.parameters()

    def named_parameters(self):
        return self.container.named_parameters()

    def finish_gradient_synchronization(self):
        self.container.finish_gradient_synchronization()


def get_failing_in_a_package(module):
    names = {}
    exec(compile("def fail():\n    raise ValueError('deep')", "site-packages/deep.py", "exec"), names)
    names["fail"]()


def get_unwritten(module):
    raise NotImplementedError


def get_half_written(module):
    return Container(module)


def half_written_on_after_backward(ddp_model, optimizer):
    raise NotImplementedError


def get_none(*_, **__):
    return None


def __getattr__(name):
    if name.startswith("get_sharded_"):
        return functools.partial(ShardedOptimizer, fault=name.removeprefix("get_sharded_"))
    if name.startswith("get_"):
        return functools.partial(Container, fault=name.removeprefix("get_"))
    raise AttributeError(name)
