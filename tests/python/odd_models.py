"""Unusual models that can be measured, and models each of which is wrong in one way."""

import dataclasses
import gc
import itertools
import time
import types

import torch
from torch import nn


class Bigram(nn.Module):
    """Is the smallest model that can be measured."""

    def __init__(self, vocab_size, width=4):
        super().__init__()
        self.table = nn.Embedding(vocab_size, width)
        self.head = nn.Linear(width, vocab_size)

    def forward(self, ids):
        return self.head(self.table(ids))


class FixedVocabulary(Bigram):
    """Takes no vocab_size, so labreport's ids may lie outside of its table."""

    def __init__(self):
        super().__init__(vocab_size=5)


class FixedContext(Bigram):
    """Knows two positions, whatever the context is."""

    def __init__(self, vocab_size):
        super().__init__(vocab_size)
        self.positions = nn.Embedding(2, 4)

    def forward(self, ids):
        return self.head(self.table(ids) + self.positions(torch.arange(ids.shape[1], device=ids.device)))


loss_calls = itertools.count()


def loss_of_frozen_objects(logits, targets):
    """Raises after the first step unless what that step made is kept from garbage collections."""
    if next(loss_calls) > 0 and gc.get_freeze_count() == 0:
        raise MemoryError("a garbage collection would walk all objects")
    return nn.functional.cross_entropy(logits, targets)


class Leaving(Bigram):
    def forward(self, ids):
        raise SystemExit(0)


class Asserting(Bigram):
    def forward(self, ids):
        assert ids.numel() < 3


class Interrupted(Bigram):
    def forward(self, ids):
        raise KeyboardInterrupt


class Wrapped(Bigram):
    def forward(self, ids):
        return types.SimpleNamespace(logits=super().forward(ids))


class Tupled(Bigram):
    def forward(self, ids):
        return None, super().forward(ids)


class InDict(Bigram):
    def forward(self, ids):
        return {"logits": super().forward(ids)}


class Padded(Bigram):
    """Rounds its vocabulary up to a multiple of 64, which aligns the output layer."""

    def __init__(self, vocab_size):
        super().__init__(-(-vocab_size // 64) * 64)


class LossItself(Bigram):
    """Returns logits of the last position only if it gets no targets, as nanoGPT does."""

    def forward(self, ids, targets=None):
        logits = super().forward(ids)
        if targets is None:
            return logits[:, -1:], None
        return logits, nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())


class OptionalTargets(Bigram):
    def forward(self, ids, targets=None):
        return super().forward(ids)


class LossAttribute(Bigram):
    def forward(self, ids, mask=None, labels=None):
        assert mask is None
        logits = super().forward(ids)
        return types.SimpleNamespace(loss=nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten()), logits=logits)


class LossOnly(Bigram):
    def forward(self, ids, following):
        return nn.functional.cross_entropy(super().forward(ids).flatten(0, 1), following.flatten())


class Placed(Bigram):
    def __init__(self, vocab_size, device, dtype, other_dtype=None):
        super().__init__(vocab_size)
        self.extra = nn.Parameter(torch.zeros(3, device=device, dtype=dtype))
        assert isinstance(device, torch.device)


@dataclasses.dataclass
class ModelConfig:
    vocab: int
    d_model: int


class InBf16(Bigram):
    def __init__(self, vocab_size):
        super().__init__(vocab_size)
        self.to(torch.bfloat16)


class HalfInBf16(Bigram):
    def __init__(self, vocab_size):
        super().__init__(vocab_size)
        self.head.bias.data = self.head.bias.data.bfloat16()
        self.register_buffer("cache", torch.ones(3, dtype=torch.float16))
        self.register_buffer("positions", torch.arange(3))


class Configured(Bigram):
    def __init__(self, config: ModelConfig):
        super().__init__(config.vocab, config.d_model)


class Picky(Bigram):
    def __init__(self, vocab_size, bias, scaling):
        super().__init__(vocab_size)


class Renamed(Bigram):
    """Takes the course's parameters under names of its own, two of them with a default."""

    def __init__(self, vocabulary_size, n_embd=99, n_layer=99):
        super().__init__(vocabulary_size, n_embd)
        self.depth = n_layer


@dataclasses.dataclass
class MakesItsConfigConfig:
    n_embd: int
    n_layer: int
    vocab_size: int = 99
    bias: bool = True


class MakesItsConfig(Renamed):
    """Takes a config that no annotation describes: the module's class of the model's name does."""

    def __init__(self, config):
        assert config.n_embd > 1
        super().__init__(config.vocab_size, config.n_embd, config.n_layer)
        self.bias = config.bias


class MayTakeAConfig(MakesItsConfig):
    def __init__(self, sizes: MakesItsConfigConfig | None = None):
        super().__init__(sizes or MakesItsConfigConfig(9, 9))


ConfiguredByNameConfig = ModelConfig


class ConfiguredByName(Bigram):
    def __init__(self, args):
        super().__init__(args.vocab, args.d_model)


def factory(**course):
    return Bigram(course["vocab_size"], width=course["d_model"])


class Shared(nn.Module):
    """Shares one norm between all blocks."""

    def __init__(self, vocab_size, num_layers):
        super().__init__()
        self.table = nn.Embedding(vocab_size, 4)
        norm = nn.LayerNorm(4)
        self.layers = nn.ModuleList(nn.Sequential(norm, nn.Linear(4, 4)) for _ in range(num_layers))
        self.head = nn.Linear(4, vocab_size)

    def forward(self, ids):
        x = self.table(ids)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


class Encoder(nn.Module):
    """Uses PyTorch's own layers and names of parameters."""

    def __init__(self, vocab_size, d_model, nhead, layers):
        super().__init__()
        self.table = nn.Embedding(vocab_size, d_model)
        layer = nn.TransformerEncoderLayer(d_model, nhead, dim_feedforward=4 * d_model, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers)
        self.head = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        mask = nn.Transformer.generate_square_subsequent_mask(ids.shape[1], device=ids.device)
        return self.head(self.encoder(self.table(ids), mask=mask, is_causal=True))


class Narrow(Bigram):
    def forward(self, ids):
        return super().forward(ids)[:, -1]


class Failing(Bigram):
    def forward(self, ids):
        return super().forward(ids) @ ids


class Elsewhere(Bigram):
    def to(self, *_):
        self.head.weight = nn.Parameter(self.head.weight.to("meta"))
        return self


class Undifferentiable(Bigram):
    """Fails in backward, not in forward."""

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(_, x):
            return 2 * x

        @staticmethod
        def backward(_, gradient):
            raise ArithmeticError("no gradient today")

    def forward(self, ids):
        return self.Double.apply(super().forward(ids))


class Uncompilable(Bigram):
    """Runs eagerly; under torch.compile it multiplies shapes that do not fit."""

    def forward(self, ids):
        logits = super().forward(ids)
        return logits @ logits if torch.compiler.is_compiling() else logits


class Breaking(Bigram):
    """Breaks torch.compile's graph once, and makes it compile anew in each step."""

    def __init__(self, vocab_size):
        super().__init__(vocab_size)
        self.calls = 0

    def forward(self, ids):
        logits = super().forward(ids)
        torch._dynamo.graph_break()
        self.calls += 1
        return logits * self.calls


class Frozen(Bigram):
    def forward(self, ids):
        return super().forward(ids).detach()


def no_module(vocab_size):
    return vocab_size


def halved(logits, targets):
    return nn.functional.cross_entropy(logits, targets) / 2


def each(logits, targets):
    return nn.functional.cross_entropy(logits, targets, reduction="none")


class Unsteady(torch.optim.SGD):
    def step(self):
        raise ArithmeticError("no step today")


def attend(q, k, v, is_causal):
    """Computes attention as a function."""
    return nn.functional.scaled_dot_product_attention(q, k, v, is_causal=is_causal)


class Attend(torch.autograd.Function):
    """Saves only its inputs and computes attention again in backward."""

    @staticmethod
    def forward(context, q, k, v, is_causal):
        context.save_for_backward(q, k, v)
        context.is_causal = is_causal
        return attend(q, k, v, is_causal)

    @staticmethod
    def backward(context, gradient):
        inputs = [saved.detach().requires_grad_() for saved in context.saved_tensors]
        with torch.enable_grad():
            output = attend(*inputs, context.is_causal)
        return *torch.autograd.grad(output, inputs, gradient), None


class SlowAtFirst(Attend):
    """Takes as long as a compiler in the first forward and the first backward of each length."""

    known = set()

    @classmethod
    def compile(cls, length, words):
        if (length, words) not in cls.known:
            cls.known.add((length, words))
            time.sleep(0.2)

    @staticmethod
    def forward(context, q, k, v, is_causal):
        SlowAtFirst.compile(q.shape[-2], "forward")
        return Attend.forward(context, q, k, v, is_causal)

    @staticmethod
    def backward(context, gradient):
        SlowAtFirst.compile(gradient.shape[-2], "backward")
        return Attend.backward(context, gradient)


class AttendModule(nn.Module):
    def forward(self, q, k, v, is_causal):
        return attend(q, k, v, is_causal)


class WrongGradient(Attend):
    @staticmethod
    def backward(context, gradient):
        q, k, v, _ = Attend.backward(context, gradient)
        return q, 2 * k, v, None


class ForwardOnly(Attend):
    @staticmethod
    def backward(context, gradient):
        raise NotImplementedError("the course asks for the forward first")


class NoGradientOfV(Attend):
    @staticmethod
    def backward(context, gradient):
        q, k, *_ = Attend.backward(context, gradient)
        return q, k, None, None


def attend_detached(q, k, v, is_causal):
    return attend(q.detach(), k.detach(), v.detach(), is_causal)


def attend_to_all(q, k, v, is_causal):
    """Ignores its causal flag, as an attention of the course's first part may."""
    return attend(q, k, v, False)


def attend_in_reverse(q, k, v, is_causal):
    return attend(q, k, v.flip(-2), is_causal)


def attend_in_fp32(q, k, v, is_causal):
    assert q.dtype == torch.float32, "made for FP32"
    return attend(q, k, v, is_causal)


class CompilationError(Exception):
    """Has the form of Triton's errors: a place, the kernel up to it, a caret, and the cause."""

    def __init__(self, cause=None):
        super().__init__("at 12:20:\n    p = tl.exp(s)\n    acc += tl.dot(p, v)\n           ^" + (f"\n{cause}" if cause else ""))


class UncompiledBackward(Attend):
    @staticmethod
    def backward(context, gradient):
        try:
            raise CompilationError("Both operands must be same dtype. Got bf16 and fp32")
        except CompilationError as error:
            raise CompilationError() from error


def attend_narrowly(q, k, v, is_causal):
    return attend(q, k, v, is_causal)[..., :1]


def attend_to_no_last_tile(q, k, v, is_causal):
    """Leaves out the last tile of a sequence that is longer than the first comparison's 256 tokens."""
    output = attend(q, k, v, is_causal)
    return output if q.shape[-2] <= 256 else torch.cat([output[..., :-16, :], torch.zeros_like(output[..., -16:, :])], -2)


def attend_to_all_if_long(q, k, v, is_causal):
    return attend(q, k, v, is_causal and q.shape[-2] <= 256)


class FromCache(Attend):
    """Keeps outputs and gradients by the address of their inputs."""
    kept = {}

    @staticmethod
    def forward(context, q, k, v, is_causal):
        context.save_for_backward(q, k, v)
        context.is_causal, key = is_causal, (q.data_ptr(), q.shape)
        if key not in FromCache.kept:
            FromCache.kept[key] = attend(q, k, v, is_causal)
        return FromCache.kept[key].clone()


class OnceRight(Attend):
    """Computes 20 times, and then returns nothing but zeros."""
    calls = 0

    @staticmethod
    def forward(context, q, k, v, is_causal):
        output = Attend.forward(context, q, k, v, is_causal)
        OnceRight.calls += 1
        return output if OnceRight.calls <= 20 else torch.zeros_like(output)


class OnceDifferentiable(Attend):
    """Fails in backward after the first one."""
    calls = 0

    @staticmethod
    def backward(context, gradient):
        OnceDifferentiable.calls += 1
        if OnceDifferentiable.calls > 1:
            raise ArithmeticError("no second gradient")
        return Attend.backward(context, gradient)


def attend_not_at_all(q, k, v):
    return q
