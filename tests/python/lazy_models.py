"""Networks whose training steps leave something out, and networks of which that only seems so."""

import torch
from odd_models import Bigram
from torch import nn


class UngradedTable(Bigram):
    """Computes a part without gradients."""

    def forward(self, ids):
        with torch.no_grad():
            x = self.table(ids)
        return self.head(x)


class FrozenHead(Bigram):
    def __init__(self, vocab_size):
        super().__init__(vocab_size)
        self.head.requires_grad_(False)


class CachedLogits(Bigram):
    """Computes logits once. The sum of the parameters, times 0, gives all of them a gradient."""

    kept = None

    def forward(self, ids):
        if self.kept is None:
            self.kept = super().forward(ids).detach()
        return self.kept + 0 * sum(parameter.sum() for parameter in self.parameters())


class CachedByAddress(Bigram):
    """Looks its tokens up once for each address of the ids."""

    def __init__(self, vocab_size):
        super().__init__(vocab_size)
        self.kept = {}

    def forward(self, ids):
        return super().forward(self.kept.setdefault(ids.data_ptr(), ids.clone()))


class Retiring(Bigram):
    """Repeats a layer four times in each of its first four steps, and once in later ones."""

    def __init__(self, vocab_size):
        super().__init__(vocab_size)
        self.middle, self.calls = nn.Linear(4, 4), 0

    def forward(self, ids):
        self.calls += 1
        x = self.table(ids)
        for _ in range(4 if self.calls <= 4 else 1):
            x = self.middle(x).relu() + x
        return self.head(x)


class OwnConstantLoss(Bigram):
    """Returns a loss of its own, which depends on its parameters only."""

    def forward(self, ids, targets):
        return super().forward(torch.zeros_like(ids)).square().mean()


class ZeroHead(Bigram):
    """Begins with logits of 0, which are the same for every batch, and with gradients of 0 below them."""

    def __init__(self, vocab_size):
        super().__init__(vocab_size)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)


class Dropping(Bigram):
    def forward(self, ids):
        return self.head(nn.functional.dropout(self.table(ids), 0.5))


class KeepingParameters(torch.optim.SGD):
    """Updates nothing. It takes the arguments that labreport passes."""

    def step(self, closure=None):
        pass
