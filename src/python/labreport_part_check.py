"""Holds a part of the user's to what the course's tests hold it to, at a tiny size, before it is timed.

Data parallelism and FSDP must train as one process does on the whole batch, a sharded optimizer as the whole one. What differs
is told in one line on all ranks, with the likely reason if the weights show one.
"""

import contextlib
import copy
import gc
import itertools
import re

import torch
import torch.distributed as distributed
from labreport_part import TrainingStep, logits_of, told
from labreport_ranks import describe_collective_error, is_of_collective, local, stores
from labreport_source import CollectiveFailed, Mismatch
from labreport_transformer import AdamW, cross_entropy
from torch.func import functional_call

STEPS = {"ddp": 5, "sharded_optimizer": 10, "fsdp": 3}  # as the course's tests
SEED, RATE = 42, 0.1
ROWS_OF_A_RANK = 4
# On a CPU right parts differed by up to 3e-8 in FP32 and 4e-5 in BF16, and one that adds gradients up by 8e-3.
TOLERANCE, TOLERANCE_16_BIT = 1e-5, 5e-4
DTYPE_NAMES = {torch.bfloat16: "BF16", torch.float16: "FP16"}
TINY = dict(vocab_size=64, context_length=8, d_model=32, num_layers=2, num_heads=2, d_ff=64, rope_theta=10_000.0)


class Toy(torch.nn.Module):
    """Has a weight that is used twice and one that is never trained, which a container has to bear."""

    def __init__(self):
        super().__init__()
        self.first, self.wide = torch.nn.Linear(8, 8), torch.nn.Linear(8, 16, bias=False)
        self.narrow, self.wide_again = torch.nn.Linear(16, 8, bias=False), torch.nn.Linear(8, 16, bias=False)
        self.last = torch.nn.Linear(16, 4)
        self.wide_again.weight = self.wide.weight
        self.first.bias.requires_grad = False

    def forward(self, x):
        x = torch.nn.functional.gelu(self.wide(self.first(x)))
        return self.last(torch.nn.functional.gelu(self.wide_again(self.narrow(x))))


def toy_batch(rows, device):
    return torch.randn(rows, 8, device=device), torch.randn(rows, 4, device=device)


def toy_loss(model, inputs, targets):
    return torch.nn.functional.mse_loss(model(inputs), targets)


def token_batch(rows, device):
    return torch.randint(TINY["vocab_size"], (2, rows, TINY["context_length"]), device=device)


def token_loss(dtype, device):
    def loss(model, ids, targets):
        with torch.autocast(device.type, dtype) if dtype else contextlib.nullcontext():
            logits = logits_of(model, ids, TINY["vocab_size"])
        return cross_entropy(logits.float(), targets)

    return loss


@contextlib.contextmanager
def undisturbed(device):
    """Within this context random numbers are drawn and products computed in FP32 without an effect on what follows."""
    on_gpu, products, allows_tf32 = device.type == "cuda", torch.backends.cuda.matmul, None
    with contextlib.suppress(RuntimeError):  # torch does not tell a precision that both its interfaces have set
        allows_tf32, products.allow_tf32 = products.allow_tf32, False
    try:
        with torch.random.fork_rng([device] if on_gpu else []), torch.enable_grad():
            yield
    finally:
        if allows_tf32 is not None:
            products.allow_tf32 = allows_tf32
        gc.collect()  # the user's hooks and buffers, which refer to each other
        if on_gpu:
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats(device)


class Agreement:
    """Tells the ranks of each other's findings by the store, which works also if a part has left the process group."""

    numbers = itertools.count()  # of the checks of this process

    def __init__(self):
        self.rank, self.count = distributed.get_rank(), distributed.get_world_size()
        self.store, self.number = distributed.PrefixStore(f"check{next(self.numbers)}", stores[0]), 0

    def tell(self, finding):
        self.number += 1
        self.store.set(f"{self.number}/{self.rank}", "." + finding)

    def reach(self, finding):
        """Waits until all ranks are here. Raises Mismatch on all of them if one has a finding."""
        self.tell(finding)
        for rank in range(self.count):
            text = self.store.get(f"{self.number}/{rank}").decode()[1:]
            if text:
                raise Mismatch(text)


def check_part(part, make_network, device, compute_dtype=None):
    """Raises Mismatch on all ranks if the part does not train as it should. `make_network` takes the course's names. With a
    16-bit format the part is checked in FP32 first, whose tolerance is narrow."""
    agreement = Agreement()
    with undisturbed(device):
        try:
            if part.kind == "sharded_optimizer":
                check_sharded_optimizer(part, agreement, device)
                return
            for dtype in dict.fromkeys([None, compute_dtype]):
                TrainingCheck(part, make_network, agreement, device, dtype).run()
        except Mismatch as error:
            agreement.tell(str(error))  # to ranks that get farther
            raise
        except Exception as error:
            if not is_of_collective(error):
                raise
            raise CollectiveFailed(f"{part.name}: another rank did not follow in the check before timing: "
                                   f"{describe_collective_error(error)}") from error


def short(number):
    """Returns "3.1e-3", "1e-5" or "0.4"."""
    return f"{number:.2g}" if number >= 0.1 else re.sub(r"(\.0)?e-0", "e-", f"{number:.1e}")


def largest_difference(found, expected):
    difference = (found.detach() - expected).abs().max().item()
    return difference if difference == difference else float("inf")


def describe_differences(place, found, expected, reference, tolerance):
    """Returns the names of the weights that differ from those of the reference, and words on how many and by how much; nothing
    if none differs."""
    differences = {}
    for name, tensor in expected.items():
        if found[name].shape != tensor.shape:
            return [name], f"{place} {name} has the shape {list(found[name].shape)}; expected {list(tensor.shape)}"
        difference = largest_difference(found[name], tensor)
        if difference > tolerance:
            differences[name] = difference
    if not differences:
        return [], ""
    name, verb = max(differences, key=differences.get), "differs" if len(differences) == 1 else "differ"
    return list(differences), (f"{place} {len(differences)} of {len(expected)} weights {verb} from {reference} by up to "
                               f"{short(differences[name])} ({name}); allowed are {short(tolerance)}")


class TrainingCheck:
    """Trains a tiny network in the part's container, and in one process on the whole batch, by plain gradient descent."""

    def __init__(self, part, make_network, agreement, device, compute_dtype):
        self.part, self.agreement, self.device, self.dtype = part, agreement, device, compute_dtype
        self.is_toy, self.steps = part.kind == "ddp", STEPS[part.kind]
        self.batch, self.loss = (toy_batch, toy_loss) if self.is_toy else (token_batch, token_loss(compute_dtype, device))
        self.make_network = (lambda: Toy().to(device)) if self.is_toy else (lambda: make_network(TINY))
        self.tolerance = TOLERANCE_16_BIT if compute_dtype else TOLERANCE

    def run(self):
        rank = self.agreement.rank
        torch.manual_seed(SEED)
        self.network = self.make_network()
        weights = {name: tensor.detach().clone() for name, tensor in self.network.named_parameters()}
        torch.manual_seed(SEED + (rank if self.is_toy else 0))
        container = self.part.wrap(self.make_network(), self.dtype, bucket_bytes=1000)
        self.agreement.reach(self.first_finding(container, weights))
        training = TrainingStep(self.part, container, torch.optim.SGD(container.parameters(), RATE), self.loss)
        for number in range(1, self.steps + 1):
            torch.manual_seed(SEED + 1000 + number)
            whole = self.batch(ROWS_OF_A_RANK * self.agreement.count, self.device)
            mine = [tensor.tensor_split(self.agreement.count)[rank] for tensor in whole]
            with told(f"{type(self.network).__name__} by itself at a tiny size"):
                change = self.change(weights, whole)
            autocast = f" in {DTYPE_NAMES[self.dtype]} under autocast" if self.dtype else ""
            with told(f"{self.part.name}: step {number} of {self.steps} at a tiny size{autocast}"):
                training.step(*mine)
                found = self.part.whole_weights(container, list(weights))
            self.agreement.reach(self.finding(number, weights, found, change, mine))
            weights = {name: weights[name] + change[name] for name in weights}
        self.agreement.reach(self.sharding_finding(container, weights))

    def sharding_finding(self, container, weights):
        """Tells FSDP that trains a network of labreport's without sharding it, as one does that knows only its own layers."""
        held = sum(local(tensor).numel() for tensor in container.parameters())
        if not self.part.network_reason or held < sum(tensor.numel() for tensor in weights.values()):
            return ""
        return (f"{self.part.name} shards no weight of labreport's network; it may know only the layers of cs336_basics, whose network "
                f"was not found: {self.part.network_reason}")

    def first_finding(self, container, weights):
        with told(f"{self.part.name}'s weights"):
            found = self.part.whole_weights(container, list(weights))
        place = f"{self.part.name}: before the first step, on rank {self.agreement.rank},"
        _, text = describe_differences(place, found, weights, "rank 0's" if self.is_toy else "the network's", self.tolerance)
        return text and text + (": are they broadcast?" if self.is_toy else "")

    def change(self, weights, batch):
        """Returns what a step of one process adds to the weights. In a 16-bit format it computes with matrices of that format."""
        leaves = {name: tensor.clone().requires_grad_(own.requires_grad)
                  for (name, tensor), own in zip(weights.items(), self.network.parameters())}
        used = {name: leaf.to(self.dtype) if self.dtype and leaf.ndim == 2 else leaf for name, leaf in leaves.items()}
        loss = self.loss(lambda inputs: functional_call(self.network, used, (inputs,)), *batch)
        trained = [leaf for leaf in leaves.values() if leaf.requires_grad]
        gradients = dict(zip(map(id, trained), torch.autograd.grad(loss, trained, allow_unused=True, materialize_grads=True)))
        return {name: -RATE * gradients.get(id(leaf), torch.zeros_like(leaf)) for name, leaf in leaves.items()}

    def finding(self, number, weights, found, change, mine):
        expected = {name: weights[name] + change[name] for name in weights}
        place = f"{self.part.name}: after step {number} of {self.steps}, on rank {self.agreement.rank},"
        names, text = describe_differences(place, found, expected, "training in one process", self.tolerance)
        return text and text + self.reason(names, weights, found, change, mine)

    def reason(self, names, weights, found, change, mine):
        """Returns what the change of the differing weights resembles; nothing if it resembles none of these."""
        count, own = self.agreement.count, self.change(weights, mine)
        resembles = lambda expected: all(
            largest_difference(found[name], weights[name] + expected[name]) <= self.tolerance for name in names)
        for words, expected in [
                ("these weights do not change", {name: torch.zeros_like(weights[name]) for name in names}),
                ("gradients are summed over the ranks, but not divided by their number", {name: change[name] * count for name in names}),
                ("gradients are divided by the number of ranks twice", {name: change[name] / count for name in names}),
                ("each rank applies its own gradients alone", own)]:
            if all(found[name].shape == weights[name].shape for name in names) and resembles(expected):
                return f": {words}"
        return ""


def check_sharded_optimizer(part, agreement, device):
    torch.manual_seed(SEED)
    whole = Toy().to(device)
    sharded, steps = copy.deepcopy(whole), STEPS[part.kind]
    arguments = dict(lr=RATE, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.1)
    optimizer = AdamW(whole.parameters(), **arguments)
    training = TrainingStep(part, sharded, part.make_optimizer(sharded.parameters(), AdamW, **arguments), toy_loss)
    for number in range(1, steps + 1):
        before = {name: tensor.detach().clone() for name, tensor in whole.named_parameters()}
        batch = toy_batch(ROWS_OF_A_RANK, device)
        optimizer.zero_grad()
        toy_loss(whole, *batch).backward()
        optimizer.step()
        with told(f"{part.name}: step {number} of {steps} at a tiny size"):
            training.optimizer.zero_grad()
            part.leaves_gradients |= any(tensor.grad is not None and tensor.grad.any() for tensor in sharded.parameters())
            training.step(*batch)
        found, expected = (dict(network.named_parameters()) for network in (sharded, whole))
        place = f"{part.name}: after step {number} of {steps}, on rank {agreement.rank},"
        expected = {name: tensor.detach() for name, tensor in expected.items()}
        names, text = describe_differences(place, found, expected, "those of the whole optimizer", TOLERANCE)
        if names and all(torch.equal(found[name], before[name]) for name in names):
            text += ": these do not change; are the weights broadcast by the ranks that update them?"
        agreement.reach(text)
