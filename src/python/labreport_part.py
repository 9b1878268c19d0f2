"""A part of a training step that is the user's, called as the tests of Stanford's CS336 call its adapter."""

import contextlib
import inspect

import torch
import torch.distributed as distributed
from labreport_ranks import describe_collective_error, is_of_collective
from labreport_source import CollectiveFailed, Mismatch, NotOffered, are_logits, describe_error, describe_value, tensors_in
from labreport_step import place_of

BUCKET_MB = 25  # for a container that takes a size, where none is given


@contextlib.contextmanager
def told(doing):
    """Within this context the user's part runs. Turns its exceptions into a Mismatch of one line."""
    try:
        yield
    except (torch.OutOfMemoryError, Mismatch, NotOffered, CollectiveFailed):
        raise
    except BaseException as error:  # a part may call sys.exit
        check_group(doing, error)
        if is_of_collective(error):
            raise CollectiveFailed(f"{doing}: a collective failed{place_of(error)}: {describe_collective_error(error)}") from error
        if isinstance(error, NotImplementedError) and not str(error):
            raise Mismatch(f"{doing} raises NotImplementedError{place_of(error)}: it is not written yet") from error
        raise Mismatch(f"{doing} failed{place_of(error)}: {describe_error(error)}") from error
    check_group(doing)


def check_group(doing, error=None):
    if not distributed.is_initialized():
        raise Mismatch(f"{doing} ended the process group, which later steps need; leave out destroy_process_group") from error


def is_like_a_module(container):
    """Returns true for what the course's tests need of a container, which may have a module without being one."""
    return not isinstance(container, type) and callable(container) and all(
        callable(getattr(container, name, None)) for name in ["parameters", "named_parameters"])


class Part:
    """The user's object. A function get_x has companions in its module, such as x_on_after_backward; a class has methods."""

    def __init__(self, kind, name, make, module):
        self.kind, self.name, self.make, self.taken = kind, name, make, {}
        self.leaves_gradients = False  # true if the optimizer's zero_grad keeps some gradients, as the check finds out
        self.network_reason = ""  # says why the network is not of the package whose layers FSDP may shard; empty if it is
        with contextlib.suppress(ValueError, TypeError):  # some callables have no signature
            self.taken = inspect.signature(make).parameters
        stem = name.removeprefix("get_") if name.startswith("get_") else kind
        self.on_batch_start, self.on_after_backward, self.gather = (
            getattr(module, f"{stem}_{suffix}", None) for suffix in ["on_train_batch_start", "on_after_backward", "gather_full_params"])

    def wrap(self, network, compute_dtype=None, bucket_bytes=None):
        """Returns the user's container around the network."""
        named = {}
        if "bucket_size_mb" in self.taken:
            named["bucket_size_mb"] = bucket_bytes / 1e6 if bucket_bytes else BUCKET_MB
        if compute_dtype and "compute_dtype" not in self.taken:
            raise Mismatch(f"{self.name} takes no compute_dtype, so it computes in FP32 only")
        if compute_dtype:
            named["compute_dtype"] = compute_dtype
        call_text = f"{self.name}({type(network).__name__})"
        with told(call_text):
            container = self.make(network, **named)
        if not is_like_a_module(container):
            raise Mismatch(f"{call_text} returned {describe_value(container)}; expected a torch.nn.Module")
        return container

    def make_optimizer(self, parameters, kind, **hyper_parameters):
        """Returns the user's sharded optimizer."""
        call_text = f"{self.name}(parameters, {kind.__name__})"
        with told(call_text):
            optimizer = self.make(parameters, kind, **hyper_parameters)
        if not callable(getattr(optimizer, "step", None)) or not callable(getattr(optimizer, "zero_grad", None)):
            raise Mismatch(f"{call_text} returned {describe_value(optimizer)}; expected a torch.optim.Optimizer")
        return optimizer

    def start_batch(self, container, optimizer):
        if self.on_batch_start:
            self.on_batch_start(container, optimizer)

    def finish_gradients(self, container, optimizer):
        if self.on_after_backward:
            self.on_after_backward(container, optimizer)
        elif hasattr(container, "finish_gradient_synchronization"):
            container.finish_gradient_synchronization()

    def whole_weights(self, container, names):
        """Returns the container's weights by the names that they have in the network. FSDP's are gathered."""
        if self.kind != "fsdp":
            tensors = list(container.parameters())
            if len(tensors) != len(names):
                raise Mismatch(f"{self.name} returned a module of {len(tensors)} parameters; the network has {len(names)}")
            return dict(zip(names, tensors))
        gather = self.gather or getattr(type(container), "gather_full_params", None)
        found = gather(container) if gather else dict(container.named_parameters())
        found = {name.removeprefix("module."): getattr(tensor, "full_tensor", lambda tensor=tensor: tensor)()
                 for name, tensor in found.items()}
        lacking = [name for name in names if name not in found]
        if lacking:
            raise Mismatch(f"{getattr(gather, '__name__', self.name)} returned no {lacking[0]}")
        return {name: found[name] for name in names}


def logits_of(model, ids, vocab):
    """Returns the logits of a network, which may return more beside them, such as a second loss."""
    output = model(ids)
    for tensor in tensors_in(output, "logits"):
        if are_logits(tensor, ids, vocab):
            return tensor
    raise Mismatch(f"the network returned {describe_value(output)}; expected logits {[*ids.shape, vocab]}, by itself, as .logits or "
                   "in a tuple")


class TrainingStep:
    """A step of training around a part, as a script for several ranks has it."""

    def __init__(self, part, model, optimizer, loss):
        self.part, self.model, self.optimizer, self.loss = part, model, optimizer, loss

    def step(self, inputs, targets):
        self.part.start_batch(self.model, self.optimizer)
        self.optimizer.zero_grad()
        if self.part.leaves_gradients:
            self.model.zero_grad()
        loss = self.loss(self.model, inputs, targets)
        loss.backward()
        if self.part.kind == "sharded_optimizer":
            self.average_gradients()
        else:
            self.part.finish_gradients(self.model, self.optimizer)
        self.optimizer.step()
        return loss

    def average_gradients(self):
        """Does for a sharded optimizer what a container does, without overlap."""
        gradients = [parameter.grad for parameter in self.model.parameters() if parameter.grad is not None]
        works = [distributed.all_reduce(gradient, async_op=True) for gradient in gradients]
        for gradient, work in zip(gradients, works):
            work.wait()
            gradient /= distributed.get_world_size()
