"""Tells where a user's steps, or those of a user's model, do less than training steps. Nothing here is timed."""

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


class ObservedSteps:
    """Runs steps on one batch, as they are timed, and remembers what the parameters got."""

    def __init__(self, network, batch_size, context):
        self.network = network
        self.parameters = [parameter for _, parameter in network.parameters() if parameter.is_floating_point()]
        self.initial = [parameter.detach().clone() for parameter in self.parameters]
        self.with_gradient, self.losses = set(), []
        self.ids, self.targets = (torch.empty(batch_size, context, dtype=torch.int64, device=network.device) for _ in range(2))
        self.draw_batch()

    def draw_batch(self):
        """Draws another batch into the same tensors. Neither their addresses nor their versions tell that they changed."""
        for tensor in (self.ids, self.targets):
            tensor.data.random_(self.network.vocab)
        self.network.ids = None

    def note_gradients(self):
        self.with_gradient |= {index for index, parameter in enumerate(self.parameters) if parameter.grad is not None}

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


    def loss_remarks(self):
        for number, loss in enumerate(self.losses, 1):
            if loss is not None and not torch.isfinite(loss).all():
                yield f"its loss is {'NaN' if torch.isnan(loss).any() else 'infinite'} in step {number}"
                return


class StepsOfModel(ObservedSteps):
    """Trains a network of the user's with its loss and its optimizer."""

    def __init__(self, network, batch_size, context):
        super().__init__(network, batch_size, context)
        self.optimizer, self.output_name = network.make_optimizer(), "loss" if network.source.has_own_loss else "output"

    def forward(self):
        """Returns logits and loss. The logits are the loss if the model has a loss of its own."""
        arguments, named = self.network.call_arguments(self.ids)
        logits = self.network.result(self.network.module(*arguments, **named), self.ids)
        return logits, self.network.loss(logits, self.targets)

    def step(self):
        """Returns the logits."""
        logits, loss = self.forward()
        loss.backward()
        self.note_gradients()
        self.losses.append(loss.detach())
        self.optimizer.step()
        for parameter in self.parameters:
            parameter.grad = None
        return logits.detach().clone()

    def on_two_batches(self):
        """Returns logits and loss of each batch."""
        return self.forward(), self.draw_batch() or self.forward()


class OwnSteps(ObservedSteps):
    """Runs the user's own steps, whose loss is all that is seen of their forward pass."""

    output_name = "loss"

    def __init__(self, network, batch_size, context):
        super().__init__(network, batch_size, context)
        seen = self.with_gradient  # a step may clear its gradients before it ends
        for index, parameter in enumerate(self.parameters):
            if parameter.requires_grad and parameter.is_leaf:
                parameter.register_post_accumulate_grad_hook(lambda _, index=index: seen.add(index))

    def step(self):
        """Returns the loss; None if the step returns none."""
        with torch.compiler.set_stance("force_eager"):  # counts operators, and need not wait for a compiler
            self.network.step(self.ids, self.targets)
        self.note_gradients()
        self.losses.append(self.network.loss_value())
        return self.losses[-1]

    def on_two_batches(self):
        """Returns the losses of two batches, both with the same parameters; none of a step that gets no batch."""
        if not self.network.batch_arguments:
            return (None, None), (None, None)
        before = [parameter.detach().clone() for parameter in self.parameters]
        first = self.step()
        with torch.no_grad():
            for parameter, values in zip(self.parameters, before):
                parameter.copy_(values)
        self.draw_batch()
        return (first, first), (other := self.step(), other)


def are_equal(one, other):
    """Returns true for equal tensors, and false for what a step does not return."""
    return one is not None and other is not None and torch.equal(one, other)


def remarks_on_steps(network, batch_size, context):
    """Runs ten steps, the first of its life, and returns a line on each way in which they do less than
    training steps. Runs out of memory as training does."""
    training = (OwnSteps if network.has_own_step() else StepsOfModel)(network, batch_size, context)
    counts, outputs = {}, {}
    for number in range(1, STEPS + 1):
        def step(number=number):
            outputs[number] = training.step()

        if number in [EARLY_STEP, STEPS]:
            counts[number] = count_launches(step, network.device)
        else:
            step()
            outputs.pop(number)
    remarks = [*training.loss_remarks(), *training.parameter_remarks()]
    name = training.output_name
    changed = any(not torch.equal(parameter, initial) for parameter, initial in zip(training.parameters, training.initial))
    if changed and are_equal(outputs[EARLY_STEP], outputs[STEPS]):
        remarks.append(f"its {name} stays when its parameters change")
    (output, loss), (other_output, other_loss) = training.on_two_batches()
    if are_equal(output, other_output):
        remarks.append(f"its {name} stays when the batch changes")
    elif are_equal(loss, other_loss):
        remarks.append("its loss stays when the batch changes")
    early, late = counts[EARLY_STEP], counts[STEPS]
    if late < (1 - ALLOWED_DROP) * early:
        kind = "operators" if network.device.type == "cpu" else "kernels"
        remarks.append(f"its tenth step takes {late:,} {kind}, its third {early:,}")
    return remarks
