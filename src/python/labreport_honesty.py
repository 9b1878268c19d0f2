"""Tells where the steps of a user's model do less than training steps. Nothing here is timed."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode

STEPS = 10
EARLY_STEP = 3  # the first steps also create the optimizer's states
ALLOWED_DROP = 0.1  # of the number of kernels, from the early step to the last one


class OperatorCounter(TorchDispatchMode):
    """Counts the operators that are dispatched within this context."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, function, types, arguments=(), named=None):
        self.count += 1
        return function(*arguments, **(named or {}))


def count_launches(step, device):
    """Returns how many kernels the step launches on a GPU, or how many operators it dispatches on a CPU."""
    if device.type == "cpu":
        with OperatorCounter() as counter:
            step()
        return counter.count
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profiler:
        step()
        torch.cuda.synchronize(device)
    return sum(event.device_type() == torch.autograd.DeviceType.CUDA for event in profiler.profiler.kineto_results.events())


class ObservedTraining:
    """Trains a network on one batch, as timed steps do, and remembers what its parameters got."""

    def __init__(self, network, batch_size, context):
        self.network, self.optimizer = network, network.make_optimizer()
        self.parameters = [parameter for _, parameter in network.parameters() if parameter.is_floating_point()]
        self.initial = [parameter.detach().clone() for parameter in self.parameters]
        self.with_gradient = set()
        self.ids, self.targets = (torch.empty(batch_size, context, dtype=torch.int64, device=network.device) for _ in range(2))
        self.draw_batch()

    def draw_batch(self):
        """Draws another batch into the same tensors. Neither their addresses nor their versions tell that they changed."""
        for tensor in (self.ids, self.targets):
            tensor.data.random_(self.network.vocab)
        self.network.ids = None

    def forward(self):
        """Returns logits and loss. The logits are the loss if the model has a loss of its own."""
        arguments, named = self.network.call_arguments(self.ids)
        logits = self.network.result(self.network.module(*arguments, **named), self.ids)
        return logits, self.network.loss(logits, self.targets)

    def step(self):
        """Returns the logits."""
        logits, loss = self.forward()
        loss.backward()
        self.with_gradient |= {index for index, parameter in enumerate(self.parameters) if parameter.grad is not None}
        self.optimizer.step()
        for parameter in self.parameters:
            parameter.grad = None
        return logits.detach().clone()

    def parameter_remarks(self):
        frozen = {index for index, parameter in enumerate(self.parameters) if not parameter.requires_grad}
        without = set(range(len(self.parameters))) - frozen - self.with_gradient
        unchanged = {index for index, (parameter, initial) in enumerate(zip(self.parameters, self.initial))
                     if torch.equal(parameter.detach(), initial)}
        for indices, one, several in [(frozen, "requires no gradient", "require no gradient"),
                                      (without, "gets no gradient", "get no gradient"),
                                      (unchanged & self.with_gradient, "is the same after ten steps", "are the same after ten steps")]:
            if indices:
                yield f"{len(indices)} of {len(self.parameters)} parameters {one if len(indices) == 1 else several}"


def remarks_on_steps(network, batch_size, context):
    """Trains the network for ten steps, the first of its life, and returns a line on each way in which they do less than
    training steps. Runs out of memory as training does."""
    training = ObservedTraining(network, batch_size, context)
    counts, outputs = {}, {}
    for number in range(1, STEPS + 1):
        def step(number=number):
            outputs[number] = training.step()

        if number in [EARLY_STEP, STEPS]:
            counts[number] = count_launches(step, network.device)
        else:
            step()
            outputs.pop(number)
    remarks = list(training.parameter_remarks())
    name = "loss" if network.source.has_own_loss else "output"
    if torch.equal(outputs[EARLY_STEP], outputs[STEPS]):
        remarks.append(f"its {name} stays when its parameters change")
    (output, loss), _ = training.forward(), training.draw_batch()
    other_output, other_loss = training.forward()
    if torch.equal(output, other_output):
        remarks.append(f"its {name} stays when the batch changes")
    elif torch.equal(loss, other_loss):
        remarks.append("its loss stays when the batch changes")
    early, late = counts[EARLY_STEP], counts[STEPS]
    if late < (1 - ALLOWED_DROP) * early:
        kind = "operators" if network.device.type == "cpu" else "kernels"
        remarks.append(f"its tenth step takes {late:,} {kind}, its third {early:,}")
    return remarks
