"""Makers of training steps, as users write them, and some that cannot be measured."""

import sys

import torch
from torch.nn.functional import cross_entropy


class Network(torch.nn.Module):
    def __init__(self, vocab_size=64, width=16, layers=2):
        super().__init__()
        self.embedding = torch.nn.Embedding(vocab_size, width)
        self.layers = torch.nn.ModuleList(torch.nn.Linear(width, width) for _ in range(layers))
        self.head = torch.nn.Linear(width, vocab_size)

    def forward(self, ids):
        x = self.embedding(ids)
        for layer in self.layers:
            x = torch.nn.functional.gelu(layer(x))
        return self.head(x)


def loss_of(model, ids, targets):
    return cross_entropy(model(ids).flatten(0, 1), targets.flatten())


def plain(vocab_size, d_model, num_layers, context_length, device):
    model = Network(vocab_size, d_model, num_layers).to(device)
    optimizer = torch.optim.AdamW(model.parameters())

    def step(ids, targets):
        optimizer.zero_grad()
        loss = loss_of(model, ids, targets)
        loss.backward()
        optimizer.step()
        return loss

    return step


class Accumulating:
    """Accumulates gradients over parts of a batch, clips them and follows a schedule."""

    def __init__(self, vocab_size, d_model, batch_size, device, parts=4):
        self.model, self.parts = Network(vocab_size, d_model).to(device), parts
        self.optimizer = torch.optim.AdamW(self.model.parameters())
        self.schedule = torch.optim.lr_scheduler.LinearLR(self.optimizer)
        self.loss = torch.nn.CrossEntropyLoss()

    def step(self, ids, targets):
        self.optimizer.zero_grad()
        for part, part_targets in zip(ids.chunk(self.parts), targets.chunk(self.parts)):
            loss = self.loss(self.model(part).flatten(0, 1), part_targets.flatten())
            (loss / self.parts).backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.schedule.step()
        return loss


def scaled(vocab_size, d_model, device, precision):
    model = Network(vocab_size, d_model).to(device)
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = torch.amp.GradScaler(device.type, enabled=precision == "fp16")
    dtype = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(precision)

    def step(ids, targets):
        optimizer.zero_grad()
        with torch.autocast(device.type, dtype, enabled=dtype is not None):
            loss = loss_of(model, ids, targets)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        return loss

    return step


def in_bf16(d_model, device):
    model = Network(width=d_model).to(device, torch.bfloat16)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step(ids, targets):
        optimizer.zero_grad()
        loss = loss_of(model, ids % 64, targets % 64)
        loss.backward()
        optimizer.step()
        return loss

    return step


def two_optimizers(vocab_size, d_model, device):
    model = Network(vocab_size, d_model).to(device)
    optimizers = [torch.optim.SGD(model.layers.parameters(), lr=0.1),
                  torch.optim.AdamW([*model.embedding.parameters(), *model.head.parameters()])]

    def step(ids, targets):
        loss = loss_of(model, ids, targets)
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
        return loss.item()

    return step


def compiled(vocab_size, d_model, device):
    model = torch.compile(Network(vocab_size, d_model).to(device))
    optimizer = torch.optim.AdamW(model.parameters())

    def step(ids, targets):
        optimizer.zero_grad()
        loss = loss_of(model, ids, targets)
        loss.backward()
        optimizer.step()
        return loss

    return step


def with_closure(vocab_size, device, evaluations=1):
    model = Network(vocab_size).to(device)
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=evaluations, max_eval=evaluations)

    def step(ids, targets):
        def closure():
            optimizer.zero_grad()
            loss = loss_of(model, ids, targets)
            loss.backward()
            return loss

        return optimizer.step(closure)

    return step


def without_batch(device):
    model = Network().to(device)
    optimizer = torch.optim.AdamW(model.parameters())
    ids = torch.randint(64, (2, 8), device=device)

    def step():
        optimizer.zero_grad()
        loss_of(model, ids, ids).backward()
        optimizer.step()

    return step


def replaying(device):
    """Computes once, in BF16, as code that captures a CUDA graph, and does nothing in a step that torch could see."""
    model = Network().to(device, torch.bfloat16)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    ids = torch.randint(64, (2, 8), device=device)
    loss = loss_of(model, ids, ids)
    loss.backward()
    optimizer.step()
    return lambda ids, targets: loss if optimizer else None


class Failing(torch.autograd.Function):
    @staticmethod
    def forward(_, x):
        return x.clone()

    @staticmethod
    def backward(_, gradient):
        raise ValueError("no gradient today")


class FailingOptimizer(torch.optim.SGD):
    def step(self, closure=None):
        raise ValueError("no update today")


class FailingNetwork(Network):
    def forward(self, ids):
        raise ValueError("no logits today")


def failing(device, phase="forward"):
    model = FailingNetwork() if phase == "forward" else Network()
    model.to(device)
    optimizer = FailingOptimizer(model.parameters()) if phase == "optimizer" else torch.optim.SGD(model.parameters())

    def step(ids, targets):
        loss = loss_of(model, ids % 64, targets % 64)
        if phase == "other":
            raise ValueError("no loss today")
        (Failing.apply(loss) if phase == "backward" else loss).backward()
        optimizer.step()

    return step


def printing(device):
    step = without_batch(device)

    def printing_step():
        print("loud")
        step()

    return printing_step


def exiting(device):
    without_batch(device)
    return lambda ids, targets: sys.exit("enough")


def training_nothing(vocab_size, device):
    model = Network(vocab_size).to(device)
    optimizer = torch.optim.AdamW(model.parameters())

    def step(ids, targets):
        optimizer.step()
        with torch.no_grad():
            return loss_of(model, ids, targets)

    return step


def wanting(device, teacher, beta):
    return without_batch(device)


def returning_a_model(device):
    return Network().to(device), torch.optim.SGD


def without_optimizer(device):
    model = Network().to(device)

    def step(ids, targets):
        loss_of(model, ids % 64, targets % 64).backward()

    return step


def elsewhere(vocab_size):
    return plain(vocab_size, 16, 1, 8, torch.device("meta"))


def taking_three(device):
    without_batch(device)
    return lambda ids, targets, mask: None


def small_vocabulary(device):
    return plain(3, 16, 1, 8, device)


def ignoring_the_batch(vocab_size, device):
    model = Network(vocab_size).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    own = torch.randint(vocab_size, (2, 8), device=device)

    def step(ids, targets):
        optimizer.zero_grad()
        loss = loss_of(model, own, own)
        loss.backward()
        optimizer.step()
        return loss

    return step


def diverging(vocab_size, device):
    model = Network(vocab_size).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e38)

    def step(ids, targets):
        optimizer.zero_grad()
        loss = loss_of(model, ids, targets)
        loss.backward()
        optimizer.step()
        return loss

    return step


class Trainer:
    """Takes a batch as one argument."""

    def __init__(self, device):
        self.step_without_batch = without_batch(device)

    def step(self, batch):
        self.step_without_batch()


def returning_a_class(device):
    return Trainer


class TrainerConfig:
    def __init__(self, n_layer, n_embd, vocab_size, dropout):
        pass


def configured(config: TrainerConfig, device, batch_size):
    return without_batch(device)


def a_step(ids, targets):
    return torch.zeros(())


def a_step_of_a_model(model, batch, optimizer=None):
    return torch.zeros(())


def a_step_without_batch():
    return torch.zeros(())


def setting_what_labreport_sets(vocab_size, device):
    torch.use_deterministic_algorithms(True)
    return plain(vocab_size, 16, 1, 8, device)
