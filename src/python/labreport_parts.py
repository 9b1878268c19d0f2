"""Training steps around a part of the user's: a container for data parallelism, a sharded optimizer, or FSDP.

The rest of the step is labreport's, and so is the network, except that FSDP may shard the layers of the course's package only.
A part is called as the tests of Stanford's CS336 call its adapter.
"""

import contextlib
import functools
import inspect
import os
import sys

import labreport_transformer
import torch
import torch.distributed as distributed
from labreport_course import network_of
from labreport_hooks import CompileWatch
from labreport_part import Part, TrainingStep, logits_of, told
from labreport_part_check import check_part
from labreport_ranks import local
from labreport_source import Mismatch, folder_of_package, load, values_taken
from labreport_step import StepSource, UserStep

FLAGS = {"ddp": "DDP", "sharded_optimizer": "SHARDED_OPTIMIZER", "fsdp": "FSDP"}
HYPER_PARAMETERS = {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.01}
DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}


@contextlib.contextmanager
def seed_of_rank(kind, device):
    """Makes the weights of other ranks than the first different, which a container for data parallelism must broadcast."""
    rank = distributed.get_rank()
    if kind != "ddp" or not rank:
        yield
        return
    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        torch.manual_seed(torch.initial_seed() + rank)
        yield


def broadcast_weights(network):
    """Gives all ranks rank 0's weights, as FSDP and sharded optimizers expect them."""
    with told("broadcasting the network's weights"):
        for parameter in network.parameters():
            distributed.broadcast(parameter.data, 0)


def autocast_loss(precision, device, vocab):
    """Returns labreport's loss of a network, under autocast in the 16-bit formats: FSDP casts weights, and the course's network
    multiplies them with activations that rotary embeddings leave in FP32."""
    def loss(model, ids, targets):
        with torch.autocast(device.type, DTYPES[precision]) if precision in DTYPES else contextlib.nullcontext():
            return labreport_transformer.cross_entropy(logits_of(model, ids, vocab), targets)

    return loss


class PartSource(StepSource):
    """A part that the user names, and the maker of a training step around it."""

    may_compile_modules = False  # what compiles in its file or in another adapter's is not the network

    def __init__(self, spec):
        self.spec, self.kind, self.arguments = spec, spec["part"], {}
        if self.kind not in FLAGS:
            raise Mismatch(f"there is no part {self.kind}; there are {', '.join(FLAGS)}")
        sys.path.insert(0, os.getcwd())
        self.name, self.compiled = spec["model"].rpartition(":")[2], False
        with CompileWatch() as watch:
            made, module = load(FLAGS[self.kind], spec["model"])
            self.part = Part(self.kind, self.name, made, module)
            self.network = self.find_network()
        self.imports_compiled, self.matmul_precision = watch.used, torch.get_float32_matmul_precision()
        self.model = self.make_training
        self.implementation = self.implementation_name([module])

    def find_network(self):
        """Returns the checkout's own network for FSDP, if it has one, and else labreport's. Both take the course's names."""
        if self.kind == "fsdp":
            package = folder_of_package("cs336_basics")
            try:
                if package:
                    return load("FSDP", network_of(package)["value"])[0]
                self.part.network_reason = "there is no package cs336_basics"
            except Mismatch as error:
                if error.__cause__:
                    raise
                self.part.network_reason = str(error)
        return lambda vocab_size, context_length, d_model, num_layers, num_heads, d_ff: labreport_transformer.Transformer(
            d_model, d_ff, num_layers, num_heads, vocab_size, context_length)

    def make_network(self, values, device):
        with torch.device(device):
            return self.network(**values_taken(values, inspect.signature(self.network).parameters)).to(device)

    def make_training(self, vocab_size, context_length, d_model, num_layers, num_heads, d_ff, rope_theta, device, precision,
                      bucket_bytes):
        sizes = dict(vocab_size=vocab_size, context_length=context_length, d_model=d_model, num_layers=num_layers,
                     num_heads=num_heads, d_ff=d_ff, rope_theta=rope_theta)
        with seed_of_rank(self.kind, device):
            network = network_of_part = self.make_network(sizes, device)
        if self.kind != "ddp":
            broadcast_weights(network)
        whole_sizes = {name: parameter.numel() for name, parameter in network.named_parameters()}
        if self.kind == "sharded_optimizer":
            optimizer = self.part.make_optimizer(network.parameters(), labreport_transformer.AdamW, **HYPER_PARAMETERS)
        else:
            network = self.part.wrap(network, DTYPES.get(precision) if self.kind == "fsdp" else None, bucket_bytes)
            optimizer_kind = torch.optim.AdamW if self.kind == "fsdp" else labreport_transformer.AdamW
            optimizer = optimizer_kind(network.parameters(), **HYPER_PARAMETERS)
        training = TrainingStep(self.part, network, optimizer, autocast_loss(precision, device, vocab_size))
        training.whole_sizes, training.network = whole_sizes, network_of_part
        return training

    def make_step(self, values, cell, device, engine):
        return PartStep(self, values, cell, device, engine)

    def describe(self, cell, engine):
        """Tells what a step maker's description tells, and whether the size of buckets can be chosen. The part runs only in
        launches, whose rows tell what fails."""
        return {"takes_size": True, "takes_context": True, "compiles": self.imports_compiled,
                "takes_bucket_size": "bucket_size_mb" in self.part.taken}


def optimizers_of(optimizer):
    """Returns the optimizer and those that it keeps, as a sharded one does for its shard."""
    kept = []
    for value in vars(optimizer).values():
        kept += value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else [value]
    return [optimizer, *(inner for inner in kept if isinstance(inner, torch.optim.Optimizer))]


def distinct_bytes(tensors):
    storages = {tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes() for tensor in tensors}
    return sum(storages.values())


class PartStep(UserStep):
    """A training step around the user's part, which is held to the course's tests before the network is made."""

    def __init__(self, source, values, cell, device, engine):
        if "ranks" not in cell:
            raise Mismatch(f"{source.name} trains on several ranks, and this is one process; --ranks 2 starts two")
        device = torch.device(device)
        tiny = functools.partial(source.make_network, device=device)
        dtype = DTYPES.get(cell.get("precision")) if source.kind == "fsdp" else None
        check_part(source.part, tiny, device, dtype)
        super().__init__(source, values | {"bucket_bytes": cell.get("bucket_bytes")}, cell, device, engine)
        self.training = self.function.__self__
        if not isinstance(self.training.model, torch.nn.Module):
            self.modules = [self.training.network]
        self.optimizers = optimizers_of(self.training.optimizer)

    def notes(self):
        left = [f"{self.source.name}: zero_grad() leaves the gradients of parameters that other ranks update, and a step of yours would "
                "add to them; the measured step clears them"] if self.source.part.leaves_gradients else []
        return super().notes() + left

    def replicated_parameters(self):
        """Leaves out what FSDP has sharded, as this torch or in the user's own way."""
        whole = self.training.whole_sizes
        return [(name, tensor) for name, tensor in super().replicated_parameters()
                if tensor.numel() == whole.get(name.removeprefix("module."), tensor.numel())]

    def held_bytes(self):
        """Returns the bytes that this rank holds of parameters, gradients and optimizer state. Tensors that share memory, as
        views of one buffer do, count once; a view counts as all of its buffer."""
        gradients = [local(tensor.grad) for _, tensor in self.whole_parameters() if tensor.grad is not None]
        return tuple(map(distinct_bytes, [[tensor for _, tensor in self.parameters()], gradients,
                                          [tensor for _, tensor in self.state()]]))
