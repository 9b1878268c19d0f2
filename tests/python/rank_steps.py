"""Makers of training steps for several ranks, as users write them, and some whose ranks fail."""

import os
import signal
import sys
import time

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


class Network(torch.nn.Module):
    def __init__(self, vocab_size, width, layers=2):
        super().__init__()
        self.embedding = torch.nn.Embedding(vocab_size, width)
        self.layers = torch.nn.ModuleList(torch.nn.Linear(width, width) for _ in range(layers))
        self.head = torch.nn.Linear(width, vocab_size)

    def forward(self, ids):
        x = self.embedding(ids)
        for layer in self.layers:
            x = torch.nn.functional.gelu(layer(x))
        return self.head(x)


def training(model, optimizer, between=lambda: None):
    """Returns a training step that calls `between` after the backward pass."""
    def step(ids, targets):
        optimizer.zero_grad()
        loss = cross_entropy(model(ids).flatten(0, 1), targets.flatten())
        loss.backward()
        between()
        optimizer.step()
        return loss

    return step


def ddp(vocab_size, d_model, num_layers, device):
    dist.init_process_group()  # as in a script for torchrun
    model = Network(vocab_size, d_model, num_layers).to(device)
    model = torch.nn.parallel.DistributedDataParallel(model, gradient_as_bucket_view=True)
    return training(model, torch.optim.AdamW(model.parameters()))


def compiling(vocab_size, d_model, device):
    torch.compile(lambda x: x)  # hides the phases, but compiles nothing until it is called
    model = torch.nn.parallel.DistributedDataParallel(Network(vocab_size, d_model).to(device))
    return training(model, torch.optim.AdamW(model.parameters()))


def fsdp(vocab_size, d_model, num_layers, device):
    from torch.distributed.fsdp import fully_shard

    model = Network(vocab_size, d_model, num_layers).to(device)
    for layer in model.layers:
        fully_shard(layer)
    fully_shard(model)
    return training(model, torch.optim.AdamW(model.parameters()))


class AllReducing:
    """Averages each gradient after the backward pass. `fault` names what rank 1 does there in its third step."""

    def __init__(self, vocab_size, d_model, device, rank, world_size, fault=""):
        self.model = Network(vocab_size, d_model).to(device)
        self.optimizer = torch.optim.AdamW(self.model.parameters())
        self.world_size, self.fault, self.count = world_size, fault if rank == 1 else "", 0
        self.step = training(self.model, self.optimizer, self.average)

    def average(self):
        self.count += 1
        if self.fault and self.count == 3:
            getattr(self, self.fault)()
        for parameter in self.model.parameters():
            dist.all_reduce(parameter.grad)
            parameter.grad /= self.world_size

    def raising(self):
        raise ValueError("rank 1 gives up")

    def exiting(self):
        sys.exit("enough")

    def hanging(self):
        time.sleep(600)

    def killed(self):
        os.kill(os.getpid(), signal.SIGKILL)

    def leaving(self):
        """Leaves out the all-reduces of this step."""
        self.optimizer.zero_grad()
        self.model.parameters = lambda: []

    def shrinking(self):
        """Reduces another number of values than the other rank does."""
        dist.all_reduce(torch.ones(3))

    def diverging(self):
        self.world_size *= 2


def over_another_backend(device):
    dist.init_process_group("mpi")
